/** What a route requires. A mistake throws when the route is defined, so that it cannot open the route. */
import { membersOf, textOf } from './options.ts'

/** `{}` accepts every valid credential. */
export type Needs = { permission?: string; role?: string }

/** A permission, or an object with a permission, a role or both. */
export type RouteNeeds = string | Needs

/** One requirement or none. A second permission would be ignored. */
export type NeedsArguments = [] | [needs: RouteNeeds]

/** @throws TypeError for anything else: `requires(permissions.misspelt)` must not accept every caller */
export function readNeeds(given: readonly unknown[]): Needs {
  if (given.length === 0) return {}
  if (given.length > 1) throw new TypeError('A route needs one permission, or { permission, role }.')
  const [needs] = given
  if (typeof needs === 'string') return { permission: textOf('permission', needs) }
  const members = membersOf('What a route needs', needs, ['permission', 'role'])
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, textOf(name, value)]))
}
