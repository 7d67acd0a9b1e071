import { Trans, useLingui } from '@lingui/react/macro'
import type { WebhookEndpoint } from 'rollbook/client'
import { Instant } from '../../ui/time.tsx'
import styles from './webhooks-page.module.css'

/** Since when deliveries fail, and the last failure. */
export function FailureNote({ endpoint: { state, failure, failing_since } }: { endpoint: WebhookEndpoint }) {
  const since = failure?.since ?? failing_since
  if (state === 'active' || since === null) return null
  return (
    <>
      <span className={styles.since}>
        <Trans>
          since <Instant value={since} style="full" />
        </Trans>
      </span>
      {failure !== null && (
        <span className={styles.since}>
          {failure.response_status !== null && (
            <Trans>
              The receiver responded with <code dir="ltr">{failure.response_status}</code>.
            </Trans>
          )}{' '}
          {failure.error !== null && <FaultText error={failure.error} />}
        </span>
      )}
    </>
  )
}

/** The same words as in docs/webhooks.md. */
export function FaultText({ error }: { error: string }) {
  const { t } = useLingui()
  const texts: Record<string, string> = {
    timeout: t`No response in time.`,
    name_not_found: t`The host name was not found.`,
    connection_refused: t`The connection was refused.`,
    connection_failed: t`The connection was closed by the receiver.`,
    tls_failed: t`The certificate is not valid for this name.`,
    address_refused: t`The host name leads to an internal address, where nothing is sent.`,
    url_refused: t`The address is no longer allowed by the configuration.`,
    answer_invalid: t`The response is not valid HTTP.`,
    event_gone: t`The event is too old and was deleted.`,
  }
  return (
    <span>
      {texts[error] ?? ''} <code dir="ltr">{error}</code>
    </span>
  )
}
