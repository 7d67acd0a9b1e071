import type { Transaction } from '../db/db.ts'
import { sql } from '../db/sql.ts'

/**
 * On SQLite: gives a user who came back the `row_id` that its `user_id` asks for, because the search index hands out rows
 * in the order of `row_id` (docs/decisions/0003). Where no number is free between its neighbours, those above move up by
 * one, as far as the next free one.
 */
export async function putInOrder(db: Transaction, userId: string): Promise<void> {
  if (db.engine !== 'sqlite') return
  const next = await db.get<{ row_id: number }>(sql`
    SELECT row_id FROM users WHERE user_id > ${userId} ORDER BY user_id LIMIT 1`)
  if (next === undefined) return // It was given the greatest, and that is its place.
  const previous = await db.get<{ row_id: number }>(sql`
    SELECT row_id FROM users WHERE user_id < ${userId} ORDER BY user_id DESC LIMIT 1`)
  const place = Math.floor(((previous?.row_id ?? 0) + next.row_id) / 2)
  const isFree = place > (previous?.row_id ?? 0)
  // Aside: 0 is nobody's.
  await db.run(sql`UPDATE users SET row_id = 0 WHERE user_id = ${userId}`)
  if (!isFree) await moveUp(db, next.row_id)
  await db.run(sql`UPDATE users SET row_id = ${isFree ? place : next.row_id} WHERE user_id = ${userId}`)
}

/** Makes this number free. The rows that move are indexed anew. */
async function moveUp(db: Transaction, from: number): Promise<void> {
  const { row_id: upTo } = (await db.get<{ row_id: number }>(sql`
    SELECT row_id FROM users WHERE row_id >= ${from}
      AND NOT EXISTS (SELECT 1 FROM users AS above WHERE above.row_id = users.row_id + 1)
    ORDER BY row_id LIMIT 1`)) as { row_id: number }
  // By way of negative numbers, or each would meet the one above it, which has not moved yet.
  await db.run(sql`UPDATE users SET row_id = -row_id - 1 WHERE row_id BETWEEN ${from} AND ${upTo}`)
  await db.run(sql`UPDATE users SET row_id = -row_id WHERE row_id < 0`)
  await db.run(sql`
    INSERT OR IGNORE INTO search_pending (row_id) SELECT row_id FROM users WHERE row_id BETWEEN ${from} AND ${upTo + 1}`)
}
