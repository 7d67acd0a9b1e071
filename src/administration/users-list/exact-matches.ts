/** Finds the users whom a search names exactly. They come first in a list, whatever its order. */

import { ownersOfText } from '../../directory/attributes/service.ts'
import { textOrNothing } from '../../directory/search/service.ts'
import type { Db } from '../../store/db/db.ts'
import { sql } from '../../store/db/sql.ts'
import type { ScopedFilters } from './plan.ts'
import type { ListRow } from './sql.ts'

/** The beginning of a user id counts if no more users than this have it. */
const mostWithBeginning = 100

const uuidForm = 'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx'
/** The first group: when the user was created, in units of 65 seconds. */
const leastCharacters = 8

type Split = {
  /** The users whom the search names exactly, as far as they pass the other filters. */
  meant: ListRow[]
  /** Find the other users, by words. */
  filters: ScopedFilters
}

/** Splits a list in two. `find` returns the rows of some users. */
export async function splitMeant(
  db: Db,
  filters: ScopedFilters,
  find: (db: Db, filters: ScopedFilters, limit: number) => Promise<ListRow[]>,
): Promise<Split> {
  const { contains, ...others } = filters
  if (contains?.typed === undefined) return { meant: [], filters }
  const rest = { ...others, contains: { clauses: contains.clauses } }
  const named = await findMeant(db, contains.typed)
  const user_ids = named.filter((id) => others.user_ids?.includes(id) ?? true)
  if (user_ids.length === 0) return { meant: [], filters: rest }
  const meant = await find(db, { ...others, user_ids }, user_ids.length)
  if (meant.length === 0) return { meant, filters: rest }
  const place = (row: ListRow) => user_ids.indexOf(row.user_id)
  const except_ids = meant.map(({ user_id }) => user_id)
  return { meant: meant.toSorted((a, b) => place(a) - place(b)), filters: { ...rest, except_ids } }
}

/**
 * Returns the ids of users with this `user_id`, `external_id` or value of a unique attribute, then of those whose `user_id`
 * begins with the text.
 */
async function findMeant(db: Db, typed: string): Promise<string[]> {
  const text = textOrNothing(typed)
  if (text === '') return []
  const [owners, others, begun] = await Promise.all([
    ownersOfText(db, text),
    db.all<{ user_id: string }>(sql`SELECT user_id FROM users WHERE external_id = ${text} LIMIT 1`),
    findBeginning(db, text.toLowerCase()),
  ])
  return [...new Set([...others.map(({ user_id }) => user_id), ...owners, ...begun])]
}

async function findBeginning(db: Db, text: string): Promise<string[]> {
  if (!isBeginning(text)) return []
  // All characters of an id come before the letter g.
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT user_id FROM users WHERE user_id >= ${text} AND user_id < ${`${text}g`}
    ORDER BY user_id LIMIT ${mostWithBeginning + 1}`)
  return rows.length > mostWithBeginning ? [] : rows.map(({ user_id }) => user_id)
}

function isBeginning(text: string): boolean {
  if (text.length < leastCharacters || text.length > uuidForm.length) return false
  return [...text].every((character, i) => (uuidForm[i] === '-' ? character === '-' : /[\da-f]/.test(character)))
}
