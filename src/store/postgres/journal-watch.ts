/**
 * Checks whether the journal has unsettled entries, and whether another node has settled some. It is separate from the
 * watch over the database: a lock on these tables must not look like an unresponsive database.
 */
import type { Db } from '../db/db.ts'
import { rawSql, sql } from '../db/sql.ts'
import type { PendingBound } from './pending-bound.ts'

type Parts = {
  read: <T>(work: (db: Db) => Promise<T>) => Promise<T>
  pending: PendingBound
  /** There are unsettled entries. */
  onPending(): void
  /** There are new events since the previous check. */
  onMoved(): void
  onFault(error: Error): void
}

export type JournalWatch = {
  /** Starts a check, unless one is running. */
  look(): void
  /** Stops checking. Does not wait for a running check, which may hang with the database. */
  close(): void
}

export function watchJournal({ read, pending, onPending, onMoved, onFault }: Parts): JournalWatch {
  let newest: number | null | undefined
  let isLooking = false
  let closed = false

  async function lookOnce(): Promise<void> {
    const row = await read((db) => findJournal(db, pending.get()))
    if (row === undefined || closed) return
    pending.note(row.given)
    // Both are possible: another node settled the new events, and unsettled entries may contain none.
    if (row.newest !== newest) onMoved()
    if (row.pending) onPending()
    newest = row.newest
  }

  return {
    look() {
      if (closed || isLooking) return
      isLooking = true
      lookOnce()
        .catch((error) => {
          if (!closed) onFault(error)
        })
        .finally(() => {
          isLooking = false
        })
    },
    close() {
      closed = true
    },
  }
}

/** Composed, so that it is planned each time: a plan made for an empty table would later scan all of it. */
const newest = rawSql('(SELECT max(seq) FROM events)')

/** 0 before the first id: `last_value` of a new sequence is the id that it will give. */
const lastIssued = rawSql('(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM journal_pending_id_seq)')

function findJournal(db: Db, after: number) {
  return db.get<{ newest: number | null; given: number; pending: boolean }>(sql`
    SELECT ${newest} AS newest, ${lastIssued} AS given,
      EXISTS (SELECT 1 FROM journal_pending WHERE id > ${after} ORDER BY id LIMIT 1) AS pending`)
}
