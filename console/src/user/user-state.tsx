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
          <Trans>active</Trans>
        </Badge>
      ) : (
        <Badge kind="fault">
          <Trans>disabled</Trans>
        </Badge>
      )}
      {!user.has_password && (
        <Badge kind="warn">
          <Trans>no password</Trans>
        </Badge>
      )}
      {isMe && (
        <Badge kind="accent">
          <Trans>you</Trans>
        </Badge>
      )}
    </>
  )
}
