import { useLingui } from '@lingui/react/macro'
import type { WebhookDelivery, WebhookEndpoint } from 'rollbook/client'
import { Badge } from '../ui/badge.tsx'
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
  }
  return (
    <Badge kind={health === 'active' ? 'good' : health === 'failing' ? 'warn' : health === 'off' ? 'plain' : 'fault'}>
      {texts[health]}
    </Badge>
  )
}

export function DeliveryBadge({ delivery: { status, attempt_count } }: { delivery: WebhookDelivery }) {
  const { t } = useLingui()
  switch (status) {
    case 'delivered':
      return <Badge kind="good">{t`Delivered`}</Badge>
    case 'dead':
      return <Badge kind="fault">{t`Failed`}</Badge>
    case 'queued':
      return <Badge>{t`Waiting`}</Badge>
    case 'due':
      return attempt_count === 0 ? <Badge kind="accent">{t`Pending`}</Badge> : <Badge kind="warn">{t`Retrying`}</Badge>
  }
}
