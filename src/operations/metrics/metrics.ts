/** All metrics for Prometheus. Nothing runs, and no library is loaded, before the first scrape. */
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Family } from './family.ts'
import { requestCount, requestDurations } from './request-families.ts'
import { backupFamily, fileFamilies, storeFamilies } from './store-families.ts'
import { storeReader } from './store-readings.ts'
import { type Working, workFamilies } from './work-families.ts'

export type Metrics = {
  /** Concurrent scrapes share one result. */
  scrape(): Promise<Scraped>
}

export type Scraped = { contentType: string; text: string }

type Parts = Working & { log: Logger; clock: () => number }

export function createMetrics(parts: Parts): Metrics {
  let registry: Registry | undefined
  let scraping: Promise<Scraped> | undefined

  async function scrape(): Promise<Scraped> {
    const { buildRegistry, tell } = await import('./registry.ts')
    registry ??= buildRegistry(familiesOf(parts))
    return { contentType: registry.contentType, text: await tell(registry, requestDurations(parts.counts.requests)) }
  }

  return {
    scrape() {
      scraping ??= scrape().finally(() => {
        scraping = undefined
      })
      return scraping
    },
  }
}

function familiesOf(parts: Parts): Family[] {
  const { config, counts, storage, log, clock } = parts
  const isShared = config.databaseUrl !== undefined
  return [
    ...workFamilies(parts),
    requestCount(counts.requests),
    ...storeFamilies(storeReader({ storage, log, clock }), isShared),
    backupFamily(config.dataDir, isShared),
    ...(isShared ? [] : fileFamilies(config.dataDir)),
  ]
}
