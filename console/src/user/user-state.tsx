import { Trans } from '@lingui/react/macro'
import type { User } from 'rollbook/client'
import styles from './user.module.css'

/** Role and state in a few words. */
export function UserState({ user, isMe = false }: { user: User; isMe?: boolean }) {
  return (
    <>
      <span className={styles.badge}>{user.role}</span>
      {user.active ? (
        <span className={styles.badge} data-kind="good">
          <Trans>active</Trans>
        </span>
      ) : (
        <span className={styles.badge} data-kind="bad">
          <Trans>disabled</Trans>
        </span>
      )}
      {!user.has_password && (
        <span className={styles.badge} data-kind="warn">
          <Trans>no password</Trans>
        </span>
      )}
      {isMe && (
        <span className={styles.badge}>
          <Trans>you</Trans>
        </span>
      )}
    </>
  )
}
