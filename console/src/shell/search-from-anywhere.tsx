import { useLingui } from '@lingui/react/macro'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import type { Me } from 'rollbook/client'
import { can } from '../api/me.ts'
import { useShortcut } from '../shortcuts/shortcuts.ts'

/** Lists that have this shortcut themselves: of users, of groups, and of the members of a group. */
const searchedLists = /\/(users|groups|groups\/[^/]+)$/

/** Makes `/` search users from every other page. */
export function SearchFromAnywhere({ me }: { me: Me }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const isOnList = useRouterState({ select: ({ location }) => searchedLists.test(location.pathname) })
  useShortcut('/', t`Search users`, () => void navigate({ to: '/users' }), {
    opensField: true,
    isOn: !isOnList && can(me, 'users:read'),
  })
  return null
}
