/**
 * Which numbers (`row_id`) the filters of a list find on SQLite, and how its orders are walked. A number is in every
 * index, so that a filter can be looked up without its rows.
 */

import { holdersOf } from '../../directory/attributes/service.ts'
import { type Clauses, containsAll, countTrigrams, isExactQuery, trigramQuery } from '../../directory/search/service.ts'
import type { Db } from '../../store/db/db.ts'
import { joinSql, rawSql, type Sql, sql } from '../../store/db/sql.ts'
import { spending } from '../../store/db/sqlite/meter.ts'
import type { Filters, Position } from './plan.ts'
import {
  allOf,
  behindUser,
  condition,
  type FilterName,
  filteredColumns,
  hasKey,
  indexedFilters,
  keys,
  type Ordered,
  type Place,
  runsOf,
  type Sort,
} from './sql.ts'

/** Up to this many found rows are sorted; with more it is quicker to walk the order and look at each row. */
const sortableRows = 2000
/** Users that fail a filter are excluded one by one if there are at most this many. */
const fewOthers = 100_000
/** Counting the rows that a search finds may cost this much. */
const probeCost = 8000
/** Up to this many texts are looked up one by one, without considering a read of all of them, */
const quicklyLookedUp = 10_000
/** and up to this share of all. */
const manyTexts = 1 / 4
/** Up to this many found rows are looked at for one page. */
const lookableRows = 25_000

/**
 * What work costs with a million users, in microseconds of a quiet machine: a step along an index, a row_id that is put
 * into a set, or looked for there, a row that is read, a text that is looked up, and one that is read with all others.
 */
export const costs = {
  step: 0.06,
  member: 0.25,
  scatteredMember: 0.5,
  lookup: 0.15,
  look: 2.2,
  text: 0.4,
  nextText: 0.12,
}

/** What a row costs that the search index finds: each trigram is a list of its own. */
function searchCost(clauses: Clauses): number {
  return 0.03 + 0.04 * countTrigrams(clauses)
}

/** The row_ids among which all matches are, if the index of one filter finds few. */
export async function fewRows(db: Db, filters: Filters, { search = false } = {}): Promise<number[] | undefined> {
  const probes = indexedFilters(filters).map((names) => foundBy(filters, names))
  if (search && filters.contains !== undefined) probes.push(foundBySearch(filters.contains.clauses))
  for (const probe of probes) {
    // As one text: 2,000 rows as objects took a millisecond.
    const found = await db.get<{ count: number; numbers: string }>(sql`
      SELECT count(*) AS count, json_group_array(row_id) AS numbers FROM (${probe} LIMIT ${sortableRows + 1})`)
    const { count, numbers } = found as NonNullable<typeof found>
    if (count <= sortableRows) return [...new Set(JSON.parse(numbers) as number[])]
  }
  return undefined
}

/**
 * The row_ids among which all matches are, if the indexes of the filters together find few enough to look at each of them.
 */
export async function someRows(db: Db, filters: Filters): Promise<number[] | undefined> {
  const { contains } = filters
  const all = indexedFilters(filters).map((names) => ({ from: foundBy(filters, names), most: fewOthers }))
  if (contains !== undefined) {
    const { clauses } = contains
    all.push({ from: foundBySearch(clauses), most: Math.round(probeCost / searchCost(clauses)) })
  }
  const small: { from: Sql; count: number }[] = []
  for (const { from, most } of all) {
    const count = await countRows(db, sql`(${from} LIMIT ${most + 1})`)
    if (count <= most) small.push({ from, count })
  }
  const [narrowest, ...others] = small.sort((a, b) => a.count - b.count)
  if (narrowest === undefined || (others.length === 0 && narrowest.count > lookableRows)) return undefined
  const among = others.map(({ from }) => sql`+row_id IN (${from})`)
  const found = await db.get<{ count: number; numbers: string }>(sql`
    SELECT count(*) AS count, json_group_array(row_id) AS numbers
    FROM (SELECT row_id FROM (${narrowest.from}) WHERE ${allOf(among)} LIMIT ${lookableRows + 1})`)
  const { count, numbers } = found as NonNullable<typeof found>
  return count > lookableRows ? undefined : [...new Set(JSON.parse(numbers) as number[])]
}

