/** The result of the dialog for a new user: what happened, and the secrets that are shown once. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Stack } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { CreatedUser } from 'rollbook/client'
import { DatabaseAccount } from '../../parts/database-account/database-account.tsx'
import { CopyLine } from '../../ui/copy.tsx'
import { DialogFoot } from '../../ui/dialog.tsx'
import { Instant } from '../../ui/time.tsx'
import styles from './create-dialog.module.css'

/** A new user, and what is said once. */
export type Creation = {
  user: CreatedUser
  password: string
  /** The names of the groups that the user is in now. */
  added: readonly string[]
  /** The groups that refused the user, with the reason. */
  refused: readonly { name: string; reason: string }[]
}

type Props = { created: Creation; onAgain: () => void; onClose: () => void }

export function Created({ created: { user, password, added, refused }, onAgain, onClose }: Props) {
  const { t, i18n } = useLingui()
  const names = (some: readonly string[]) => new Intl.ListFormat(i18n.locale).format(some)
  const link = useRef<HTMLAnchorElement>(null)
  const nextTab = user.kind === 'service' ? 'keys' : user.has_password || user.invitation ? undefined : 'password'
  // The focused button is unmounted.
  useEffect(() => link.current?.focus(), [])
  return (
    <Stack gap="lg">
      <Outcome user={user} />
      {added.length > 0 && (
        <p className={styles.note}>
          <Trans>In the groups: {names(added)}</Trans>
        </p>
      )}
      {refused.map(({ name, reason }) => (
        <p key={name} role="alert" className={styles.said}>
          <Trans>
            Not added to <bdi>{name}</bdi>: {reason}
          </Trans>
        </p>
      ))}
      {password !== '' && (
        <section className={styles.step}>
          <h3>
            <Trans>Password</Trans>
          </h3>
          <CopyLine text={password} label={t`the password`} />
          <p className={styles.note}>
            <Trans>It is shown only here. Give it to the user in a safe way.</Trans>
          </p>
        </section>
      )}
      {user.invitation?.url !== undefined && (
        <section className={styles.step}>
          <h3>
            <Trans>Invitation link</Trans>
          </h3>
          <CopyLine text={user.invitation.url} label={t`the invitation link`} />
          <p className={styles.note}>
            <Trans>
              It is shown only here. Anyone with the link can choose the password. It works once, until{' '}
              <Instant value={user.invitation.expires_at} style="full" />.
            </Trans>
          </p>
        </section>
      )}
      <DialogFoot>
        <Button variant="default" onClick={onAgain}>
          <Trans>Create another</Trans>
        </Button>
        <Button variant="default" onClick={onClose}>
          <Trans>Done</Trans>
        </Button>
        <Button
          renderRoot={(props) => (
            <Link
              {...props}
              ref={link}
              to="/users/$userId"
              params={{ userId: user.user_id }}
              search={nextTab === undefined ? {} : { tab: nextTab }}
              onClick={onClose}
            />
          )}
        >
          {nextTab === undefined ? (
            <Trans>Open user</Trans>
          ) : nextTab === 'keys' ? (
            <Trans>Open it and create a key</Trans>
          ) : (
            <Trans>Open user and set a password</Trans>
          )}
        </Button>
      </DialogFoot>
      <details className={styles.more}>
        <summary>
          <Trans>Database account</Trans>
        </summary>
        <DatabaseAccount username={user.username} kind="create" />
      </details>
    </Stack>
  )
}

function Outcome({ user }: { user: CreatedUser }) {
  return (
    <p className={styles.said} role="status">
      {user.kind === 'service' ? (
        <Trans>
          <strong>
            <bdi>{user.username}</bdi>
          </strong>{' '}
          can do nothing until it has a key.
        </Trans>
      ) : user.has_password ? (
        <Trans>
          <strong>
            <bdi>{user.username}</bdi>
          </strong>{' '}
          can sign in now.
        </Trans>
      ) : user.invitation?.sent ? (
        <Trans>
          Invitation sent to <bdi>{user.email}</bdi>
        </Trans>
      ) : user.invitation ? (
        <Trans>
          <strong>
            <bdi>{user.username}</bdi>
          </strong>{' '}
          is invited. No email was sent: pass on the link.
        </Trans>
      ) : (
        <Trans>
          <strong>
            <bdi>{user.username}</bdi>
          </strong>{' '}
          cannot sign in until a password is set.
        </Trans>
      )}
    </p>
  )
}
