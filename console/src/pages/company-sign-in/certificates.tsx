import { Trans, useLingui } from '@lingui/react/macro'
import type { SignInConnection } from 'rollbook/client'
import { Badge } from '../../ui/badge.tsx'
import { CopyLine } from '../../ui/copy.tsx'
import { Instant } from '../../ui/time.tsx'
import styles from './sign-in-connections.module.css'

const soonMs = 30 * 86_400_000

/** The certificates with which the provider signs: what to compare, and until when they last. */
export function Certificates({ details }: { details: NonNullable<SignInConnection['certificate_details']> }) {
  const { t } = useLingui()
  return (
    <ul className={styles.list}>
      {details.map(({ fingerprint, subject, not_after }) => {
        const left = Date.parse(not_after) - Date.now()
        return (
          <li key={fingerprint}>
            <div className={styles.line}>
              <bdi>{subject}</bdi>
              {left < 0 ? (
                <Badge kind="fault">
                  <Trans>Expired</Trans>
                </Badge>
              ) : (
                left < soonMs && (
                  <Badge kind="warn">
                    <Trans>Expires soon</Trans>
                  </Badge>
                )
              )}
              <span className={styles.quiet}>
                <Trans>
                  valid until <Instant value={not_after} style="date" />
                </Trans>
              </span>
            </div>
            <CopyLine text={fingerprint} label={t`the fingerprint (SHA-256)`} />
          </li>
        )
      })}
    </ul>
  )
}
