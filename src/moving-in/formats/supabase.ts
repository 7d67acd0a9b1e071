/** Supabase: the table auth.users, as CSV or as pg_dump writes it (COPY or INSERT). */
import { OperatorError } from '../../core/errors.ts'
import { shownNames } from '../../lib/shown-name.ts'
import { glance } from '../reading/bytes.ts'
import { csvRows } from '../reading/csv.ts'
import { instantOf } from '../reading/instants.ts'
import { type JsonObject, jsonEntries, listOf, objectIn, objectOf, placeOf, textOf, textsOf } from '../reading/json.ts'
import { dumpRows } from '../reading/postgres-dump.ts'
import type { SourceOptions } from '../reading/source.ts'
import { systemCheck } from '../reading/system-check.ts'
import { isNameMember, namesInMetadata, rolesInMetadata } from './metadata.ts'
import {
  attributeLeftBehind,
  eachOnce,
  type Found,
  noPassword,
  type Person,
  phoneLeftBehind,
  secondFactorLeftBehind,
  signInWithLeftBehind,
} from './person.ts'

const expected =
  "Supabase's table auth.users, as CSV with a header line, as JSON, or as the SQL of pg_dump --data-only --table auth.users"

export async function* readSupabase(input: AsyncIterable<Uint8Array>, { now }: SourceOptions): AsyncGenerator<Found> {
  const { line, bytes } = await glance(input)
  if (line === '') throw new OperatorError(`The input is empty; expected ${expected}.`)
  if (/^[[{]/.test(line)) yield* usersInJson(bytes, now)
  else if (/^[\w"]+(?:[,;\t|][\w" ]+)+$/.test(line) && !/^copy\b/i.test(line)) yield* usersInCsv(bytes, now)
  else yield* usersInDump(bytes, now)
}

async function* usersInCsv(bytes: AsyncIterable<Uint8Array>, now: Date): AsyncGenerator<Found> {
  const check = systemCheck('supabase', expected)
  for await (const one of csvRows(bytes, expected, { needs: ['id', 'email'] })) {
    if ('row' in one) check(one.row, `Line ${one.line}`)
    yield 'leftOut' in one ? one : userIn(one.row, now, { place: `Line ${one.line}`, line: one.line })
  }
}

/** Rows as the SQL editor, `json_agg` or `row_to_json` write them, or the users that the admin API lists. */
async function* usersInJson(bytes: AsyncIterable<Uint8Array>, now: Date): AsyncGenerator<Found> {
  const lists = ['users', 'data.users', 'data', 'rows', 'result', 'json_agg', 'jsonb_agg']
  const single = ['encrypted_password', 'raw_app_meta_data', 'app_metadata', 'row_to_json', 'to_jsonb']
  const check = systemCheck('supabase', expected)
  for await (const { value, ...at } of jsonEntries(bytes, lists, expected, { single, pages: true })) {
    const row = objectOf(value.row_to_json ?? value.to_jsonb ?? value.to_json ?? value)
    if (textOf(row.id) === undefined || !('email' in row || 'phone' in row))
      throw new OperatorError(`${placeOf(at)} is no user: it needs an id, and email or phone; expected ${expected}.`)
    check(row, placeOf(at))
    yield userIn(row, now, { place: placeOf(at), line: at.line })
    for (const factor of listOf(row.factors).map(objectOf)) {
      if (factor.status !== 'verified') continue
      const kind = textOf(factor.factor_type) ?? 'unknown'
      yield { leftOut: { ...secondFactorLeftBehind(kind), of: textOf(row.id) as string } }
    }
  }
}

async function* usersInDump(bytes: AsyncIterable<Uint8Array>, now: Date): AsyncGenerator<Found> {
  let found = false
  const others = new Set<string>()
  const isUsers = (table: string, columns: readonly string[]) =>
    table === 'auth.users' || (/^(?:\w+\.)?users$/.test(table) && columns.includes('encrypted_password'))
  const wanted = (table: string, columns: readonly string[]): boolean => {
    others.add(table)
    return isUsers(table, columns) || /^(?:auth\.)?mfa_factors$/.test(table)
  }
  for await (const row of dumpRows(bytes, wanted, expected)) {
    const { table, line } = row
    const isUser = !/mfa_factors$/.test(table)
    if ('uneven' in row) {
      found ||= isUser
      const count = `${row.uneven.has} ${row.uneven.has === 1 ? 'value' : 'values'}`
      const why = `the row has ${count}, but there are ${row.uneven.wanted} columns`
      yield { leftOut: { what: isUser ? 'user' : 'second factor', why, of: `line ${line}` } }
      continue
    }
    const { values, computed } = row
    if (isUser) {
      found = true
      yield userIn(values, now, { place: `The row on line ${line}`, line, computed })
    } else if (values.status === 'verified') {
      const of = textOf(values.user_id)
      yield { leftOut: { ...secondFactorLeftBehind(values.factor_type ?? 'unknown'), ...(of && { of }) } }
    }
  }
  const has = others.size === 0 ? '' : ` It has rows of ${shownNames([...others], 5)}.`
  if (!found) throw new OperatorError(`The input has no rows of auth.users; expected ${expected}.${has}`)
}

const ownWords = new Set(['sub', 'iss', 'email', 'email_verified', 'phone', 'phone_verified', 'provider_id'])

type Place = { place: string; line: number; computed?: Readonly<Record<string, string>> }

/** The columns about a person; Supabase uses the others itself. */
const carried = ['email', 'phone', 'raw_user_meta_data', 'raw_app_meta_data', 'created_at', 'last_sign_in_at']

function userIn(row: JsonObject, now: Date, { place, line, computed = {} }: Place): Found {
  // An id that the database makes when it runs the file is not known here.
  const isMade = computed.id !== undefined || row.id === undefined
  const id = isMade ? place.replace(/^The row on /, '') : textOf(row.id)
  if (id === undefined) throw new OperatorError(`${place} has no id; expected ${expected}.`)
  const has = (column: string) => textOf(row[column]) !== undefined || computed[column] !== undefined
  if (has('deleted_at')) return { leftOut: { what: 'deleted user', why: 'deleted in the source', of: id } }
  if (isTrue(row.is_anonymous))
    return { leftOut: { what: 'anonymous user', why: 'has neither a username nor an email address', of: id } }
  const appMetadata = objectIn(row.raw_app_meta_data ?? row.app_metadata)
  const userMetadata = objectIn(row.raw_user_meta_data ?? row.user_metadata)
  const phone = textOf(row.phone)
  const bannedUntil = textOf(row.banned_until)
  return {
    line,
    person: {
      id,
      ...(isMade && { idIsPlace: true as const }),
      email: textOf(row.email),
      emailVerified: has('email_confirmed_at') || has('confirmed_at'),
      phone: phone === undefined || phone.startsWith('+') ? phone : `+${phone}`,
      ...namesInMetadata(userMetadata),
      active:
        computed.banned_until === undefined &&
        (bannedUntil === undefined || (instantOf(bannedUntil) ?? '9999') <= now.toISOString()),
      roles: [...rolesInMetadata(appMetadata), ...(isTrue(row.is_super_admin) ? ['is_super_admin'] : [])],
      password: passwordIn(row, computed),
      createdAt: row.created_at,
      lastLoginAt: row.last_sign_in_at,
      leftBehind: eachOnce([
        ...carried.map(
          (column) =>
            computed[column] !== undefined && {
              what: `column ${column}`,
              why: `the file has ${computed[column]} instead of a value, which only the database computes`,
            },
        ),
        phone !== undefined && phoneLeftBehind,
        ...[...textsOf(appMetadata.providers), textOf(appMetadata.provider) ?? 'email']
          .filter((provider) => provider !== 'email' && provider !== 'phone')
          .map(signInWithLeftBehind),
        bannedUntil !== undefined &&
          (instantOf(bannedUntil) ?? '9999') > now.toISOString() && {
            what: 'the end of a ban',
            why: 'the user stays inactive until an administrator activates the user',
          },
        ...Object.keys(appMetadata)
          .filter((name) => !['provider', 'providers', 'role', 'roles'].includes(name))
          .map((name) => attributeLeftBehind(`raw_app_meta_data.${name}`)),
        ...Object.keys(userMetadata)
          .filter((name) => !ownWords.has(name) && !isNameMember(name))
          .map((name) => attributeLeftBehind(`raw_user_meta_data.${name}`)),
      ]),
    },
  }
}

function passwordIn(row: JsonObject, computed: Readonly<Record<string, string>>): Person['password'] {
  const hash = textOf(row.encrypted_password)
  if (hash !== undefined) return { hash }
  if (computed.encrypted_password !== undefined)
    return {
      none: `the file has ${computed.encrypted_password} instead of a hash, which only the database computes; export the table, or set a password`,
    }
  if ('encrypted_password' in row) return noPassword
  return { none: 'encrypted_password is not in the file: the admin API leaves it out, the table auth.users has it' }
}

function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && /^(?:t|true)$/i.test(value))
}
