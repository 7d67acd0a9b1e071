import { findById } from '../../record/journal/service.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import { forUpdate, givenRows } from '../../store/db/dialect.ts'
import { rawSql, sql } from '../../store/db/sql.ts'
import type { Placed } from '../../store/journal-entry.ts'

/** The progress of an erasure. */
export type ErasureRow = {
  user_id: string
  requested_at: string
  finished_at: string | null
  /** Everything is blank up to this record by the actor, this record about the target, and this event. */
  actor_seq: number
  target_seq: number
  event_seq: number
  /** How many times data was blanked, and this number when the files were last scrubbed. */
  blanked: number
  scrubbed: number
}

/** The user's deleted row is the first data that must leave the files. */
export async function insertErasure(db: Transaction, userId: string, now: string): Promise<void> {
  await db.run(sql`
    INSERT INTO erasures (user_id, requested_at, actor_seq, target_seq, event_seq, blanked, scrubbed)
    VALUES (${userId}, ${now}, 0, 0, 0, 1, 0)`)
}

/** Whether the events still contain a user who neither exists nor is being erased, from a release without a journal. */
export async function isLeftBehind(db: Db, userId: string): Promise<boolean> {
  const isOwn = sql`subject = ${userId} AND type LIKE 'user.%'
    AND NOT EXISTS (SELECT 1 FROM erasures WHERE user_id = ${userId})`
  return (await findById(db, 'event_owners', rawSql('seq'), { id: userId, limit: 1 }, isOwn)).length > 0
}

/** Reads an unfinished one and locks it until the transaction ends. */
export async function findErasureForChange(db: Db, userId: string): Promise<ErasureRow | undefined> {
  const row = await db.get<ErasureRow>(sql`
    SELECT user_id, requested_at, finished_at, actor_seq, target_seq, event_seq, blanked, scrubbed
    FROM erasures WHERE user_id = ${userId} AND finished_at IS NULL ${forUpdate(db)}`)
  return row
}

/** Erasures that may have left something: the files are not scrubbed, or they started before that time. */
export async function listUnfinished(db: Db, before: string, limit: number): Promise<string[]> {
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT user_id FROM erasures
    WHERE finished_at IS NULL AND (scrubbed < blanked OR requested_at <= ${before})
    ORDER BY requested_at LIMIT ${limit}`)
  return rows.map(({ user_id }) => user_id)
}

export async function setProgress(db: Transaction, row: ErasureRow): Promise<void> {
  await db.run(sql`
    UPDATE erasures SET actor_seq = ${row.actor_seq}, target_seq = ${row.target_seq}, event_seq = ${row.event_seq},
      blanked = ${row.blanked} WHERE user_id = ${row.user_id}`)
}

/** Records that what was blanked up to `blanked` is out of the files. */
export async function setScrubbed(db: Transaction, userId: string, blanked: number): Promise<void> {
  await db.run(sql`UPDATE erasures SET scrubbed = ${blanked} WHERE user_id = ${userId} AND scrubbed < ${blanked}`)
}

export async function setFinished(db: Transaction, userId: string, now: string): Promise<void> {
  await db.run(sql`
    UPDATE erasures SET finished_at = ${now} WHERE user_id = ${userId} AND finished_at IS NULL AND scrubbed = blanked`)
}

type Numbered = { seq: number }
type Range = { userId: string; after: number; upTo: number }

/** Returns the next texts of the journal about the user, which may show their networks. */
export type Text = { seq: number; text: string | null }

export function listActed(db: Db, userId: string, after: number, limit: number): Promise<Text[]> {
  return db.all<Text>(sql`
    SELECT seq, who AS text FROM audit_records WHERE actor_id = ${userId} AND seq > ${after} ORDER BY seq LIMIT ${limit}`)
}

/** `who` is only given for unknown actors: the user who tried to sign in, or an impostor. */
export function listTargeted(
  db: Db,
  userId: string,
  after: number,
  limit: number,
): Promise<(Text & { what: string | null })[]> {
  const columns = rawSql("seq, CASE WHEN actor_kind = 'anonymous' THEN who END AS text, what")
  return findById(db, 'audit_targets', columns, { id: userId, above: after, limit })
}

export function listOwnEvents(db: Db, userId: string, after: number, limit: number): Promise<Text[]> {
  return findById(db, 'event_owners', rawSql('seq, data AS text'), { id: userId, above: after, limit })
}

export async function blankActor(db: Transaction, { userId, after, upTo }: Range): Promise<void> {
  await db.run(sql`
    UPDATE audit_records SET who = NULL
    WHERE actor_id = ${userId} AND seq > ${after} AND seq <= ${upTo} AND who IS NOT NULL`)
}

const givenNumbers = givenRows<Numbered>({ seq: 'bigint' })

export async function blankTargeted(db: Transaction, records: readonly Numbered[]): Promise<void> {
  await db.run(sql`
    UPDATE audit_records SET what = NULL, who = CASE WHEN actor_kind = 'anonymous' THEN NULL ELSE who END
    WHERE seq IN (SELECT seq FROM ${givenNumbers(
      db,
      records.map(({ seq }) => ({ seq })),
    )})
      AND (what IS NOT NULL OR (actor_kind = 'anonymous' AND who IS NOT NULL))`)
}

export async function blankEvents(db: Transaction, events: readonly Numbered[]): Promise<void> {
  await db.run(sql`
    UPDATE events SET data = NULL
    WHERE seq IN (SELECT seq FROM ${givenNumbers(
      db,
      events.map(({ seq }) => ({ seq })),
    )}) AND data IS NOT NULL`)
}

/** Returns the newest record of this user's erasure. */
export async function findErased(db: Db, userId: string): Promise<(Numbered & Placed) | undefined> {
  const newest = { id: userId, descending: true, limit: 1 }
  const columns = rawSql('seq, organization_id')
  const [row] = await findById<Numbered & Placed>(
    db,
    'audit_targets',
    columns,
    newest,
    rawSql("action = 'user.erased'"),
  )
  return row
}
