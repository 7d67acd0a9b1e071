/**
 * Merges the pending entries of PostgreSQL's search index while few of them wait. Otherwise the change that fills the list
 * merges 4 MB, and every change of its transaction waits for that (docs/decisions/speed.md, 0107).
 */
import { shareFaults } from '../../lib/fault-owner.ts'
import type { Transaction } from '../db/db.ts'
import { sql } from '../db/sql.ts'

type Parts = {
  /** Returns when the entries are merged. */
  merge(): Promise<unknown>
  onFault(error: Error): void
}

export type SearchUpkeep = {
  /** A change was made. Never waits. */
  note(): void
  close(): void
}

/** Half of PostgreSQL's limit, as an update leaves about 1 kB. Fewer at a time cost much more: 500 took a fifth of the rate. */
const everyChanges = 2000
/** Entries left unmerged by an idle node would slow every search down. */
const restMs = 2000
const afterFaultMs = 60_000

export function searchUpkeep({ merge, onFault }: Parts): SearchUpkeep {
  let changes = 0
  let isMerging = false
  let resumesAt = 0
  let timer: NodeJS.Timeout | undefined
  let closed = false

  function startMerge(): void {
    clearTimeout(timer)
    timer = undefined
    if (closed || isMerging || changes === 0 || performance.now() < resumesAt) return
    isMerging = true
    changes = 0
    merge()
      .catch((error) => {
        resumesAt = performance.now() + afterFaultMs
        if (!closed) onFault(error)
      })
      .finally(() => {
        isMerging = false
        if (changes >= everyChanges) startMerge()
        else if (changes > 0) restLater()
      })
  }

  function restLater(): void {
    if (!closed) timer ??= shareFaults(() => setTimeout(startMerge, restMs).unref())
  }

  return {
    note() {
      changes++
      if (changes >= everyChanges) startMerge()
      else restLater()
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}

/** Without the index, or as a role that does not own it, there is nothing to do. PostgreSQL lets others write meanwhile. */
export async function mergePending(db: Pick<Transaction, 'all'>): Promise<void> {
  await db.all(sql`
    SELECT gin_clean_pending_list(oid) FROM pg_class
    WHERE relnamespace = current_schema()::text::regnamespace AND relname = 'users_search' AND relkind = 'i'
      AND pg_has_role(relowner, 'USAGE')`)
}
