/** The permissions that this API's routes ask for; a product's own may be added by its roles. `*` holds every one. */
export const builtInPermissions = [
  'users:read',
  'users:write',
  'users:import',
  'users:export_hashes',
  'keys:read',
  'keys:write',
  'sessions:read',
  'sessions:write',
  'tokens:introspect',
  'events:read',
  'signing_keys:write',
  'metrics:read',
  'webhooks:read',
  'webhooks:write',
  'audit:read',
] as const

/**
 * What a route can ask for: a permission, any valid credential, a person (`user`), or nothing. `public` must be written
 * out.
 */
export type Access = 'public' | 'any' | 'user' | (typeof builtInPermissions)[number]

/** Every permission word that a key may be given. */
export function knownPermissions(roles: Readonly<Record<string, readonly string[]>>): Set<string> {
  return new Set(['*', ...builtInPermissions, ...Object.values(roles).flat()])
}
