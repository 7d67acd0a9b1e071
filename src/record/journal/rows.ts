/** The rows of the journal, and its newest ones: what audit/, events/ and webhooks/ read. Only store.ts writes them. */
import type { Db } from '../../store/db/db.ts'
import { isServer } from '../../store/db/dialect.ts'
import { fixedSql, rawSql, sql } from '../../store/db/sql.ts'
import { bigint, defineTable, type RowOf, text } from '../../store/db/table.ts'
import type { Outcome } from '../../store/journal-entry.ts'

export const records = defineTable('audit_records', {
  /** Increases by one with each record. */
  seq: bigint(),
  record_id: text(),
  occurred_at: text(),
  action: text(),
  outcome: text<Outcome>(),
  code: text(null),
  actor_kind: text(),
  actor_id: text(),
  key_id: text(null),
  session_id: text(null),
  target_kind: text(null),
  target_id: text(null),
  request_id: text(),
  /** JSON of the known facts about the actor; null if unknown or erased. */
  who: text(null),
  /** JSON of the target and its changes; null as above. */
  what: text(null),
  who_digest: text(),
  what_digest: text(),
  hash: text(),
  /** The organization of the target at that time, and the one from which a move took it: copies from `what`. */
  organization_id: text(null),
  former_organization_id: text(null),
})

export type RecordRow = RowOf<typeof records>

const event = {
  event_id: text(),
  type: text(),
  subject: text(),
  owner_id: text(),
  occurred_at: text(),
  /** JSON; null if it was erased. */
  data: text(null),
}

/** Events without their numbers. */
export const newEvents = defineTable('events', event)

export const events = defineTable('events', {
  /** Increases by one with each event, in commit order. */
  seq: bigint(),
  ...event,
})

export type EventRow = RowOf<typeof events>

/** The newest record; it is never deleted. */
export function findHead(db: Db): Promise<Pick<RecordRow, 'seq' | 'hash'> | undefined> {
  return db.get(sql`SELECT seq, hash FROM audit_records ${newestFirst(db)}`)
}

/** PostgreSQL plans a composed statement each time: the plan of an empty table would later read all of it. */
const newestFirst = (db: Db) => (isServer(db) ? composed : constant)
const [composed, constant] = [rawSql('ORDER BY seq DESC LIMIT 1'), fixedSql('ORDER BY seq DESC LIMIT 1')]

/** The number of the newest event, whose row is never deleted. 0 if there was none. */
export async function findNewestEvent(db: Db): Promise<number> {
  const row = await db.get<Pick<EventRow, 'seq'>>(sql`SELECT seq FROM events ${newestFirst(db)}`)
  return Number(row?.seq ?? 0)
}
