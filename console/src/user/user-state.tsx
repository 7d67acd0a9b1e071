import { Trans } from '@lingui/react/macro'
import type { User } from 'rollbook/client'
import { Badge } from '../ui/badge.tsx'

/** Role and state in a few words. */
export function UserState({ user, isMe = false }: { user: User; isMe?: boolean }) {
  return (
    <>
      <Badge>{user.role}</Badge>
      {user.active ? (
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
