/** Figures that only the store knows: read on demand, rarely, by one reader at a time, and with a short timeout. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { timestamp } from '../../lib/instant.ts'
import type { Entry } from '../../record/journal/journal.ts'
import { type Lag, lag } from '../../record/webhooks/service-deliveries.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { findHeads, findNextKeyExpiry, findPending } from './store.ts'

export type StoreReadings = {
  auditHead: number
  eventHead: number
  pending: { count: number; ageSeconds: number } | undefined
  webhooks: Lag & { ageSeconds: number }
  /** Epoch milliseconds. */
  nextKeyExpiry: number | undefined
}

/** Two Prometheus servers, or one that scrapes every second, cost the store no more than one every five seconds. */
const freshMs = 5000
/** Prometheus gives up after ten seconds by default and would lose the whole scrape. */
const patienceMs = 1000

type Parts = { storage: Pick<Storage, 'db' | 'isReady'>; log: Logger; clock: () => number }

/** Returns undefined if the store cannot be read now: old figures would pass for new ones. */
export function storeReader({ storage, log, clock }: Parts): () => Promise<StoreReadings | undefined> {
  let last: { readings: StoreReadings; atMs: number } | undefined
  let reading: Promise<void> | undefined

  async function read(): Promise<void> {
    const { db } = storage
    try {
      const { audit, events } = await findHeads(db)
      const pending = db.engine === 'postgres' ? await findPending(db) : undefined
      const now = clock()
      const webhooks = await lag(db, timestamp(now))
      const readings = {
        auditHead: audit,
        eventHead: events,
        pending: pending && { count: pending.count, ageSeconds: secondsSince(instantOf(pending.oldest), now) },
        nextKeyExpiry: await findNextKeyExpiry(db, timestamp(now)),
        webhooks: { ...webhooks, ageSeconds: secondsSince(webhooks.oldest_at, now) },
      }
      last = { readings, atMs: performance.now() }
    } catch (err) {
      log.warn({ err }, 'the store could not be read for the metrics')
    } finally {
      reading = undefined
    }
  }

  const fresh = () => (last !== undefined && performance.now() - last.atMs < freshMs ? last.readings : undefined)

  return async () => {
    // First, so that recent figures do not hide that the store is away or damaged.
    if (!storage.isReady()) return undefined
    const known = fresh()
    if (known !== undefined) return known
    reading ??= read()
    await Promise.race([reading, sleep(patienceMs, undefined, { ref: false })])
    return fresh()
  }
}

function instantOf(entry: string | null): string | null {
  if (entry === null) return null
  const { records, events } = JSON.parse(entry) as Entry
  return (records[0] ?? events[0])?.occurred_at ?? null
}

function secondsSince(instant: string | null, now: number): number {
  return instant === null ? 0 : Math.max(0, now - Date.parse(instant)) / 1000
}
