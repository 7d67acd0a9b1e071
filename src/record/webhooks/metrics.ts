import { each, gauge } from '../../core/metric-family.ts'
import { timestamp } from '../../lib/instant.ts'
import { secondsSince, storedMetrics } from '../../store/stored-metrics.ts'
import { lag } from './deliveries-store-lag.ts'

export const metrics = storedMetrics({
  async read(db, now) {
    const found = await lag(db, timestamp(now))
    return { ...found, ageSeconds: secondsSince(found.oldest_at, now) }
  },
  families: (figures) => [
    gauge(
      'rollbook_webhook_deliveries',
      'Deliveries that are due, queued behind another one, or given up (dead). Due and queued count active endpoints only.',
      async () => {
        const found = await figures()
        return found && each('status', { due: found.due, queued: found.queued, dead: found.dead })
      },
      ['status'],
    ),
    gauge(
      'rollbook_webhook_endpoints_failing',
      'Active endpoints whose deliveries currently fail.',
      async () => (await figures())?.failing,
    ),
    gauge(
      'rollbook_webhook_undelivered_age_seconds',
      'How long the oldest delivery to a working receiver has been waiting for its first attempt.',
      async () => (await figures())?.ageSeconds,
    ),
  ],
})
