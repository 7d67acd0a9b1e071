/** To which organization users belong, for records that name them by id only. */
import type { Db } from '../../store/db/db.ts'
import { texts } from '../../store/db/dialect.ts'
import { sql } from '../../store/db/sql.ts'

/** By `user_id`, also of deleted users who can be restored; missing without an organization. */
export async function findOrganizationsOf(db: Db, userIds: readonly string[]): Promise<Map<string, string>> {
  if (userIds.length === 0) return new Map()
  const ids = texts(db, [...new Set(userIds)])
  const rows = await db.all<{ user_id: string; organization_id: string }>(sql`
    SELECT user_id, organization_id FROM users
    WHERE user_id IN (SELECT value FROM ${ids}) AND organization_id IS NOT NULL
    UNION ALL SELECT user_id, organization_id FROM deleted_users
    WHERE user_id IN (SELECT value FROM ${ids}) AND organization_id IS NOT NULL`)
  return new Map(rows.map(({ user_id, organization_id }) => [user_id, organization_id]))
}
