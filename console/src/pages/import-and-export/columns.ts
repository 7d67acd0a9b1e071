/** Maps the columns of other products' files to members of a user, and converts their cells. */

import type { Attribute } from 'rollbook/client'
import { zoneOfColumn } from '../../../../src/lib/zone-clock.ts'
import { textMembers } from '../../api/text-members.ts'
import { reasonColumns } from './reason-columns.ts'

/** The members that every user has. */
export const ownMembers = [
  'username',
  'kind',
  'email',
  ...textMembers,
  'locale',
  'role',
  'active',
  'groups',
  'organization',
  'password',
  'must_change_password',
  'invite',
  'external_id',
  'user_id',
  'password_hash',
  'created_at',
  'updated_at',
  'last_login_at',
] as const
export type OwnMember = (typeof ownMembers)[number]
/** The value of an attribute, as the header of a CSV file names it. */
type AttributeMember = `attributes.${string}`
export type Member = OwnMember | AttributeMember

/** The member of each column; null if a column is left out. */
export type Mapping = (Member | null)[]

type Definition = Pick<Attribute, 'name' | 'label' | 'type'>
export type AttributeType = Attribute['type']

/** What a file is mapped to. */
export type Target = {
  /** Undefined if the caller may not read the definitions. */
  attributes: readonly Definition[] | undefined
  /** The names of members in the language of the page, which an export for a spreadsheet has as its header. */
  labels: Readonly<Partial<Record<OwnMember, string>>>
}

export const memberOf = (attribute: string): AttributeMember => `attributes.${attribute}`

/** The member that a fault of a row points to, as an RFC 6901 fragment: `#/attributes/department`. */
export function memberAt(pointer: string | null | undefined): Member | undefined {
  const [, attribute] = /^#\/attributes\/(\w+)$/.exec(pointer ?? '') ?? []
  return attribute === undefined ? ownMembers.find((member) => pointer === `#/${member}`) : memberOf(attribute)
}

// Normalized by `plain`. English and German names of spreadsheets, directories and other products.
const names: Partial<Record<OwnMember, string>> = {
  username:
    'username user login loginname logon account accountname samaccountname uid uname nick nickname benutzername benutzer nutzername nutzer anmeldename kennung benutzerkennung kuerzel',
  email: 'email mail emailaddress mailaddress primaryemail emailadresse mailadresse epost epostadresse',
  first_name: 'firstname first givenname given forename vorname rufname',
  last_name: 'lastname last surname sn familyname family nachname familienname zuname',
  role: 'role userrole rolle benutzerrolle',
  groups: 'groups group gruppen gruppe',
  organization: 'organization organizationid organisation organisationid organisationsid tenant mandant kunde',
  active: 'active isactive enabled isenabled status aktiv istaktiv aktiviert freigeschaltet',
  password: 'password pass pwd passwort kennwort initialpassword startpasswort',
  must_change_password: 'mustchangepassword changepassword passwortaendern kennwortaendern',
  invite: 'invite sendinvitation einladen',
  external_id:
    'externalid id employeeid employeenumber personnelnumber staffid number personalnummer personalnr mitarbeiternummer mitarbeiternr pnr',
  user_id: 'userid uuid',
  password_hash: 'passwordhash hash hashedpassword encryptedpassword passworthash',
  created_at: 'createdat created creationdate joined datejoined registered erstellt erstelltam angelegt angelegtam',
  updated_at: 'updatedat updated modified lastmodified geaendert geaendertam',
  last_login_at: 'lastloginat lastlogin lastsignin lastseen letzteanmeldung letzterlogin',
}
const memberByName = new Map<string, Member>(
  ownMembers.flatMap((member) =>
    (names[member] ?? plain(member)).split(' ').map((name): [string, Member] => [name, member]),
  ),
)

/** The form of `attributes.x` in the header of an export. */
const attributeForm = /^attributes\.[a-z][a-z0-9_]{0,63}$/

/** Each member is assigned once, to the column whose name fits best. */
export function guessMapping(header: readonly string[], { attributes, labels }: Target): Mapping {
  const mapping: Mapping = header.map(() => null)
  const taken = new Set<Member>()
  const assign = (memberNamed: (name: string) => Member | undefined) => {
    for (const [column, name] of header.entries()) {
      const member = memberNamed(name)
      if (member === undefined || taken.has(member) || mapping[column] !== null) continue
      mapping[column] = member
      taken.add(member)
    }
  }
  // The names of our own exports first: they have both `user_id` and `external_id`.
  assign((name) => ownMembers.find((member) => member === name.trim()))
  assign((name) => attributeIn(name.trim().toLowerCase(), attributes))
  const ownNames = new Map(ownMembers.flatMap((member) => named([member, labels[member] ?? ''], member)))
  assign((name) => ownNames.get(plain(name)))
  // An attribute called "Employee number" comes before the external ID, which is often called so, too.
  const attributeNames = new Map(
    (attributes ?? []).flatMap(({ name, label }) => named([name, label], memberOf(name))).reverse(),
  )
  assign((name) => attributeNames.get(plain(name)))
  assign((name) => memberByName.get(plain(name)))
  // Next to a column of first names, "Name" is the last name.
  assign((name) => (plain(name) === 'name' && taken.has('first_name') ? 'last_name' : undefined))
  return mapping
}

