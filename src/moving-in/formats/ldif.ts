/** LDIF (RFC 2849): what slapcat, ldapsearch -LLL, FreeIPA, 389 and ldifde write. */
import { OperatorError } from '../../core/errors.ts'
import { endedBy } from '../../lib/directory-account.ts'
import { utf8Text } from '../reading/bytes.ts'
import { openScratch } from '../reading/scratch.ts'
import type { SourceOptions } from '../reading/source.ts'
import {
  attributeLeftBehind,
  eachOnce,
  type Found,
  noPassword,
  type Person,
  phoneLeftBehind,
  pictureLeftBehind,
} from './person.ts'

const expected = 'LDIF with a dn for each entry, as slapcat or ldapsearch -LLL writes it'

/** Attribute → values, by its name in lower case without options. */
type Entry = { dn: string; line: number; attributes: Map<string, Buffer[]> }

/** Holds people back until the end, because the groups that name them may come later. */
export async function* readLdif(
  input: AsyncIterable<Uint8Array>,
  { clearPasswords, now }: SourceOptions,
): AsyncGenerator<Found> {
  const people = openScratch()
  const groups = openScratch()
  let count = 0
  try {
    for await (const entry of entriesOf(input)) {
      const classes = textsOf(entry, 'objectclass').map((name) => name.toLowerCase())
      if (classes.some((name) => groupClasses.has(name))) rememberGroup(entry, groups)
      else if (isPerson(entry, classes)) {
        const saved = { dn: entry.dn, line: entry.line, attributes: [...entry.attributes].map(inBase64) }
        people.set('person', String(++count).padStart(12, '0'), JSON.stringify(saved))
      } else {
        const kind = classes.findLast((name) => name !== 'top') ?? 'no class'
        yield { leftOut: { what: `entry of class ${kind}`, why: 'not a person', of: entry.dn } }
      }
    }
    for (const text of people.values('person')) {
      const { dn, line, attributes } = JSON.parse(text) as {
        dn: string
        line: number
        attributes: [string, string[]][]
      }
      const entry = { dn, line, attributes: new Map(attributes.map(fromBase64Pair)) }
      const person = personIn(entry, rolesOf(entry, groups), clearPasswords === 'hash')
      const endState = endedBy((name) => textsOf(entry, name.toLowerCase()), now.getTime())
      yield { person: { ...person, active: endState === undefined }, line }
    }
  } finally {
    people.close()
    groups.close()
  }
}

const groupClasses = new Set([
  'groupofnames',
  'groupofuniquenames',
  'posixgroup',
  'group',
  'ipausergroup',
  'groupofmembers',
])
const personClasses = new Set(['person', 'inetorgperson', 'organizationalperson', 'posixaccount', 'account', 'user'])

function isPerson(entry: Entry, classes: readonly string[]): boolean {
  if (classes.includes('computer')) return false
  if (classes.length === 0) return entry.attributes.has('uid') || entry.attributes.has('samaccountname')
  return classes.some((name) => personClasses.has(name))
}

function rememberGroup(entry: Entry, groups: ReturnType<typeof openScratch>): void {
  const name = textOf(entry, 'cn') ?? firstOfDn(entry.dn)
  const members = ['member', 'uniquemember', 'memberuid'].flatMap((attribute) => textsOf(entry, attribute))
  for (const member of members) {
    const key = plainDn(member)
    const before = groups.remove('member', key)
    groups.set('member', key, JSON.stringify([...((before && JSON.parse(before)) || []), name]))
  }
}

function rolesOf(entry: Entry, groups: ReturnType<typeof openScratch>): string[] {
  const named = textsOf(entry, 'memberof').map(firstOfDn)
  const listed = [entry.dn, ...textsOf(entry, 'uid')].flatMap((key) => {
    const names = groups.remove('member', plainDn(key))
    return names === undefined ? [] : (JSON.parse(names) as string[])
  })
  return [...new Set([...named, ...listed])]
}

