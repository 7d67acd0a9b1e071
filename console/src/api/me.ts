/** The signed-in user and their permissions. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Me } from 'rollbook/client'
import { api } from './client.ts'

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => api.me.get({ signal }),
  staleTime: 60_000,
})

/** Only below the shell, which renders nothing before this is known. */
export function useMe(): Me {
  const { data } = useQuery(meQuery)
  if (data === undefined) throw new Error('No user is signed in.')
  return data
}

export function useCan(permission: string): boolean {
  return can(useMe(), permission)
}

export function can({ permissions }: Pick<Me, 'permissions'>, permission: string): boolean {
  return permissions.includes('*') || permissions.includes(permission)
}
