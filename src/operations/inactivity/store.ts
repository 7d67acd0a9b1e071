/** Reads users with everything that their inactivity is judged by. Two ranges of one index find those without a recent sign-in. */
import type { Classed, Use } from '../../core/inactivity.ts'
import { ofActiveOrganization } from '../../directory/users/service.ts'
import { timestamp } from '../../lib/instant.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import { texts } from '../../store/db/dialect.ts'
import { rawSql, type Sql, sql } from '../../store/db/sql.ts'

type Columns = {
  user_id: string
  username: string
  /** 0 for a user of a disabled organization as well. */
  active: number
  access_ends_at: string | null
  noted_use_at: string | null
  seen_at: string | null
  key_used_at: string | null
  group_names: string
}

/** A group of a user, and when the membership ends, in epoch milliseconds. */
export type IdleMembership = { name: string; endsAtMs: number }

export type IdleUser = Omit<Columns, 'noted_use_at' | 'seen_at' | 'key_used_at' | 'group_names'> &
  Omit<Classed, 'groups'> &
  Use & { memberships: readonly IdleMembership[] }

type Row = Columns & Omit<IdleUser, 'memberships' | 'last_used_at'> & { place: string | number }

const pageRows = 2000

/** Yields active users who have not signed in since `before`, or never, and existed then. */
export async function* listIdle(db: Db, before: string): AsyncGenerator<IdleUser[]> {
  const place = rawSql(db.engine === 'sqlite' ? 'row_id' : 'user_id')
  let last: Row | undefined
  for (;;) {
    const after: Sql =
      last === undefined ? sql`` : sql`AND (last_login_at, ${place}) > (${last.last_login_at}, ${last.place})`
    const rows: Row[] = await db.all<Row>(sql`
      SELECT ${columnsOf(db)}, ${place} AS place FROM users WHERE last_login_at <= ${before} ${after} AND active = 1
      ORDER BY last_login_at, ${place} LIMIT ${pageRows}`)
    yield rows.map(toIdle)
    last = rows.at(-1)
    if (rows.length < pageRows) break
  }
  last = undefined
  for (;;) {
    const after: Sql = last === undefined ? sql`` : sql`AND ${place} > ${last.place}`
    const rows: Row[] = await db.all<Row>(sql`
      SELECT ${columnsOf(db)}, ${place} AS place FROM users
      WHERE last_login_at IS NULL ${after} AND created_at <= ${before} AND active = 1
      ORDER BY ${place} LIMIT ${pageRows}`)
    yield rows.map(toIdle)
    last = rows.at(-1)
    if (rows.length < pageRows) return
  }
}

/** These users, of whom some may be gone. */
export async function findIdle(db: Db, userIds: readonly string[]): Promise<IdleUser[]> {
  const rows = await db.all<Row>(sql`
    SELECT ${columnsOf(db)}, 0 AS place FROM users WHERE user_id IN (SELECT value FROM ${texts(db, userIds)})
    ORDER BY user_id`)
  return rows.map(toIdle)
}

/** The use of a session in which an administrator acts as the user is not the user's. Names of groups have no control characters. */
function columnsOf({ engine }: Db): Sql {
  const [aggregate, character] = engine === 'sqlite' ? ['group_concat', 'char'] : ['string_agg', 'chr']
  const names = rawSql(
    `${aggregate}(name || coalesce(${character}(9) || membership_ends.expires_at, ''), ${character}(10))`,
  )
  return sql`
    user_id, username, role, group_roles, kind, managed_by, CASE WHEN ${ofActiveOrganization} THEN active ELSE 0 END AS active, created_at, enabled_at, last_login_at, access_ends_at,
    inactivity_noticed_at AS noticed_at, inactivity_ends_at AS notice_ends_at, access_used_at AS noted_use_at,
    (SELECT max(last_seen_at) FROM sessions WHERE sessions.user_id = users.user_id AND act IS NULL) AS seen_at,
    (SELECT max(api_keys.last_used_at) FROM api_keys WHERE api_keys.user_id = users.user_id) AS key_used_at,
    coalesce((
      SELECT ${names} FROM group_members JOIN user_groups USING (group_id)
      LEFT JOIN membership_ends ON membership_ends.group_id = group_members.group_id
        AND membership_ends.user_id = group_members.user_id
      WHERE group_members.user_id = users.user_id
    ), '') AS group_names`
}

function toIdle({ noted_use_at, seen_at, key_used_at, group_names, place: _, ...row }: Row): IdleUser {
  const uses = [noted_use_at, seen_at, key_used_at].filter((at) => at !== null)
  return {
    ...row,
    memberships: group_names === '' ? [] : group_names.split('\n').map(toMembership),
    last_used_at: uses.toSorted().at(-1) ?? null,
  }
}

function toMembership(text: string): IdleMembership {
  const [name = '', expires_at] = text.split('\t')
  return { name, endsAtMs: expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires_at) }
}

export async function setNotice(
  db: Transaction,
  userId: string,
  { noticed_at, ends_at }: { noticed_at: string; ends_at: string },
): Promise<void> {
  await db.run(sql`
    UPDATE users SET inactivity_noticed_at = ${noticed_at}, inactivity_ends_at = ${ends_at} WHERE user_id = ${userId}`)
}

/** Counts the users who have access, each time in an index that contains nothing else. `now` in epoch milliseconds. */
export async function countActive(db: Db, now: number): Promise<number> {
  const row = await db.get<{ n: number }>(sql`
    SELECT (SELECT count(*) FROM users) - (SELECT count(*) FROM users WHERE active = 0)
      - (SELECT count(*) FROM user_ends JOIN users USING (user_id)
         WHERE user_ends.expires_at <= ${timestamp(now)} AND active = 1) AS n`)
  return Number(row?.n ?? 0)
}
