/** Metrics that features read from the store: on demand, rarely, by one reader at a time, and with a short timeout. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Family, gauge } from '../../core/metric-family.ts'
import type { Storage } from '../../store/storage/storage.ts'
import type { StoredMetrics } from '../../store/stored-metrics.ts'

/** Two Prometheus servers, or one that scrapes every second, cost the store no more than one every five seconds. */
const freshMs = 5000
/** Prometheus gives up after ten seconds by default and would lose the whole scrape. */
const patienceMs = 1000

type Parts = { storage: Pick<Storage, 'db' | 'isReady'>; log: Logger; clock: () => number }

/** Nodes that share a store report the same figures. */
export function storedFamilies(parts: Parts, metrics: readonly StoredMetrics[]): Family[] {
  const read = storeReader(parts, metrics)
  return [
    gauge(
      'rollbook_store_readable',
      'Whether this response contains the metrics that are read from the store.',
      async () => Number((await read()) !== undefined),
    ),
    ...metrics.flatMap((one) => one.families(async () => (await read())?.get(one))),
  ]
}

type Figures = ReadonlyMap<StoredMetrics, unknown>

/** Returns undefined if the store cannot be read now: old figures would pass for new ones. */
function storeReader({ storage, log, clock }: Parts, metrics: readonly StoredMetrics[]) {
  let last: { figures: Figures; atMs: number } | undefined
  let reading: Promise<void> | undefined

  async function readAll(): Promise<void> {
    const figures = new Map<StoredMetrics, unknown>()
    try {
      const now = clock()
      for (const one of metrics) figures.set(one, await one.read(storage.db, now))
      last = { figures, atMs: performance.now() }
    } catch (err) {
      log.warn({ err }, 'the store could not be read for the metrics')
    } finally {
      reading = undefined
    }
  }

  const fresh = () => (last !== undefined && performance.now() - last.atMs < freshMs ? last.figures : undefined)

  return async (): Promise<Figures | undefined> => {
    // First, so that recent figures do not hide that the store is away or damaged.
    if (!storage.isReady()) return undefined
    const known = fresh()
    if (known !== undefined) return known
    reading ??= readAll()
    await Promise.race([reading, sleep(patienceMs, undefined, { ref: false })])
    return fresh()
  }
}
