import { counter, gauge } from '../../core/metric-family.ts'
import { type StoredMetrics, secondsSince, storedMetrics } from '../../store/stored-metrics.ts'
import type { Entry } from './journal.ts'
import { findHeads, findPending } from './store.ts'

/** `hasPending`: entries wait for their sequence numbers, as on PostgreSQL. */
export function journalMetrics({ hasPending }: { hasPending: boolean }): StoredMetrics {
  return storedMetrics({
    async read(db, now) {
      const heads = await findHeads(db)
      if (!hasPending) return { heads }
      const { count, oldest } = await findPending(db)
      return { heads, pending: { count, ageSeconds: secondsSince(instantOf(oldest), now) } }
    },
    families: (figures) => [
      counter(
        'rollbook_audit_records_total',
        'Sequence number of the newest audit record.',
        async () => (await figures())?.heads.audit,
      ),
      counter(
        'rollbook_events_total',
        'Sequence number of the newest event.',
        async () => (await figures())?.heads.events,
      ),
      ...(hasPending
        ? [
            gauge(
              'rollbook_journal_pending',
              'Changes whose records and events have no sequence number yet.',
              async () => (await figures())?.pending?.count,
            ),
            gauge(
              'rollbook_journal_pending_age_seconds',
              'How long the oldest pending change has waited.',
              async () => (await figures())?.pending?.ageSeconds,
            ),
          ]
        : []),
    ],
  })
}

function instantOf(entry: string | null): string | null {
  if (entry === null) return null
  const { records, events } = JSON.parse(entry) as Entry
  return (records[0] ?? events[0])?.occurred_at ?? null
}
