/**
 * SQLite's number of each user, `row_id`, grows as `user_id` does, because the search index returns rows in the order of
 * its numbers (docs/decisions/0003). Numbers leave room between them for ids that come from elsewhere or come back. Where
 * the room is used up, a change renumbers a few neighbours itself; more than that is done in steps (docs/decisions/0040).
 */
import type { Db, Transaction } from '../../store/db/db.ts'
import { sql } from '../../store/db/sql.ts'
import { NoRoom } from '../../store/db/sqlite/failures.ts'

type Numbered = { user_id: string; row_id: number }

/** The room above each id that is made here. A wider one makes the search index larger, where distances are stored. */
export const stride = 64
/** One change renumbers at most this many rows, some ten milliseconds' work. */
export const movedByChange = 128
/** A new row renumbers at most this many rows itself. */
export const movedByRow = 32
/** Rows renumbered in one step of `makeRoom`, and row numbers read in one. */
export const [movedAtOnce, readAtOnce] = [32, 1000]
/**
 * How full a neighbourhood of 2^n numbers may be when it is spread out: 1.75^n. The wider, the emptier, so that each time
 * more room is left than the rows that soon come there need (Itai, Konheim and Rodeh: "A sparse table implementation of
 * priority queues", 1981). With 1.75, rows that stand `stride` apart are spread enough for 30 million users.
 */
const fullness = 1.75
const leastBits = 6
/** Numbers below those of all ids: some that are made up by hand, all zeros but for the end, come in falling order. */
const roomBelow = 2 ** 40

export type Coming = {
  /** The id was made here, so that those after it will be greater. */
  isMade: boolean
  /** The id of the row that came just before: rows of a file often come in the order of their ids. */
  lastId?: string | undefined
  /** How many rows the change may still renumber, shared by its rows. */
  budget?: { moves: number }
}

/** Like `makePlace`; undefined on PostgreSQL, which does not number the rows. */
export function placeFor(db: Transaction, userId: string, coming: Coming): Promise<number> | undefined {
  return db.engine === 'sqlite' ? makePlace(db, userId, coming) : undefined
}

/**
 * Returns a free number for a new row, after renumbering a few others if necessary.
 *
 * @throws NoRoom when more must be renumbered than one change may: `makeRoom` does it
 */
export async function makePlace(db: Transaction, userId: string, coming: Coming): Promise<number> {
  const last = await db.get<Numbered>(sql`SELECT user_id, row_id FROM users ORDER BY row_id DESC LIMIT 1`)
  if (last === undefined || last.user_id < userId) return placeBehind(last?.row_id, userId, coming)
  const place = await placeBetween(db, userId, coming)
  if (place !== undefined) return place
  const budget = coming.budget ?? { moves: movedByChange }
  const { row_id } = (await neighbour(db, userId, 'next')) as Numbered
  const most = Math.min(movedByRow, budget.moves)
  const crowd = await ended(findCrowd(db, row_id, most))
  if (crowd === undefined) throw new NoRoom(userId)
  budget.moves -= crowd.numbers.length
  await ended(spread(db, crowd))
  return (await placeBetween(db, userId, coming)) as number
}

/** The number of a row that comes last, behind row `last` if there are any. */
export function placeBehind(last: number | undefined, userId: string, { isMade }: Coming): number {
  const own = ownPlace(userId)
  if (last === undefined) return own
  return isMade ? last + stride : Math.max(own, last + stride)
}

async function placeBetween(db: Db, userId: string, { isMade, lastId }: Coming): Promise<number | undefined> {
  const [previous, next] = [await neighbour(db, userId, 'previous'), (await neighbour(db, userId, 'next')) as Numbered]
  const [low, high] = [previous?.row_id ?? 0, next.row_id]
  if (low + 1 >= high) return undefined
  const own = ownPlace(userId)
  const isDownwards = next.user_id === lastId
  // Ids that differ in their last bits only have this place together.
  const isOwn = !isMade && !(isDownwards && ownPlace(next.user_id) === own)
  if (isOwn && own > low && own < high) return own
  const half = Math.ceil((high - low) / 2)
  if (isMade) return low + Math.min(stride, half)
  // Rows of a file that come one behind the other take little of the room each.
  const little = Math.max(1, Math.min(stride, Math.floor((high - low) / 2 ** 16)))
  if (previous !== undefined && previous.user_id === lastId) return low + little
  return isDownwards ? high - little : low + Math.floor((high - low) / 2)
}

