/** The permissions of the API in display order. A test compares them with those of the service. */
export const permissionGroups = {
  users: ['users:read', 'users:write', 'users:import', 'users:export_hashes', 'users:impersonate'],
  groups: ['groups:read', 'groups:write'],
  organizations: ['organizations:read', 'organizations:write'],
  roles: ['roles:write', 'policies:read', 'policies:write'],
  provisioning: ['provisioning:read', 'provisioning:write', 'scim:write'],
  connections: ['connections:read', 'connections:write'],
  attributes: ['attributes:read', 'attributes:write'],
  sessions: ['sessions:read', 'sessions:write'],
  access: ['keys:read', 'keys:write', 'tokens:introspect', 'signing_keys:write'],
  events: ['webhooks:read', 'webhooks:write', 'events:read'],
  mails: ['mails:read', 'mails:write'],
  branding: ['branding:write'],
  configuration: ['configuration:read', 'configuration:write'],
  reviews: ['reviews:read', 'reviews:write'],
  records: ['audit:read', 'metrics:read'],
} as const

export type PermissionGroup = keyof typeof permissionGroups
export type BuiltInPermission = (typeof permissionGroups)[PermissionGroup][number]

/** Those that can be limited to the organization of their holder. A test compares them with those of the service. */
export const scopablePermissions: ReadonlySet<string> = new Set<BuiltInPermission>([
  ...permissionGroups.users.filter((word) => word !== 'users:export_hashes'),
  ...permissionGroups.groups,
  ...permissionGroups.provisioning,
  ...permissionGroups.connections,
  ...permissionGroups.sessions,
  'keys:read',
  'keys:write',
  'audit:read',
  'mails:read',
])

const limitedEnd = '@organization'

/** All that can be limited, those of later releases too. */
export const everythingLimited = `*${limitedEnd}`

/** Returns the permission limited to the organization of its holder. */
export function limitedWord(word: string): string {
  return `${word}${limitedEnd}`
}

export function isLimited(word: string): boolean {
  return word.endsWith(limitedEnd)
}

/** Whether these permissions include one: `*` includes all, `*@organization` all limited ones, and a whole one its limited form. */
export function includesWord(permissions: readonly string[], word: string): boolean {
  const whole = isLimited(word) ? word.slice(0, -limitedEnd.length) : word
  const wider = isLimited(word) && scopablePermissions.has(whole) ? [whole, everythingLimited] : [whole]
  return [word, ...wider, '*'].some((one) => permissions.includes(one))
}

const builtIn: ReadonlySet<string> = new Set(Object.values(permissionGroups).flat())

/** Returns the permissions that are no built-in ones but the product's own. */
export function ownWords(roles: readonly { permissions: readonly string[] }[]): string[] {
  const all = new Set(roles.flatMap(({ permissions }) => permissions))
  return [...all].filter((word) => word !== '*' && !builtIn.has(word) && !isLimited(word)).sort()
}

/** Writes ROLLBOOK_ROLES for a file of variables or a shell. */
export function rolesSetting(
  roles: readonly { role: string; permissions: readonly string[]; built_in: boolean }[],
): string {
  const configured = roles.filter(({ built_in }) => !built_in)
  const lines = configured.map(({ role, permissions }) => `  ${JSON.stringify(role)}: ${listText(permissions)}`)
  const text = lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n}`
  // A single quote would end the quoted value, so it is escaped as in JSON.
  return `ROLLBOOK_ROLES='${text.replaceAll("'", '\\u0027')}'`
}

function listText(words: readonly string[]): string {
  return `[${words.map((word) => JSON.stringify(word)).join(', ')}]`
}
