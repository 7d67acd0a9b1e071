/** Guesses the mapping of a JSON or CSV file from its first records. A guess is shown before it is used. */
import { OperatorError } from '../../core/errors.ts'
import { readForeignHash } from '../../directory/passwords/service.ts'
import { shownNames } from '../../lib/shown-name.ts'
import { totpFault } from '../../lib/totp-form.ts'
import { glance } from '../reading/bytes.ts'
import { instantOf } from '../reading/instants.ts'
import { type JsonObject, listOf, objectOf } from '../reading/json.ts'
import { textsAt, valuesAt } from '../reading/path.ts'
import { recordsIn } from '../reading/records.ts'
import { type MarkedSystem, systemOf } from '../reading/system-check.ts'
import { usualLists } from './mapped.ts'
import { attributeForm, type Member } from './mapping.ts'
import { totpOfUri } from './totp-uri.ts'

type Guess = {
  mapping: { rows?: string; members: Partial<Record<Member | `attributes.${string}`, unknown>> }
  /** The system that the file looks like, which has a ready mapping. */
  system?: MarkedSystem | undefined
  /** Paths that look like passwords in plain text, which are never guessed. */
  clear: string[]
}

const mostRecords = 100

export async function guessMapping(input: AsyncIterable<Uint8Array>, form: 'csv' | 'json'): Promise<Guess> {
  const expected = form === 'csv' ? 'a CSV file whose first line names the columns' : 'a JSON or NDJSON file of users'
  const { text, bytes } = await glance(input)
  const rows = form === 'json' ? pathOfList(text) : undefined
  const records: JsonObject[] = []
  const lists = rows === undefined ? usualLists : [rows]
  for await (const one of recordsIn(bytes, expected, { form, lists })) {
    if ('record' in one) records.push(one.record)
    if (records.length === mostRecords) break
  }
  const paths = pathsIn(records)
  const guess = new Map<Member, unknown>()
  const used = new Set<string>()
  for (const { member, names, fits, rule = (path: string): unknown => path } of guesses) {
    const found = guess.has(member) ? undefined : bestPath(names, fits, paths, used, records)
    if (found === undefined) continue
    guess.set(member, rule(found, valuesOf(found, records)))
    used.add(found)
  }
  if (!guess.has('username') && !guess.has('email'))
    throw new OperatorError(
      `Cannot guess the mapping: nothing looks like a username or an email address. The file has ${shownNames(paths, 20)}. Write a mapping and give it with --mapping.`,
    )
  if (guess.has('first_name') || guess.has('last_name')) guess.delete('name')
  return {
    mapping: {
      ...(rows !== undefined && { rows }),
      // As our own exports name them.
      members: { ...Object.fromEntries(guess), ...attributesIn(paths, used, records) },
    },
    system: records[0] && systemOf(records[0]),
    clear: paths.filter((path) => !used.has(path) && isPassword.test(plainLeaf(path)) && hasTexts(path, records)),
  }
}

function attributesIn(paths: readonly string[], used: ReadonlySet<string>, records: readonly JsonObject[]) {
  const found = paths.filter((path) => attributeForm.test(path) && !used.has(path))
  return Object.fromEntries(
    found.map((path): [`attributes.${string}`, unknown] => {
      const values = records.flatMap((record) => valuesAt(record, path))
      const isOf = (is: (value: unknown) => boolean) => values.length > 0 && values.every(is)
      const type = isOf((value) => typeof value === 'number')
        ? 'number'
        : isOf((value) => typeof value === 'boolean')
          ? 'boolean'
          : isOf(Array.isArray)
            ? 'string[]'
            : undefined
      return [path as `attributes.${string}`, type === undefined ? path : { path, type }]
    }),
  )
}

type Fits = (values: readonly string[]) => boolean
type Candidate = {
  member: Member
  /** Names of the last part, or whole paths, without case and separators; the best first. */
  names: readonly string[]
  fits: Fits
  rule?: (path: string, values: readonly string[]) => unknown
}

