import { gauge } from '../../core/metric-family.ts'
import { storedMetrics } from '../../store/stored-metrics.ts'
import { findUnconfirmed } from './stop.ts'

export const metrics = storedMetrics({
  read: async (db) => ({ users: (await findUnconfirmed(db))?.users ?? 0 }),
  families: (figures) => [
    gauge(
      'rollbook_inactivity_stopped_users',
      'How many users a run of the inactivity rule would disable, which waits for a confirmation.',
      async () => (await figures())?.users,
    ),
  ],
})
