/**
 * Limits what the statements of a connection may do, for which SQLite has no setting. Statements count their work with
 * `spend`. Work is counted, not timed, so that a busy machine answers and refuses the same lists as a quiet one.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Meter } from '../db.ts'
import { rawSql, type Sql, sql } from '../sql.ts'

/** The work would exceed its limit. */
class Spent extends Error {
  override name = 'Spent'
}

/**
 * Only one row in this many reports: a function call per row would take longer than many statements. A prime, because row
 * numbers are often multiples of a power of two.
 */
const every = 61

/** A condition that is always true and counts the cost of each row that reaches it. `rowId` is the row's number. */
export function spending(us: number, rowId: Sql): Sql {
  return sql`(${rowId} % ${rawSql(String(every))} OR spend(${rawSql(String(every * us))}))`
}

export function createMeter(raw: DatabaseSync): Meter {
  let left = Number.POSITIVE_INFINITY
  let check: () => Error | undefined = () => undefined

  function look(): void {
    const reason = check()
    if (reason !== undefined) throw reason
  }

  function spend(us: number): void {
    look()
    left -= us
    if (left < 0) throw new Spent('The work would exceed its limit.')
  }

  raw.function('spend', { directOnly: true }, (us) => {
    spend(Number(us))
    return 1
  })

  return {
    spend,
    look,
    left: () => left,
    async within(us, work) {
      const before = left
      left = Math.min(us, before)
      const allowed = left
      try {
        return await work()
      } catch (error) {
        // Work that exhausts the rest of an outer budget ends that as well.
        if (error instanceof Spent && allowed < before) return undefined
        throw error
      } finally {
        left = before - (allowed - Math.max(left, 0))
      }
    },
    onLook(callback) {
      check = callback
    },
  }
}
