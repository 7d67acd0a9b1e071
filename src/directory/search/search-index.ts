import type { Db, Transaction } from '../../store/db/db.ts'
import { rawSql, sql } from '../../store/db/sql.ts'
import type { Clauses } from './search-terms.ts'

/** Keeps SQLite's search index (docs/decisions/0003). On PostgreSQL the database keeps its own. */

export async function countPending(db: Db): Promise<number> {
  return (await db.get<{ n: number }>(sql`SELECT count(*) AS n FROM search_pending`))?.n ?? 0
}

/** Marks a user whose search text has changed or is about to go. */
export async function markPending(db: Transaction, userId: string): Promise<void> {
  if (db.engine !== 'sqlite') return
  await db.run(sql`INSERT OR IGNORE INTO search_pending (row_id) SELECT row_id FROM users WHERE user_id = ${userId}`)
}

/** Marks a new user by its number. */
export async function markPlacePending(db: Transaction, place: number): Promise<void> {
  await db.run(sql`INSERT OR IGNORE INTO search_pending (row_id) VALUES (${place})`)
}

/** Brings up to `limit` waiting rows into the index; answers how many. Runs inside a transaction. */
export async function indexPending(db: Transaction, limit: number): Promise<number> {
  const next = await db.get<{ rows: number; last: number; gone: number }>(sql`
    SELECT count(*) AS rows, max(row_id) AS last, count(*) - count(users.row_id) AS gone
    FROM (SELECT row_id FROM search_pending ORDER BY row_id LIMIT ${limit}) LEFT JOIN users USING (row_id)`)
  const { rows, last, gone } = next as NonNullable<typeof next>
  if (rows === 0) return 0
  if (gone > 0) {
    await db.run(sql`DELETE FROM users_search WHERE rowid IN (
      SELECT row_id FROM search_pending WHERE row_id <= ${last} AND row_id NOT IN (SELECT row_id FROM users))`)
  }
  await db.run(sql`
    INSERT OR REPLACE INTO users_search (rowid, search_text)
    SELECT row_id, search_text FROM search_pending CROSS JOIN users USING (row_id)
    WHERE search_pending.row_id <= ${last} ORDER BY search_pending.row_id`)
  // A trigger brings their texts into search_texts.
  await db.run(sql`DELETE FROM search_pending WHERE row_id <= ${last}`)
  return rows
}

/** Rows that one step brings into the index, and pages of the index that it rewrites: some five milliseconds together. */
export const [rowsInStep, pagesInStep] = [64, 24]

/**
 * Leaves rewriting the index to the steps. By itself FTS5 rewrites a part of it in the commit that adds the fourth or the
 * sixteenth piece of a size, which took up to 250 ms with 100,000 users.
 */
export async function prepareIndex(db: Transaction): Promise<void> {
  for (const [name, value] of [
    ['automerge', 0],
    ['crisismerge', 1999],
  ] as const) {
    const set = await db.get<{ v: number }>(sql`SELECT v FROM users_search_config WHERE k = ${name}`)
    // FTS5 takes an integer, and a number of JavaScript arrives as a real.
    const text = rawSql(String(value))
    if (set?.v !== value) await db.run(sql`INSERT INTO users_search (users_search, rank) VALUES (${name}, ${text})`)
  }
}

export type Step = {
  /** How many rows were brought into the index: `rowsInStep`, or all that waited. */
  rows: number
  /** There may be more to rewrite. */
  isMerging: boolean
}

/** Brings some waiting rows into the index, and rewrites some of it so that it stays in few pieces. Runs inside a transaction. */
export async function indexStep(db: Transaction): Promise<Step> {
  const rows = await indexPending(db, rowsInStep)
  return { rows, isMerging: await merge(db, pagesInStep) }
}

/** `waiting`: the index still lacks rows and starts over; `merging`: more segments must be rewritten. */
export type Cleaning = 'waiting' | 'merging' | 'done'

/**
 * Rewrites the next part of the index, or begins to: until then FTS5 keeps the trigrams of texts that were deleted, from
 * which a name could be put together again.
 */
