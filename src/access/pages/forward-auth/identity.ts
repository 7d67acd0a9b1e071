/** The caller as headers, for a server behind us or behind the proxy that asked. */

import { type Actor, organizationOf, type Person, personBehind, type SignedIn } from '../../../core/actor.ts'
import { rolesOfGroups } from '../../../core/rules.ts'
import type { AttributeValues } from '../../../directory/attributes/schema.ts'
import { acrOf } from '../../../lib/amr.ts'

type IdentityHeaders = Record<(typeof identityHeaderNames)[number], string>

export const identityHeaderNames = [
  'remote-user',
  'remote-user-id',
  'remote-email',
  'remote-name',
  'remote-groups',
  'remote-permissions',
  'remote-client',
  'remote-attributes',
  'remote-auth-time',
  'remote-amr',
  'remote-acr',
  'remote-actor',
  'remote-actor-id',
  'remote-organization',
  'remote-organization-name',
] as const

/**
 * Every header every time, even empty ones: a proxy may pass on the caller's own header if one is missing, and Caddy 2.6
 * the text of its placeholder. For keys and services `remote-user` is empty, so that a product that knows only users
 * refuses them; a personal key is its owner.
 *
 * @param attributes those of the user that are shown
 */
export function identityHeaders(actor: Actor, attributes: AttributeValues): IdentityHeaders {
  const { id, permissions, signedIn } = actor
  const person = personBehind(actor)
  const organization = organizationOf(actor)
  const { username = '', user_id = '', email, first_name = '', last_name = '' } = person ?? {}
  return {
    'remote-user': headerText(username),
    'remote-user-id': headerText(user_id),
    'remote-email': headerText(email ?? ''),
    'remote-name': nameText(`${first_name} ${last_name}`.trim()),
    'remote-groups': person === undefined ? '' : groupsText(person),
    'remote-permissions': permissions.map((one) => (one === '*' ? one : listedText(one))).join(' '),
    'remote-client': person === undefined ? headerText(id) : '',
    'remote-attributes': person === undefined ? '' : attributesText(attributes),
    ...authenticationHeaders(signedIn),
    // The claim `act`: an administrator who acts as the user.
    'remote-actor': headerText(signedIn?.impersonation?.act.username ?? ''),
    'remote-actor-id': headerText(signedIn?.impersonation?.act.sub ?? ''),
    'remote-organization': headerText(organization?.organization_id ?? ''),
    'remote-organization-name': nameText(organization?.name ?? ''),
  }
}

/** The claims of access tokens: when the user was authenticated (Unix seconds), how, and with how many kinds of proof. */
function authenticationHeaders(signedIn: SignedIn | undefined) {
  if (signedIn === undefined) return { 'remote-auth-time': '', 'remote-amr': '', 'remote-acr': '' }
  return {
    'remote-auth-time': String(Math.floor(signedIn.authTimeMs / 1000)),
    'remote-amr': signedIn.amr.map(listedText).join(' '),
    'remote-acr': acrOf(signedIn.amr),
  }
}

/**
 * Limits in bytes: proxies accept 4 KiB of headers in total, and with more of them the product is down for this user. As many
 * groups and attributes as fit are sent.
 */
const [longestName, longestAttribute, longestAttributes, longestGroups] = [512, 512, 2048, 2048]

/** The last entry of a list from which some were left out. No group and no attribute has this name. */
const leftOut = '~more'

/** Joins the entries that fit, in their order, and marks the list if one does not. */
function list(entries: readonly string[], { most, mostOfOne = most }: { most: number; mostOfOne?: number }): string {
  let text = ''
  let isWhole = true
  for (const entry of entries) {
    const next = text === '' ? entry : `${text},${entry}`
    const fits = entry.length <= mostOfOne && next.length <= most - leftOut.length - 1
    if (fits) text = next
    isWhole &&= fits
  }
  return isWhole ? text : text === '' ? leftOut : `${text},${leftOut}`
}

/** `department=Sales,team=North,team=South`: a list has an entry for each text. A value that is too long is left out entirely. */
function attributesText(values: AttributeValues): string {
  const entries = Object.entries(values).map(([name, value]) =>
    [value]
      .flat()
      .map((one) => `${name}=${listedText(String(one))}`)
      .join(','),
  )
  return list(entries, { most: longestAttributes, mostOfOne: longestAttribute })
}

/**
 * The user's role, the roles of their groups, and the names of these: a product that reads groups from this header knows
 * them by name, and one that knows roles finds a role wherever it comes from.
 */
function groupsText({ role, group_roles, groups }: Person): string {
  const names = [role, ...rolesOfGroups(group_roles), ...groups.map(({ name }) => name)]
  return list([...new Set(names)].map(listedText), { most: longestGroups })
}

/** A name is for people to read, so a long one is cut. */
function nameText(name: string): string {
  let text = headerText(name)
  for (let letters = [...name]; text.length > longestName; text = headerText(`${letters.join('').trim()}…`)) {
    letters = letters.slice(0, Math.floor((letters.length * 9) / 10))
  }
  return text
}

const plain = /^(?:[\w.@:/+*~|()'!?$^=;#&<>[\]-](?: (?! *$))?)*$/

/**
 * Encodes text for a header: ASCII stays, the rest is percent-encoded UTF-8, which every language can decode. Also encoded:
 * the percent sign, blanks at the ends, which a reader would trim, and characters that proxies and servers treat as syntax,
 * such as the comma of a list and the braces of Caddy's placeholders.
 */
export function headerText(text: string): string {
  if (plain.test(text)) return text
  return text.toWellFormed().replaceAll(/^ | $|[^\w.@:/+*~|()'!?$^=;#&<>[\] -]/gu, percentEncoded)
}

/**
 * Encodes a member of a list. Products split lists at commas, but some at blanks, semicolons or bars too, and a group named
 * `finance;admin` must not be two. Only characters stay at which no product splits, so none has the name of the mark.
 */
function listedText(text: string): string {
  return text.toWellFormed().replaceAll(/[^\w.@:/+-]/gu, percentEncoded)
}

function percentEncoded(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}
