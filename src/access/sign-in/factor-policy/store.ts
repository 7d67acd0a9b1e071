import { ofActiveOrganization } from '../../../directory/users/service.ts'
import { timestamp } from '../../../lib/instant.ts'
import type { Db } from '../../../store/db/db.ts'
import { texts } from '../../../store/db/dialect.ts'
import { type Sql, sql } from '../../../store/db/sql.ts'

/** The facts about a user that a policy depends on. `in_group`: a member of one of the given groups, or of an organization that
 * requires a second factor itself. */
type Standing = {
  role: string
  group_roles: string
  has_password: number
  has_factor: number
  in_group: number
}

export type StandingCount = Standing & { count: number }
export type StandingOfUser = Standing & {
  user_id: string
  username: string
  /** 0 for a user of a disabled organization as well. */
  active: number
  access_ends_at: string | null
  last_login_at: string | null
}

const hasPassword = sql`CASE WHEN password_hash IS NULL THEN 0 ELSE 1 END AS has_password`

const hasFactor = sql`
  CASE WHEN EXISTS (
    SELECT 1 FROM factors WHERE factors.user_id = users.user_id AND confirmed_at IS NOT NULL
  ) THEN 1 ELSE 0 END AS has_factor`

function inGroup(db: Db, groupIds: readonly string[]): Sql {
  const isMember = sql`EXISTS (
      SELECT 1 FROM group_members
      WHERE group_members.user_id = users.user_id AND group_id IN (SELECT value FROM ${texts(db, groupIds)}))`
  return sql`
    CASE WHEN users.organization_id IN (
      SELECT organization_id FROM organizations WHERE organizations.second_factor = 'required'
    ) ${groupIds.length === 0 ? sql`` : sql`OR ${isMember}`} THEN 1 ELSE 0 END AS in_group`
}

/** Counts the people of each standing who have access at `now`: a few rows, however many users there are. */
export async function countStandings(
  db: Db,
  { groupIds, now }: { groupIds: readonly string[]; now: number },
): Promise<StandingCount[]> {
  const rows = await db.all<StandingCount>(sql`
    SELECT role, group_roles, has_password, has_factor, in_group, count(*) AS count FROM (
      SELECT role, group_roles, ${hasPassword}, ${hasFactor}, ${inGroup(db, groupIds)} FROM users
      WHERE active = 1 AND ${ofActiveOrganization} AND kind = 'person' AND (access_ends_at IS NULL OR access_ends_at > ${timestamp(now)})
    ) AS standings
    GROUP BY role, group_roles, has_password, has_factor, in_group`)
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

/** The next people by id, whether they need a factor or not. */
export function listStandings(
  db: Db,
  { after, limit, groupIds }: { after: string; limit: number; groupIds: readonly string[] },
): Promise<StandingOfUser[]> {
  return db.all<StandingOfUser>(sql`
    SELECT user_id, username, CASE WHEN ${ofActiveOrganization} THEN active ELSE 0 END AS active, access_ends_at, last_login_at, role, group_roles,
      ${hasPassword}, ${hasFactor}, ${inGroup(db, groupIds)}
    FROM users WHERE user_id > ${after} AND kind = 'person' ORDER BY user_id LIMIT ${limit}`)
}

export function findGroups(db: Db, nameKeys: readonly string[]): Promise<{ group_id: string; name: string }[]> {
  return db.all(sql`
    SELECT group_id, name FROM user_groups WHERE name_key IN (SELECT value FROM ${texts(db, nameKeys)})`)
}
