import { timestamp } from '../../../lib/instant.ts'
import type { Db, Transaction } from '../../../store/db/db.ts'
import { forUpdateInOrder, skipLocked } from '../../../store/db/dialect.ts'
import { joinSql, sql } from '../../../store/db/sql.ts'
import type { Counted, Throttle } from './throttle.ts'

type ThrottleRow = { throttle_key: string; failures: number; allowed_at: string; updated_at: string }

/** A count, and when it last changed. */
export type Seen = Throttle & { updatedAt: string }

/** The end of the range of keys that start with `user:<user_id>:`. */
const rangeOf = (userId: string) => [`user:${userId}:`, `user:${userId};`] as const

function toCounted(rows: readonly ThrottleRow[]): Map<string, Seen> {
  return new Map(
    rows.map(({ throttle_key, failures, allowed_at, updated_at }) => [
      throttle_key,
      { failures, allowedAtMs: Date.parse(allowed_at), updatedAt: updated_at },
    ]),
  )
}

export async function findThrottles(db: Db, keys: readonly string[]): Promise<Map<string, Seen>> {
  if (keys.length === 0) return new Map()
  const list = joinSql(
    keys.map((key) => sql`${key}`),
    ', ',
  )
  return toCounted(
    await db.all<ThrottleRow>(sql`
      SELECT throttle_key, failures, allowed_at, updated_at FROM sign_in_throttles WHERE throttle_key IN (${list})`),
  )
}

/**
 * What is counted under these keys, held against others until this transaction ends; keys that are new begin here, so
 * that they can be held as well. In one order everywhere, so that two transactions never wait for each other.
 */
export async function holdThrottles(db: Transaction, keys: readonly string[], now: number): Promise<Counted> {
  const rows = keys.toSorted().map((key) => sql`(${key}, 0, ${timestamp(0)}, ${timestamp(now)})`)
  return toCounted(
    await db.returning<ThrottleRow>(sql`
      INSERT INTO sign_in_throttles (throttle_key, failures, allowed_at, updated_at) VALUES ${joinSql(rows, ', ')}
      ON CONFLICT (throttle_key) DO UPDATE SET updated_at = excluded.updated_at
      RETURNING throttle_key, failures, allowed_at, updated_at`),
  )
}

/** Only for keys that are held. */
export async function setThrottles(db: Transaction, counted: Counted, now: number): Promise<void> {
  const rows = [...counted].map(
    ([key, { failures, allowedAtMs }]) => sql`(${key}, ${failures}, ${timestamp(allowedAtMs)}, ${timestamp(now)})`,
  )
  await db.run(sql`
    INSERT INTO sign_in_throttles (throttle_key, failures, allowed_at, updated_at) VALUES ${joinSql(rows, ', ')}
    ON CONFLICT (throttle_key) DO UPDATE SET failures = excluded.failures, allowed_at = excluded.allowed_at`)
}

export async function findThrottlesOfUser(db: Db, userId: string): Promise<Map<string, Seen>> {
  const [from, to] = rangeOf(userId)
  return toCounted(
    await db.all<ThrottleRow>(sql`
      SELECT throttle_key, failures, allowed_at, updated_at FROM sign_in_throttles
      WHERE throttle_key >= ${from} AND throttle_key < ${to}`),
  )
}

export async function deleteThrottlesOfUser(db: Transaction, userId: string): Promise<void> {
  const [from, to] = rangeOf(userId)
  // Held in the one order first, as `holdThrottles` holds them.
  await db.run(sql`
    WITH found AS MATERIALIZED (
      SELECT throttle_key FROM sign_in_throttles WHERE throttle_key >= ${from} AND throttle_key < ${to}
      ${forUpdateInOrder(db, 'throttle_key')})
    DELETE FROM sign_in_throttles WHERE throttle_key IN (SELECT throttle_key FROM found)`)
}

/**
 * Deletes throttles that were not touched since `before`, a bounded number per call. A user's count of failures in a row is
 * kept for good: a pause must not reset it.
 */
export function deleteThrottlesBefore(db: Transaction, before: string): Promise<number> {
  // Rows that a sign-in is counting on right now are skipped.
  return db.run(sql`
    DELETE FROM sign_in_throttles WHERE throttle_key IN (
      SELECT throttle_key FROM sign_in_throttles
      WHERE updated_at < ${before} AND NOT (throttle_key LIKE 'user:%:total' AND failures > 0)
      ORDER BY updated_at LIMIT 10000 ${skipLocked(db)}
    )`)
}
