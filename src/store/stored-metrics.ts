import type { Family } from '../core/metric-family.ts'
import type { Db } from './db/db.ts'

/** Metrics that a feature reads from the store. One reader reads those of all features, rarely. */
export type StoredMetrics = {
  read(db: Db, now: number): Promise<unknown>
  families(figures: () => Promise<unknown>): Family[]
}

type Parts<Figures> = {
  /** `now` in epoch milliseconds. */
  read(db: Db, now: number): Promise<Figures>
  /** `figures` returns undefined while the store cannot be read. */
  families(figures: () => Promise<Figures | undefined>): Family[]
}

export function storedMetrics<Figures>({ read, families }: Parts<Figures>): StoredMetrics {
  return { read, families: (figures) => families(figures as () => Promise<Figures | undefined>) }
}

/** 0 for null: nothing is waiting. */
export function secondsSince(instant: string | null, now: number): number {
  return instant === null ? 0 : Math.max(0, now - Date.parse(instant)) / 1000
}
