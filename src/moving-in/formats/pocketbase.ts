/** PocketBase: rows of the collection users from its SQLite file, as CSV or JSON, or what its API answers. */
import { OperatorError } from '../../core/errors.ts'
import { glance } from '../reading/bytes.ts'
import { csvRows } from '../reading/csv.ts'
import { type JsonObject, jsonEntries, placeOf, textOf } from '../reading/json.ts'
import type { LeftOut } from '../reading/source.ts'
import { systemCheck } from '../reading/system-check.ts'
import { rolesInMetadata } from './metadata.ts'
import { attributeLeftBehind, eachOnce, type Found, type Person, pictureLeftBehind } from './person.ts'

const expected = "PocketBase's table users as CSV with a header line or as JSON, or the records that its API lists"

export async function* readPocketbase(input: AsyncIterable<Uint8Array>): AsyncGenerator<Found> {
  const { line, bytes } = await glance(input)
  if (line === '') throw new OperatorError(`The input is empty; expected ${expected}.`)
  const check = systemCheck('pocketbase', expected)
  for await (const one of /^[[{]/.test(line) ? recordsInJson(bytes) : recordsInCsv(bytes)) {
    if ('leftOut' in one) {
      yield one
      continue
    }
    const { record, place, line: at } = one
    const id = textOf(record.id)
    if (id === undefined || !('email' in record || 'username' in record))
      throw new OperatorError(`${place} has no id, or neither email nor username; expected ${expected}.`)
    check(record, place)
    yield { person: personIn(id, record), line: at }
  }
}

type Entry = { record: JsonObject; place: string; line: number } | { leftOut: LeftOut }

async function* recordsInCsv(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  for await (const one of csvRows(bytes, expected, { needs: ['id', 'email'] }))
    yield 'leftOut' in one ? one : { record: one.row, place: `The record on line ${one.line}`, line: one.line }
}

async function* recordsInJson(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  let count = 0
  let total = 0
  // Each page of the API says how many there are on all pages together; -1 when that was not asked for.
  const totalItems = (value: unknown): void => {
    total = Math.max(total, Number(value))
  }
  const single = ['collectionId', 'collectionName', 'tokenKey', 'passwordHash']
  for await (const { value, ...at } of jsonEntries(bytes, ['items'], expected, {
    beside: { totalItems },
    single,
    pages: true,
  })) {
    count++
    yield { record: value, place: placeOf(at), line: at.line }
  }
  if (count < total)
    throw new OperatorError(
      `The input has ${count} of ${total} records. Write the responses for all pages into one file, one after the other.`,
    )
}

// The fields that every collection of users has, from 0.8 on.
const understood = new Set([
  ...['id', 'created', 'updated', 'username', 'email', 'emailVisibility', 'verified', 'name', 'avatar', 'avatarUrl'],
  ...['password', 'passwordHash', 'tokenKey', 'lastResetSentAt', 'lastVerificationSentAt', 'lastLoginAlertSentAt'],
  ...['collectionId', 'collectionName', 'expand', 'role', 'roles'],
])

function personIn(id: string, record: JsonObject): Person {
  // The column is called password since 0.23; the API leaves out both.
  const hash = textOf(record.passwordHash) ?? textOf(record.password)
  const verified = record.verified
  return {
    id,
    username: textOf(record.username),
    email: textOf(record.email),
    emailVerified: verified === undefined ? undefined : /^(?:true|1)$/.test(String(verified)),
    fullName: textOf(record.name),
    active: true,
    roles: rolesInMetadata({ ...record, roles: listIn(record.roles) }),
    password:
      hash === undefined ? { none: 'not in the export: the API leaves it out; the SQLite file contains it' } : { hash },
    createdAt: record.created,
    leftBehind: eachOnce([
      (textOf(record.avatar) ?? textOf(record.avatarUrl)) !== undefined && pictureLeftBehind,
      ...Object.keys(record)
        .filter((name) => !understood.has(name) && textOf(record[name]) !== undefined)
        .map(attributeLeftBehind),
    ]),
  }
}

/** In SQLite a field of several values is a text of JSON. */
function listIn(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('[')) return value
  try {
    return JSON.parse(value)
  } catch {
    return [value]
  }
}
