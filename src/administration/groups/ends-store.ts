/** The rows of `membership_ends`: one for each membership with an end date. A trigger removes it with the membership. */
import type { Db, Transaction } from '../../store/db/db.ts'
import { texts } from '../../store/db/dialect.ts'
import { sql } from '../../store/db/sql.ts'

export type MembershipEnd = { group_id: string; user_id: string; expires_at: string }

/** Sets or removes the end date of these memberships. */
export async function setEnds(
  db: Transaction,
  { group_id, user_ids, expires_at }: { group_id: string; user_ids: readonly string[]; expires_at: string | null },
): Promise<void> {
  if (user_ids.length === 0) return
  if (expires_at === null) {
    await db.run(sql`
      DELETE FROM membership_ends
      WHERE group_id = ${group_id} AND user_id IN (SELECT value FROM ${texts(db, user_ids)})`)
    return
  }
  await db.run(sql`
    INSERT INTO membership_ends (group_id, user_id, expires_at)
    SELECT ${group_id}, value, ${expires_at} FROM ${texts(db, user_ids)} WHERE true
    ON CONFLICT (group_id, user_id) DO UPDATE SET expires_at = excluded.expires_at, noticed = 0, digested = 0`)
}

/** The end dates of the memberships of these users. */
export function listEndsOfUsers(db: Db, userIds: readonly string[]): Promise<MembershipEnd[]> {
  return db.all<MembershipEnd>(sql`
    SELECT group_id, user_id, expires_at FROM membership_ends
    WHERE user_id IN (SELECT value FROM ${texts(db, userIds)})`)
}

/** The memberships that have ended and are still there, the earliest first. */
export function listDue(db: Db, now: string, limit: number): Promise<MembershipEnd[]> {
  return db.all<MembershipEnd>(sql`
    SELECT group_id, user_id, expires_at FROM membership_ends WHERE expires_at <= ${now}
    ORDER BY expires_at, group_id LIMIT ${limit}`)
}

/** Whether any membership has an end date. */
export async function hasMembershipEnds(db: Db): Promise<boolean> {
  return (await db.get(sql`SELECT 1 FROM membership_ends LIMIT 1`)) !== undefined
}