export async function cleanIndex({ db }: { db: Transaction }, { begins }: { begins: boolean }): Promise<Cleaning> {
  if (db.engine !== 'sqlite') return 'done'
  if (begins && (await indexPending(db, rowsInStep)) === rowsInStep) return 'waiting'
  const isMerging = await merge(db, begins ? -pagesInStep : pagesInStep)
  return begins || isMerging ? 'merging' : 'done'
}

/** Rewrites up to this many pages; negative: it begins to rewrite all of the index. Returns whether there may be more. */
async function merge(db: Transaction, pages: number): Promise<boolean> {
  // The difference is how one learns that nothing was left to merge (https://sqlite.org/fts5.html#the_merge_command).
  const before = await countChanges(db)
  await db.run(sql`INSERT INTO users_search (users_search, rank) VALUES ('merge', ${pages})`)
  return (await countChanges(db)) - before >= 2
}

async function countChanges(db: Db): Promise<number> {
  return (await db.get<{ n: number }>(sql`SELECT total_changes() AS n`))?.n ?? 0
}

/** Trigrams of the clauses as an FTS5 query: rows that hold all of them, in any order. */
export function trigramQuery(clauses: Clauses): string {
  return indexed(clauses)
    .map((texts) => `(${texts.map((text) => `(${allTrigrams(text, mostOf(clauses))})`).join(' OR ')})`)
    .join(' AND ')
}

/** The same for texts of which at least one list must be contained whole. Each text has three or more characters. */
export function anyTrigramQuery(lists: Clauses): string {
  return lists.map((texts) => `(${texts.map(allTrigrams).join(' AND ')})`).join(' OR ')
}

export function countTrigrams(clauses: Clauses): number {
  return indexed(clauses)
    .flat()
    .reduce((sum, text) => sum + someTrigrams(text, mostOf(clauses)).length, 0)
}

/** The clauses that the index can answer. */
function indexed(clauses: Clauses): Clauses {
  return clauses.filter(isIndexed)
}

function isIndexed(texts: readonly string[]): boolean {
  return texts.every((text) => [...text].length >= 3)
}

/**
 * Of several words, three trigrams each are asked for: together they find few rows, and each list of a common word, such as a
 * domain, takes milliseconds with a million users.
 */
function mostOf(clauses: Clauses): number {
  return clauses.length > 1 ? 3 : Number.POSITIVE_INFINITY
}

/** At most so many trigrams: the first, the last and one between them. */
function someTrigrams(text: string, most: number): string[] {
  const all = [...trigramsOf(text)]
  return all.length <= most ? all : [all[0], all[all.length >> 1], all.at(-1)].map(String)
}

function allTrigrams(text: string, most = Number.POSITIVE_INFINITY): string {
  return someTrigrams(text, most)
    .map((trigram) => `"${trigram.replaceAll('"', '""')}"`)
    .join(' AND ')
}

/** Enough trigrams to contain each character. More of them would find about as many rows, and each adds a list to read. */
function trigramsOf(text: string): Set<string> {
  // Each field starts with two line feeds, so what matches with the second also matches with the first.
  const characters = [...text].slice(isBeginningOfTwo(text) ? 1 : 0)
  const last = characters.length - 3
  const starts = [...characters.slice(0, -2).keys()].filter((i) => i % 3 === 0 || i === last)
  return new Set(starts.map((i) => characters.slice(i, i + 3).join('')))
}

/** Whether the index alone gives the exact result: one trigram has no order; with several, each row must be checked. */
export function isExactQuery(clauses: Clauses): boolean {
  return clauses.every((texts) => isIndexed(texts) && texts.every(isOneTrigram))
}

function isOneTrigram(text: string): boolean {
  // FTS5 reads a query up to a NUL, and these for the same character.
  return !/[\0\ufffd-\uffff\p{Cs}]/u.test(text) && ([...text].length === 3 || isBeginningOfTwo(text))
}

function isBeginningOfTwo(text: string): boolean {
  return text.startsWith('\n\n') && [...text].length === 4
}
