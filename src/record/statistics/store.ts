import type { Scope } from '../../core/scope.ts'
import { timestamp } from '../../lib/instant.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import { givenRows } from '../../store/db/dialect.ts'
import { conditionsWithin, usersOfOrganizations } from '../../store/db/scope.ts'
import { rawSql, type Sql, sql } from '../../store/db/sql.ts'
import type { Total } from './total.ts'

export type Kind = 'sign_ups' | 'sign_ins' | 'failed_sign_ins' | 'active_users'

export type Count = { date: string; kind: Kind; count: number }

export type Presence = { date: string; user_id: string }

const givenCounts = givenRows<Count>({ date: 'text', kind: 'text', count: 'bigint' })
const givenPresences = givenRows<Presence>({ date: 'text', user_id: 'text' })
const givenUses = givenRows<{ session_id: string; date: string }>({ session_id: 'text', date: 'text' })

/** In the same order on all nodes, so that two of them never deadlock. */
export async function addCounts(db: Transaction, counts: readonly Count[]): Promise<void> {
  const inOrder = counts.toSorted((a, b) => compare(a.date, b.date) || compare(a.kind, b.kind))
  if (inOrder.length === 0) return
  await db.run(sql`
    INSERT INTO daily_counts (date, kind, count)
    SELECT date, kind, count FROM ${givenCounts(db, inOrder)} WHERE true
    ON CONFLICT (date, kind) DO UPDATE SET count = daily_counts.count + excluded.count`)
}

/** Returns the days on which a user was active for the first time that day, once per user. */
export async function addPresences(db: Transaction, presences: readonly Presence[]): Promise<string[]> {
  const inOrder = presences.toSorted((a, b) => compare(a.date, b.date) || compare(a.user_id, b.user_id))
  if (inOrder.length === 0) return []
  const rows = await db.returning<{ date: string }>(sql`
    INSERT INTO active_users (date, user_id)
    SELECT date, user_id FROM ${givenPresences(db, inOrder)} WHERE true
    ON CONFLICT DO NOTHING RETURNING date`)
  return rows.map(({ date }) => date)
}

/** For uses of sessions that are the session's first of a day: who was active on it. */
export function findFirstUses(
  db: Db,
  uses: readonly { session_id: string; last_seen_at: string }[],
): Promise<Presence[]> {
  const used = uses.map(({ session_id, last_seen_at }) => ({ session_id, date: last_seen_at.slice(0, 10) }))
  return db.all<Presence>(sql`
    SELECT DISTINCT given.date, sessions.user_id
    FROM ${givenUses(db, used)} JOIN sessions ON sessions.session_id = given.session_id
    WHERE sessions.last_seen_at < given.date AND sessions.begun_from IS NULL`)
}

export async function deletePresencesBefore(db: Transaction, date: string): Promise<number> {
  return db.run(sql`DELETE FROM active_users WHERE date < ${date}`)
}

export async function listCounts(db: Db, from: string, to: string): Promise<Count[]> {
  const rows = await db.all<Count>(sql`
    SELECT date, kind, count FROM daily_counts WHERE date >= ${from} AND date <= ${to}`)
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

/** Counts the users of each status, each in an index that contains nothing else. `now` in epoch milliseconds. */
export async function countUsers(db: Db, now: number): Promise<Total[]> {
  const rows = await db.all<Total>(sql`
    SELECT 'role' AS kind, role AS name, count(*) AS count FROM users GROUP BY role
    UNION ALL SELECT 'inactive', '', count(*) FROM users WHERE active = 0
    UNION ALL SELECT 'expired', '', count(*) FROM user_ends JOIN users USING (user_id)
      WHERE user_ends.expires_at <= ${timestamp(now)} AND active = 1
    UNION ALL SELECT 'without_password', '', count(*) FROM users WHERE password_hash IS NULL
    UNION ALL SELECT 'service_accounts', '', count(*) FROM users WHERE kind = 'service'
    UNION ALL SELECT 'signed_in', '', count(*) FROM users WHERE last_login_at IS NOT NULL
    UNION ALL SELECT 'groups', '', count(*) FROM user_groups
    UNION ALL SELECT 'in_groups', '', count(*) FROM (SELECT DISTINCT user_id FROM group_members) AS members`)
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

type FactorOwners = { users: number; totp: number; passkey: number }

/**
 * Counts the users with a second factor, in the order of an index that has nothing else. Factors of deleted users wait for
 * their restoration, so they are taken off: these users are few.
 */
export async function countFactorOwners(db: Db, scope: Scope): Promise<FactorOwners> {
  const [within] = conditionsWithin(scope, rawSql('users.organization_id'))
  if (within !== undefined) {
    const own = sql`${usersOfOrganizations(db)} CROSS JOIN factors`
    return countOwners(
      db,
      sql`${own} WHERE factors.user_id = users.user_id AND ${within} AND factors.confirmed_at IS NOT NULL`,
    )
  }
  const all = await countOwners(db, sql`factors WHERE factors.confirmed_at IS NOT NULL`)
  const deleted = await countOwners(
    db,
    sql`deleted_users JOIN factors ON factors.user_id = deleted_users.user_id WHERE factors.confirmed_at IS NOT NULL`,
  )
  const rest = (kind: keyof FactorOwners) => Math.max(0, all[kind] - deleted[kind])
  return { users: rest('users'), totp: rest('totp'), passkey: rest('passkey') }
}

async function countOwners(db: Db, from: Sql): Promise<FactorOwners> {
  const row = await db.get<FactorOwners>(sql`
    SELECT count(*) AS users, coalesce(sum(totp), 0) AS totp, coalesce(sum(passkey), 0) AS passkey FROM (
      SELECT max(CASE factors.kind WHEN 'totp' THEN 1 ELSE 0 END) AS totp,
        max(CASE factors.kind WHEN 'passkey' THEN 1 ELSE 0 END) AS passkey
      FROM ${from} GROUP BY factors.user_id) AS owners`)
  return { users: Number(row?.users ?? 0), totp: Number(row?.totp ?? 0), passkey: Number(row?.passkey ?? 0) }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
