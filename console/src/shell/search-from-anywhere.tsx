import { useLingui } from '@lingui/react/macro'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import type { Me } from 'rollbook/client'
import { can } from '../api/me.ts'
import { useShortcut } from '../shortcuts/shortcuts.ts'

/** Makes `/` search users from every page but the users list, which has its own shortcut. */
export function SearchFromAnywhere({ me }: { me: Me }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const isOnList = useRouterState({ select: ({ location }) => location.pathname.endsWith('/users') })
  useShortcut('/', t`Search users`, () => void navigate({ to: '/users' }), {
    opensField: true,
    isOn: !isOnList && can(me, 'users:read'),
  })
  return null
}
