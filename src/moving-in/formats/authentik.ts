/** authentik: its users with their groups and one-time codes, as the query in docs/migrate/authentik.md writes them. */
import { OperatorError } from '../../core/errors.ts'
import { toBase32 } from '../../lib/totp-form.ts'
import { type JsonObject, jsonEntries, listOf, objectOf, placeOf, textOf, textsOf } from '../reading/json.ts'
import { systemCheck } from '../reading/system-check.ts'
import { eachOnce, type Found, noPassword, type Person, secondFactorLeftBehind, type Totp } from './person.ts'

const expected = 'users of authentik: one JSON object per line, as the query in docs/migrate/authentik.md writes them'

export async function* readAuthentik(input: AsyncIterable<Uint8Array>): AsyncGenerator<Found> {
  const check = systemCheck('authentik', expected)
  for await (const { value, ...at } of jsonEntries(input, [], expected, { single: ['ak_groups', 'totp_devices'] })) {
    const id = textOf(value.uuid)
    const username = textOf(value.username)
    if (id === undefined || username === undefined || !('ak_groups' in value))
      throw new OperatorError(`${placeOf(at)} has no uuid, username or ak_groups; expected ${expected}.`)
    check(value, placeOf(at))
    const type = textOf(value.type) ?? 'internal'
    if (type.endsWith('service_account')) {
      const why = 'belongs to a program, not a person; create an API key instead'
      yield { leftOut: { what: 'service account', why, of: id } }
      continue
    }
    yield { person: personIn(id, username, value), line: at.line }
  }
}

function personIn(id: string, username: string, user: JsonObject): Person {
  const hash = textOf(user.password)
  const devices = listOf(user.totp_devices).map(objectOf)
  return {
    id,
    username,
    email: textOf(user.email),
    fullName: textOf(user.name),
    active: user.is_active !== false,
    roles: textsOf(user.ak_groups),
    // Django marks an unusable password with an exclamation mark.
    password: hash === undefined || hash.startsWith('!') ? noPassword : { hash },
    totp: devices.flatMap((device) => totpIn(device) ?? []),
    createdAt: user.joined_at,
    lastLoginAt: user.last_login,
    leftBehind: eachOnce([
      ...devices.map((device) => totpIn(device) === undefined && secondFactorLeftBehind('totp, not confirmed')),
      ...textsOf(user.other_devices).map(secondFactorLeftBehind),
    ]),
  }
}

/** The key is in hex. An enrollment that was not finished is no factor. */
function totpIn({ key, digits, step, name, confirmed }: JsonObject): Totp | undefined {
  const hex = textOf(key) ?? ''
  if (confirmed === false || !/^(?:[0-9a-f]{2})+$/i.test(hex)) return undefined
  const number = (value: unknown) => (textOf(value) === undefined ? undefined : Number(value))
  return { secret: toBase32(Buffer.from(hex, 'hex')), name: textOf(name), digits: number(digits), period: number(step) }
}
