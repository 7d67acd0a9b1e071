/** The caller as headers, for a server behind us or behind the proxy that asked. */
import { type Actor, rolesOfGroups, type SignedIn } from '../../store/context.ts'

export type IdentityHeaders = Record<(typeof identityHeaderNames)[number], string>

export const identityHeaderNames = [
  'remote-user',
  'remote-user-id',
  'remote-email',
  'remote-name',
  'remote-groups',
  'remote-permissions',
  'remote-client',
] as const

/**
 * Every header every time, even empty ones: a proxy may pass on the caller's own header if one is missing, and Caddy 2.6
 * the text of its placeholder. For keys and services `remote-user` is empty, so that a product that knows only users
 * refuses them.
 */
export function identityHeaders({ id, permissions, signedIn }: Actor): IdentityHeaders {
  const { username = '', user_id = '', email, first_name = '', last_name = '' } = signedIn ?? {}
  return {
    'remote-user': headerText(username),
    'remote-user-id': headerText(user_id),
    'remote-email': headerText(email ?? ''),
    'remote-name': headerText(`${first_name} ${last_name}`.trim()),
    'remote-groups': signedIn === undefined ? '' : groupsText(signedIn),
    'remote-permissions': headerText(permissions.join(' ')),
    'remote-client': signedIn === undefined ? headerText(id) : '',
  }
}

/**
 * The user's role, the roles of their groups, and the names of these: a product that reads groups from this header knows
 * them by name, and one that knows roles finds a role wherever it comes from.
 */
function groupsText({ role, group_roles, groups }: SignedIn): string {
  const names = [role, ...rolesOfGroups(group_roles), ...groups.map(({ name }) => name)]
  return [...new Set(names)].map(headerText).join(',')
}

const plain = /^(?:[\w.@:/+*~|()'!?$^=;#&<>[\]-](?: (?! *$))?)*$/

/**
 * Encodes text for a header: ASCII stays, the rest is percent-encoded UTF-8, which every language can decode. Also encoded:
 * the percent sign, blanks at the ends, which a reader would trim, and characters that proxies and servers treat as syntax,
 * such as the comma of a list and the braces of Caddy's placeholders.
 */
export function headerText(text: string): string {
  if (plain.test(text)) return text
  return text
    .toWellFormed()
    .replaceAll(/^ | $|[^\w.@:/+*~|()'!?$^=;#&<>[\] -]/gu, (character) =>
      [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
    )
}
