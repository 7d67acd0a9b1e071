import { Trans } from '@lingui/react/macro'
import type { User } from 'rollbook/client'
import { Badge } from '../ui/badge.tsx'

type Props = { user: User; isLocked?: boolean; isMe?: boolean }

/** The role and state of a user. A user who cannot sign in now is not called active. */
export function UserState({ user, isLocked = false, isMe = false }: Props) {
  return (
    <>
      <Badge>{user.role}</Badge>
      {user.active && isLocked ? (
        <Badge kind="fault">
          <Trans>Locked</Trans>
        </Badge>
      ) : user.active ? (
        <Badge kind="good">
          <Trans>Active</Trans>
        </Badge>
      ) : (
        <Badge kind="fault">
          <Trans>Disabled</Trans>
        </Badge>
      )}
      {!user.has_password && (
        <Badge kind="warn">
          <Trans>No password</Trans>
        </Badge>
      )}
      {isMe && (
        <Badge kind="accent">
          <Trans>You</Trans>
        </Badge>
      )}
    </>
  )
}
