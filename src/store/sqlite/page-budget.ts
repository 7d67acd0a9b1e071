import type { Connection } from '../db/sqlite/connection.ts'

type Budget = {
  /** The writer thread writes the log back when this many pages have been added. Changes wait for it, about 10 ms for 100 pages. */
  passPages: number
  /**
   * At how many pages (of 4 KiB) a commit writes the log back, and changes wait: a reader or a full disk may have kept it from
   * restarting.
   */
  mostLogPages: number
  cacheKiB: number
}

/** Whenever SQLite has moved rows between pages, a commit looks at every page of its cache, which took 150 µs with 64 MiB. */
const ofFewRows: Budget = { passPages: 4000, mostLogPages: 48_000, cacheKiB: 8192 }
/** Few pages are written twice, and writing back 12,000 took a fifth of an import. */
const ofManyRows: Budget = { passPages: 48_000, mostLogPages: 60_000, cacheKiB: 65_536 }

/** A migration may change every user: with the smaller cache it writes the same pages again and again. */
export const migrationCacheKiB = ofManyRows.cacheKiB

/** How long after a change of many rows another one is expected. */
const manyMs = 5000

export type PageBudget = {
  /** After how many pages the log is written back. */
  readonly passPages: number
  /** Called before each transaction. `ofManyRows`: it writes hundreds of rows. */
  expect(transaction: { ofManyRows: boolean }): void
}

/** Gives the write connection a larger cache, and the log more pages, while changes of many rows follow one another. */
export function pageBudget(connection: Connection): PageBudget {
  let budget = ofFewRows
  let manyUntil = 0

  function use(next: Budget): void {
    budget = next
    connection.exec(`PRAGMA wal_autocheckpoint = ${next.mostLogPages}; PRAGMA cache_size = -${next.cacheKiB}`)
  }

  use(ofFewRows)
  return {
    get passPages() {
      return budget.passPages
    },
    expect(transaction) {
      const now = performance.now()
      if (transaction.ofManyRows) manyUntil = now + manyMs
      const next = now < manyUntil ? ofManyRows : ofFewRows
      if (next !== budget) use(next)
    },
  }
}
