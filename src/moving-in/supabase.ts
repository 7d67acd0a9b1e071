/** Supabase: the table auth.users, as CSV or as pg_dump writes it (COPY or INSERT). */
import { OperatorError } from '../errors.ts'
import { glance } from './bytes.ts'
import { csvRows } from './csv.ts'
import { instantOf } from './instants.ts'
import { objectIn, textOf, textsOf } from './json.ts'
import { isNameMember, namesInMetadata, rolesInMetadata } from './metadata.ts'
import {
  attributeLeftBehind,
  eachOnce,
  type Found,
  noPassword,
  phoneLeftBehind,
  secondFactorLeftBehind,
  signInWithLeftBehind,
} from './person.ts'
import { dumpRows } from './postgres-dump.ts'
import type { SourceOptions } from './source.ts'

const expected =
  "Supabase's table auth.users, as CSV with a header line or as the SQL of pg_dump --data-only --table auth.users"

export async function* readSupabase(input: AsyncIterable<Uint8Array>, { now }: SourceOptions): AsyncGenerator<Found> {
  const { line, bytes } = await glance(input)
  if (line === '') throw new OperatorError(`The input is empty; expected ${expected}.`)
  if (/^[\w"]+(?:,[\w"]+)+$/.test(line)) {
    for await (const row of csvRows(bytes, expected, { needs: ['id', 'email', 'encrypted_password'] }))
      yield userIn(row, now)
    return
  }
  let found = false
  const wanted = (table: string): boolean => table === 'auth.users' || table === 'auth.mfa_factors'
  for await (const { table, values } of dumpRows(bytes, wanted, expected)) {
    if (table === 'auth.users') {
      found = true
      yield userIn(values, now)
    } else if (values.status === 'verified') {
      const of = textOf(values.user_id)
      yield { leftOut: { ...secondFactorLeftBehind(values.factor_type ?? 'unknown'), ...(of && { of }) } }
    }
  }
  if (!found) throw new OperatorError(`The input has no rows of auth.users; expected ${expected}.`)
}

const ownWords = new Set(['sub', 'iss', 'email', 'email_verified', 'phone', 'phone_verified', 'provider_id'])

function userIn(row: Record<string, string | null>, now: Date): Found {
  const id = textOf(row.id)
  if (id === undefined) throw new OperatorError(`A user has no id; expected ${expected}.`)
  if (textOf(row.deleted_at) !== undefined) return { leftOut: { what: 'user', why: 'deleted in the source', of: id } }
  if (isTrue(row.is_anonymous))
    return { leftOut: { what: 'user', why: 'anonymous: neither name nor address to sign in with', of: id } }
  const appMetadata = objectIn(row.raw_app_meta_data)
  const userMetadata = objectIn(row.raw_user_meta_data)
  const hash = textOf(row.encrypted_password)
  const phone = textOf(row.phone)
  const bannedUntil = textOf(row.banned_until)
  return {
    person: {
      id,
      email: textOf(row.email),
      emailVerified: textOf(row.email_confirmed_at ?? row.confirmed_at) !== undefined,
      phone: phone === undefined || phone.startsWith('+') ? phone : `+${phone}`,
      ...namesInMetadata(userMetadata),
      active: bannedUntil === undefined || (instantOf(bannedUntil) ?? '9999') <= now.toISOString(),
      roles: [...rolesInMetadata(appMetadata), ...(isTrue(row.is_super_admin) ? ['is_super_admin'] : [])],
      password: hash === undefined ? noPassword : { hash },
      createdAt: row.created_at,
      lastLoginAt: row.last_sign_in_at,
      leftBehind: eachOnce([
        phone !== undefined && phoneLeftBehind,
        ...[...textsOf(appMetadata.providers), textOf(appMetadata.provider) ?? 'email']
          .filter((provider) => provider !== 'email' && provider !== 'phone')
          .map(signInWithLeftBehind),
        bannedUntil !== undefined &&
          (instantOf(bannedUntil) ?? '9999') > now.toISOString() && {
            what: 'the end of a ban',
            why: 'the user is not active until an administrator says so',
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

function isTrue(text: string | null | undefined): boolean {
  return text === 't' || text === 'true' || text === 'TRUE'
}
