import type { Db, Transaction } from '../../store/db/db.ts'
import { rawSql, sql } from '../../store/db/sql.ts'

/** A deleted user who can be restored. */
export type DeletedUserRow = {
  user_id: string
  deleted_at: string
  restorable_until: string
  /** The user as the API showed it, in JSON. */
  document: string
  /** The other columns of the user's row, in JSON. */
  user_row: string
}

export async function insertDeletedUser(db: Transaction, row: DeletedUserRow): Promise<void> {
  await db.run(sql`
    INSERT INTO deleted_users (user_id, deleted_at, restorable_until, document, user_row)
    VALUES (${row.user_id}, ${row.deleted_at}, ${row.restorable_until}, ${row.document}, ${row.user_row})`)
}

/** Deletes the row and returns it: of concurrent callers, one gets it. */
export async function takeDeletedUser(db: Transaction, userId: string): Promise<DeletedUserRow | undefined> {
  const [row] = await db.all<DeletedUserRow>(sql`
    DELETE FROM deleted_users WHERE user_id = ${userId}
    RETURNING user_id, deleted_at, restorable_until, document, user_row`)
  return row
}

/** The same for some whose grace period is over; skips users who are being restored or purged right now. */
export async function takeOverdue(db: Transaction, now: string, limit: number): Promise<string[]> {
  const free = rawSql(db.engine === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : '')
  const rows = await db.all<{ user_id: string }>(sql`
    DELETE FROM deleted_users WHERE user_id IN (
      SELECT user_id FROM deleted_users WHERE restorable_until <= ${now}
      ORDER BY restorable_until LIMIT ${limit} ${free})
    RETURNING user_id`)
  return rows.map(({ user_id }) => user_id)
}

/** Returns the former usernames of some users. */
export async function findFormerNames(db: Db, userIds: readonly string[]): Promise<Map<string, string>> {
  const list = JSON.stringify(userIds)
  const values =
    db.engine === 'sqlite' ? sql`json_each(${list})` : sql`json_array_elements_text(${list}::json) AS list (value)`
  const rows = await db.all<{ user_id: string; document: string }>(sql`
    SELECT user_id, document FROM deleted_users WHERE user_id IN (SELECT value FROM ${values})`)
  return new Map(
    rows.map(({ user_id, document }) => [user_id, (JSON.parse(document) as { username: string }).username]),
  )
}

export type Position = Pick<DeletedUserRow, 'deleted_at' | 'user_id'>

/** Returns users who can still be restored, the most recently deleted first. */
export function listDeletedUsers(
  db: Db,
  { now, after, limit }: { now: string; after: Position | undefined; limit: number },
): Promise<Omit<DeletedUserRow, 'user_row'>[]> {
  const behind = after ? sql`AND (deleted_at, user_id) < (${after.deleted_at}, ${after.user_id})` : rawSql('')
  return db.all(sql`
    SELECT user_id, deleted_at, restorable_until, document FROM deleted_users
    WHERE restorable_until > ${now} ${behind} ORDER BY deleted_at DESC, user_id DESC LIMIT ${limit}`)
}