/** An attribute that is not defined is left out: every row would be rejected. */
function attributeIn(name: string, attributes: Target['attributes']): AttributeMember | undefined {
  if (!attributeForm.test(name)) return undefined
  const isKnown = attributes === undefined || attributes.some((one) => memberOf(one.name) === name)
  return isKnown ? (name as AttributeMember) : undefined
}

function named(texts: readonly string[], member: Member): [string, Member][] {
  return texts.flatMap((text) => (plain(text) === '' ? [] : [[plain(text), member]]))
}

/** The types of the mapped attributes, by member. */
export type AttributeTypes = Readonly<Partial<Record<Member, AttributeType>>>

export function typesOf(attributes: Target['attributes'] = []): AttributeTypes {
  return Object.fromEntries(attributes.map(({ name, type }) => [memberOf(name), type]))
}

function plain(name: string): string {
  const { label = name } = zoneOfColumn(name) ?? {}
  return label
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** The members that two columns have, and whether no column identifies users. */
export function mappingFaults(mapping: Mapping): { repeated: Member[]; isNameless: boolean } {
  const mapped = mapping.filter((member) => member !== null)
  return {
    repeated: [...new Set(mapped.filter((member, n) => mapped.indexOf(member) !== n))],
    // A new user without a username gets the email as one.
    isNameless: !mapped.includes('username') && !mapped.includes('email'),
  }
}

/** The columns that are not imported, by their names in the file. The reasons of rejected rows are no columns of users. */
export function leftOut(header: readonly string[], mapping: Mapping): string[] {
  const reasons: readonly string[] = reasonColumns
  return header.filter((name, column) => mapping[column] === null && !reasons.includes(name))
}

/** The columns that an export of Rollbook has for attributes which are not defined here. */
export function undefinedAttributes(header: readonly string[], { attributes }: Target): string[] {
  return header.filter((name) => attributeForm.test(name) && !attributes?.some((one) => memberOf(one.name) === name))
}

const [yes, no] = [
  new Set('true yes y ja j 1 x wahr active aktiv enabled on نعم'.split(' ')),
  new Set('false no n nein 0 falsch inactive inaktiv disabled off لا'.split(' ')),
]

/** Converts a cell for the API. An unreadable value stays as it is, so that the server reports it. */
export function cellOf(
  member: Member,
  cell: string,
  type: AttributeType | undefined = undefined,
  hasDecimalComma = false,
): string {
  if (member === 'password' || member === 'password_hash') return cell
  // The server reads lists, and blanks may be part of a text.
  if (member.startsWith('attributes.') && (type === undefined || type === 'string' || type === 'string[]')) return cell
  const text = cell.trim()
  const isBoolean = member === 'active' || member === 'must_change_password' || member === 'invite'
  if (isBoolean || type === 'boolean') {
    const word = text.toLowerCase()
    return yes.has(word) ? 'true' : no.has(word) ? 'false' : text
  }
  if (type === 'number' && hasDecimalComma) return text.replace(/^('*[+-]?\d*),(\d+)$/, '$1.$2')
  if (type === 'date') return dayOf(text)
  return type === 'datetime' || member.endsWith('_at') ? instantOf(text) : text
}

/** A day as spreadsheets in German show it, such as 24.11.2026. */
function dayOf(text: string): string {
  const [, day, month, year] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? []
  return year === undefined ? text : `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`
}

/** A date without a time zone is in UTC, as everywhere in imports. */
function instantOf(text: string): string {
  const [, day = text, rest = ''] = /^(\d{1,2}\.\d{1,2}\.\d{4})(?:,? (.+))?$/.exec(text) ?? []
  const iso = `${dayOf(day)} ${rest}`.trim()
  const [, date, time = '00:00', seconds = ':00'] =
    /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?$/.exec(iso) ?? []
  return date === undefined ? text : `${date}T${time}${seconds}Z`
}

/** Writes a record as a row for the server, in the order of `columnsOf`. */
export function mapRecord(
  mapping: Mapping,
  record: readonly string[],
  types: AttributeTypes = {},
  hasDecimalComma = false,
): string[] {
  const cells: string[] = []
  for (const [column, member] of mapping.entries())
    if (member !== null) cells.push(cellOf(member, record[column] ?? '', types[member], hasDecimalComma))
  // Keep a surplus cell, so that the server rejects this row with its reason.
  return record.length === mapping.length ? cells : Array.from({ length: cells.length + 1 }, () => '-')
}

export function columnsOf(mapping: Mapping): Member[] {
  return mapping.filter((member) => member !== null)
}
