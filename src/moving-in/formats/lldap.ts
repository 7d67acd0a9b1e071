/** LLDAP: its table users as CSV or JSON, or the response of its GraphQL API to a query for users. */
import { OperatorError } from '../../core/errors.ts'
import { glance } from '../reading/bytes.ts'
import { csvRows } from '../reading/csv.ts'
import { type JsonObject, jsonEntries, listOf, objectOf, placeOf, textOf } from '../reading/json.ts'
import { systemCheck } from '../reading/system-check.ts'
import {
  attributeLeftBehind,
  eachOnce,
  type Found,
  type Person,
  pictureLeftBehind,
  secondFactorLeftBehind,
} from './person.ts'

const expected =
  "LLDAP's table users as CSV with a header line or as JSON, or the response of its GraphQL API to a query for users"

export async function* readLldap(input: AsyncIterable<Uint8Array>): AsyncGenerator<Found> {
  const { line, bytes } = await glance(input)
  if (line === '') throw new OperatorError(`The input is empty; expected ${expected}.`)
  const check = systemCheck('lldap', expected)
  if (!/^[[{]/.test(line)) {
    for await (const one of csvRows(bytes, expected, { needs: ['user_id', 'email'] })) {
      if ('row' in one) check(one.row, `Line ${one.line}`)
      yield 'leftOut' in one ? one : { person: personIn(one.row.user_id ?? '', one.row), line: one.line }
    }
    return
  }
  let isFaulty = false
  const errors = (value: unknown): void => {
    isFaulty ||= listOf(value).length > 0
  }
  const single = ['user_id', 'uuid', 'creation_date', 'creationDate', 'display_name']
  for await (const { value, ...at } of jsonEntries(bytes, ['data.users', 'users'], expected, {
    beside: { errors },
    single,
  })) {
    const id = textOf(value.user_id) ?? textOf(value.id)
    if (id === undefined) throw new OperatorError(`${placeOf(at)} has no user_id or id; expected ${expected}.`)
    check(value, placeOf(at))
    yield { person: personIn(id, value), line: at.line }
  }
  if (isFaulty)
    throw new OperatorError(`The response contains errors, so some users may be missing; expected ${expected}.`)
}

// Columns and members besides the attributes that an administrator defines.
const understood = new Set([
  'user_id',
  'id',
  'mail',
  'display_name',
  'first_name',
  'last_name',
  'creation_date',
  'uuid',
  'avatar',
])

function personIn(username: string, user: JsonObject): Person {
  const attributes = Object.fromEntries(
    listOf(user.attributes)
      .map(objectOf)
      .map((attribute) => [attribute.name, listOf(attribute.value)[0] ?? attribute.value]),
  ) as JsonObject
  return {
    // LLDAP identifies users by name; the uuid is the only value that never changes.
    id: textOf(user.uuid) ?? username,
    username,
    email: textOf(user.email),
    firstName: textOf(user.first_name) ?? textOf(user.firstName) ?? textOf(attributes.first_name),
    lastName: textOf(user.last_name) ?? textOf(user.lastName) ?? textOf(attributes.last_name),
    fullName: textOf(user.display_name) ?? textOf(user.displayName),
    active: true,
    roles: listOf(user.groups).flatMap((group) => textOf(objectOf(group).displayName) ?? textOf(group) ?? []),
    password: {
      none: 'stored as an OPAQUE record, which only LLDAP can verify; the user cannot sign in until a password is set',
    },
    createdAt: user.creation_date ?? user.creationDate,
    leftBehind: eachOnce([
      (textOf(user.avatar) ?? textOf(attributes.avatar)) !== undefined && pictureLeftBehind,
      textOf(user.totp_secret) !== undefined && secondFactorLeftBehind(textOf(user.mfa_type) ?? 'totp'),
      ...Object.keys(attributes)
        .filter((name) => !understood.has(name))
        .map(attributeLeftBehind),
    ]),
  }
}
