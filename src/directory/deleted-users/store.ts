import type { Db, Transaction } from '../../store/db/db.ts'
import { skipLocked, texts } from '../../store/db/dialect.ts'
import { rawSql, sql } from '../../store/db/sql.ts'
import { defineTable, type RowOf, text } from '../../store/db/table.ts'

const deletedUsers = defineTable('deleted_users', {
  user_id: text(),
  deleted_at: text(),
  restorable_until: text(),
  /** The user as the API showed it, in JSON. */
  document: text(),
  /** The other columns of the user's row, in JSON. */
  user_row: text(),
  /** The groups of the user, as an array of ids in JSON. */
  group_ids: text('[]'),
})

/** A deleted user who can be restored. */
export type DeletedUserRow = RowOf<typeof deletedUsers>

const insertion = deletedUsers.insertion()

export async function insertDeletedUser(db: Transaction, row: DeletedUserRow): Promise<void> {
  await db.run(insertion(row))
}

/** Deletes the row and returns it: of concurrent callers, one gets it. */
export async function takeDeletedUser(db: Transaction, userId: string): Promise<DeletedUserRow | undefined> {
  const [row] = await db.all<DeletedUserRow>(sql`
    DELETE FROM deleted_users WHERE user_id = ${userId} RETURNING ${deletedUsers.columns}`)
  return row
}

/** The same for some whose grace period is over; skips users who are being restored or purged right now. */
export async function takeOverdue(db: Transaction, now: string, limit: number): Promise<string[]> {
  const rows = await db.all<{ user_id: string }>(sql`
    DELETE FROM deleted_users WHERE user_id IN (
      SELECT user_id FROM deleted_users WHERE restorable_until <= ${now}
      ORDER BY restorable_until LIMIT ${limit} ${skipLocked(db)})
    RETURNING user_id`)
  return rows.map(({ user_id }) => user_id)
}

/** Returns the former usernames of some users. */
export async function findFormerNames(db: Db, userIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.all<{ user_id: string; document: string }>(sql`
    SELECT user_id, document FROM deleted_users WHERE user_id IN (SELECT value FROM ${texts(db, userIds)})`)
  return new Map(
    rows.map(({ user_id, document }) => [user_id, (JSON.parse(document) as { username: string }).username]),
  )
}

export type Position = Pick<DeletedUserRow, 'deleted_at' | 'user_id'>

/** Returns users who can still be restored, the most recently deleted first. */
export function listDeletedUsers(
  db: Db,
  { now, after, limit }: { now: string; after: Position | undefined; limit: number },
): Promise<Omit<DeletedUserRow, 'user_row' | 'group_ids'>[]> {
  const behind = after ? sql`AND (deleted_at, user_id) < (${after.deleted_at}, ${after.user_id})` : rawSql('')
  return db.all(sql`
    SELECT user_id, deleted_at, restorable_until, document FROM deleted_users
    WHERE restorable_until > ${now} ${behind} ORDER BY deleted_at DESC, user_id DESC LIMIT ${limit}`)
}
