import { isPlausibleApiKey } from '../../lib/api-key.ts'
import { isPermissionForm, isRoleName } from '../role-names.ts'
import { type Kind, kind, longSecret, type Settings, switchedOn } from './kinds.ts'

export type Roles = Readonly<Record<string, readonly string[]>>

export const builtInRoles = { admin: ['*'], user: [] }

const roles: Kind<Roles> = {
  expected: 'a JSON object of role names, each with an array of permissions',
  read(text) {
    let parsed: unknown
    try {
      parsed = JSON.parse(text)
    } catch {
      // The parser's message quotes the text.
    }
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
      return { faults: [`must be ${roles.expected}`] }
    }
    const faults = Object.entries(parsed).flatMap(([role, permissions], index) =>
      roleFaults(role, permissions, index + 1),
    )
    // Without a prototype: a user's role named "constructor" must find nothing but a role.
    return faults.length > 0 ? { faults } : { value: Object.assign(Object.create(null), builtInRoles, parsed) }
  },
}

const adminKey = kind(`${longSecret.expected}; a key that begins with rb_ needs its checksum`, (text) =>
  'value' in longSecret.read(text) && isPlausibleApiKey(text) ? text : undefined,
)

function roleFaults(role: string, permissions: unknown, position: number): string[] {
  if (!isRoleName(role)) {
    return [`has a role name at position ${position} that is not 1 to 64 of a-z, 0-9, _ and -, beginning with a letter`]
  }
  if (Object.hasOwn(builtInRoles, role)) return [`redefines the built-in role ${role}`]
  if (!Array.isArray(permissions)) return [`does not give the role ${role} an array of permissions`]
  return permissions.flatMap((permission, index) =>
    typeof permission === 'string' && isPermissionForm(permission)
      ? []
      : [`gives the role ${role} as permission ${index + 1} neither * nor words such as users:read`],
  )
}

export const access = {
  adminKey: {
    name: 'ROLLBOOK_ADMIN_KEY',
    kind: adminKey,
    default: undefined,
    secret: true,
    why:
      'Set it if your deployment supplies its own key with full access. Not set: the first start creates a key and stores it in ' +
      '`admin-key` in the data directory.',
  },
  apiKeyInQuery: {
    name: 'ROLLBOOK_API_KEY_IN_QUERY',
    kind: switchedOn,
    default: 'false',
    why:
      'Set it to `true` only if a client can send its key only as `?API_KEY=`. URLs end up in logs and browser ' +
      'histories.',
  },
  roles: {
    name: 'ROLLBOOK_ROLES',
    kind: roles,
    default: '{}',
    why:
      'Set it if your product needs roles between `admin` (all permissions) and `user` (none), which always exist, and ' +
      'nobody should change them while it runs. Others are created with `POST /roles` or in the console.',
  },
} as const satisfies Settings
