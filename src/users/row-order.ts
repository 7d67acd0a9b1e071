/**
 * SQLite's number of each user, `row_id`, grows as `user_id` does, because the search index hands out rows in the order
 * of its numbers (docs/decisions/0003). Ids that are made here only grow, and SQLite counts up for them. Ids that come
 * from elsewhere, or come back, are given a number that fits.
 */
import type { Transaction } from '../db/db.ts'
import { sql } from '../db/sql.ts'

type Numbered = { user_id: string; row_id: number }

/** More rows than so are not moved up for one that comes between them: then all are spread out. */
const movedAtOnce = 1000

/**
 * Makes a number free for a new row, and answers it; null: SQLite's own choice, the greatest so far and one more.
 * `isMade`: the id was made here, so that those after it will be greater.
 */
export async function makePlace(
  db: Transaction,
  userId: string,
  { isMade }: { isMade: boolean },
): Promise<number | null> {
  const next = await neighbour(db, userId, 'next')
  if (next === undefined && isMade) return null
  const previous = await neighbour(db, userId, 'previous')
  const place = placeBetween(previous?.row_id ?? 0, next?.row_id ?? Number.MAX_SAFE_INTEGER, ownPlace(userId))
  if (place !== undefined) return place
  const { row_id: from } = next as Numbered
  const upTo = await lastOfRun(db, from)
  if (upTo - from < movedAtOnce) {
    await moveUp(db, from, upTo)
    return from
  }
  await spread(db)
  return makePlace(db, userId, { isMade })
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

function placeBetween(previous: number, next: number, own: number): number | undefined {
  if (own > previous && own < next) return own
  if (next === Number.MAX_SAFE_INTEGER) return previous + 1
  const middle = Math.floor((previous + next) / 2)
  return middle > previous ? middle : undefined
}

/** The last of the rows that follow this number without a gap. */
async function lastOfRun(db: Transaction, from: number): Promise<number> {
  const { row_id } = (await db.get<Numbered>(sql`
    SELECT row_id FROM users WHERE row_id >= ${from}
      AND NOT EXISTS (SELECT 1 FROM users AS above WHERE above.row_id = users.row_id + 1)
    ORDER BY row_id LIMIT 1`)) as Numbered
  return row_id
}

/** Makes a number free: those of the run that begins with it move up by one, and are indexed anew. */
async function moveUp(db: Transaction, from: number, upTo: number): Promise<void> {
  // By way of negative numbers, or each would meet the one above it, which has not moved yet.
  await db.run(sql`UPDATE users SET row_id = -row_id - 1 WHERE row_id BETWEEN ${from} AND ${upTo}`)
  await db.run(sql`UPDATE users SET row_id = -row_id WHERE row_id < 0`)
  await db.run(sql`
    INSERT OR IGNORE INTO search_pending (row_id) SELECT row_id FROM users WHERE row_id BETWEEN ${from} AND ${upTo + 1}`)
}

/**
 * Gives every row the number of its own id. Takes a second for some 50,000 users and is needed once: where many ids from
 * elsewhere come between many that were made here.
 */
async function spread(db: Transaction): Promise<void> {
  const rows = await db.all<Numbered>(sql`SELECT user_id, row_id FROM users ORDER BY user_id`)
  // The old numbers as well: the index is to forget them.
  await db.run(sql`INSERT OR IGNORE INTO search_pending (row_id) SELECT row_id FROM users`)
  await db.run(sql`UPDATE users SET row_id = -row_id`)
  let place = 0
  for (const { user_id, row_id } of rows) {
    place = Math.max(place + 1, ownPlace(user_id))
    await db.run(sql`UPDATE users SET row_id = ${place} WHERE row_id = ${-row_id}`)
  }
  await db.run(sql`INSERT OR IGNORE INTO search_pending (row_id) SELECT row_id FROM users`)
}
