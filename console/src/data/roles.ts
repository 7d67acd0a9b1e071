import { queryOptions } from '@tanstack/react-query'
import type { Me, Role } from 'rollbook/client'
import { api } from '../api/client.ts'
import { includesWord } from '../lib/permission-groups.ts'

export const rolesQuery = queryOptions({
  queryKey: ['roles'],
  queryFn: ({ signal }) => api.roles.list({ signal }),
  staleTime: 300_000,
})

/** Users cannot grant a role with permissions they lack. */
export function canGrant(me: Pick<Me, 'permissions'>, { permissions }: Pick<Role, 'permissions'>): boolean {
  return permissions.every((permission) => includesWord(me.permissions, permission))
}
