/** The members of a group in the default order, by the index of memberships alone: as quick for a large group as for a small one. */
import type { Scope } from '../../core/scope.ts'
import type { Db } from '../../store/db/db.ts'
import { texts } from '../../store/db/dialect.ts'
import { andWithin } from '../../store/db/scope.ts'
import { rawSql, sql } from '../../store/db/sql.ts'
import type { ListPlan } from './plan.ts'
import { type ListRow, membersBehind } from './sql.ts'

/** How many members a group has; 0 for an unknown group. */
export async function countMembers(db: Db, groupId: string): Promise<number> {
  const found = await db.get<{ n: number }>(sql`SELECT member_count AS n FROM user_groups WHERE group_id = ${groupId}`)
  return found?.n ?? 0
}

/** A page of members without another filter: steps along the index to its place, then reads the rows of the page. */
export function membersOfPage(
  db: Db,
  { filters, after, offset = 0, sort }: ListPlan,
  limit: number,
): Promise<ListRow[]> {
  const order = rawSql(sort.descending ? 'DESC' : '')
  return db.all<ListRow>(sql`
    SELECT users.user_id, document, users.user_id AS sort_value
    FROM (
      SELECT user_id FROM group_members WHERE ${membersBehind(filters, after)}
      ORDER BY user_id ${order} LIMIT ${limit} OFFSET ${offset}
    ) AS found JOIN users ON users.user_id = found.user_id
    ORDER BY found.user_id ${order}`)
}

type Ended = { user_id: string; expires_at: string }

/** The same rows of members with `membership_expires_at`, where the membership ends. */
export async function withMembershipEnds<Row extends Pick<ListRow, 'user_id' | 'document'>>(
  db: Db,
  rows: readonly Row[],
  groupId: string,
): Promise<Row[]> {
  const ids = rows.map(({ user_id }) => user_id)
  const found = await db.all<Ended>(sql`
    SELECT user_id, expires_at FROM membership_ends
    WHERE group_id = ${groupId} AND user_id IN (SELECT value FROM ${texts(db, ids)})`)
  const ends = new Map(found.map(({ user_id, expires_at }) => [user_id, expires_at]))
  return rows.map((row) => {
    const end = ends.get(row.user_id)
    return end === undefined
      ? row
      : { ...row, document: `${row.document.slice(0, -1)},"membership_expires_at":"${end}"}` }
  })
}

/** Whether a membership in the group of a user within the scope ends. */
export async function hasEndsIn(db: Db, scope: Scope, groupId: string): Promise<boolean> {
  const found = await db.get(sql`
    SELECT 1 FROM membership_ends JOIN users USING (user_id) WHERE group_id = ${groupId}${andWithin(scope)} LIMIT 1`)
  return found !== undefined
}
