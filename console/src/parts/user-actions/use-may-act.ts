import type { User } from 'rollbook/client'
import { useCan, useMe } from '../../api/me.ts'

/** Whether the menu of the user's page has an action that the viewer may do. */
export function useMayAct(user: User): boolean {
  const { user_id, kind } = user
  const mayWrite = useCan('users:write', user)
  const maySignOut = useCan('sessions:write', user)
  const me = useMe()
  const mayImpersonate = useCan('users:impersonate', user) && me.act === undefined && me.user_id !== user_id
  return mayWrite || (kind !== 'service' && (maySignOut || mayImpersonate))
}