function personIn(entry: Entry, roles: string[], takesClear: boolean): Omit<Person, 'active'> {
  const id = uuidOf(entry)
  const phone = textOf(entry, 'mobile') ?? textOf(entry, 'telephonenumber')
  return {
    id: id ?? entry.dn,
    username: textOf(entry, 'uid') ?? textOf(entry, 'samaccountname') ?? textOf(entry, 'userprincipalname'),
    email: textOf(entry, 'mail'),
    phone,
    firstName: textOf(entry, 'givenname'),
    // Every person has cn and sn. Without a first name, the full name says more.
    lastName: textOf(entry, 'givenname') === undefined ? undefined : textOf(entry, 'sn'),
    fullName: textOf(entry, 'displayname') ?? textOf(entry, 'cn'),
    roles,
    password: passwordIn(entry, takesClear),
    ...(textOf(entry, 'pwdreset')?.toUpperCase() === 'TRUE' && { mustChangePassword: true }),
    createdAt: instantIn(entry, 'createtimestamp') ?? instantIn(entry, 'whencreated'),
    lastLoginAt: instantIn(entry, 'authtimestamp') ?? fileTime(textOf(entry, 'lastlogontimestamp')),
    leftBehind: eachOnce([
      phone !== undefined && phoneLeftBehind,
      (entry.attributes.has('jpegphoto') || entry.attributes.has('thumbnailphoto')) && pictureLeftBehind,
      ...[...entry.attributes.keys()].filter((name) => !understood.test(name)).map(attributeLeftBehind),
    ]),
  }
}

/** Attributes that are read, or that only the directory needs. */
const understood =
  /^(?:objectclass|structuralobjectclass|uid|cn|sn|givenname|displayname|mail|mobile|telephonenumber|jpegphoto|thumbnailphoto|userpassword|memberof|pwd\w*|ipauniqueid|nsuniqueid|nsaccountlock|object(?:guid|sid|category)|entry\w+|\w+timestamp|whencreated|whenchanged|creatorsname|modifiersname|contextcsn|uidnumber|gidnumber|homedirectory|loginshell|gecos|shadow\w+|krb\w+|samaccount\w+|useraccountcontrol|userprincipalname|name|instancetype|usn\w+|distinguishedname|codepage|countrycode|primarygroupid|badp\w+|lastlog\w+|logoncount|accountexpires|login(?:disabled|expirationtime)|msds-useraccountdisabled|dscorepropagationdata|subschemasubentry|hassubordinates|numsubordinates|ds[\w-]+|mepmanagedentry|ipa\w*)$/

function passwordIn(entry: Entry, takesClear: boolean): Person['password'] {
  const texts = textsOf(entry, 'userpassword')
  const hash = texts.find((text) => /^\{[\w-]+\}/.test(text) && !/^\{(?:cleartext|plain|sasl)\}/i.test(text))
  if (hash !== undefined) return { hash }
  const [text] = texts
  if (text === undefined) return noPassword
  if (/^\{sasl\}/i.test(text)) return { none: 'checked by another system (SASL); the user needs a password' }
  if (takesClear) return { clear: text.replace(/^\{(?:cleartext|plain)\}/i, ''), ifStrong: true }
  return { none: 'plain text in the file; --clear-passwords hash imports it' }
}

