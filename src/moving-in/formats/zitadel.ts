/** Zitadel: the response of its API's export, or a file for its import. Each user is in one organization. */
import { OperatorError } from '../../core/errors.ts'
import {
  type JsonObject,
  jsonEntries,
  jsonValues,
  listOf,
  objectOf,
  placeOf,
  textOf,
  textsOf,
} from '../reading/json.ts'
import type { OrganizationFound } from '../reading/source.ts'
import { ofOrganization } from './organizations.ts'
import {
  eachOnce,
  type Found,
  type Person,
  phoneLeftBehind,
  secondFactorLeftBehind,
  signInWithLeftBehind,
} from './person.ts'

const expected = "the response of Zitadel's POST /admin/v1/export, an object with orgs and their humanUsers"
const roots = ['orgs', 'dataOrgs.orgs', 'data_orgs.orgs']
const kinds = ['humanUsers', 'machineUsers']

export async function* readZitadel(input: AsyncIterable<Uint8Array>): AsyncGenerator<Found> {
  const lists = roots.flatMap((root) => kinds.map((kind) => `${root}.*.${kind}`))
  for await (const { list, value, ...at } of jsonEntries(input, lists, expected)) {
    const id = textOf(value.userId)
    const user = objectOf(value.user)
    if (id === undefined || textOf(user.userName) === undefined)
      throw new OperatorError(`${placeOf(at)} has no userId or no user.userName; expected ${expected}.`)
    if (list.endsWith('machineUsers')) {
      const why = 'belongs to a program, not a person; create an API key instead'
      yield { leftOut: { what: 'service account', why, of: id } }
    } else yield { person: personIn(id, user), line: at.line }
  }
}

function personIn(id: string, user: JsonObject): Person {
  const [profile, email] = [objectOf(user.profile), objectOf(user.email)]
  const phone = textOf(objectOf(user.phone).phone)
  const hash = textOf(objectOf(user.hashedPassword).value)
  const otp = textOf(user.otpCode)
  return {
    id,
    username: textOf(user.userName),
    email: textOf(email.email),
    emailVerified: email.isEmailVerified === true,
    phone,
    firstName: textOf(profile.firstName),
    lastName: textOf(profile.lastName),
    fullName: textOf(profile.displayName),
    // The export has no state of a user.
    active: true,
    roles: [],
    password: hash === undefined ? { none: 'not in the file: export with "withPasswords": true' } : { hash },
    ...(otp !== undefined && { totp: [{ secret: otp }] }),
    mustChangePassword: user.passwordChangeRequired === true,
    leftBehind: eachOnce([
      phone !== undefined && phoneLeftBehind,
      user.requestPasswordlessRegistration === true && secondFactorLeftBehind('passkey'),
      ...listOf(user.idps).map((idp) => signInWithLeftBehind(textOf(objectOf(idp).displayName) ?? 'another provider')),
    ]),
  }
}

const members = ['orgId', 'org.name', 'domains.*', 'humanUsers.*', 'userGrants.*', 'orgMembers.*']

/** A user's roles are those in projects (`editor`) and in the organization (`organization:ORG_OWNER`). */
export async function* readZitadelOrganizations(input: AsyncIterable<Uint8Array>): AsyncGenerator<OrganizationFound> {
  let organization = ''
  for await (const { path, value } of jsonValues(
    input,
    roots.flatMap((root) => members.map((member) => `${root}.*.${member}`)),
    expected,
  )) {
    const at = path.indexOf('orgs')
    const name = path[at + 2]
    const object = objectOf(value)
    const user = textOf(object.userId)
    if (name === 'orgId') {
      organization = textOf(value) ?? ''
      yield { organization: { id: organization } }
    } else if (name === 'org') {
      const text = textOf(value)
      if (text !== undefined) yield { organization: { id: organization, name: text } }
    } else if (name === 'domains') {
      const domain = textOf(object.domainName)
      if (domain !== undefined) yield { domain: { organization, domain, isVerified: object.isVerified === true } }
    } else if (user !== undefined) {
      const roles = [...textsOf(object.roleKeys), ...textsOf(object.roles).map(ofOrganization)]
      // Members and grants can be users of another organization.
      yield { membership: { organization, user, roles, ...(name === 'humanUsers' && { isHome: true }) } }
    }
  }
}
