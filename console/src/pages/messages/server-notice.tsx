import { Trans } from '@lingui/react/macro'
import { useMailServer } from '../../data/mails.ts'
import { Instant } from '../../ui/time.tsx'
import styles from './mails.module.css'

/** Reports that no messages are sent, and what to do. Renders nothing while messages are sent. */
export function ServerNotice() {
  const { data } = useMailServer()
  if (data === undefined) return null
  if (!data.configured) {
    return (
      <div className={styles.notice} role="note">
        <p>
          <strong>
            <Trans>No mail server is set up, so no messages are sent.</Trans>
          </strong>
        </p>
        <p>
          <Trans>
            Everything else works: you get the links for invitations and new passwords, and hand them over yourself. To
            send messages, set <code>ROLLBOOK_SMTP_URL</code>, <code>ROLLBOOK_MAIL_FROM</code> and{' '}
            <code>ROLLBOOK_PUBLIC_URL</code>, and restart.
          </Trans>
        </p>
      </div>
    )
  }
  if (data.failing_since === null) return null
  return (
    <div className={styles.notice} role="status">
      <p>
        <strong>
          <Trans>
            The mail server has accepted no message since <Instant value={data.failing_since} style="full" />.
          </Trans>
        </strong>
      </p>
      <p>
        <Trans>
          Messages wait and are not lost. One is tried now and then; when it succeeds, all are sent. Next attempt:{' '}
          <Instant value={data.next_attempt_at} style="until" />.
        </Trans>
      </p>
    </div>
  )
}
