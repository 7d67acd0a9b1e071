import { Trans, useLingui } from '@lingui/react/macro'
import { Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { User } from 'rollbook/client'
import { useCan, useMe } from '../api/me.ts'
import type { UserActions } from './use-user-actions.ts'
import { userHref } from './user-row.tsx'

type Props = {
  user: User
  /** Where the button is that was pressed. */
  anchor: DOMRect
  actions: UserActions
  onClose: () => void
}

export default function RowMenu({ user, anchor, actions, onClose }: Props) {
  const { t } = useLingui()
  const mayWrite = useCan('users:write')
  const mayEndSessions = useCan('sessions:write')
  const isMe = useMe().user_id === user.user_id
  const lacking = (permission: string) => t`Needs the permission ${permission}.`
  return (
    <Menu
      opened
      onChange={(isOpen) => !isOpen && onClose()}
      position="bottom-end"
      shadow="md"
      width={240}
      withinPortal
      returnFocus={false}
      transitionProps={{ duration: 0 }}
    >
      <Menu.Target>
        <span
          style={{
            position: 'fixed',
            top: anchor.top,
            left: anchor.left,
            width: anchor.width,
            height: anchor.height,
            pointerEvents: 'none',
          }}
        />
      </Menu.Target>
      <Menu.Dropdown aria-label={t`Actions for ${user.username}`} aria-labelledby={undefined}>
        <Menu.Item component={Link} to={userHref(user.user_id)} onClick={onClose}>
          <Trans>Open</Trans>
        </Menu.Item>
        <Menu.Item
          disabled={!mayWrite}
          title={mayWrite ? undefined : lacking('users:write')}
          onClick={() => void actions.setActive(user, !user.active)}
        >
          {user.active ? <Trans>Disable</Trans> : <Trans>Enable</Trans>}
        </Menu.Item>
        <Menu.Item
          disabled={!mayEndSessions}
          title={mayEndSessions ? undefined : lacking('sessions:write')}
          onClick={() => void actions.endSessions(user)}
        >
          {isMe ? <Trans>Sign out everywhere, here too</Trans> : <Trans>Sign out everywhere</Trans>}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          color="red"
          disabled={!mayWrite}
          title={mayWrite ? undefined : lacking('users:write')}
          onClick={() => void actions.remove(user)}
        >
          <Trans>Delete</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
