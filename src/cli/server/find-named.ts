/** Finds things by their id or name. */
import { notFound, UsageError } from '../terminal/failure.ts'
import { folded, isUserId as isUuid } from './find-user.ts'

/**
 * Finds a group or an organization. A name may look like an id, so an id that nothing has is looked for among the names.
 *
 * @throws Failed
 */
export async function getByIdOrName<Found>(
  what: 'group' | 'organization',
  text: string,
  { get, find }: { get(id: string): Promise<Found>; find(name: string): Promise<Found[]> },
): Promise<Found> {
  if (isUuid(text)) {
    const found = await get(text.toLowerCase()).catch((error: { code?: string }) => {
      if (error.code !== `${what}_not_found`) throw error
    })
    if (found !== undefined) return found
  }
  const [found] = await find(text)
  if (found === undefined) throw notFound(what, text, `${what}s list`)
  return found
}

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