const all =
  (test: (value: string) => boolean): Fits =>
  (values) =>
    values.length > 0 && values.every(test)
const some: Fits = (values) => values.length > 0
const isAddress = (text: string) => /^[^\s@]+@[^\s@]+$/.test(text)
const isFlag = (text: string) => /^(?:true|false|t|f|yes|no|y|n|0|1)$/i.test(text)
const isInstant = (text: string) => (instantOf(/^\d+$/.test(text) ? Number(text) : text) ?? '') > '1990'
const isPassword = /^(?:password|passwd|pass|pwd|plainpassword|userpassword)$/
const activeWords = /^(?:active|enabled|verified|confirmed|approved|ok|a)$/i
const inactiveWords =
  /^(?:inactive|disabled|deactivated|suspended|blocked|banned|deleted|archived|pending|locked|staged|d|i)$/i
const hashNames =
  'passwordhash hashedpassword encryptedpassword passworddigest hash userpass userpassword passwd password pass pwd secret credentialspassword servicespasswordbcrypt'
const words = (text: string) => text.split(' ')

const guesses: readonly Candidate[] = [
  { member: 'id', names: words('id userid uuid guid uid _id _id$oid externalid sub'), fits: some },
  {
    member: 'email',
    names: words('email mail emailaddress primaryemail emails0value emails0address emails0email emails0 useremail'),
    fits: (values) => values.length > 0 && values.filter(isAddress).length >= values.length * 0.8,
  },
  {
    member: 'username',
    names: words(
      'username userlogin login loginname samaccountname preferredusername userprincipalname handle uid nickname',
    ),
    fits: all((text) => !/\s/.test(text)),
  },
  {
    member: 'first_name',
    names: words('firstname givenname forename namefirst namegivenname first fname'),
    fits: some,
  },
  {
    member: 'last_name',
    names: words('lastname familyname surname namelast namefamilyname sn last lname'),
    fits: some,
  },
  { member: 'name', names: words('fullname displayname name realname cn'), fits: some },
  { member: 'role', names: words('role roles usertype groups group'), fits: some },
  { member: 'active', names: words('active isactive enabled isenabled accountenabled'), fits: all(isFlag) },
  {
    member: 'active',
    names: words('disabled isdisabled blocked isblocked banned isbanned suspended issuspended deactivated'),
    fits: all(isFlag),
    rule: (path, values) => ({
      path,
      values: { true: false, false: true, ...flagsOf(values, (text) => !/^(?:true|t|yes|y|1)$/i.test(text)) },
    }),
  },
  {
    member: 'active',
    names: words('status state accountstatus userstatus'),
    fits: all((text) => activeWords.test(text) || inactiveWords.test(text)),
    rule: (path, values) => ({ path, values: flagsOf(values, (text) => activeWords.test(text)), otherwise: 'false' }),
  },
  { member: 'password_hash', names: words(hashNames), fits: all((text) => 'phc' in readForeignHash(text)) },
  {
    member: 'totp_secret',
    names: words('totpsecret totpuri totpurl otpauthurl otpauthuri'),
    fits: all((text) => totpFault(totpOfUri(text) ?? { secret: text }) === undefined),
  },
  {
    member: 'email_verified',
    names: words('emailverified isemailverified emailconfirmed emails0verified'),
    fits: all(isFlag),
  },
  { member: 'phone', names: words('phone phonenumber mobile mobilephone telephone phonenumbers0value'), fits: some },
  {
    member: 'created_at',
    names: words(
      'createdat created createdon creationtime createddate datejoined registeredat registered metacreated signupdate joined',
    ),
    fits: all(isInstant),
  },
  {
    member: 'last_login_at',
    names: words(
      'lastloginat lastlogin lastlogindate lastsigninat lastsignin lastsignedinat lastseenat lastactivityat',
    ),
    fits: all(isInstant),
  },
]

