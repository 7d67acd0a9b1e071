/** Finds one of the things that a user or a list has, by its id or name. */
import { notFound, UsageError } from '../terminal/failure.ts'
import { folded, isUserId as isUuid } from './find-user.ts'

type Named = { id: string; names: readonly (string | null)[] }

/**
 * Returns the id. An id is not looked up: the server reports an unknown one. Names ignore case.
 *
 * @param what what it is, such as `factor`
 * @param list the command that shows the names
 * @throws Failed if nothing has the name; UsageError if several have, such as two browsers of one kind
 */
export async function idOf(text: string, rows: () => Promise<Named[]>, what: string, list: string): Promise<string> {
  if (isUuid(text)) return text.toLowerCase()
  const found = (await rows()).filter(({ names }) => names.some((name) => name && folded(name) === folded(text)))
  const [one] = found
  if (one === undefined) throw notFound(what, text, list)
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(', ')
    throw new UsageError(`${found.length} have the name ${text}. Give the id of one of them: ${ids}.`)
  }
  return one.id
}
