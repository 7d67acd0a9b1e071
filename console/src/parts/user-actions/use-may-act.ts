import type { User } from 'rollbook/client'
import { useCan, useMe } from '../../api/me.ts'

/** Whether the menu of the user's page has an action that the viewer may do. */
export function useMayAct({ user_id, kind }: User): boolean {
  const mayWrite = useCan('users:write')
  const maySignOut = useCan('sessions:write')
  const me = useMe()
  const mayImpersonate = useCan('users:impersonate') && me.act === undefined && me.user_id !== user_id
  return mayWrite || (kind !== 'service' && (maySignOut || mayImpersonate))
}