function flagsOf(values: readonly string[], isActive: (text: string) => boolean): Record<string, boolean> {
  return Object.fromEntries([...new Set(values)].slice(0, 20).map((text) => [text, isActive(text)]))
}

/** The path with the best name whose values fit; whole paths before last parts, short before long. */
function bestPath(
  names: readonly string[],
  fits: Fits,
  paths: readonly string[],
  used: ReadonlySet<string>,
  records: readonly JsonObject[],
): string | undefined {
  const ranked = paths
    .filter((path) => !used.has(path))
    .map((path) => {
      const [whole, leaf] = [names.indexOf(plain(path)), names.indexOf(plainLeaf(path))]
      return { path, rank: whole >= 0 ? whole : leaf >= 0 ? 100 + leaf : -1 }
    })
    .filter(({ rank }) => rank >= 0)
    .sort((a, b) => a.rank - b.rank || a.path.length - b.path.length)
  return ranked.find(({ path }) => fits(valuesOf(path, records)))?.path
}

function valuesOf(path: string, records: readonly JsonObject[]): string[] {
  return records.flatMap((record) => textsAt(record, path))
}

function hasTexts(path: string, records: readonly JsonObject[]): boolean {
  return valuesOf(path, records).length > 0
}

function plain(path: string): string {
  return path.toLowerCase().replaceAll(/[^\p{L}\p{N}_$]|(?<=.)_/gu, '')
}

function plainLeaf(path: string): string {
  return plain(/[^.]+$/.exec(path)?.[0] ?? path)
}

const deepest = 4
const mostPaths = 500

/** The paths of all values, through objects and the first element of lists. */
function pathsIn(records: readonly JsonObject[]): string[] {
  const paths = new Set<string>()
  const visit = (value: unknown, path: string, depth: number): void => {
    if (paths.size >= mostPaths || value === null || value === undefined || depth > deepest) return
    if (Array.isArray(value)) {
      if (value.every((one) => typeof one !== 'object')) paths.add(path)
      visit(listOf(value)[0], `${path}.0`, depth + 1)
    } else if (typeof value === 'object') {
      for (const [name, one] of Object.entries(objectOf(value)))
        visit(one, path === '' ? name : `${path}.${name}`, depth + 1)
    } else if (path !== '') paths.add(path)
  }
  for (const record of records) visit(record, '', 0)
  return [...paths]
}

/** The path of the first list of objects in a document that is an object, as far as its beginning shows. */
function pathOfList(text: string): string | undefined {
  if (!text.startsWith('{')) return undefined
  const open: { kind: string; name: string }[] = []
  let name = ''
  let hasEnded = false
  for (const [token, member] of text.matchAll(/"((?:[^"\\]|\\.)*)"(?:\s*:)?|[[\]{}]/g)) {
    if (token === '{' || token === '[') {
      const within = open.at(-1)
      if (token === '{' && within?.kind === '[') {
        const names = open.slice(1).map((each) => each.name)
        // A list in a record of NDJSON is not the list of records.
        return hasEnded || names.length > 3 ? undefined : usableList(text, names.join('.'))
      }
      open.push({ kind: token, name })
      name = ''
    } else if (token === '}' || token === ']') {
      open.pop()
      hasEnded ||= open.length === 0
    } else if (token.endsWith(':')) name = member ?? ''
  }
  return undefined
}

/** Lists such as `emails` belong to a user: then the document is one, or has one on each line. */
function usableList(text: string, path: string): string | undefined {
  const line = text.split(/\r?\n/, 1)[0] ?? ''
  const isLine = line.endsWith('}') && text.trim() !== line && text.slice(line.length).trimStart().startsWith('{')
  return isLine || /^(?:emails|email_addresses|roles|groups|identities|phones|phoneNumbers|addresses)$/.test(path)
    ? undefined
    : path
}
