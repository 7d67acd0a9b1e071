import { gauge } from '../../core/metric-family.ts'
import { storedMetrics } from '../../store/stored-metrics.ts'
import { countGroups } from './store.ts'

export const metrics = storedMetrics({
  read: (db) => countGroups(db),
  families: (figures) => [
    gauge('rollbook_groups', 'How many groups there are.', async () => (await figures())?.groups),
    gauge(
      'rollbook_group_memberships',
      'How many members the groups have together.',
      async () => (await figures())?.memberships,
    ),
  ],
})
