/** Turns the text of a search into what a user's search text must contain. */
import { validationFailed } from '../../core/errors.ts'
import { fold } from '../../lib/fold.ts'
import { PrecisError, usernameKey } from '../../lib/precis.ts'
import { trimEnds } from '../../lib/typed-name.ts'
import { joinSql, rawSql, type Sql, sql } from '../../store/db/sql.ts'

/** What a search text must contain: of each clause at least one text. In one clause at least, all have three characters or more. */
export type Clauses = readonly (readonly string[])[]

export type Search = {
  clauses: Clauses
  /** The whole text as typed, which may also be the key of a user. */
  typed?: string
}

/** Begins the values of attributes in a search text; no folded text has a control character. */
export const attributesMark = '\u001d'

/** The maximum number of words in a search: each is a condition on every row that is read. */
const mostWords = 16

const separators = /[\s,،、，]+/u

/**
 * The search for a text: every word, in any order, wherever it is contained. If all words have one or two characters, each must
 * begin a word, and one of them a field: an index finds nothing shorter. Undefined if every user matches.
 *
 * @param pointer How the refusal names the parameter.
 * @throws AppError `validation_failed` for too many words
 */
export function searchFor(q: string, pointer = '?q'): Search | undefined {
  const words = wordsIn(q)
  if (words.length > mostWords) {
    const detail = `A search may have at most ${mostWords} different words. This one has ${words.length}.`
    throw validationFailed([{ pointer, code: 'too_long', detail }])
  }
  if (words.length === 0) return undefined
  const typed = q.trim()
  const isShort = words.every((word) => [...word].length < 3)
  if (!isShort) return { clauses: neededOf(words).map((word) => [word]), typed }
  const beginnings = words.map((word) => `\n\n${word}`)
  if (words.length === 1) return { clauses: [beginnings], typed }
  return { clauses: [beginnings, ...words.map((word) => [`\n\n${word}`, ` ${word}`])], typed }
}

/** The search for exactly this text within a field. Undefined if it is too short for that. */
export function searchForPart(text: string): Search | undefined {
  const folded = fold(text)
  return [...folded].length < 3 ? undefined : { clauses: [[folded]] }
}

/** The different words of a search in the form of search texts. Separators alone are a word that no user has. */
export function wordsIn(q: string): string[] {
  const typed = q.split(separators).filter((word) => word !== '')
  const words = typed.length === 0 ? [fold(q)] : typed.map(fold)
  // An accent alone folds to nothing, which every name contains.
  return [...new Set(words)].filter((word) => word !== '')
}

/** The words that no other word contains. */
function neededOf(words: readonly string[]): string[] {
  return words.filter((word) => !words.some((other) => other !== word && other.includes(word)))
}

/** The clauses as one condition; `contains` says how the engine asks for one text. */
export function containsAll(clauses: Clauses, contains: (text: string) => Sql): Sql {
  const each = clauses.map((texts) => sql`(${joinSql(texts.map(contains), ' OR ')})`)
  return each.length === 0 ? rawSql('1 = 1') : joinSql(each, ' AND ')
}

/** PostgreSQL refuses a NUL in a text, and no user's text has one, so the search becomes one without matches. */
export function textOrNothing(text: string): string {
  return text.includes('\0') ? '' : text
}

/** The key of a name that no user can have becomes a key without matches. */
export function keyOrNothing(username: string): string {
  try {
    return usernameKey(trimEnds(username))
  } catch (error) {
    if (error instanceof PrecisError) return ''
    throw error
  }
}
