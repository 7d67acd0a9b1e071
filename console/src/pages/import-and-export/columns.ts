/** Maps the columns of other products' files to members of a user, and converts their cells. */

import { textMembers } from '../../api/text-members.ts'

export const members = [
  'username',
  'kind',
  'email',
  ...textMembers,
  'locale',
  'role',
  'active',
  'groups',
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
export type Member = (typeof members)[number]

/** The member of each column; null if a column is left out. */
export type Mapping = (Member | null)[]

// Normalized by `plain`. English and German names of spreadsheets, directories and other products.
const names: Partial<Record<Member, string>> = {
  username:
    'username user login loginname logon account accountname samaccountname uid uname nick nickname benutzername benutzer nutzername nutzer anmeldename kennung benutzerkennung kuerzel',
  email: 'email mail emailaddress mailaddress primaryemail emailadresse mailadresse epost epostadresse',
  first_name: 'firstname first givenname given forename vorname rufname',
  last_name: 'lastname last surname sn familyname family nachname familienname zuname',
  role: 'role userrole rolle benutzerrolle',
  groups: 'groups group gruppen gruppe',
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
  members.flatMap((member) =>
    (names[member] ?? plain(member)).split(' ').map((name): [string, Member] => [name, member]),
  ),
)

/** Each member is assigned once, to the column whose name fits best. */
export function guessMapping(header: readonly string[]): Mapping {
  const mapping: Mapping = header.map(() => null)
  const taken = new Set<Member>()
  const give = (column: number, member: Member | undefined) => {
    if (member === undefined || taken.has(member) || mapping[column] !== null) return
    mapping[column] = member
    taken.add(member)
  }
  // Our own names first: our files have both `user_id` and `external_id`.
  for (const [column, name] of header.entries())
    give(
      column,
      members.find((member) => member === name.trim()),
    )
  for (const [column, name] of header.entries()) give(column, memberByName.get(plain(name)))
  // Next to a column of first names, "Name" is the last name.
  for (const [column, name] of header.entries())
    if (plain(name) === 'name') give(column, taken.has('first_name') ? 'last_name' : undefined)
  return mapping
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]/g, '')
}

/** The members that two columns have, and whether no column identifies users. */
export function mappingFaults(mapping: Mapping): { repeated: Member[]; isNameless: boolean } {
  const mappedMembers = mapping.filter((member) => member !== null)
  return {
    repeated: members.filter((member) => mappedMembers.indexOf(member) !== mappedMembers.lastIndexOf(member)),
    // A new user without a username gets the email as one.
    isNameless: !mappedMembers.includes('username') && !mappedMembers.includes('email'),
  }
}

const [yes, no] = [
  new Set('true yes y ja j 1 x wahr active aktiv enabled on'.split(' ')),
  new Set('false no n nein 0 falsch inactive inaktiv disabled off'.split(' ')),
]

/** Converts a cell for the API. An unreadable value stays as it is, so that the server reports it. */
export function cellOf(member: Member, cell: string): string {
  if (member === 'password' || member === 'password_hash') return cell
  const text = cell.trim()
  if (member === 'active' || member === 'must_change_password' || member === 'invite') {
    const word = text.toLowerCase()
    return yes.has(word) ? 'true' : no.has(word) ? 'false' : text
  }
  return member.endsWith('_at') ? instantOf(text) : text
}

/** A date without a time zone is in UTC, as everywhere in imports. */
function instantOf(text: string): string {
  const [, day, month, year, rest = ''] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,? (.+))?$/.exec(text) ?? []
  const iso = year === undefined ? text : `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')} ${rest}`.trim()
  const [, date, time = '00:00', seconds = ':00'] =
    /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?$/.exec(iso) ?? []
  return date === undefined ? text : `${date}T${time}${seconds}Z`
}

/** Writes a record as a row for the server, in the order of `columnsOf`. */
export function mapRecord(mapping: Mapping, record: readonly string[]): string[] {
  const cells: string[] = []
  for (const [column, member] of mapping.entries())
    if (member !== null) cells.push(cellOf(member, record[column] ?? ''))
  // Keep a surplus cell, so that the server rejects this row with its reason.
  return record.length === mapping.length ? cells : Array.from({ length: cells.length + 1 }, () => '-')
}

export function columnsOf(mapping: Mapping): Member[] {
  return mapping.filter((member) => member !== null)
}