/** The row_ids that the index of these filters finds, the other filters aside. */
export function foundBy(filters: Filters, names: readonly FilterName[]): Sql {
  if (names.includes('group_id')) {
    return sql`SELECT users.row_id FROM group_members CROSS JOIN users ON users.user_id = group_members.user_id
      WHERE group_members.group_id = ${filters.group_id as string}
        AND ${spending(costs.member, rawSql('+users.row_id'))}`
  }
  if (names.includes('attributes')) {
    const { attributes = [] } = filters
    const first = attributes.find(({ isIndexed }) => isIndexed)
    if (first !== undefined) {
      const others = attributes.filter((one) => one !== first)
      return sql`SELECT users.row_id FROM attribute_values CROSS JOIN users ON users.user_id = attribute_values.user_id
        WHERE ${holdersOf(first)} AND ${spending(costs.member, rawSql('+users.row_id'))}
          AND ${conditions(others.length === 0 ? {} : { attributes: others })}`
    }
  }
  const inOrder = !names.some((name) => name.startsWith('last_login') || name === 'has_signed_in')
  return foundWhere(allOf(names.map((name) => conditionOn(filters, name, true))), { inOrder })
}

/** `inOrder`: the index has the row_ids nearly in their own order, in which they are put into a set sooner. */
function foundWhere(condition: Sql, { inOrder = true } = {}): Sql {
  const cost = inOrder ? costs.member : costs.scatteredMember
  return sql`SELECT row_id FROM users WHERE ${spending(cost, rawSql('row_id'))} AND ${condition}`
}

/** The row_ids that the search index finds, and those that wait for indexing; perhaps some of them twice. */
function foundBySearch(clauses: Clauses): Sql {
  return sql`SELECT rowid AS row_id FROM users_search
    WHERE users_search MATCH ${trigramQuery(clauses)} AND ${spending(searchCost(clauses), searchNumber)}
    UNION ALL ${waitingFor(clauses)}`
}

/** With the plus, or FTS5 would run the search again for each number that a filter lets in. */
const searchNumber = rawSql('+users_search.rowid')

function waitingFor(clauses: Clauses, others: Omit<Filters, 'contains'> = {}): Sql {
  return sql`SELECT users.row_id FROM search_pending CROSS JOIN users ON users.row_id = search_pending.row_id
    WHERE ${spending(costs.look, rawSql('search_pending.row_id'))} AND ${conditions({ ...others, contains: { clauses } })}`
}

/** The row_ids of all whose text contains this and who pass the other filters, each once. */
export async function containing(db: Db, clauses: Clauses, others: Omit<Filters, 'contains'>): Promise<Sql> {
  const isExact = isExactQuery(clauses)
  // With several words, the index finds few texts.
  const readsAll = !isExact && clauses.length === 1 && (await isInManyTexts(db, clauses))
  const number = readsAll ? rawSql('+search_texts.row_id') : searchNumber
  const passing = allOf(await onNumber(db, others, number))
  const isContained = containsAll(clauses, (text) => sql`instr(search_texts.search_text, ${text}) > 0`)
  const found = sql`users_search MATCH ${trigramQuery(clauses)} AND ${spending(searchCost(clauses), searchNumber)}`
  const indexed = readsAll
    ? sql`SELECT row_id FROM search_texts WHERE ${spending(costs.nextText, number)} AND ${isContained} AND ${passing}`
    : isExact
      ? sql`SELECT rowid AS row_id FROM users_search WHERE ${found} AND ${passing}`
      : sql`SELECT users_search.rowid AS row_id
          FROM users_search CROSS JOIN search_texts ON search_texts.row_id = users_search.rowid
          WHERE ${found} AND ${passing} AND ${spending(costs.text, searchNumber)} AND ${isContained}`
  const waits = (await db.get(sql`SELECT 1 FROM search_pending LIMIT 1`)) !== undefined
  if (!waits) return indexed
  return sql`${indexed} AND ${number} NOT IN (SELECT row_id FROM search_pending)
    UNION ALL ${waitingFor(clauses, others)}`
}

/** Whether it is quicker to read all texts than those that the index finds. */
async function isInManyTexts(db: Db, clauses: Clauses): Promise<boolean> {
  const isFoundIn = async (rows: number) => {
    const found = sql`SELECT 1 FROM users_search WHERE users_search MATCH ${trigramQuery(clauses)} LIMIT ${rows}`
    return (await countRows(db, sql`(${found})`)) === rows
  }
  if (!(await isFoundIn(quicklyLookedUp))) return false
  const users = await countRows(db, sql`users`)
  if (users * costs.nextText > (db.meter?.left() ?? Number.POSITIVE_INFINITY)) return false
  const many = Math.ceil(users * manyTexts)
  return many <= quicklyLookedUp || isFoundIn(many)
}

