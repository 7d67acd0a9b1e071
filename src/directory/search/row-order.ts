/**
 * SQLite's number of each user, `row_id`, grows as `user_id` does. This is a rule and not only speed: pages, searches, SCIM and
 * every index read equals in the order of the numbers, so a number in the wrong place shows a user twice or never
 * (docs/decisions/0003-search-index.md, 0160). What it bought: a plain page of 100 took 300 µs and takes 119
 * (docs/decisions/speed.md, 0055). Numbers leave room between them for ids that come from elsewhere or come
 * back. Where the room is used up, a change renumbers a few neighbours itself; more than that is done in steps
 * (docs/decisions/0003-search-index.md, 0040).
 */
import type { Db, Transaction } from '../../store/db/db.ts'
import { sql } from '../../store/db/sql.ts'
import { NoRoom } from '../../store/db/sqlite/failures.ts'

type Numbered = { user_id: string; row_id: number }

/** The room above each id that is made here. A wider one makes the search index larger, where distances are stored. */
const stride = 64
/** One change renumbers at most this many rows, some ten milliseconds' work. */
export const movedByChange = 128
/** Rows renumbered in one step of `makeRoom`, and row numbers read in one. */
export const [movedAtOnce, readAtOnce] = [32, 1000]
/** How often `makeRoom` makes room in steps for the same ids; other changes may use it up between two steps. */
const steppedPasses = 3
/**
 * How full a neighbourhood of 2^n numbers may be when it is spread out: 1.75^n. The wider, the emptier, so that each time
 * more room is left than the rows that soon come there need (Itai, Konheim and Rodeh: "A sparse table implementation of
 * priority queues", 1981). With 1.75, rows that stand `stride` apart are spread enough for 30 million users.
 */
const fullness = 1.75
const leastBits = 6
/** Numbers below those of all ids: some that are made up by hand, all zeros but for the end, come in falling order. */
const roomBelow = 2 ** 40

/** `isMade`: the id was made here, so that those after it will be greater. */
export type Newcomer = { user_id: string; isMade: boolean }
/** The row numbers of the users that a change inserts, by their ids. */
export type Places = ReadonlyMap<string, number>

/** The ids of new rows between the numbers of two neighbours; `low` is 0 before the first row. */
type Gap = { low: number; high: number; ids: string[] }

/** Like `reservePlaces`; undefined on PostgreSQL, which does not number the rows. */
export function placesFor(db: Transaction, newcomers: readonly Newcomer[]): Promise<Places> | undefined {
  return db.engine === 'sqlite' ? reservePlaces(db, newcomers) : undefined
}

/**
 * Returns a free number for each new row of a change, after renumbering a few others if necessary. Until the rows are
 * inserted, the change must insert no other users.
 *
 * @throws NoRoom when more must be renumbered than one change may: `makeRoom` does it
 */
export async function reservePlaces(db: Transaction, newcomers: readonly Newcomer[]): Promise<Places> {
  const last = await lastOf(db)
  const inOrder = newcomers.toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1))
  const [between, behind] = [inOrder.filter(({ user_id }) => isBetween(user_id, last)), new Map<string, number>()]
  let number = last?.row_id
  for (const newcomer of inOrder.slice(between.length)) {
    number = placeBehind(number, newcomer.user_id, newcomer)
    behind.set(newcomer.user_id, number)
  }
  if (between.length === 0) return behind
  const ids = between.map(({ user_id }) => user_id)
  const gaps = await gapsOf(db, ids)
  let moves = movedByChange
  for (const gap of gaps) {
    if (!isFull(gap)) continue
    const crowd = await isEnded(findCrowd(db, gap, gaps, moves))
    if (crowd === undefined) throw new NoRoom(ids)
    moves -= crowd.numbers.length
    await isEnded(spread(db, crowd, gaps))
  }
  const ownIds = new Set(between.flatMap(({ user_id, isMade }) => (isMade ? [user_id] : [])))
  return new Map([...behind, ...gaps.flatMap((gap) => placesIn(gap, ownIds))])
}

/** The number of a row that comes last, behind row `last` if there are any. */
export function placeBehind(last: number | undefined, userId: string, { isMade }: Pick<Newcomer, 'isMade'>): number {
  const own = ownPlace(userId)
  if (last === undefined) return own
  return isMade ? last + stride : Math.max(own, last + stride)
}

/** Numbers for the ids of a gap: their own where these fit, and between those as `packed` says. */
function placesIn({ low, high, ids }: Gap, ownIds: ReadonlySet<string>): [string, number][] {
  const places: number[] = []
  let [from, waiting] = [low, 0]
  for (const [n, id] of ids.entries()) {
    const wanted = ownIds.has(id) ? from + stride : ownPlace(id)
    if (wanted > from + waiting && wanted < high - (ids.length - 1 - n)) {
      places.push(...packed(from, wanted, waiting), wanted)
      ;[from, waiting] = [wanted, 0]
    } else waiting++
  }
  places.push(...packed(from, high, waiting))
  return ids.map((id, n) => [id, places[n] as number])
}

