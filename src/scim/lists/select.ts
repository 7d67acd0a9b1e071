/** Compares many resources with a filter, within a bound (docs/decisions/0053-scim-modules.md, 0192). */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Db } from '../../store/db/db.ts'
import type { Predicate } from '../filter/evaluate.ts'
import { boundedWork, type Work } from '../filter/work.ts'
import type { JsonObject } from '../protocol/json.ts'

/** The comparisons of one list: a third of a second on a quiet machine. */
export const mostComparisons = 1_000_000

/** On PostgreSQL the thread serves other requests after so many comparisons: some 5 ms. */
const comparisonsAtOnce = 20_000

const tooManyComparisons =
  'The filter compares too many values. Use fewer conditions, or filter by id, userName, externalId or emails.value as well.'

export function workOfList(): Work {
  return boundedWork(mostComparisons, 'tooMany', tooManyComparisons)
}

/** @throws ScimError `tooMany`, AppError `overloaded` if the client has left */
export async function select(
  db: Db,
  resources: readonly JsonObject[],
  matches: Predicate,
  { spent }: Work,
): Promise<JsonObject[]> {
  const selected: JsonObject[] = []
  let before = spent()
  for (const resource of resources) {
    if (spent() - before > comparisonsAtOnce) {
      before = spent()
      await nextTurn()
      db.refuseAbandoned?.()
    }
    if (matches(resource)) selected.push(resource)
  }
  return selected
}
