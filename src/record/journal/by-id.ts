/**
 * Finds audit records by target, and events by owner. PostgreSQL has a B-tree for each. On SQLite full-text indexes are
 * filled in batches, and the rows since the last batch are scanned (docs/decisions/speed.md, 0117).
 */
import type { Db, Transaction } from '../../store/db/db.ts'
import { isServer } from '../../store/db/dialect.ts'
import { type FixedSql, fixedSql, rawSql, type Sql, sql } from '../../store/db/sql.ts'

const indexes = {
  audit_targets: define('audit_targets', 'audit_records', 'target_id'),
  event_owners: define('event_owners', 'events', 'owner_id'),
} as const

type Index = keyof typeof indexes
type Numbers = Record<Index, number>

function define(index: string, table: string, column: string) {
  return {
    name: fixedSql(index),
    rows: fixedSql(table),
    column: fixedSql(column),
    /** One word for a UUID. An id with other characters may have several words, or those of another id. */
    words: fixedSql(`'x' || replace(${column}, '-', '')`),
    newest: fixedSql(`(SELECT coalesce(max(seq), 0) FROM ${table})`),
  }
}

export type Lookup = {
  id: string
  /** Only numbers between these, both exclusive. */
  above?: number
  below?: number
  descending?: boolean
  limit?: number
}

const [ascending, descending] = [fixedSql('ASC'), fixedSql('DESC')]

/** Returns these columns of the rows that have the id and meet the condition, in the order of their numbers. */
export async function findById<Row extends object>(
  db: Db,
  index: Index,
  columns: Sql | FixedSql,
  { id, above = 0, below = Number.MAX_SAFE_INTEGER, limit = Number.MAX_SAFE_INTEGER, ...lookup }: Lookup,
  condition: Sql = rawSql('1 = 1'),
): Promise<Row[]> {
  const { name, rows, column } = indexes[index]
  const order = lookup.descending ? descending : ascending
  const scan = (from: number, most: number) =>
    db.all<Row>(sql`
      SELECT ${columns} FROM ${rows} WHERE ${column} = ${id} AND seq > ${from} AND seq < ${below} AND ${condition}
      ORDER BY seq ${order} LIMIT ${most}`)
  if (isServer(db)) return scan(above, limit)

  // Read once: another batch may be added between the two statements.
  const indexed = (await findIndexed(db))[index]
  const scanNew = async (most: number) => (below - 1 > indexed ? scan(Math.max(above, indexed), most) : [])
  // As bigint: FTS5 ignores the limits of a range if they are reals, as numbers of JavaScript are.
  const [from, to] = [BigInt(above), BigInt(Math.min(below, indexed + 1))]
  const lookUp = (most: number) =>
    db.all<Row>(sql`
      SELECT ${columns} FROM ${name} CROSS JOIN ${rows} ON seq = ${name}.rowid
      WHERE ${name} MATCH ${queryOf(id)} AND ${name}.rowid > ${from} AND ${name}.rowid < ${to}
        AND ${column} = ${id} AND ${condition}
      ORDER BY ${name}.rowid ${order} LIMIT ${most}`)
  const [first, second] = lookup.descending ? [scanNew, lookUp] : [lookUp, scanNew]
  const found = await first(limit)
  return found.length === limit ? found : [...found, ...(await second(limit - found.length))]
}

/** Up to which numbers the rows are indexed. */
async function findIndexed(db: Db): Promise<Numbers> {
  const row = await db.get<Numbers>(sql`SELECT audit_targets, event_owners FROM journal_indexed`)
  if (row === undefined) throw new Error('The table journal_indexed is empty.')
  return row
}

/** Returns the FTS5 query for the words of an id. */
function queryOf(id: string): string {
  // Everything else separates words for the tokenizer `ascii`.
  const words = `x${id.replaceAll('-', '')}`.split(/[^0-9A-Za-z\u0080-\u{10ffff}]+/u)
  return words.flatMap((word) => (word === '' ? [] : `"${word}"`)).join(' AND ')
}

/** A lookup scans fewer new rows than this. */
const batchRows = 500
/** How many pages of an index are merged with each batch, which has three of its own. */
const mergedPages = 32

/** SQLite only, after rows were added: brings them into the indexes once they are enough for a batch. */
export async function fillIndexes(db: Transaction, atLeast = batchRows): Promise<void> {
  const { audit_targets, event_owners } = indexes
  const indexed = await findIndexed(db)
  const newest = await db.get<Numbers>(sql`
    SELECT ${audit_targets.newest} AS audit_targets, ${event_owners.newest} AS event_owners`)
  for (const index of Object.keys(indexes) as Index[]) {
    const rows = (newest?.[index] ?? 0) - indexed[index]
    if (rows >= atLeast) await addBatch(db, index, indexed[index], Math.ceil(rows / batchRows))
  }
}

async function addBatch(db: Transaction, index: Index, after: number, batches: number): Promise<void> {
  const { name, rows, column, words, newest } = indexes[index]
  await db.run(sql`
    INSERT INTO ${name} (rowid, ids) SELECT seq, ${words} FROM ${rows}
    WHERE seq > ${after} AND ${column} IS NOT NULL ORDER BY seq`)
  await db.run(sql`INSERT INTO ${name} (${name}, rank) VALUES ('merge', ${BigInt(batches * mergedPages)})`)
  await db.run(sql`UPDATE journal_indexed SET ${name} = ${newest}`)
}

/** Removes rows from their index that are about to be deleted. PostgreSQL does that by itself. */
export async function removeFromIndex(db: Transaction, index: Index, condition: Sql): Promise<void> {
  if (isServer(db)) return
  const { name, rows, column, words } = indexes[index]
  await db.run(sql`
    INSERT INTO ${name} (${name}, rowid, ids) SELECT 'delete', seq, ${words} FROM ${rows}
    WHERE ${condition} AND ${column} IS NOT NULL AND seq <= (SELECT ${name} FROM journal_indexed)`)
}

/** SQLite only, after all rows were deleted. */
export async function emptyIndexes(db: Transaction): Promise<void> {
  for (const { name } of Object.values(indexes)) {
    await db.run(sql`INSERT INTO ${name} (${name}) VALUES ('delete-all')`)
    await db.run(sql`UPDATE journal_indexed SET ${name} = 0`)
  }
}