function uuidOf(entry: Entry): string | undefined {
  const text = textOf(entry, 'entryuuid') ?? textOf(entry, 'ipauniqueid') ?? textOf(entry, 'nsuniqueid')
  const guid = entry.attributes.get('objectguid')?.[0]
  if (text !== undefined || guid?.length !== 16) return text
  // Active Directory stores the first three parts with the lowest byte first.
  const hex = Buffer.concat([
    Buffer.from(guid.subarray(0, 4)).reverse(),
    Buffer.from(guid.subarray(4, 6)).reverse(),
    Buffer.from(guid.subarray(6, 8)).reverse(),
    guid.subarray(8),
  ]).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** GeneralizedTime: `20240131120000Z`, with or without a fraction. */
function instantIn(entry: Entry, name: string): string | undefined {
  const text = textOf(entry, name)
  const [, year, month, day, hour, minute, second = '00'] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(?:[.,]\d+)?Z$/.exec(text ?? '') ?? []
  return year === undefined ? text : `${year}-${month}-${day}T${hour}:${minute}:${second}Z`
}

/** Active Directory counts 100 ns since 1601. */
function fileTime(text: string | undefined): string | undefined {
  if (text === undefined || !/^[1-9]\d{16,18}$/.test(text)) return undefined
  return new Date(Number(BigInt(text) / 10_000n) - 11_644_473_600_000).toISOString()
}

function textsOf({ attributes }: Entry, name: string): string[] {
  return (attributes.get(name) ?? []).map((value) => value.toString().trim()).filter((text) => text !== '')
}

function textOf(entry: Entry, name: string): string | undefined {
  return textsOf(entry, name)[0]
}

function firstOfDn(dn: string): string {
  return /^[^=]+=((?:\\.|[^,\\+])*)/.exec(dn)?.[1]?.replaceAll(/\\(.)/g, '$1').trim() ?? dn
}

function plainDn(dn: string): string {
  return dn.toLowerCase().replaceAll(/\s*([,=])\s*/g, '$1')
}

function inBase64([name, values]: [string, Buffer[]]): [string, string[]] {
  return [name, values.map((value) => value.toString('base64'))]
}

function fromBase64Pair([name, values]: [string, string[]]): [string, Buffer[]] {
  return [name, values.map((value) => Buffer.from(value, 'base64'))]
}

const longestEntry = 8 * 1024 * 1024

/** Yields the entries. A line that begins with a space continues the one before. */
async function* entriesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  let lines: { text: string; line: number }[] = []
  let isComment = false
  let line = 0
  let size = 0
  let hasEntries = false
  for await (const text of linesOf(input)) {
    line++
    if (text.trim() === '') {
      const entry = entryIn(lines)
      if (entry !== undefined) yield entry
      hasEntries ||= entry !== undefined
      lines = []
      size = 0
      isComment = false
      continue
    }
    size += text.length
    if (size > longestEntry) throw new OperatorError(`The entry at line ${line} has no end; expected ${expected}.`)
    if (text.startsWith(' ')) {
      const last = lines.at(-1)
      if (isComment) continue
      if (last === undefined) throw new OperatorError(`Line ${line} continues nothing; expected ${expected}.`)
      last.text += text.slice(1)
      continue
    }
    isComment = text.startsWith('#')
    if (isComment) continue
    if (!/^[A-Za-z0-9][\w.;-]*:/.test(text))
      throw new OperatorError(`Line ${line} of the input is not LDIF; expected ${expected}.`)
    lines.push({ text, line })
  }
  const entry = entryIn(lines)
  if (entry !== undefined) yield entry
  if (entry === undefined && !hasEntries) throw new OperatorError(`The input has no entries; expected ${expected}.`)
}

async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = ''
  for await (const text of utf8Text(input)) {
    const end = text.indexOf('\n')
    if (rest.length + (end < 0 ? text.length : end) > longestEntry)
      throw new OperatorError(`The input has a line without an end; expected ${expected}.`)
    if (end < 0) {
      rest += text
      continue
    }
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const each of lines) yield each.replace(/\r$/, '')
  }
  if (rest !== '') yield rest.replace(/\r$/, '')
}

function entryIn(lines: readonly { text: string; line: number }[]): Entry | undefined {
  const own = lines.filter(({ text }) => !/^version:/i.test(text))
  const [first] = own
  // The end of a search.
  if (first === undefined || /^(?:search|result|ref):/i.test(first.text)) return undefined
  const [name, dn] = valueIn(first.text)
  if (name !== 'dn' || dn === undefined)
    throw new OperatorError(`The entry at line ${first.line} has no dn; expected ${expected}.`)
  const attributes = new Map<string, Buffer[]>()
  for (const { text, line } of own.slice(1)) {
    const [attribute, value] = valueIn(text)
    if (attribute === 'changetype' && value?.toString().trim() !== 'add')
      throw new OperatorError(`Line ${line} is a change, not an entry; expected ${expected}.`)
    if (value === undefined || attribute === 'changetype') continue
    const values = attributes.get(attribute)
    // A group may have a million members.
    if (values === undefined) attributes.set(attribute, [value])
    else values.push(value)
  }
  return { dn: dn.toString(), line: first.line, attributes }
}

/** `name: text`, `name:: Base64`, and `name:< URL`, which is not read. */
function valueIn(text: string): [name: string, value: Buffer | undefined] {
  const [, name = '', kind = '', value = ''] = /^([^:;]+)(?:;[^:]*)?:([:<]?)\s*(.*)$/s.exec(text) ?? []
  const attribute = name.toLowerCase()
  if (kind === '<') return [attribute, undefined]
  return [attribute, kind === ':' ? Buffer.from(value, 'base64') : Buffer.from(value)]
}