/** Numbers in the middle of the room, `stride` apart if possible: those who come next find as much room before and behind. */
function packed(low: number, high: number, count: number): number[] {
  const step = Math.min(stride, Math.floor((high - low) / (count + 1)))
  const first = low + Math.ceil((high - low - step * (count - 1)) / 2)
  return Array.from({ length: count }, (_, n) => first + n * step)
}

function isFull({ low, high, ids }: Gap): boolean {
  return high - low <= ids.length
}

function isBetween(userId: string, last: Numbered | undefined): boolean {
  return last !== undefined && userId < last.user_id
}

function lastOf(db: Db): Promise<Numbered | undefined> {
  return db.get(sql`SELECT user_id, row_id FROM users ORDER BY row_id DESC LIMIT 1`)
}

/** The gaps into which these ids, in their order, fall. Those behind the last row need no room. */
async function gapsOf(db: Db, ids: readonly string[]): Promise<Gap[]> {
  const gaps: Gap[] = []
  for (let n = 0; n < ids.length; ) {
    const id = ids[n] as string
    const next = await db.get<Numbered>(
      sql`SELECT user_id, row_id FROM users WHERE user_id > ${id} ORDER BY user_id LIMIT 1`,
    )
    if (next === undefined) break
    const previous = await db.get<Pick<Numbered, 'row_id'>>(
      sql`SELECT row_id FROM users WHERE user_id < ${id} ORDER BY user_id DESC LIMIT 1`,
    )
    const gap: Gap = { low: previous?.row_id ?? 0, high: next.row_id, ids: [] }
    for (; n < ids.length && (ids[n] as string) < next.user_id; n++) gap.ids.push(ids[n] as string)
    gaps.push(gap)
  }
  return gaps
}

/** The first 52 bits of a UUID as a number: dissimilar ids find room there. */
function ownPlace(userId: string): number {
  return roomBelow + Number.parseInt(userId.slice(0, 8) + userId.slice(9, 13) + userId[14], 16)
}

/**
 * Makes room for all new rows of a change, whose ids are in their order, in steps, between which it yields. Each step leaves
 * the order right, so it may be a transaction of its own, other changes may come between, and nothing is lost with a step
 * that is not taken. When it returns, there is room for each of the rows: a change that runs again finds it.
 */
export async function* makeRoom(db: Transaction, userIds: readonly string[]): AsyncGenerator<void, void> {
  for (let pass = 1; ; pass++) {
    const gaps = await gapsOf(db, userIds)
    if (!gaps.some(isFull)) return
    const steps = widen(db, gaps)
    if (pass <= steppedPasses) yield* steps
    else await isEnded(steps)
  }
}

async function* widen(db: Transaction, gaps: readonly Gap[]): AsyncGenerator<void, void> {
  for (const gap of gaps) {
    if (!isFull(gap)) continue
    const crowd = yield* findCrowd(db, gap, gaps)
    if (crowd !== undefined) yield* spread(db, crowd, gaps)
    yield
  }
}

/** A neighbourhood of 2^n numbers from `from` on, and those of them that rows have. */
type Crowd = { from: number; size: number; numbers: number[] }

/**
 * Finds the narrowest neighbourhood of a gap that is not too full to be spread out, with the new rows of all gaps in it;
 * undefined if it has more than `most` rows.
 */
async function* findCrowd(
  db: Db,
  { high: around }: Gap,
  gaps: readonly Gap[],
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
    const coming = gapsWithin({ from, size }, gaps).reduce((sum, { ids }) => sum + ids.length, 0)
    if (numbers.length + coming <= fullness ** bits) return { from, size, numbers }
  }
}

/** The gaps that have a neighbour in this neighbourhood: their new rows find all their room in it. */
function gapsWithin({ from, size }: Pick<Crowd, 'from' | 'size'>, gaps: readonly Gap[]): Gap[] {
  return gaps.filter(({ low, high }) => high >= from && low < from + size)
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

/** Renumbers the rows at equal distances, as if those of the gaps were there already. Updates the gaps. */
async function* spread(db: Transaction, crowd: Crowd, gaps: readonly Gap[]): AsyncGenerator<void, void> {
  const { from, size, numbers } = crowd
  const coming = gapsWithin(crowd, gaps)
  const all = coming.reduce((sum, { ids }) => sum + ids.length, numbers.length)
  const step = size / (all + 1)
  const places = new Map<number, number>()
  let [before, gap] = [0, 0]
  for (const [n, number] of numbers.entries()) {
    for (; gap < coming.length && (coming[gap] as Gap).high <= number; gap++) before += (coming[gap] as Gap).ids.length
    places.set(number, from + Math.floor((n + before + 1) * step))
  }
  let moved = 0
  // Rows that go up start with the uppermost, and then rows that go down with the lowest: each finds its way free.
  for (const direction of [1, -1]) {
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[direction > 0 ? numbers.length - 1 - i : i] as number
      const place = places.get(number) as number
      if ((place - number) * direction <= 0) continue
      await moveRow(db, { number, place })
      if (++moved % movedAtOnce === 0) yield
    }
  }
  for (const one of coming) {
    one.low = places.get(one.low) ?? one.low
    one.high = places.get(one.high) ?? one.high
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
async function isEnded<T>(steps: AsyncGenerator<void, T>): Promise<T> {
  for (;;) {
    const step = await steps.next()
    if (step.done) return step.value
  }
}
