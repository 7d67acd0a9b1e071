/**
 * Estimates the number of matches on SQLite, which keeps no statistics, from a sample. If the share is small, counts
 * what one index finds, or samples that.
 */

import { isExactQuery, trigramQuery } from '../../directory/search/service.ts'
import type { Db } from '../../store/db/db.ts'
import { type Sql, sql } from '../../store/db/sql.ts'
import type { Filters } from './plan.ts'
import { type Estimate, indexedFilters } from './sql.ts'
import { conditions, countRows, fewRows, foundBy, rowsAmong } from './sqlite-rows.ts'

/** This many steps along an index take some 2 ms. */
const countedRows = 50_000
/** The size of the sample: a filter that a tenth of all users pass is estimated to within a tenth of that. */
const sampleRows = 2000
/** Fewer than this are counted, or searched among the rows that an index finds. */
const commonShare = 1 / 20

type Sample = { total: number; rowIds: number[] }

/** One sample for each connection: drawing it costs a walk over all users. */
const samples = new WeakMap<Db, Sample>()

export async function estimate(db: Db, filters: Filters): Promise<Estimate> {
  const few = await fewRows(db, filters, { search: true })
  if (few) return { total: await countRows(db, sql`${rowsAmong(few)} WHERE ${conditions(filters)}`), isExact: true }
  const indexes = await indexesOf(db, filters)
  const whole = await narrowestOf(
    db,
    indexes.filter(({ isAll }) => isAll),
  )
  if (whole !== undefined) return { total: whole.count, isExact: true }
  const total = await countRows(db, sql`users`)
  if (Object.keys(filters).length === 0) return { total, isExact: true }
  const { rowIds } = await sampleOfAll(db, total)
  const share = await shareOf(db, rowIds, filters)
  const narrowest = share < commonShare ? await narrowestOf(db, indexes) : undefined
  if (narrowest === undefined) return { total: Math.round(total * share), isExact: false }
  const { from, count } = narrowest
  return { total: Math.round(count * (await shareOf(db, await draw(db, from, count), filters))), isExact: false }
}

type Index = { from: Sql /** It finds exactly the users that match. */; isAll: boolean }

/** The number of rows that each usable index finds alone. */
async function indexesOf(db: Db, filters: Filters): Promise<Index[]> {
  const { contains } = filters
  const filterCount = Object.keys(filters).length
  const indexes = indexedFilters(filters).map((names) => ({
    from: foundBy(filters, names),
    isAll: names.length === filterCount,
  }))
  if (contains !== undefined) {
    // Users that wait for indexing are left out; after ten seconds there are none.
    const from = sql`SELECT rowid AS row_id FROM users_search WHERE users_search MATCH ${trigramQuery(contains.clauses)}`
    const waits = (await db.get(sql`SELECT 1 FROM search_pending LIMIT 1`)) !== undefined
    indexes.push({ from, isAll: filterCount === 1 && isExactQuery(contains.clauses) && !waits })
  }
  return indexes
}

/** The index that finds the fewest, if it does not find too many to be counted. */
async function narrowestOf(db: Db, indexes: readonly Index[]): Promise<{ from: Sql; count: number } | undefined> {
  let narrowest: { from: Sql; count: number } | undefined
  for (const { from } of indexes) {
    const most = narrowest?.count ?? countedRows
    const count = await countRows(db, sql`(${from} LIMIT ${most + 1})`)
    if (count <= most) narrowest = { from, count }
  }
  return narrowest
}

async function sampleOfAll(db: Db, total: number): Promise<Sample> {
  const known = samples.get(db)
  // Users deleted since then are recognized, and a few new ones do not matter.
  if (known !== undefined && Math.abs(known.total - total) <= known.total / 20) return known
  const drawn = { total, rowIds: await draw(db, sql`SELECT row_id FROM users`, total) }
  samples.set(db, drawn)
  return drawn
}

/** Row_ids spread over all of `from`, wherever their numbers have gaps: each is taken or left by its own number. */
async function draw(db: Db, from: Sql, count: number): Promise<number[]> {
  const every = Math.max(1, Math.round(count / sampleRows))
  const rows = await db.all<{ row_id: number }>(sql`
    SELECT row_id FROM (${from}) WHERE row_id % 1000003 * 7919 % 1000003 % ${every} = 0`)
  return rows.map(({ row_id }) => row_id)
}

/** The share of these rows, as far as they are still there, that pass the filters. */
async function shareOf(db: Db, rowIds: readonly number[], filters: Filters): Promise<number> {
  const among = rowsAmong(rowIds)
  const all = await countRows(db, among)
  return all === 0 ? 0 : (await countRows(db, sql`${among} WHERE ${conditions(filters)}`)) / all
}
