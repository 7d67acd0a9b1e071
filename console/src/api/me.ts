/** The signed-in user and their permissions. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Me } from 'rollbook/client'
import { includesWord, isLimited, limitedWord } from '../lib/permission-groups.ts'
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

export type Owned = { organization_id?: string | undefined }

/** Whether the viewer has the permission: for everything, or limited to their organization. With `of`: also for this user, group or key. */
export function useCan(permission: string, of?: Owned): boolean {
  const me = useMe()
  return of === undefined ? can(me, permission) : canOn(me, permission, of)
}

function canOn(me: Me, permission: string, { organization_id }: Owned): boolean {
  const isOwn = organization_id !== undefined && organization_id === me.org_id
  return isOwn ? can(me, permission) : canEverywhere(me, permission)
}

/** Whether the viewer has the permission, but not for this: a role can hold one permission as a whole and another one limited. */
export function isBeyond(me: Me, permission: string, of: Owned): boolean {
  return can(me, permission) && !canOn(me, permission, of)
}

export function can({ permissions }: Pick<Me, 'permissions'>, permission: string): boolean {
  return includesWord(permissions, limitedWord(permission))
}

/** Whether the viewer has the permission for everything, and not only within their organization. */
export function useCanEverywhere(permission: string): boolean {
  return canEverywhere(useMe(), permission)
}

export function canEverywhere({ permissions }: Pick<Me, 'permissions'>, permission: string): boolean {
  return includesWord(permissions, permission)
}

/** The organization that the viewer administers: some of what they may do is limited to it. */
export function ownOrganizationOf({ permissions, org_id, org_name }: Me): { id: string; name: string } | undefined {
  return permissions.some(isLimited) && org_id !== undefined ? { id: org_id, name: org_name ?? '' } : undefined
}
