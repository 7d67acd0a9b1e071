import { Trans } from '@lingui/react/macro'
import type { Lock, User } from 'rollbook/client'
import { Badge } from '../ui/badge.tsx'

type Props = { user: User; lock?: Lock | undefined; isMe?: boolean }

/** The role and state of a user. A user who cannot sign in now is not called active. */
export function UserState({ user, lock, isMe = false }: Props) {
  return (
    <>
      <Badge>{user.role}</Badge>
      {user.active && lock?.locked ? (
        <Badge kind="fault">
          <Trans>Locked</Trans>
        </Badge>
      ) : user.active && lock !== undefined && lock.waiting.length > 0 ? (
        <Badge kind="warn">
          <Trans>Sign-in must wait</Trans>
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
