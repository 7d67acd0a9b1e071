/** Who is calling, as headers for a server behind us or behind the proxy that asked. */
import type { Actor } from '../../store/context.ts'

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
 * Every header every time, empty ones too: a proxy that misses one may keep the caller's own, and Caddy 2.6 hands on the
 * text of its placeholder. A key or a service is no person: `remote-user` is empty then, so that a product which knows
 * people only lets nobody in.
 */
export function identityHeaders({ id, permissions, signedIn }: Actor): IdentityHeaders {
  const { username = '', user_id = '', email, first_name = '', last_name = '', role = '' } = signedIn ?? {}
  return {
    'remote-user': headerText(username),
    'remote-user-id': headerText(user_id),
    'remote-email': headerText(email ?? ''),
    'remote-name': headerText(`${first_name} ${last_name}`.trim()),
    'remote-groups': headerText(role),
    'remote-permissions': headerText(permissions.join(' ')),
    'remote-client': signedIn === undefined ? headerText(id) : '',
  }
}

const plain = /^(?:[\w.@:/+*~|()'!?$^=;#&<>[\]-](?: (?! *$))?)*$/

/**
 * Text as a header can carry it: ASCII stays, the rest is percent-encoded UTF-8, which every language can decode. Encoded
 * as well: the percent sign, blanks at the ends, which a reader would cut; and what proxies and servers take for syntax,
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
