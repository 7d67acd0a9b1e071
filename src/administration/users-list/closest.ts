/** Finds the users whose names are spelt nearly as a search without results. */

import type { Scope } from '../../core/scope.ts'
import { alternativesOf, anyTrigramQuery, likenessTo, wordsToCompare } from '../../directory/search/service.ts'
import type { Db } from '../../store/db/db.ts'
import { andWithin, conditionsWithin } from '../../store/db/scope.ts'
import { joinSql, rawSql, type Sql, sql } from '../../store/db/sql.ts'
import { containsOnPostgres } from './postgres.ts'
import { containsOnSqlite } from './sqlite-rows.ts'

/** How many users are returned, and how many are compared at most. */
const [mostReturned, mostCompared] = [3, 3000]
/** Users who are less like the search are not returned: half of the words may be wrong there. */
const leastLikeness = 0.6

/** A user who may be meant. `key` is `row_id` on SQLite, otherwise `user_id`: in both the users have the same order. */
type Candidate = { key: number | string; search_text: string }

/** Returns the documents of up to three users, the closest first, then by `user_id`. */
export async function closest(db: Db, { q, scope }: { q: string; scope: Scope }): Promise<string[]> {
  const words = wordsToCompare(q)
  if (words.length === 0) return []
  const rate = likenessTo(words)
  let best = bestOf(await candidates(db, scope, words), rate)
  if (best.length < mostReturned && words.length > 2) {
    const allButOne = words.map((left) => words.filter((word) => word !== left))
    const more = [best]
    for (const some of allButOne) more.push(bestOf(await candidates(db, scope, some), rate))
    best = bestOf([...new Map(more.flat().map((one) => [one.key, one])).values()], rate)
  }
  return documentsOf(db, best)
}

function bestOf(found: readonly Candidate[], rate: (searchText: string) => number): Candidate[] {
  return found
    .map((candidate) => ({ candidate, likeness: rate(candidate.search_text) }))
    .filter(({ likeness }) => likeness >= leastLikeness)
    .sort((a, b) => b.likeness - a.likeness || (a.candidate.key < b.candidate.key ? -1 : 1))
    .slice(0, mostReturned)
    .map(({ candidate }) => candidate)
}

/** Users whose search text has, for each word, the texts of one of its alternatives. */
async function candidates(db: Db, scope: Scope, words: readonly string[]): Promise<Candidate[]> {
  const each = words.map(alternativesOf)
  if (db.engine === 'postgres') {
    const where = everyWord(each, containsOnPostgres)
    return db.all<Candidate>(
      sql`SELECT user_id AS key, search_text FROM users WHERE ${where}${andWithin(scope)} LIMIT ${mostCompared}`,
    )
  }
  const query = each.map((lists) => `(${anyTrigramQuery(lists)})`).join(' AND ')
  const [within] = conditionsWithin(scope, rawSql('organization_id'))
  const ofTexts =
    within === undefined ? rawSql('') : sql` AND search_texts.row_id IN (SELECT row_id FROM users WHERE ${within})`
  const indexed = await db.all<Candidate>(sql`
    SELECT search_texts.row_id AS key, search_texts.search_text
    FROM users_search CROSS JOIN search_texts ON search_texts.row_id = users_search.rowid
    WHERE users_search MATCH ${query} AND users_search.rowid NOT IN (SELECT row_id FROM search_pending)${ofTexts}
    LIMIT ${mostCompared}`)
  const waiting = await db.all<Candidate>(sql`
    SELECT users.row_id AS key, users.search_text
    FROM search_pending CROSS JOIN users ON users.row_id = search_pending.row_id
    WHERE ${everyWord(each, containsOnSqlite)}${andWithin(scope)} LIMIT ${mostCompared}`)
  return [...indexed, ...waiting]
}

function everyWord(each: readonly string[][][], contains: (text: string) => Sql): Sql {
  const any = (lists: string[][]) =>
    sql`(${joinSql(
      lists.map((texts) => sql`(${joinSql(texts.map(contains), ' AND ')})`),
      ' OR ',
    )})`
  return joinSql(each.map(any), ' AND ')
}

async function documentsOf(db: Db, best: readonly Candidate[]): Promise<string[]> {
  if (best.length === 0) return []
  const keys = joinSql(
    best.map(({ key }) => sql`${key}`),
    ', ',
  )
  const rows = await db.all<{ key: Candidate['key']; document: string }>(
    db.engine === 'postgres'
      ? sql`SELECT user_id AS key, document FROM users WHERE user_id IN (${keys})`
      : sql`SELECT row_id AS key, document FROM users WHERE row_id IN (${keys})`,
  )
  const byKey = new Map(rows.map(({ key, document }) => [key, document]))
  return best.flatMap(({ key }) => byKey.get(key) ?? [])
}