/** The filters, but for a text that is sought, as conditions on a number alone. */
export async function onNumber(db: Db, filters: Omit<Filters, 'contains'>, number: Sql): Promise<Sql[]> {
  const { attributes, role, group_id, managed_by, active, has_password, has_signed_in, invited, kind, unlocked_at } =
    filters
  const found: Sql[] = []
  if (group_id !== undefined) found.push(sql`${number} IN (${foundBy({ group_id }, ['group_id'])})`)
  if (attributes !== undefined) found.push(sql`${number} IN (${foundBy({ attributes }, ['attributes'])})`)
  if (managed_by !== undefined) found.push(sql`${number} IN (${foundBy({ managed_by }, ['managed_by'])})`)
  if (filters.organization_id !== undefined) {
    // Fewer are looked at than a large organization has: only what a search finds, or what is met on the way to a page.
    const belonging = sql`home.organization_id = ${filters.organization_id as string}`
    found.push(
      filters.organization_id === null
        ? sql`${number} NOT IN (${foundWhere(sql`organization_id IS NOT NULL`)})`
        : sql`EXISTS (SELECT 1 FROM users AS home INDEXED BY users_organization WHERE home.row_id = ${number}
            AND ${spending(costs.lookup, rawSql('+home.row_id'))} AND ${belonging})`,
    )
  }
  const key = keys.filter((name) => (filters as Filters)[name] !== undefined)
  if (key.length > 0) found.push(sql`${number} IN (${foundBy(filters, key)})`)
  if (active !== undefined) {
    found.push(sql`${number} ${rawSql(active ? 'NOT IN' : 'IN')} (${foundBy({ active: false }, ['active'])})`)
  }
  if (has_password !== undefined) {
    const without = foundBy({ has_password: false }, ['has_password'])
    found.push(sql`${number} ${rawSql(has_password ? 'NOT IN' : 'IN')} (${without})`)
  }
  if (invited !== undefined) {
    found.push(sql`${number} ${rawSql(invited ? 'IN' : 'NOT IN')} (${foundBy({ invited: true }, ['invited'])})`)
  }
  if (kind !== undefined) {
    const programs = foundBy({ kind: 'service' }, ['kind'])
    found.push(sql`${number} ${rawSql(kind === 'service' ? 'IN' : 'NOT IN')} (${programs})`)
  }
  if (unlocked_at !== undefined) {
    found.push(sql`${number} NOT IN (${foundBy({ locked_at: unlocked_at }, ['locked_at'])})`)
  }
  if (filters.unexpired_at !== undefined) {
    const expired = foundBy({ expired_at: filters.unexpired_at }, ['expired_at'])
    found.push(sql`${number} NOT IN (${expired})`)
  }
  if (role !== undefined) {
    const others = [sql`role < ${role}`, sql`role > ${role}`]
    found.push(await amongOrNot(db, number, conditionOn({ role }, 'role', true), others))
  }
  for (const [column, after, before] of [
    ['last_login_at', 'last_login_after', 'last_login_before'],
    ['created_at', 'created_after', 'created_before'],
  ] as const) {
    const [from, to] = [filters[after], filters[before]]
    if (from === undefined && to === undefined) continue
    const bounds = [after, before].filter((name) => filters[name] !== undefined)
    const others = [
      ...(column === 'last_login_at' ? [sql`last_login_at IS NULL`] : []),
      ...(from === undefined ? [] : [sql`${rawSql(column)} <= ${from}`]),
      ...(to === undefined ? [] : [sql`${rawSql(column)} >= ${to}`]),
    ]
    const passing = allOf(bounds.map((name) => conditionOn(filters, name, true)))
    found.push(await amongOrNot(db, number, passing, others))
  }
  if (filters.inactive_since !== undefined) {
    const since = filters.inactive_since
    const seen = foundBy({ last_login_before: since }, ['last_login_before'])
    const never = foundBy({ has_signed_in: false }, ['has_signed_in'])
    const early = await amongOrNot(db, rawSql('+row_id'), sql`created_at < ${since}`, [sql`created_at >= ${since}`])
    found.push(sql`${number} IN (${seen} UNION ALL ${never} AND ${early})`)
  }
  if (filters.except_ids !== undefined) {
    found.push(sql`${number} NOT IN (${foundBy({ user_ids: [...filters.except_ids] }, ['user_ids'])})`)
  }
  if (has_signed_in !== undefined) {
    const never = foundBy({ has_signed_in: false }, ['has_signed_in'])
    // In a new directory nearly all users, in an old one hardly any.
    const areFew = (await countRows(db, sql`(${never} LIMIT ${fewOthers + 1})`)) <= fewOthers
    const listed = areFew ? never : foundBy({ has_signed_in: true }, ['has_signed_in'])
    found.push(sql`${number} ${rawSql(has_signed_in === areFew ? 'NOT IN' : 'IN')} (${listed})`)
  }
  return found
}

