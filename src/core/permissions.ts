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

/**
 * What a route can require: a permission, any valid credential, a signed-in user (`user`), or nothing. `public` must be
 * explicit.
 */
export type Access = 'public' | 'any' | 'user' | (typeof builtInPermissions)[number]

const builtInSubjects = new Set(builtInPermissions.map(subjectOf))

function subjectOf(permission: string): string {
  return permission.split(':', 1)[0] as string
}

/**
 * What was probably meant by a permission that no route requires although its subject is ours: the nearest word, or all words of the
 * subject. Undefined for a permission that exists, and for one of the product.
 */
export function meantPermission(permission: string): string | undefined {
  const subject = subjectOf(permission)
  if ((builtInPermissions as readonly string[]).includes(permission) || !builtInSubjects.has(subject)) return undefined
  const words = builtInPermissions.filter((word) => subjectOf(word) === subject)
  return nearestName(permission, words) ?? words.join(', ')
}

/** Every permission that a key can have. */
export function knownPermissions(roles: Readonly<Record<string, readonly string[]>>): Set<string> {
  return new Set(['*', ...builtInPermissions, ...Object.values(roles).flat()])
}