function neighbour(db: Db, userId: string, side: 'next' | 'previous'): Promise<Numbered | undefined> {
  return side === 'next'
    ? db.get(sql`SELECT user_id, row_id FROM users WHERE user_id > ${userId} ORDER BY user_id LIMIT 1`)
    : db.get(sql`SELECT user_id, row_id FROM users WHERE user_id < ${userId} ORDER BY user_id DESC LIMIT 1`)
}

/** The first 52 bits of a UUID as a number: dissimilar ids find room there. */
function ownPlace(userId: string): number {
  return roomBelow + Number.parseInt(userId.slice(0, 8) + userId.slice(9, 13) + userId[14], 16)
}

/**
 * Makes room for a new row in steps, between which it yields. Each step leaves the order right, so it may be a transaction
 * of its own, other changes may come between, and nothing is lost with a step that is not taken.
 */
export async function* makeRoom(db: Transaction, userId: string): AsyncGenerator<void, void> {
  const next = await neighbour(db, userId, 'next')
  const crowd = next && (yield* findCrowd(db, next.row_id))
  if (crowd) yield* spread(db, crowd)
}

/** A neighbourhood of 2^n numbers from `from` on, and those of them that rows have. */
type Crowd = { from: number; size: number; numbers: number[] }

/** Finds the narrowest neighbourhood that is not too full to be spread out; undefined if it has more than `most` rows. */
async function* findCrowd(
  db: Db,
  around: number,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<void, Crowd | undefined> {
  let [from, size] = [around, 0]
  let numbers: number[] = []
  for (let bits = leastBits; ; bits++) {
    const widerSize = 2 ** bits
    const widerFrom = Math.floor(around / widerSize) * widerSize
    const below = yield* numbersIn(db, widerFrom, from, most - numbers.length)
    const above = yield* numbersIn(db, from + size, widerFrom + widerSize, most - numbers.length - below.length)
    numbers = [...below, ...numbers, ...above]
    ;[from, size] = [widerFrom, widerSize]
    if (numbers.length > most) return undefined
    if (numbers.length <= fullness ** bits) return { from, size, numbers }
  }
}

/** The numbers of rows from `from` to below `end`; one more than `most` at most. */
async function* numbersIn(db: Db, from: number, end: number, most: number): AsyncGenerator<void, number[]> {
  const numbers: number[] = []
  for (let start = from; start < end && numbers.length <= most; ) {
    const limit = Math.min(readAtOnce, most + 1 - numbers.length)
    const rows = await db.all<Pick<Numbered, 'row_id'>>(sql`
      SELECT row_id FROM users WHERE row_id >= ${start} AND row_id < ${end} ORDER BY row_id LIMIT ${limit}`)
    for (const { row_id } of rows) numbers.push(row_id)
    if (rows.length < limit) break
    start = (numbers.at(-1) as number) + 1
    yield
  }
  return numbers
}

/** Renumbers the rows at equal distances. */
async function* spread(db: Transaction, { from, size, numbers }: Crowd): AsyncGenerator<void, void> {
  const step = size / (numbers.length + 1)
  let moved = 0
  // Rows that go up start with the uppermost, and then rows that go down with the lowest: each finds its way free.
  for (const direction of [1, -1]) {
    for (let i = 0; i < numbers.length; i++) {
      const n = direction > 0 ? numbers.length - 1 - i : i
      const number = numbers[n] as number
      const place = from + Math.floor((n + 1) * step)
      if ((place - number) * direction <= 0) continue
      await moveRow(db, { number, place })
      if (++moved % movedAtOnce === 0) yield
    }
  }
}

/** Gives a row another number, unless another row now needs the place. Updates the search index. */
async function moveRow(db: Transaction, { number, place }: { number: number; place: number }): Promise<void> {
  const [low, high] = place > number ? [number + 1, place] : [place, number - 1]
  const moved = await db.run(sql`
    UPDATE users SET row_id = ${place}
    WHERE row_id = ${number} AND NOT EXISTS (SELECT 1 FROM users WHERE row_id BETWEEN ${low} AND ${high})`)
  if (moved > 0) {
    await db.run(sql`INSERT OR IGNORE INTO search_pending (row_id) VALUES (${number}), (${place})`)
  }
}

/** Takes all steps at once. */
async function ended<T>(steps: AsyncGenerator<void, T>): Promise<T> {
  for (;;) {
    const step = await steps.next()
    if (step.done) return step.value
  }
}