/** Includes the users that pass, or excludes the others if they are fewer. An index finds each kind of the others. */
async function amongOrNot(db: Db, number: Sql, passing: Sql, others: readonly Sql[]): Promise<Sql> {
  const countUpTo = (conditions: readonly Sql[], most: number) => {
    const rows = conditions.map((one) => sql`SELECT 1 FROM users WHERE ${one} AND ${stepping}`)
    return countRows(db, sql`(${joinSql(rows, ' UNION ALL ')} LIMIT ${most})`)
  }
  // Whichever are few are soon counted.
  for (let most = 1000; most <= fewOthers; most *= 10) {
    if ((await countUpTo(others, most)) < most) {
      const rest = others.map((other) => foundWhere(other))
      return sql`${number} NOT IN (${joinSql(rest, ' UNION ALL ')})`
    }
    if ((await countUpTo([passing], most)) < most) break
  }
  return sql`${number} IN (${foundWhere(passing)})`
}

/** A step along an index. */
const stepping = spending(costs.step, rawSql('row_id'))

export function without(filters: Filters, names: readonly FilterName[]): Filters {
  return Object.fromEntries(Object.entries(filters).filter(([name]) => !names.includes(name as FilterName)))
}

export function rowsAmong(rowIds: readonly number[]): Sql {
  return sql`json_each(${JSON.stringify(rowIds)}) AS found CROSS JOIN users ON users.row_id = found.value`
}

export async function countRows(db: Db, from: Sql): Promise<number> {
  return (await db.get<{ n: number }>(sql`SELECT count(*) AS n FROM ${from}`))?.n ?? 0
}

/** The runs of the order after a user. row_id, which every index has, distinguishes equals here. */
export async function runsBehind(db: Db, ordered: Ordered, after: Position | undefined): Promise<Sql[]> {
  const { sort } = ordered
  if (isByNumber(ordered)) {
    if (after === undefined) return [sql`1 = 1`]
    const beyond = rawSql(sort.descending ? '<' : '>')
    return [sql`users.row_id ${beyond} ${await rowNumber(db, after.user_id, sort)}`]
  }
  if (sort.column === 'user_id') return [behindUser(after, sort)]
  const place: Place | undefined = after && {
    value: 'value' in after ? after.value : null,
    tie: await rowNumber(db, after.user_id, sort),
  }
  return runsOf(ordered, place, rawSql('users.row_id')).map(({ where }) => where)
}

/** The row of a user; for a deleted user, the row after which the order continues. */
export async function rowNumber(
  db: Db,
  userId: string,
  { descending }: { descending?: boolean } = {},
): Promise<number> {
  const row = descending
    ? await db.get<{ row_id: number }>(
        sql`SELECT row_id FROM users WHERE user_id >= ${userId} ORDER BY user_id LIMIT 1`,
      )
    : await db.get<{ row_id: number }>(
        sql`SELECT row_id FROM users WHERE user_id <= ${userId} ORDER BY user_id DESC LIMIT 1`,
      )
  return row?.row_id ?? (descending ? Number.MAX_SAFE_INTEGER : 0)
}

/** The index of an organization has its users by their numbers, which grow as their ids do. Those of a key come by their ids. */
function isByNumber({ filters, sort }: Ordered): boolean {
  return typeof filters.organization_id === 'string' && sort.column === 'user_id' && !hasKey(filters)
}

/** `along`: the list whose index is walked in this order. */
export function orderOf({ column, descending }: Sort, along?: Pick<Ordered, 'filters'>): Sql {
  const direction = descending ? ' DESC' : ''
  if (along !== undefined && isByNumber({ ...along, sort: { column, descending } }))
    return rawSql(`users.row_id${direction}`)
  return rawSql(
    column === 'user_id' ? `users.user_id${direction}` : `users.${column}${direction}, users.row_id${direction}`,
  )
}

/** All filters as conditions on the row. Only for those in `byIndex` may SQLite use an index. */
export function conditions(filters: Filters, byIndex: readonly FilterName[] = []): Sql {
  const names = Object.keys(filters) as FilterName[]
  return allOf(names.map((name) => conditionOn(filters, name, byIndex.includes(name))))
}

export function conditionOn(filters: Filters, name: FilterName, byIndex: boolean): Sql {
  // SQLite uses no index for a column behind a plus.
  const column = rawSql(`${byIndex ? '' : '+'}users.${filteredColumns[name]}`)
  if (name === 'contains') return containsAll(filters.contains?.clauses ?? [], containsOnSqlite)
  return condition(filters, name, column)
}

/** Whether the search text in the row of a user contains a text. */
export function containsOnSqlite(text: string): Sql {
  return sql`instr(+users.search_text, ${text}) > 0`
}
