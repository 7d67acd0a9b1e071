import { nearestName } from '../lib/nearest-name.ts'

/** The permissions that this API's routes require. A product's roles may add its own. `*` includes all of them. */
export const builtInPermissions = [
  'users:read',
  'users:write',
  'users:import',
  'users:export_hashes',
  'users:impersonate',
  'groups:read',
  'groups:write',
  'organizations:read',
  'organizations:write',
  'attributes:read',
  'attributes:write',
  'keys:read',
  'keys:write',
  'sessions:read',
  'sessions:write',
  'tokens:introspect',
  'events:read',
  'signing_keys:write',
  'roles:write',
  'policies:read',
  'policies:write',
  'metrics:read',
  'webhooks:read',
  'webhooks:write',
  'mails:read',
  'mails:write',
  'branding:write',
  'audit:read',
  'reviews:read',
  'reviews:write',
  'connections:read',
  'connections:write',
  'provisioning:read',
  'provisioning:write',
  'scim:write',
  'configuration:read',
  'configuration:write',
] as const

export type BuiltInPermission = (typeof builtInPermissions)[number]

/**
 * The permissions that can be limited to what belongs to the caller's organization, as `users:read@organization`. All others are about
 * the whole deployment.
 */
export const scopablePermissions = [
  'users:read',
  'users:write',
  'users:import',
  'users:impersonate',
  'groups:read',
  'groups:write',
  'sessions:read',
  'sessions:write',
  'keys:read',
  'keys:write',
  'audit:read',
  'mails:read',
  'connections:read',
  'connections:write',
  'provisioning:read',
  'provisioning:write',
  'scim:write',
] as const satisfies readonly BuiltInPermission[]

export type ScopablePermission = (typeof scopablePermissions)[number]

const limitedSuffix = '@organization'

/** The same, limited to the organization of their holder. */
export const limitedPermissions: readonly string[] = scopablePermissions.map((word) =>
  formatPermission({ word, isLimited: true }),
)

/** All of them: what an administrator of an organization holds, those of later releases too. */
export const everythingLimited = `*${limitedSuffix}`

/** A permission as a role holds it: the word, and whether it is limited to the caller's organization. */
export type ParsedPermission = { word: string; isLimited: boolean }

export function parsePermission(permission: string): ParsedPermission {
  return permission.endsWith(limitedSuffix)
    ? { word: permission.slice(0, -limitedSuffix.length), isLimited: true }
    : { word: permission, isLimited: false }
}

export function formatPermission({ word, isLimited }: ParsedPermission): string {
  return isLimited ? word + limitedSuffix : word
}

export function isScopable(word: string): word is ScopablePermission {
  return (scopablePermissions as readonly string[]).includes(word)
}

/** What remains of these permissions within an organization: their limited forms, and words of the product. */
export function limitedForms(permissions: readonly string[]): string[] {
  const forms = permissions.flatMap((permission) => {
    const { word, isLimited } = parsePermission(permission)
    if (isLimited) return [permission]
    if (permission === '*') return [everythingLimited]
    if (isScopable(word)) return [formatPermission({ word, isLimited: true })]
    return (builtInPermissions as readonly string[]).includes(word) ? [] : [permission]
  })
  return [...new Set(forms)]
}

/**
 * Whether a held permission includes another one: `*` all of them, `*@organization` all limited ones, and a word the same word limited to
 * an organization.
 */
export function includesPermission(held: string, permission: string): boolean {
  if (held === '*' || held === permission) return true
  const { word, isLimited } = parsePermission(permission)
  return isLimited && (held === word || (held === everythingLimited && isScopable(word)))
}

/**
 * What a route can require: a permission, any valid credential, a signed-in user (`user`), or nothing. `public` must be
 * explicit.
 */
export type Access = 'public' | 'any' | 'user' | BuiltInPermission

/**
 * Whom a route serves: `organization`, also callers whose permission is limited to their organization, with what belongs to it;
 * `global`, none of them by a limited permission. Routes without a permission are `global`: they are about the caller alone.
 */
export type RouteScope = 'organization' | 'global'

const builtInSubjects = new Set(builtInPermissions.map(subjectOf))

function subjectOf(permission: string): string {
  return permission.split(':', 1)[0] as string
}

/**
 * What was probably meant by a permission that no route requires although its subject is ours: the nearest word, or all words of the
 * subject. Undefined for a permission that exists, and for one of the product.
 */
export function meantPermission(permission: string): string | undefined {
  if (limitedPermissions.includes(permission)) return undefined
  const subject = subjectOf(permission)
  if ((builtInPermissions as readonly string[]).includes(permission) || !builtInSubjects.has(subject)) return undefined
  const words = builtInPermissions.filter((word) => subjectOf(word) === subject)
  return nearestName(permission, words) ?? words.join(', ')
}

/** Every permission that a key can have. */
export function knownPermissions(roles: Readonly<Record<string, readonly string[]>>): Set<string> {
  return new Set(['*', everythingLimited, ...builtInPermissions, ...limitedPermissions, ...Object.values(roles).flat()])
}
