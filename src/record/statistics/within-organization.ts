/** The figures of one organization. Only callers who are limited to it read them. */
import type { Scope } from '../../core/scope.ts'
import { timestamp } from '../../lib/instant.ts'
import type { Db } from '../../store/db/db.ts'
import { conditionsWithin } from '../../store/db/scope.ts'
import { joinSql, rawSql, sql } from '../../store/db/sql.ts'
import type { Total } from './total.ts'

/** Counts the users of each status, in one pass over the users of the organization for each. */
export async function countUsersWithin(db: Db, scope: Scope, now: number): Promise<Total[]> {
  const within = joinSql(conditionsWithin(scope, rawSql('organization_id')), ' AND ')
  const own = sql`(SELECT * FROM users WHERE ${within}) AS own`
  const rows = await db.all<Total>(sql`
    SELECT 'role' AS kind, role AS name, count(*) AS count FROM ${own} GROUP BY role
    UNION ALL SELECT 'inactive', '', count(*) FROM ${own} WHERE active = 0
    UNION ALL SELECT 'expired', '', count(*) FROM ${own} WHERE access_ends_at <= ${timestamp(now)} AND active = 1
    UNION ALL SELECT 'without_password', '', count(*) FROM ${own} WHERE password_hash IS NULL
    UNION ALL SELECT 'service_accounts', '', count(*) FROM ${own} WHERE kind = 'service'
    UNION ALL SELECT 'signed_in', '', count(*) FROM ${own} WHERE last_login_at IS NOT NULL
    UNION ALL SELECT 'groups', '', count(*) FROM user_groups WHERE ${within}
    UNION ALL SELECT 'in_groups', '', count(*) FROM ${own} WHERE EXISTS (
      SELECT 1 FROM group_members WHERE group_members.user_id = own.user_id
        AND group_id IN (SELECT group_id FROM user_groups WHERE ${within}))`)
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

/** Users of an organization by the day of their creation; those deleted since are not counted. */
export async function countSignUpsWithin(db: Db, scope: Scope, from: string): Promise<Map<string, number>> {
  const within = joinSql(conditionsWithin(scope, rawSql('organization_id')), ' AND ')
  const rows = await db.all<{ date: string; count: number }>(sql`
    SELECT substr(created_at, 1, 10) AS date, count(*) AS count FROM users
    WHERE ${within} AND created_at >= ${from} GROUP BY 1`)
  return new Map(rows.map(({ date, count }) => [date, Number(count)]))
}
