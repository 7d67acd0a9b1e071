/** Django: the table auth_user as CSV with a header line, or the output of `manage.py dumpdata`. */
import { OperatorError } from '../../core/errors.ts'
import { glance } from '../reading/bytes.ts'
import { csvRows } from '../reading/csv.ts'
import { type JsonObject, jsonEntries, listOf, objectOf, placeOf, textOf } from '../reading/json.ts'
import { openScratch } from '../reading/scratch.ts'
import type { SourceOptions } from '../reading/source.ts'
import { attributeLeftBehind, eachOnce, type Found, type Person, shortened } from './person.ts'

const expected =
  'the table auth_user as CSV with a header line, or what manage.py dumpdata auth.group auth.user writes (JSON)'

export async function* readDjango(input: AsyncIterable<Uint8Array>, options: SourceOptions): AsyncGenerator<Found> {
  const { line, bytes } = await glance(input)
  if (line === '') throw new OperatorError(`The input is empty; expected ${expected}.`)
  if (/^[[{]/.test(line)) {
    yield* readFixture(bytes, options)
    return
  }
  for await (const one of csvRows(bytes, expected, { needs: ['id', 'password'] })) {
    if ('leftOut' in one) {
      yield one
      continue
    }
    const { row, line: at } = one
    if (!('username' in row) && !('email' in row))
      throw new OperatorError(`The first line names neither username nor email; expected ${expected}.`)
    yield { person: personIn(row.id || `line ${at}`, row, groupsIn([], noMembers)), line: at }
  }
}

const noMembers: ReadonlyMap<string, string> = new Map()

async function* readFixture(bytes: AsyncIterable<Uint8Array>, { roleMap = {} }: SourceOptions): AsyncGenerator<Found> {
  const groups = new Map<string, string>()
  const others = new Set<string>()
  // Users whose groups may be named later in the file are kept until its end.
  const waiting = openScratch()
  let hasUsers = false
  try {
    for await (const { value, entry, line } of jsonEntries(bytes, [], expected, { single: ['model', 'pk'] })) {
      const fields = objectOf(value.fields)
      const id = textOf(value.pk)
      const model = textOf(value.model)
      if (model === undefined || fields !== value.fields)
        throw new OperatorError(`${placeOf({ entry, line })} has no model or no fields; expected ${expected}.`)
      if (model === 'auth.group') {
        // With natural keys there may be no pk.
        if (id !== undefined) groups.set(id, textOf(fields.name) ?? id)
      } else if (isUser(fields)) {
        hasUsers = true
        const known = groupsIn(fields.groups, groups)
        const user = id ?? textOf(fields.username) ?? textOf(fields.email) ?? ''
        if (known.numbers.length === 0) yield { person: personIn(user, fields, known), line }
        else waiting.set('user', String(entry).padStart(12, '0'), JSON.stringify({ user, fields, line }))
      } else {
        others.add(shortened(model))
        const leftOut = { what: `entry of ${shortened(model)}`, why: 'its fields do not belong to a user' }
        yield { leftOut: { ...leftOut, ...(id !== undefined && { of: shortened(id) }) } }
      }
    }
    for (const text of waiting.values('user')) {
      const { user, fields, line } = JSON.parse(text) as { user: string; fields: JsonObject; line: number }
      const known = groupsIn(fields.groups, groups)
      // A role map may know a group by its number.
      const mapped = known.numbers.filter((number) => Object.hasOwn(roleMap, number))
      const numbers = known.numbers.filter((number) => !mapped.includes(number))
      yield { person: personIn(user, fields, { names: [...known.names, ...mapped], numbers }), line }
    }
  } finally {
    waiting.close()
  }
  if (!hasUsers && others.size > 0)
    throw new OperatorError(`No entry is a user; the entries are ${firstOf(others)}. Expected ${expected}.`)
}

type Groups = { names: readonly string[]; numbers: readonly string[] }

/** The groups of a user by name, and the numbers of those whose names are not known. */
function groupsIn(value: unknown, known: ReadonlyMap<string, string>): Groups {
  const names: string[] = []
  const numbers: string[] = []
  for (const group of listOf(value)) {
    // With natural keys a group is a list with its name.
    const text = textOf(listOf(group)[0]) ?? textOf(group) ?? ''
    const name = known.get(text)
    if (name !== undefined) names.push(name)
    else if (!Array.isArray(group) && /^\d+$/.test(text)) numbers.push(text)
    else names.push(text)
  }
  return { names, numbers }
}

function firstOf(models: ReadonlySet<string>): string {
  const first = [...models].slice(0, 5).join(', ')
  return models.size > 5 ? `${first}, …` : first
}

/** A custom user model can have any name. Without `last_login`, its password distinguishes it from a mailbox's. */
function isUser(fields: JsonObject): boolean {
  if (!('password' in fields)) return false
  if ('last_login' in fields) return true
  const { password } = fields
  const isOfDjango = typeof password === 'string' && /^$|^!|\$|^[0-9a-f]{32}$/.test(password)
  return isOfDjango && ('username' in fields || 'email' in fields)
}

const understood = new Set([
  ...['id', 'password', 'last_login', 'is_superuser', 'username', 'first_name', 'last_name', 'email', 'is_staff'],
  ...['is_active', 'date_joined', 'groups', 'user_permissions', 'name', 'full_name'],
])

function personIn(id: string, fields: JsonObject, groups: Groups): Person {
  return {
    id,
    username: textOf(fields.username),
    email: textOf(fields.email),
    firstName: textOf(fields.first_name),
    lastName: textOf(fields.last_name),
    fullName: textOf(fields.full_name) ?? textOf(fields.name),
    active: isTrue(fields.is_active ?? true),
    roles: [
      ...(isTrue(fields.is_superuser) ? ['is_superuser'] : []),
      ...(isTrue(fields.is_staff) ? ['is_staff'] : []),
      ...groups.names,
    ],
    password: passwordIn(textOf(fields.password)),
    createdAt: fields.date_joined,
    lastLoginAt: fields.last_login,
    leftBehind: eachOnce([
      ...groups.numbers.map((number) => ({
        what: `group number ${number}`,
        why: 'the file does not contain its name; also dump the groups: manage.py dumpdata auth.group auth.user',
      })),
      listOf(fields.user_permissions).length > 0 && {
        what: 'user permissions',
        why: 'in Rollbook only roles have permissions',
      },
      ...Object.keys(fields)
        .filter((name) => !understood.has(name) && isSaying(fields[name]))
        .map(attributeLeftBehind),
    ]),
  }
}

function isSaying(value: unknown): boolean {
  return value !== null && value !== '' && value !== undefined && !(Array.isArray(value) && value.length === 0)
}

function passwordIn(password: string | undefined): Person['password'] {
  // Django marks so what set_unusable_password() has set.
  if (password === undefined || password.startsWith('!'))
    return { none: 'none: the user signed in elsewhere and cannot sign in until a password is set' }
  return { hash: password }
}

/** As PostgreSQL, MySQL, SQLite and Python write it. */
function isTrue(value: unknown): boolean {
  return value === true || value === 1 || (typeof value === 'string' && /^(?:t|true|1)$/i.test(value))
}
