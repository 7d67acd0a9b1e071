/** All metrics for Prometheus. Nothing runs, and no library is loaded, before the first scrape. */
import type { Registry } from 'prom-client'
import type { Family } from '../../core/metric-family.ts'
import { requestCount, requestDurations } from './request-families.ts'
import type { RequestTimes } from './request-times.ts'

export type Metrics = {
  /** Concurrent scrapes share one result. */
  scrape(): Promise<Scraped>
}

type Scraped = { contentType: string; text: string }

type Parts = {
  requests: RequestTimes
  /** Every other metric; called at the first scrape. */
  families(): readonly Family[]
}

export function createMetrics({ requests, families }: Parts): Metrics {
  let registry: Registry | undefined
  let scraping: Promise<Scraped> | undefined

  async function scrape(): Promise<Scraped> {
    const { buildRegistry, metricsText } = await import('./registry.ts')
    registry ??= buildRegistry([...families(), requestCount(requests)])
    return { contentType: registry.contentType, text: await metricsText(registry, requestDurations(requests)) }
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
