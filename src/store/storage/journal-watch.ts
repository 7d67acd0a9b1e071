/**
 * Looks whether anything is to be settled in the journal, and whether another node has settled something. Apart from the
 * watch over the database: a lock on these tables must not look like a database that does not answer.
 */
import type { Db } from '../db/db.ts'
import { rawSql, sql } from '../db/sql.ts'
import type { PendingBound } from './pending-bound.ts'

type Parts = {
  read: <T>(work: (db: Db) => Promise<T>) => Promise<T>
  pending: PendingBound
  /** Entries of some node wait. */
  onPending(): void
  /** There are events that were not there at the look before. */
  onMoved(): void
  onFault(error: Error): void
}

export type JournalWatch = {
  /** Begins a look, unless one is under way. */
  look(): void
  /** No more looks. One that is under way may wait for a database that stands still, and is not waited for. */
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
    // Both may be so: what moved was settled by another node, what waits may hold no event.
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

/** A piece, so that the statement is planned each time: the plan of an empty table would later read all of it. */
const newest = rawSql('(SELECT max(seq) FROM events)')

/** 0 before the first id: `last_value` of a new sequence is the id that it will give. */
const given = rawSql('(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM journal_pending_id_seq)')

function findJournal(db: Db, after: number) {
  return db.get<{ newest: number | null; given: number; pending: boolean }>(sql`
    SELECT ${newest} AS newest, ${given} AS given,
      EXISTS (SELECT 1 FROM journal_pending WHERE id > ${after} ORDER BY id LIMIT 1) AS pending`)
}
