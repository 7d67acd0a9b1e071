/** A route's requirements. A mistake throws when the route is defined, so it cannot leave the route open. */
import { membersOf, textOf } from './options.ts'

/** `{}` accepts every valid credential. */
export type Needs = {
  permission?: string
  role?: string
  /** The caller belongs to the organization with this id. */
  organization?: string
  /** The user was authenticated at most this many seconds ago. */
  max_age?: number
  /** `aal2`: with a second factor. */
  acr?: 'aal1' | 'aal2'
}

/** A permission, or an object with a permission, a role, an organization, `max_age` or `acr`. */
export type RouteNeeds = string | Needs

/** One requirement or none. A second permission would be ignored. */
export type NeedsArguments = [] | [needs: RouteNeeds]

/** @throws TypeError for anything else: `requires(permissions.misspelt)` must not accept every caller */
export function readNeeds(needsArguments: readonly unknown[]): Needs {
  if (needsArguments.length === 0) return {}
  if (needsArguments.length > 1)
    throw new TypeError('A route needs one permission, or { permission, role, organization, max_age, acr }.')
  const [needs] = needsArguments
  if (typeof needs === 'string') return { permission: textOf('permission', needs) }
  const { max_age, acr, ...names } = membersOf('What a route needs', needs, [
    'permission',
    'role',
    'organization',
    'max_age',
    'acr',
  ])
  const read: Needs = Object.fromEntries(Object.entries(names).map(([name, value]) => [name, textOf(name, value)]))
  // With `in`: a setting that is missing by mistake must not open the route.
  if ('max_age' in (needs as object)) read.max_age = secondsOf(max_age)
  if ('acr' in (needs as object)) read.acr = levelOf(acr)
  return read
}

function secondsOf(value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number
  throw new TypeError('max_age must be a whole number of seconds, at least 1.')
}

function levelOf(value: unknown): 'aal1' | 'aal2' {
  if (value === 'aal1' || value === 'aal2') return value
  throw new TypeError("acr must be 'aal1' or 'aal2'.")
}
