/** Updates of a resource that another caller may have changed meanwhile. */
import { RollbookError } from './errors.ts'
import { etagOf } from './operations.ts'
import type { CallOptions, ChangeOptions, ManagedChangeOptions, WriteOptions } from './options.ts'

/** The changes, or a function that returns them for the current resource. Undefined: change nothing. */
export type Patch<Resource, Changes> =
  | Changes
  | ((current: Resource) => Changes | undefined | Promise<Changes | undefined>)

type Write<Changes> = ChangeOptions & { query: { override?: boolean | undefined }; body: Changes }
type Work<Resource, Changes> = {
  /** The resource as the caller read it, if the update depends on it. */
  seen?: Resource | undefined
  read(options: CallOptions): Promise<Resource>
  write(call: Write<Changes>): Promise<Resource>
}

/** How many times another caller may come first before the update fails. */
const longestRace = 10

/** Returns the id of a resource that is given by its id or as the caller read it, and what the caller read. */
export function resourceOf<Name extends string, Resource extends Record<Name, string>>(
  target: string | Resource,
  name: Name,
): [id: string, seen: Resource | undefined] {
  return typeof target === 'string' ? [target, undefined] : [target[name], target]
}

/** Confirms a deletion also if it finds nothing because an earlier try, whose response was lost, has made it. */
export async function unlessGone<Confirmation>(
  call: Promise<Confirmation>,
  { dryRun }: WriteOptions,
  confirm: () => Confirmation | Promise<Confirmation>,
): Promise<Confirmation> {
  try {
    return await call
  } catch (error) {
    const isGone = error instanceof RollbookError && error.status === 404 && error.mayHaveHappened && !dryRun
    if (!isGone) throw error
    return confirm()
  }
}

export async function change<Resource extends object & { updated_at: string | null }, Changes extends object>(
  patch: Patch<Resource, Changes>,
  { ifMatch, dryRun, override, ...options }: ManagedChangeOptions,
  work: Work<Resource, Changes>,
): Promise<Resource> {
  const { seen } = work
  const read = () => work.read(options)
  const write = (body: Changes, expected: string | undefined) =>
    work.write({ ...options, dryRun, query: { override }, body, ifMatch: expected })
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

/** Returns the ETag of a resource. Rows of lists have none: reads the resource again, which must be unchanged. */
async function tagOf<Resource extends object & { updated_at: string | null }>(
  seen: Resource,
  read: () => Promise<Resource>,
) {
  const known = etagOf(seen)
  if (known !== undefined) return known
  const now = await read()
  // No version has the number 0, so the service refuses the change as stale.
  return now.updated_at === seen.updated_at ? etagOf(now) : '"0"'
}

/**
 * Returns the resource if an earlier try, whose response was lost, made the change: that try makes the retry stale. A
 * password cannot be compared, so its change stays an error.
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
