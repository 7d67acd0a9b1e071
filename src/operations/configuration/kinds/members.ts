/** What several kinds do with the members of their objects. */
import { type InputFault, memberFault } from '../../../core/errors.ts'
import { groupNameKey } from '../../../lib/group-name.ts'
import { nearestName } from '../../../lib/nearest-name.ts'
import { PrecisError } from '../../../lib/precis.ts'
import type { Members } from '../kind.ts'

/** Names that are not valid are compared as they are: their own kind refuses them. */
export function nameKeyOf(name: string): string {
  try {
    return groupNameKey(name)
  } catch (error) {
    if (!(error instanceof PrecisError)) throw error
    return name
  }
}

/** Since the plan was made, no other change may have happened. */
export function expectedOf(version: number | undefined): readonly number[] | undefined {
  return version === undefined ? undefined : [version]
}

function sorted(list: unknown): unknown {
  return Array.isArray(list) ? list.toSorted() : list
}

export function sortedMembers(members: Members, names: readonly string[]): Members {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, names.includes(name) ? sorted(value) : value]),
  )
}

/** The fault of a name that belongs to nothing, with the name that may be meant. */
export function unknownName(
  what: 'role' | 'group' | 'user' | 'organization',
  name: string,
  { member, known, index }: { member: string; known: readonly string[]; index?: number },
): InputFault {
  const near = nearestName(name, known)
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`
  return memberFault(member, `${what}_unknown`, `There is no ${what} with this name.${hint}`, index)
}

/** The pointer of a member of an object: of `roles` and `groups`, the names are values of claims. */
export function pathOf(...parts: readonly string[]): string {
  return parts.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
}
