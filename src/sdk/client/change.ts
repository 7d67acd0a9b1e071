/** Changes of what may have been changed by somebody else meanwhile. */
import { RollbookError } from './errors.ts'
import { etagOf } from './operations.ts'
import type { ChangeOptions } from './options.ts'

/** What is to be changed, or a function that says so from what there is now. Undefined: nothing. */
export type Patch<Resource, Changes> =
  | Changes
  | ((current: Resource) => Changes | undefined | Promise<Changes | undefined>)

type Work<Resource, Changes> = {
  read(): Promise<Resource>
  write(patch: Changes, ifMatch: string | undefined): Promise<Resource>
  /** What the caller has read before, when that is to count. */
  seen: Resource | undefined
  ifMatch: ChangeOptions['ifMatch']
}

/** So often somebody else may come first. */
const longestRace = 10

export async function change<Resource extends object & { updated_at: string }, Changes extends object>(
  patch: Patch<Resource, Changes>,
  { read, write, seen, ifMatch }: Work<Resource, Changes>,
): Promise<Resource> {
  if (typeof patch !== 'function') {
    const expected = ifMatch ?? (seen && (await tagOf(seen, read)))
    try {
      return await write(patch, expected)
    } catch (error) {
      return await doneBefore(error, patch, read)
    }
  }
  for (let round = 1; ; round += 1) {
    const current = await read()
    const changes = await patch(current)
    if (changes === undefined) return current
    try {
      return await write(changes, etagOf(current))
    } catch (error) {
      if (round === longestRace || !isStale(error)) throw error
      if (error.mayHaveHappened) {
        const now = await read()
        if (has(now, changes)) return now
      }
    }
  }
}

/** Rows of lists come without ETag: it is asked for now, and counts if nothing has changed since. */
async function tagOf<Resource extends object & { updated_at: string }>(seen: Resource, read: () => Promise<Resource>) {
  const known = etagOf(seen)
  if (known !== undefined) return known
  const now = await read()
  // No version has the number 0: the service itself then says that it is stale.
  return now.updated_at === seen.updated_at ? etagOf(now) : '"0"'
}

/**
 * A try whose answer was lost makes the next one stale by itself. When everything is as it was asked for, that is what
 * happened; of a password nobody can tell.
 */
async function doneBefore<Resource extends object>(
  error: unknown,
  changes: object,
  read: () => Promise<Resource>,
): Promise<Resource> {
  if (isStale(error) && error.mayHaveHappened) {
    const now = await read()
    if (has(now, changes)) return now
  }
  throw error
}

function isStale(error: unknown): error is RollbookError {
  return error instanceof RollbookError && error.code === 'precondition_failed'
}

function has(resource: object, changes: object): boolean {
  return Object.entries(changes).every(
    ([name, value]) => JSON.stringify((resource as Record<string, unknown>)[name]) === JSON.stringify(value),
  )
}
