import { useLingui } from '@lingui/react/macro'
import type { WebhookDelivery, WebhookEndpoint } from 'rollbook/client'
import { State } from '../../ui/state.tsx'
import { type Health, healthOf } from './endpoint-changes.ts'

export function HealthBadge({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { t } = useLingui()
  const health = healthOf(endpoint)
  const texts: Record<Health, string> = {
    active: t`Active`,
    failing: t`Failing`,
    off: t`Disabled`,
    off_failing: t`Disabled after failures`,
    off_gone: t`Disabled by the receiver (410)`,
    off_secret_lost: t`Disabled: its secret is lost`,
  }
  return (
    <State kind={health === 'active' ? 'good' : health === 'failing' ? 'warn' : health === 'off' ? 'off' : 'fault'}>
      {texts[health]}
    </State>
  )
}

export function DeliveryBadge({ delivery: { status, attempt_count } }: { delivery: WebhookDelivery }) {
  const { t } = useLingui()
  switch (status) {
    case 'delivered':
      return <State kind="good">{t`Delivered`}</State>
    case 'dead':
      return <State kind="fault">{t`Failed`}</State>
    case 'queued':
      return <State kind="off">{t`Waiting`}</State>
    case 'due':
      return attempt_count === 0 ? <State kind="busy">{t`Pending`}</State> : <State kind="warn">{t`Retrying`}</State>
  }
}
