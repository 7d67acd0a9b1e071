/** The figures of one organization. Only callers who are limited to it read them. */
import type { Scope } from '../../core/scope.ts'
import { timestamp } from '../../lib/instant.ts'
import type { Db } from '../../store/db/db.ts'
import { conditionsWithin } from '../../store/db/scope.ts'
import { joinSql, rawSql, sql } from '../../store/db/sql.ts'
import type { Total } from './total.ts'

/** Counts the users of each status, in one pass over the users of the organization. */
export async function countUsersWithin(db: Db, scope: Scope, now: number): Promise<Total[]> {
  const within = joinSql(conditionsWithin(scope, rawSql('organization_id')), ' AND ')
  const rows = await db.all<OfRole>(sql`
    SELECT role AS name, count(*) AS count,
      sum(CASE WHEN active = 0 THEN 1 ELSE 0 END) AS inactive,
      sum(CASE WHEN access_ends_at <= ${timestamp(now)} AND active = 1 THEN 1 ELSE 0 END) AS expired,
      sum(CASE WHEN password_hash IS NULL THEN 1 ELSE 0 END) AS without_password,
      sum(CASE WHEN kind = 'service' THEN 1 ELSE 0 END) AS service_accounts,
      sum(CASE WHEN last_login_at IS NOT NULL THEN 1 ELSE 0 END) AS signed_in
    FROM users WHERE ${within} GROUP BY role`)
  const groups = await db.all<Total>(sql`
    SELECT 'groups' AS kind, '' AS name, count(*) AS count FROM user_groups WHERE ${within}
    UNION ALL SELECT 'in_groups', '', count(*) FROM (
      SELECT DISTINCT user_id FROM group_members WHERE group_id IN (SELECT group_id FROM user_groups WHERE ${within})
    ) AS members WHERE user_id IN (SELECT user_id FROM users WHERE ${within})`)
  const sum = (kind: Status) => ({ kind, name: '', count: rows.reduce((all, row) => all + Number(row[kind]), 0) })
  return [
    ...rows.map(({ name, count }) => ({ kind: 'role' as const, name, count: Number(count) })),
    ...statuses.map(sum),
    ...groups.map((row) => ({ ...row, count: Number(row.count) })),
  ]
}

const statuses = ['inactive', 'expired', 'without_password', 'service_accounts', 'signed_in'] as const
type Status = (typeof statuses)[number]
type OfRole = { name: string; count: number } & Record<Status, number>

/** Users of an organization by the day of their creation; those deleted since are not counted. */
export async function countSignUpsWithin(db: Db, scope: Scope, from: string): Promise<Map<string, number>> {
  const within = joinSql(conditionsWithin(scope, rawSql('organization_id')), ' AND ')
  const rows = await db.all<{ date: string; count: number }>(sql`
    SELECT substr(created_at, 1, 10) AS date, count(*) AS count FROM users
    WHERE ${within} AND created_at >= ${from} GROUP BY 1`)
  return new Map(rows.map(({ date, count }) => [date, Number(count)]))
}
