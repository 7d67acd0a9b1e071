import { useQuery } from '@tanstack/react-query'
import type { User } from 'rollbook/client'
import { useCan, useMe } from '../../../api/me.ts'
import { groupsOfUserQuery } from '../../../data/groups.ts'
import { canGrant, rolesQuery } from '../../../data/roles.ts'

/** Whether the viewer has every permission of the user's roles. Refused anyway by the service. */
export function useMayRank({ user_id, role }: User): boolean {
  const me = useMe()
  const maySeeGroups = useCan('groups:read')
  const { data: roles } = useQuery(rolesQuery)
  const { data: groups } = useQuery({ ...groupsOfUserQuery(user_id), enabled: maySeeGroups })
  if (roles === undefined || (maySeeGroups && groups === undefined)) return false
  const names = new Set([role, ...(groups ?? []).flatMap((group) => group.role ?? [])])
  return roles.filter((one) => names.has(one.role)).every((one) => canGrant(me, one))
}
