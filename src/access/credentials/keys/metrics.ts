import { gauge } from '../../../core/metric-family.ts'
import { timestamp } from '../../../lib/instant.ts'
import { storedMetrics } from '../../../store/stored-metrics.ts'
import { findNextKeyExpiry } from './store.ts'

export const metrics = storedMetrics({
  read: (db, now) => findNextKeyExpiry(db, timestamp(now)),
  families: (figures) => [
    gauge(
      'rollbook_api_key_next_expiry_timestamp_seconds',
      'When the next API key that was created for more than 30 days expires.',
      async () => {
        const end = await figures()
        return end === undefined ? undefined : end / 1000
      },
    ),
  ],
})
