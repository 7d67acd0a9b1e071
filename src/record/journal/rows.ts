/** The rows of the journal, and its newest ones: what audit/, events/ and webhooks/ read. Only store.ts writes them. */
import type { Db } from '../../store/db/db.ts'
import { sql } from '../../store/db/sql.ts'
import type { Outcome } from '../../store/journal-entry.ts'

export type RecordRow = {
  /** Increases by one with each record. */
  seq: number
  record_id: string
  occurred_at: string
  action: string
  outcome: Outcome
  code: string | null
  actor_kind: string
  actor_id: string
  key_id: string | null
  session_id: string | null
  target_kind: string | null
  target_id: string | null
  request_id: string
  /** JSON of the known facts about the actor; null if there are none or they were erased. */
  who: string | null
  /** JSON of the target and its changes; null as above. */
  what: string | null
  who_digest: string
  what_digest: string
  hash: string
}

export type EventRow = {
  /** Increases by one with each event, in commit order. */
  seq: number
  event_id: string
  type: string
  subject: string
  owner_id: string
  occurred_at: string
  /** JSON; null if it was erased. */
  data: string | null
}

/** The newest record; it is never deleted. */
export function findHead(db: Db): Promise<Pick<RecordRow, 'seq' | 'hash'> | undefined> {
  return db.get(sql`SELECT seq, hash FROM audit_records ORDER BY seq DESC LIMIT 1`)
}

/** The number of the newest event, whose row is never deleted. 0 if there was none. */
export async function findNewestEvent(db: Db): Promise<number> {
  const row = await db.get<{ seq: number | null }>(sql`SELECT max(seq) AS seq FROM events`)
  return Number(row?.seq ?? 0)
}
