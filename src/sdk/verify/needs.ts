/** What a route asks for. Whatever is not understood is a fault of the route, found where it is made, never a way in. */
import { membersOf, textOf } from './options.ts'

/** Of `{}` every valid credential has enough. */
export type Needs = { permission?: string; role?: string }

/** A permission, or more. */
export type RouteNeeds = string | Needs

/** Nothing at all, or one; a second permission would be overlooked. */
export type NeedsArguments = [] | [needs: RouteNeeds]

/** @throws TypeError for whatever is neither: `requires(permissions.misspelt)` must not let everybody in */
export function readNeeds(given: readonly unknown[]): Needs {
  if (given.length === 0) return {}
  if (given.length > 1) throw new TypeError('A route needs one permission, or { permission, role }.')
  const [needs] = given
  if (typeof needs === 'string') return { permission: textOf('permission', needs) }
  const members = membersOf('What a route needs', needs, ['permission', 'role'])
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, textOf(name, value)]))
}
