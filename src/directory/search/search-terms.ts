/** Normalizes search terms to the form stored in the rows. */
import { fold } from '../../lib/fold.ts'
import { PrecisError, usernameKey } from '../../lib/precis.ts'
import { trimEnds } from '../../lib/typed-name.ts'

/** The part of a search text that rows must contain; undefined if every row does. */
export function searchedText(q: string): string | undefined {
  const text = fold(q)
  // An accent alone folds to nothing, which every name contains.
  if (text === '') return undefined
  return [...text].length < 3 ? `\n\n${text}` : text
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
