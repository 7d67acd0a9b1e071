import type { Scope } from '../../core/scope.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import { containsText, numbersInCommitOrder } from '../../store/db/dialect.ts'
import { joinSql, rawSql, type Sql, sql } from '../../store/db/sql.ts'
import { findById, type RecordRow, records, removeFromIndex } from '../journal/service.ts'
import type { Filters } from './plan.ts'
import { actorConditions, findRecordsWithin, placeWithin } from './within-organization.ts'

/** Records between `above` and `below`, both exclusive. */
export type Range = { above: number; below: number }

export type Search = { scope: Scope; filters: Filters; descending: boolean; range: Range; limit: number }

/** Each of these filters has an index in the order of the numbers. */
const indexed: readonly (keyof Filters)[] = ['actor', 'target']

/** Whether an index alone finds the matching rows, without scanning others. */
export function isIndexed({ scope, filters: { organization, ...others } }: Pick<Search, 'scope' | 'filters'>): boolean {
  const names = Object.keys(others) as (keyof Filters)[]
  const isOfOne = scope.kind === 'organization' || organization !== undefined
  if (isOfOne) return names.length === 0 || (names.length === 1 && names[0] === 'target')
  return names.length === 0 || (names.length === 1 && indexed.includes(names[0] as keyof Filters))
}

/** Returns the matching records in order. */
export async function findRecords(db: Db, search: Search): Promise<RecordRow[]> {
  const { scope, filters, range, descending, limit } = search
  const { target, organization, ...others } = filters
  // To a limited caller there is no other organization.
  if (scope.kind === 'organization' && organization !== undefined && organization !== scope.organization_id) return []
  const conditions = conditionsOf(db, scope, others)
  if (target !== undefined) {
    const lookup = { id: target, ...range, descending, limit }
    const all = [rawSql('1 = 1'), ...conditions, ...placeWithin({ scope, organization })]
    return findById(db, 'audit_targets', records.columns, lookup, joinSql(all, ' AND '))
  }
  return scope.kind === 'everyone' && organization === undefined
    ? findBetween(db, search, conditions)
    : findRecordsWithin(db, search, { organization, conditions, find: findBetween })
}

function findBetween(db: Db, { range, descending, limit }: Search, conditions: Sql[]): Promise<RecordRow[]> {
  const where = joinSql([sql`seq > ${range.above}`, sql`seq < ${range.below}`, ...conditions], ' AND ')
  const order = rawSql(descending ? 'DESC' : 'ASC')
  return db.all(sql`SELECT ${records.columns} FROM audit_records WHERE ${where} ORDER BY seq ${order} LIMIT ${limit}`)
}

function conditionsOf(db: Db, scope: Scope, filters: Omit<Filters, 'target' | 'organization'>): Sql[] {
  const { action, actor, actor_kind, outcome, changed, occurred_after, occurred_before, request_id } = filters
  return [
    ...(action === undefined ? [] : [anyOf(action)]),
    ...actorConditions(db, scope, { actor, actor_kind }),
    ...(outcome === undefined ? [] : [sql`outcome = ${outcome}`]),
    ...(changed === undefined ? [] : [changes(db, changed)]),
    ...(occurred_after === undefined ? [] : [sql`occurred_at > ${occurred_after}`]),
    ...(occurred_before === undefined ? [] : [sql`occurred_at < ${occurred_before}`]),
    ...(request_id === undefined ? [] : [sql`request_id = ${request_id}`]),
  ]
}

/**
 * Records that changed this member of something that existed before and afterwards. Searched as text, which costs less than
 * parsing each record: a quotation mark within a value is escaped, so the text is the member itself.
 */
function changes(db: Db, member: string): Sql {
  const isThere = [`"${member}":{"before":`, `"${member}":"changed"`].map((text) => containsText(db, 'what', text))
  const isWhole = ['created', 'deleted', 'revoked'].map((verb) => sql`action NOT LIKE ${`%.${verb}`}`)
  return sql`(${joinSql(isThere, ' OR ')}) AND ${joinSql(isWhole, ' AND ')}`
}

/** Whole actions, and prefixes such as `user.*`: `/` is the character after the dot. */
function anyOf(actions: readonly string[]): Sql {
  const choices = actions.map((action) => {
    if (!action.endsWith('.*')) return sql`action = ${action}`
    return sql`(action > ${action.slice(0, -1)} AND action < ${`${action.slice(0, -2)}/`})`
  })
  return sql`(${joinSql(choices, ' OR ')})`
}

/** In the order of the chain. */
export function findNextRecords(db: Db, after: number, limit: number): Promise<RecordRow[]> {
  return db.all(sql`SELECT ${records.columns} FROM audit_records WHERE seq > ${after} ORDER BY seq LIMIT ${limit}`)
}

export async function countRecords(db: Db): Promise<number> {
  const row = await db.get<{ count: number }>(sql`SELECT count(*) AS count FROM audit_records`)
  return Number(row?.count ?? 0)
}

/** Returns the first record that is not older. Scans the older ones, which are about to be deleted. */
export async function findOldestKept(db: Db, before: string): Promise<number | undefined> {
  const row = await db.get<{ seq: number }>(
    sql`SELECT seq FROM audit_records WHERE occurred_at >= ${before} ORDER BY seq LIMIT 1`,
  )
  return row && Number(row.seq)
}

export async function findHash(db: Db, seq: number): Promise<string | undefined> {
  return (await db.get<{ hash: string }>(sql`SELECT hash FROM audit_records WHERE seq = ${seq}`))?.hash
}

/** As literal text, because only then do the engines use its index. */
export async function findNewestPruned(db: Db): Promise<Pick<RecordRow, 'seq' | 'what'> | undefined> {
  return db.get(sql`SELECT seq, what FROM audit_records WHERE action = 'audit.pruned' ORDER BY seq DESC LIMIT 1`)
}

export async function deleteRecordsUpTo(db: Transaction, seq: number): Promise<number> {
  await removeFromIndex(db, 'audit_targets', sql`seq <= ${seq}`)
  return db.run(sql`DELETE FROM audit_records WHERE seq <= ${seq}`)
}

/** On PostgreSQL: committed entries without a place in the chain yet. */
export async function listPending(db: Db): Promise<string[]> {
  if (numbersInCommitOrder(db)) return []
  return (await db.all<{ entry: string }>(sql`SELECT entry FROM journal_pending ORDER BY id`)).map(({ entry }) => entry)
}
