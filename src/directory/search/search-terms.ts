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
 * The search for a text: every word, in any order, wherever it is contained. Words of one or two characters are sought at beginnings
 * only, which the index finds (docs/decisions/0203). Undefined if every user matches.
 *
 * @param pointer How the refusal names the parameter.
 * @throws AppError `validation_failed` for too many words
 */
export function searchFor(q: string, pointer = '?q'): Search | undefined {
  const words = fewWordsIn(q, pointer)
  if (words.length === 0) return undefined
  return { clauses: neededOf(words).map(textsOf), typed: q.trim() }
}

/** What is sought for a word: two characters begin a word, and one does too beside two longer words, which find few users; otherwise it begins a field. */
function textsOf(word: string, _index: number, words: readonly string[]): string[] {
  const length = lengthOf(word)
  if (length >= 3) return [word]
  const areFew = words.filter((other) => lengthOf(other) >= 3).length >= 2
  const beginsField = `\n\n${word}`
  return length === 2 || areFew ? [beginsField, ` ${word}`] : [beginsField]
}

function lengthOf(word: string): number {
  return [...word].length
}

/**
 * The same search of texts in memory, where no index is asked: short words may be anywhere too.
 *
 * @throws AppError `validation_failed` for too many words
 */
export function containsWords(q: string, pointer = '?q'): (text: string) => boolean {
  const words = fewWordsIn(q, pointer)
  return (text) => {
    const folded = fold(text)
    return words.every((word) => folded.includes(word))
  }
}

function fewWordsIn(q: string, pointer: string): string[] {
  const words = wordsIn(q)
  if (words.length <= mostWords) return words
  const detail = `A search may have at most ${mostWords} different words. This one has ${words.length}.`
  throw validationFailed([{ pointer, code: 'too_long', detail }])
}

/** The search for exactly this text within a field. Undefined if it is too short for that. */
export function searchForPart(text: string): Search | undefined {
  const folded = fold(text)
  return lengthOf(folded) < 3 ? undefined : { clauses: [[folded]] }
}

/** The different words of a search in the form of search texts. Separators alone are a word that no user has. */
export function wordsIn(q: string): string[] {
  const typed = q.split(separators).filter((word) => word !== '')
  const words = typed.length === 0 ? [fold(q)] : typed.map(fold)
  // An accent alone folds to nothing, which every name contains.
  return [...new Set(words)].filter((word) => word !== '')
}

/** The words, but for those that a longer one contains anyway. */
function neededOf(words: readonly string[]): string[] {
  const isContained = (word: string) => words.some((other) => other !== word && other.includes(word))
  return words.filter((word) => lengthOf(word) < 3 || !isContained(word))
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
