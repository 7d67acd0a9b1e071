/** The permissions that this API's routes ask for; a product's own may be added by its roles. `*` holds every one. */
export const builtInPermissions = [
  'users:read',
  'users:write',
  'keys:read',
  'keys:write',
  'sessions:read',
  'sessions:write',
  'tokens:introspect',
  'signing_keys:write',
] as const

/** Words of the contract whose routes come with later releases: keys may be made for them already. */
const announcedPermissions = ['audit:read', 'metrics:read', 'webhooks:read', 'webhooks:write']

/**
 * What a route can ask for: a permission, any valid credential, a person (`user`), or nothing. `public` must be written
 * out.
 */
export type Access = 'public' | 'any' | 'user' | (typeof builtInPermissions)[number]

/** Every permission word that a key may be given. */
export function knownPermissions(roles: Readonly<Record<string, readonly string[]>>): Set<string> {
  return new Set(['*', ...builtInPermissions, ...announcedPermissions, ...Object.values(roles).flat()])
}
