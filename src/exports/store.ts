import type { Db } from '../db/db.ts'
import { joinSql, sql } from '../db/sql.ts'

type Password = { password_hash: string; must_change_password: number }

/** The passwords of those of these users who have one. */
export async function findPasswords(db: Db, userIds: readonly string[]): Promise<Map<string, Password>> {
  if (userIds.length === 0) return new Map()
  const list = joinSql(
    userIds.map((id) => sql`${id}`),
    ', ',
  )
  const rows = await db.all<Password & { user_id: string }>(sql`
    SELECT user_id, password_hash, must_change_password FROM users
    WHERE user_id IN (${list}) AND password_hash IS NOT NULL`)
  return new Map(rows.map((row) => [row.user_id, row]))
}
