import { system } from '../../../core/actor.ts'
import { counter, each, type Family, gauge } from '../../../core/metric-family.ts'
import { scopeOf } from '../../../core/scope.ts'
import { timestamp } from '../../../lib/instant.ts'
import type { Db, Transaction } from '../../../store/db/db.ts'
import { findState, setState } from '../../../store/state.ts'
import { storedMetrics } from '../../../store/stored-metrics.ts'
import * as connections from '../../providers/connections/service.ts'

/** `incomplete`: no missing user was disabled, because accounts could not be read or too many were missing. */
export type SyncOutcome = 'succeeded' | 'incomplete' | 'failed'

export type SyncCounts = { count(outcome: SyncOutcome): void; families: Family[] }

export function createSyncCounts(): SyncCounts {
  const outcomes: Record<SyncOutcome, number> = { succeeded: 0, incomplete: 0, failed: 0 }
  return {
    count(outcome) {
      outcomes[outcome]++
    },
    families: [
      counter(
        'rollbook_directory_syncs_total',
        'Synchronizations with a directory by outcome, without dry runs.',
        () => each('outcome', outcomes),
        ['outcome'],
      ),
    ],
  }
}

const stateOf = (connectionId: string) => `directory_synced ${connectionId}`

/** @param now epoch milliseconds */
export function saveSuccess(db: Transaction, connectionId: string, now: number): Promise<void> {
  return setState(db, stateOf(connectionId), timestamp(now))
}

const hourMs = 3_600_000
/** A synchronization is overdue after this many of its periods: one may fail. */
const periods = 2

/** The active connections that are synchronized by the clock. */
export const metrics = storedMetrics({
  async read(db, now) {
    const synced = await Promise.all(
      (await periodic(db)).map(async (one) => ({ ...one, at: await lastSuccess(db, one) })),
    )
    const isOverdue = ({ at, updated_at, sync_hours }: (typeof synced)[number]) =>
      now - Math.max(at, Date.parse(updated_at)) > periods * sync_hours * hourMs
    return {
      oldestMs: synced.length === 0 ? undefined : Math.min(...synced.map(({ at }) => at)),
      overdue: synced.filter(isOverdue).length,
    }
  },
  families: (figures) => [
    gauge(
      'rollbook_directory_sync_last_success_timestamp_seconds',
      'When the synchronization that succeeded longest ago has succeeded; 0 if one never has.',
      async () => {
        const oldestMs = (await figures())?.oldestMs
        return oldestMs === undefined ? undefined : oldestMs / 1000
      },
    ),
    gauge(
      'rollbook_directory_syncs_overdue',
      'Connections whose last successful synchronization is older than twice their sync_hours.',
      async () => (await figures())?.overdue,
    ),
  ],
})

async function periodic(db: Db) {
  return (await connections.listRows(db, scopeOf(system))).flatMap(({ connection_id, active, updated_at, ...row }) => {
    const { sync_hours } = active === 1 ? (connections.settingsOf(row) as { sync_hours?: number | null }) : {}
    return typeof sync_hours === 'number' ? [{ connection_id, updated_at, sync_hours }] : []
  })
}

/** In epoch milliseconds; 0 if there was none. */
async function lastSuccess(db: Db, { connection_id }: { connection_id: string }): Promise<number> {
  const found = await findState(db, stateOf(connection_id))
  return found === undefined ? 0 : Date.parse(found)
}
