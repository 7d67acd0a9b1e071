import type { Db, Transaction } from '../../store/db/db.ts'
import { rawSql, sql } from '../../store/db/sql.ts'

/** How far an erasure has come. */
export type ErasureRow = {
  user_id: string
  requested_at: string
  finished_at: string | null
  /** Up to which record by this actor, which record about this target, and which event, everything is blank. */
  actor_seq: number
  target_seq: number
  event_seq: number
  /** How often something was taken away; and what this was when the files were last rid of what was taken away. */
  blanked: number
  scrubbed: number
}

/** The row of the user, which has just gone, is the first that is to leave the files. */
export async function insertErasure(db: Transaction, userId: string, now: string): Promise<void> {
  await db.run(sql`
    INSERT INTO erasures (user_id, requested_at, actor_seq, target_seq, event_seq, blanked, scrubbed)
    VALUES (${userId}, ${now}, 0, 0, 0, 1, 0)`)
}

/** Whether the events still tell of somebody who is neither a user nor being erased: a release that knew of no journal. */
export async function isLeftBehind(db: Db, userId: string): Promise<boolean> {
  const found = await db.get(sql`
    SELECT 1 FROM events WHERE owner_id = ${userId} AND subject = ${userId} AND type LIKE 'user.%'
      AND NOT EXISTS (SELECT 1 FROM erasures WHERE user_id = ${userId}) LIMIT 1`)
  return found !== undefined
}

/** One that is not finished, held until this transaction ends. */
export async function findErasureForChange(db: Db, userId: string): Promise<ErasureRow | undefined> {
  const held = rawSql(db.engine === 'postgres' ? 'FOR UPDATE' : '')
  const row = await db.get<ErasureRow>(sql`
    SELECT user_id, requested_at, finished_at, actor_seq, target_seq, event_seq, blanked, scrubbed
    FROM erasures WHERE user_id = ${userId} AND finished_at IS NULL ${held}`)
  return row
}

/** Those of whom something may be left: not all is out of the files, or they began before that time. */
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

/** What was taken away until `blanked` is out of the files. */
export async function setScrubbed(db: Transaction, userId: string, blanked: number): Promise<void> {
  await db.run(sql`UPDATE erasures SET scrubbed = ${blanked} WHERE user_id = ${userId} AND scrubbed < ${blanked}`)
}

export async function setFinished(db: Transaction, userId: string, now: string): Promise<void> {
  await db.run(sql`
    UPDATE erasures SET finished_at = ${now} WHERE user_id = ${userId} AND finished_at IS NULL AND scrubbed = blanked`)
}

type Range = { userId: string; after: number; upTo: number }

/** What was said of the person: the next texts of the journal, from which it may be learned where they came from. */
export type Text = { seq: number; text: string | null }

export function listActed(db: Db, userId: string, after: number, limit: number): Promise<Text[]> {
  return db.all<Text>(sql`
    SELECT seq, who AS text FROM audit_records WHERE actor_id = ${userId} AND seq > ${after} ORDER BY seq LIMIT ${limit}`)
}

/** `who` only of those whom nobody knew: it was the person who tried to sign in, or somebody in their name. */
export function listTargeted(
  db: Db,
  userId: string,
  after: number,
  limit: number,
): Promise<(Text & { what: string | null })[]> {
  return db.all(sql`
    SELECT seq, CASE WHEN actor_kind = 'anonymous' THEN who END AS text, what FROM audit_records
    WHERE target_id = ${userId} AND seq > ${after} ORDER BY seq LIMIT ${limit}`)
}

export function listOwnEvents(db: Db, userId: string, after: number, limit: number): Promise<Text[]> {
  return db.all<Text>(sql`
    SELECT seq, data AS text FROM events WHERE owner_id = ${userId} AND seq > ${after} ORDER BY seq LIMIT ${limit}`)
}

export async function blankActor(db: Transaction, { userId, after, upTo }: Range): Promise<void> {
  await db.run(sql`
    UPDATE audit_records SET who = NULL
    WHERE actor_id = ${userId} AND seq > ${after} AND seq <= ${upTo} AND who IS NOT NULL`)
}

export async function blankTarget(db: Transaction, { userId, after, upTo }: Range): Promise<void> {
  await db.run(sql`
    UPDATE audit_records SET what = NULL, who = CASE WHEN actor_kind = 'anonymous' THEN NULL ELSE who END
    WHERE target_id = ${userId} AND seq > ${after} AND seq <= ${upTo}
      AND (what IS NOT NULL OR (actor_kind = 'anonymous' AND who IS NOT NULL))`)
}

export async function blankEvents(db: Transaction, { userId, after, upTo }: Range): Promise<void> {
  await db.run(sql`
    UPDATE events SET data = NULL
    WHERE owner_id = ${userId} AND seq > ${after} AND seq <= ${upTo} AND data IS NOT NULL`)
}

/** The newest record that says that this user was erased; 0 when there is none. */
export async function findErasedSeq(db: Db, userId: string): Promise<number> {
  const row = await db.get<{ seq: number | null }>(sql`
    SELECT max(seq) AS seq FROM audit_records WHERE target_id = ${userId} AND action = 'user.erased'`)
  return Number(row?.seq ?? 0)
}
