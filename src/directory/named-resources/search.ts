/** Finds resources by name, external id or words. */
import { groupNameKey } from '../../lib/group-name.ts'
import { PrecisError } from '../../lib/precis.ts'
import { containsWords } from '../search/service.ts'

/** The form in which a name is compared; of one that no resource can have, a text that finds nothing. */
function nameKeyOrNothing(name: string): string {
  try {
    return groupNameKey(name)
  } catch (error) {
    if (error instanceof PrecisError) return ''
    throw error
  }
}

/** The filters of a query by name and external id. */
export function namedFilters({ name, external_id }: { name?: string; external_id?: string }): {
  name_key?: string
  external_id?: string
} {
  return {
    ...(name !== undefined && { name_key: nameKeyOrNothing(name) }),
    ...(external_id !== undefined && { external_id: exactly(external_id) }),
  }
}

/** PostgreSQL refuses a NUL in a text, and no text of these resources has one or a line feed, so the search finds nothing. */
export function exactly(text: string): string {
  return text.includes('\0') ? '\n' : text
}

type Searched = { id: string; name: string; external_id: string | null }

/**
 * The ids of those that match: all words of the name in any order, or exactly the external id or the id. There are some ten thousand at
 * most, so they are compared here.
 *
 * @throws AppError `validation_failed` for too many words
 */
export function idsFound(rows: readonly Searched[], q: string): string[] {
  const hasWords = containsWords(q)
  const typed = q.trim()
  const found = rows.filter(
    ({ id, name, external_id }) => hasWords(name) || external_id === typed || id === typed.toLowerCase(),
  )
  return found.map(({ id }) => id)
}
