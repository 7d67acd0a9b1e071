/**
 * SQLite's number of each user, `row_id`, grows as `user_id` does, because the search index hands out rows in the order
 * of its numbers (docs/decisions/0003). Ids that are made here only grow, and SQLite counts up for them. Ids that come
 * from elsewhere, or come back, are given a number that fits.
 */
import type { Transaction } from '../db/db.ts'
import { sql } from '../db/sql.ts'

type Numbered = { user_id: string; row_id: number }

/** So many rows at most move up by one for a row that comes between them; else a wider neighbourhood is spread out. */
const movedAtOnce = 16
/**
 * How full a neighbourhood of 2^n numbers may become by being spread out: 1.5^n. The wider, the emptier, so that each time
 * more room is left than the rows that will soon come there need (Itai, Konheim and Rodeh: "A sparse table implementation
 * of priority queues", 1981).
 */
const fullness = 1.5
/** So much room is made at once for rows that come one behind the other. */
const wideGap = 2 ** 32

type Coming = {
  /** The id was made here, so that those after it will be greater. */
  isMade: boolean
  /** The id of the row that came just before: rows of a file often come in the order of their ids. */
  lastId?: string | undefined
}

/** Makes a number free for a new row, and answers it; null: SQLite's own choice, the greatest so far and one more. */
export async function makePlace(db: Transaction, userId: string, coming: Coming): Promise<number | null> {
  const next = await neighbour(db, userId, 'next')
  if (next === undefined && coming.isMade) return null
  const previous = await neighbour(db, userId, 'previous')
  const [low, high] = [previous?.row_id ?? 0, next?.row_id ?? Number.MAX_SAFE_INTEGER]
  const own = ownPlace(userId)
  const isUpwards = previous !== undefined && previous.user_id === coming.lastId
  const isDownwards = next !== undefined && next.user_id === coming.lastId
  // Ids that differ in their last bits only have this place together.
  const isOwn = !(isDownwards && ownPlace(next.user_id) === own)
  if (isOwn && own > low && own < high) return own
  if (low + 1 < high) {
    if (isDownwards) return high - 1
    return coming.isMade || isUpwards || next === undefined ? low + 1 : Math.floor((low + high) / 2)
  }
  if ((isUpwards || isDownwards) && (await shiftAbove(db, high))) return isUpwards ? low + 1 : high + wideGap - 1
  const upTo = await lastOfRun(db, high)
  if (upTo - high < movedAtOnce) {
    await moveUp(db, { from: high, upTo, by: 1 })
    return high
  }
  await spread(db, high)
  return makePlace(db, userId, coming)
}

/** Moves everything from this number on far up; false: the numbers would not suffice. */
async function shiftAbove(db: Transaction, from: number): Promise<boolean> {
  const last = await db.get<Pick<Numbered, 'row_id'>>(sql`SELECT max(row_id) AS row_id FROM users`)
  const upTo = last?.row_id ?? from
  if (upTo + wideGap > Number.MAX_SAFE_INTEGER / 2) return false
  // The old numbers as well: the index is to forget them.
  await db.run(sql`INSERT OR IGNORE INTO search_pending (row_id) SELECT row_id FROM users WHERE row_id >= ${from}`)
  await moveUp(db, { from, upTo, by: wideGap })
  return true
}

async function neighbour(db: Transaction, userId: string, side: 'next' | 'previous'): Promise<Numbered | undefined> {
  return side === 'next'
    ? db.get(sql`SELECT user_id, row_id FROM users WHERE user_id > ${userId} ORDER BY user_id LIMIT 1`)
    : db.get(sql`SELECT user_id, row_id FROM users WHERE user_id < ${userId} ORDER BY user_id DESC LIMIT 1`)
}

/** The number that the first 52 bits of a UUID stand for: where nobody else is near, rows never have to move for it. */
function ownPlace(userId: string): number {
  return Number.parseInt(userId.slice(0, 8) + userId.slice(9, 13) + userId[14], 16)
}

/** The last of the rows that follow this number without a gap; it looks no further than is of interest. */
async function lastOfRun(db: Transaction, from: number): Promise<number> {
  const rows = await db.all<Pick<Numbered, 'row_id'>>(sql`
    SELECT row_id FROM users WHERE row_id >= ${from} ORDER BY row_id LIMIT ${movedAtOnce + 1}`)
  const gap = rows.findIndex(({ row_id }, n) => row_id !== from + n)
  return from + (gap === -1 ? rows.length : gap) - 1
}

/** Gives the rows of a range greater numbers; they are indexed anew. */
async function moveUp(db: Transaction, { from, upTo, by }: { from: number; upTo: number; by: number }): Promise<void> {
  // By way of negative numbers, or each would meet the one above it, which has not moved yet.
  await db.run(sql`UPDATE users SET row_id = -row_id - ${by} WHERE row_id BETWEEN ${from} AND ${upTo}`)
  await db.run(sql`UPDATE users SET row_id = -row_id WHERE row_id < 0`)
  await db.run(sql`
    INSERT OR IGNORE INTO search_pending (row_id)
    SELECT row_id FROM users WHERE row_id BETWEEN ${from + by} AND ${upTo + by}`)
}

/**
 * Spreads out the rows around a number, as far around it as leaves enough room. In a store whose rows were all made here,
 * without gaps, that is all of them at the first time: some 20 seconds for a million users.
 */
async function spread(db: Transaction, around: number): Promise<void> {
  for (let bits = 12; ; bits++) {
    const size = 2 ** bits
    const from = Math.floor(around / size) * size
    const { n } = (await db.get<{ n: number }>(sql`
      SELECT count(*) AS n FROM users WHERE row_id BETWEEN ${from} AND ${from + size - 1}`)) as { n: number }
    if (n <= fullness ** bits) return spreadEvenly(db, { from, step: size / (n + 1), upTo: from + size - 1 })
  }
}

async function spreadEvenly(db: Transaction, { from, step, upTo }: { from: number; step: number; upTo: number }) {
  const rows = await db.all<Numbered>(sql`
    SELECT user_id, row_id FROM users WHERE row_id BETWEEN ${from} AND ${upTo} ORDER BY row_id`)
  // The old numbers as well: the index is to forget them.
  await db.run(sql`
    INSERT OR IGNORE INTO search_pending (row_id) SELECT row_id FROM users WHERE row_id BETWEEN ${from} AND ${upTo}`)
  await db.run(sql`UPDATE users SET row_id = -row_id WHERE row_id BETWEEN ${from} AND ${upTo}`)
  for (const [n, { row_id }] of rows.entries()) {
    const place = from + Math.floor((n + 1) * step)
    await db.run(sql`UPDATE users SET row_id = ${place} WHERE row_id = ${-row_id}`)
    await db.run(sql`INSERT OR IGNORE INTO search_pending (row_id) VALUES (${place})`)
  }
}
