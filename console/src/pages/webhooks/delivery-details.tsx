import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { WebhookDelivery, WebhookDeliveryWithAttempts } from 'rollbook/client'
import { ApiCallButton } from '../../api-call/button.tsx'
import { deliveryQuery } from '../../data/webhooks.ts'
import { formatNumber } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { State } from '../../ui/state.tsx'
import { Instant } from '../../ui/time.tsx'
import styles from './deliveries.module.css'
import { FaultText } from './failure-note.tsx'

type Attempt = WebhookDeliveryWithAttempts['attempts'][number]

/** Each attempt: its time, duration, and response or failure. */
export function DeliveryDetails({ delivery }: { delivery: WebhookDelivery }) {
  const { t } = useLingui()
  const { endpoint_id, delivery_id, event_id } = delivery
  const { data, error, refetch } = useQuery(deliveryQuery(endpoint_id, delivery))
  const path = { endpoint_id, delivery_id }
  return (
    <>
      <div className={styles.facts}>
        <span>
          webhook-id <code dir="ltr">{event_id}</code>
        </span>
        <span>
          delivery_id <code dir="ltr">{delivery_id}</code>
        </span>
        <ApiCallButton
          size="xs"
          calls={[
            { operation: 'GET /webhooks/{endpoint_id}/deliveries/{delivery_id}', path },
            { operation: 'POST /webhooks/{endpoint_id}/deliveries/{delivery_id}/redeliver', path },
          ]}
        />
      </div>
      {error && <Problem error={error} retry={() => void refetch()} title={t`Could not load the attempts.`} />}
      {data === undefined && !error && <Skeleton height={14} width="50%" />}
      {data?.attempts.length === 0 && (
        <p className={styles.quiet}>
          <Trans>No attempt has been made yet.</Trans>
        </p>
      )}
      <ol className={styles.attempts}>
        {data?.attempts.map((attempt) => (
          <li key={attempt.attempted_at}>
            <AttemptLine attempt={attempt} />
          </li>
        ))}
      </ol>
      {data !== undefined && data.attempt_count > data.attempts.length && (
        <p className={styles.quiet}>
          <Plural
            value={data.attempt_count - data.attempts.length}
            one="# earlier attempt was deleted."
            other="# earlier attempts were deleted."
          />
        </p>
      )}
    </>
  )
}

function AttemptLine({ attempt }: { attempt: Attempt }) {
  const { t, i18n } = useLingui()
  const { attempted_at, duration_ms, response_status, response_body, error } = attempt
  const duration = formatNumber(duration_ms, i18n.locale)
  const isGood = response_status !== null && response_status >= 200 && response_status < 300
  return (
    <>
      <div className={styles.attempt}>
        {response_status === null ? (
          <State kind="fault">{t`No response`}</State>
        ) : (
          <State kind={isGood ? 'good' : 'fault'}>{String(response_status)}</State>
        )}
        <Instant value={attempted_at} style="full" />
        <span className={styles.quiet}>
          <Trans>{duration} ms</Trans>
        </span>
        {error !== null && <FaultText error={error} />}
      </div>
      {response_body !== null && response_body !== '' && (
        <pre className={styles.body} dir="ltr">
          <span className="visually-hidden">
            <Trans>The receiver responded:</Trans>{' '}
          </span>
          {response_body}
        </pre>
      )}
    </>
  )
}
