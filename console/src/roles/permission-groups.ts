/** The permissions of the API in the order in which they are shown; a test holds them against those of the service. */
export const permissionGroups = {
  users: ['users:read', 'users:write', 'users:import', 'users:export_hashes'],
  sessions: ['sessions:read', 'sessions:write'],
  access: ['keys:read', 'keys:write', 'tokens:introspect', 'signing_keys:write'],
  events: ['webhooks:read', 'webhooks:write', 'events:read'],
  records: ['audit:read', 'metrics:read'],
} as const

export type PermissionGroup = keyof typeof permissionGroups
export type BuiltInPermission = (typeof permissionGroups)[PermissionGroup][number]

const builtIn: ReadonlySet<string> = new Set(Object.values(permissionGroups).flat())

/** What the roles hold beside the permissions of this API: words of the product's own. */
export function ownWords(roles: readonly { permissions: readonly string[] }[]): string[] {
  const all = new Set(roles.flatMap(({ permissions }) => permissions))
  return [...all].filter((word) => word !== '*' && !builtIn.has(word)).sort()
}

/** The setting that the roles of the configuration come from, as a file of variables or a shell takes it. */
export function rolesSetting(
  roles: readonly { role: string; permissions: readonly string[]; built_in: boolean }[],
): string {
  const configured = roles.filter(({ built_in }) => !built_in)
  const lines = configured.map(({ role, permissions }) => `  ${JSON.stringify(role)}: ${listText(permissions)}`)
  const text = lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n}`
  // Within single quotes a quotation mark of the same kind ends them, so it is written as JSON can.
  return `ROLLBOOK_ROLES='${text.replaceAll("'", '\\u0027')}'`
}

function listText(words: readonly string[]): string {
  return `[${words.map((word) => JSON.stringify(word)).join(', ')}]`
}
