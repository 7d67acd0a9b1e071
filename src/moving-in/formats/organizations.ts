/**
 * Organizations as APIs and tables have them: an organization with or without its members, a membership, a domain, or a user with
 * the organizations they are in, in any order.
 */
import { type JsonObject, jsonEntries, listOf, objectOf, placeOf, textOf } from '../reading/json.ts'
import type { Membership, OrganizationFound } from '../reading/source.ts'
import { shortened } from './person.ts'

const expected =
  'organizations, memberships or users with their organizations, as the guide of the system in docs/migrate.md shows'
const lists = ['organizations', 'memberships', 'members', 'domains', 'data', 'users']
const single = [
  ...['user_id', 'userId', 'organization_id', 'organizationId', 'public_user_data'],
  ...['name', 'display_name', 'slug', 'username', 'email', 'primary_email', 'primaryEmail'],
]

/** Only users have one of these, which may be empty. */
const addresses = ['email', 'primaryEmail', 'primary_email', 'email_addresses']

export async function* readOrganizations(input: AsyncIterable<Uint8Array>): AsyncGenerator<OrganizationFound> {
  for await (const { value, ...at } of jsonEntries(input, lists, expected, { pages: true, single })) {
    const organization = organizationIn(value)
    const user = userIn(value)
    if (organization !== undefined && user !== undefined) yield* membershipIn(value, organization, user)
    else if (addresses.some((name) => name in value)) yield* organizationsOfUser(value)
    else if (organization !== undefined && textOf(value.name ?? value.domain) !== undefined)
      yield* domainIn(value, organization)
    else if (textOf(value.id) !== undefined && nameIn(value) !== undefined) yield* wholeOrganization(value)
    else yield { leftOut: { what: 'entry of the organizations', why: 'its form is unknown', of: placeOf(at) } }
  }
}

function organizationIn(value: JsonObject): string | undefined {
  return (
    textOf(objectOf(value.organization).id) ?? textOf(value.organization_id ?? value.organizationId ?? value.org_id)
  )
}

function userIn(value: JsonObject): string | undefined {
  return textOf(objectOf(value.public_user_data).user_id ?? objectOf(value.user).id ?? value.user_id ?? value.userId)
}

function nameIn(value: JsonObject): string | undefined {
  return textOf(value.display_name ?? value.name)
}

/** The organization, and its members and domains if they are in it. */
function* wholeOrganization(value: JsonObject): Generator<OrganizationFound> {
  const id = textOf(value.id) as string
  yield organizationOf(value, id)
  yield* domainsIn(value, id)
  for (const member of listOf(value.members ?? value.users ?? value.memberships).map(objectOf)) {
    const user = userIn(member) ?? textOf(member.id)
    if (user !== undefined) yield* membershipIn(member, id, user)
  }
}

function organizationOf(value: JsonObject, id: string): OrganizationFound {
  const [name, alias] = [nameIn(value), textOf(value.slug ?? value.alias)]
  return {
    organization: {
      id,
      ...(name !== undefined && { name }),
      ...(alias !== undefined && { alias }),
      ...((value.isMfaRequired === true || value.is_mfa_required === true) && { needsSecondFactor: true }),
    },
  }
}

function* membershipIn(value: JsonObject, organization: string, user: string): Generator<OrganizationFound> {
  const whole = objectOf(value.organization)
  if (nameIn(whole) !== undefined) yield organizationOf(whole, organization)
  yield { membership: { organization, user, roles: rolesIn(value) } }
}

/** `role` can have several, separated by commas. */
function rolesIn(value: JsonObject): Membership['roles'] {
  const listed = [...listOf(value.roles), ...listOf(value.organizationRoles), ...listOf(value.organization_roles)]
  const names = [
    ...(textOf(value.role) ?? '').split(','),
    ...listed.map((role) => textOf(role) ?? textOf(objectOf(role).name) ?? ''),
  ]
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))].map(ofOrganization)
}

/** So that a role within an organization is not taken for one of the same name in the whole system. Clerk's have such names. */
export function ofOrganization(role: string): string {
  return role.startsWith('org:') ? role : `organization:${role}`
}

function* domainsIn(value: JsonObject, id: string): Generator<OrganizationFound> {
  for (const domain of listOf(value.domains ?? value.email_domains ?? value.emailDomains))
    yield* domainIn(typeof domain === 'string' ? { domain } : objectOf(domain), id)
}

function* domainIn(value: JsonObject, organization: string): Generator<OrganizationFound> {
  const domain = textOf(value.domain ?? value.name)
  if (domain === undefined) return
  const status = textOf(value.status ?? objectOf(value.verification).status)
  yield { domain: { organization, domain: shortened(domain), isVerified: status === 'verified' } }
}

function* organizationsOfUser(value: JsonObject): Generator<OrganizationFound> {
  const user = textOf(value.id ?? value.user_id)
  if (user === undefined) return
  for (const one of listOf(value.organizations).map(objectOf)) {
    const id = textOf(one.id ?? one.organization_id)
    if (id === undefined) continue
    yield organizationOf(one, id)
    yield* domainsIn(one, id)
    yield { membership: { organization: id, user, roles: rolesIn(one) } }
  }
}
