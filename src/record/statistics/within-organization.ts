/** The figures of one organization. Only callers who are limited to it read them. */
import type { Scope } from '../../core/scope.ts'
import { timestamp } from '../../lib/instant.ts'
import type { Db } from '../../store/db/db.ts'
import { conditionsWithin, usersOfOrganizations } from '../../store/db/scope.ts'
import { joinSql, rawSql, sql } from '../../store/db/sql.ts'
import type { Total } from './total.ts'

/** Counts the users of each status and of each day of creation, in one pass over the users of the organization. */
export async function countUsersWithin(
  db: Db,
  scope: Scope,
  now: number,
): Promise<{ rows: Total[]; signUps: Record<string, number> }> {
  const [users, within] = [
    usersOfOrganizations(db),
    joinSql(conditionsWithin(scope, rawSql('organization_id')), ' AND '),
  ]
  const found = await db.all<OfRoleAndDay>(sql`
    SELECT role, substr(created_at, 1, 10) AS date, count(*) AS count,
      sum(CASE WHEN active = 0 THEN 1 ELSE 0 END) AS inactive,
      sum(CASE WHEN access_ends_at <= ${timestamp(now)} AND active = 1 THEN 1 ELSE 0 END) AS expired,
      sum(CASE WHEN password_hash IS NULL THEN 1 ELSE 0 END) AS without_password,
      sum(CASE WHEN kind = 'service' THEN 1 ELSE 0 END) AS service_accounts,
      sum(CASE WHEN last_login_at IS NOT NULL THEN 1 ELSE 0 END) AS signed_in
    FROM ${users} WHERE ${within} GROUP BY 1, 2`)
  const groups = await db.all<Total>(sql`
    SELECT 'groups' AS kind, '' AS name, count(*) AS count FROM user_groups WHERE ${within}
    UNION ALL SELECT 'in_groups', '', count(DISTINCT user_id) FROM group_members
      WHERE group_id IN (SELECT group_id FROM user_groups WHERE ${within})
        AND EXISTS (SELECT 1 FROM users WHERE users.user_id = group_members.user_id AND ${within})`)
  const roles: Record<string, number> = {}
  const signUps: Record<string, number> = {}
  for (const { role, date, count } of found) {
    roles[role] = (roles[role] ?? 0) + Number(count)
    signUps[date] = (signUps[date] ?? 0) + Number(count)
  }
  const sum = (kind: Status) => ({ kind, name: '', count: found.reduce((all, row) => all + Number(row[kind]), 0) })
  const rows = [
    ...Object.entries(roles).map(([name, count]) => ({ kind: 'role' as const, name, count })),
    ...statuses.map(sum),
    ...groups.map((row) => ({ ...row, count: Number(row.count) })),
  ]
  return { rows, signUps }
}

const statuses = ['inactive', 'expired', 'without_password', 'service_accounts', 'signed_in'] as const
type Status = (typeof statuses)[number]
type OfRoleAndDay = { role: string; date: string; count: number } & Record<Status, number>
