/** What the claims of a provider mean here: who signs in, is linked or created, or why the sign-in is refused. Changes nothing. */
import { system } from '../../../core/actor.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as users from '../../../directory/users/service.ts'
import { isServiceAccount } from '../../../directory/users/service.ts'
import { isMultiFactor } from '../../../lib/amr.ts'
import { emailKey } from '../../../lib/email-form.ts'
import { plainMailAddress } from '../../../lib/mail-address.ts'
import { withoutUnseen } from '../../../lib/unseen.ts'
import type { ChangeContext } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import { type ClaimNote, noteInEnglish } from './claim-notes.ts'
import { type ConnectionRow, settingsOf } from './connections.ts'
import { findIdentity, type IdentityRow, listIdentitiesOf } from './identities-store.ts'
import type { Arrival, Claims, Explained } from './kinds/kind.ts'
import { kindOf } from './kinds/kinds.ts'
import { isBeyondLimits } from './limits.ts'
import { claimAt } from './mapped-claims.ts'
import { hasPassed, isEndedByClaims, keptMapping, type Mapped, mappedOf, unreadDetail } from './mapping.ts'
import { couldGive, isUnowned, type Judging } from './ownership.ts'
import type { ProtocolReason } from './protocol.ts'
import type { SignInClaim, SignInTrial } from './schema.ts'
import type { Settings } from './settings.ts'

/** The relevant part of the claims, for every protocol. It travels to the writer thread. */
export type Person = {
  subject: string
  email: string | undefined
  /** The part of the address behind the @, in ASCII. */
  domain: string | undefined
  isVerified: boolean
  first_name: string
  last_name: string
  mapped: Mapped
  amr: string[]
  authTimeMs: number | undefined
  sid: string | undefined
}

export type RefusalReason =
  | 'subject_invalid'
  | 'user_removed'
  | 'user_inactive'
  | 'user_expired'
  | 'organization_disabled'
  | 'other_organization'
  | 'not_linked'
  | 'email_invalid'
  | 'email_unverified'
  | 'link_required'
  | 'address_reassigned'
  | 'role_not_mapped'
  | 'no_user'
  | 'name_taken'
  | 'identity_taken'
  | 'other_user'
  | 'used_before'

/** Why a sign-in through a connection did not succeed. */
export type Reason =
  | RefusalReason
  | ProtocolReason
  | 'expired'
  | 'other_browser'
  | 'inactive'
  | 'interrupted'
  | 'wrong_password'

export type Decision =
  | { outcome: 'signs_in'; user: users.UserRow; identity: IdentityRow }
  /** `isFirst`: no one owned the account before. */
  | { outcome: 'links'; user: users.UserRow; by: 'user' | 'domain'; isFirst: boolean }
  | { outcome: 'creates' }
  | { outcome: 'refused'; reason: RefusalReason; user?: users.UserRow }

type Vouching = Pick<ConnectionRow, 'kind' | 'settings'>

export function personOf(connection: Vouching, claims: Claims): Person {
  const settings = settingsOf(connection)
  const arrival = kindOf(connection.kind).arrivalOf(settings, claims)
  const email = typeof arrival.email === 'string' ? plainMailAddress(arrival.email) : undefined
  return {
    subject: arrival.subject,
    email,
    domain: email?.slice(email.lastIndexOf('@') + 1),
    isVerified: arrival.email_verified,
    first_name: nameIn(arrival.first_name),
    last_name: nameIn(arrival.last_name),
    mapped: mappedOf(connection.kind, settings, claims),
    amr: provesSecondFactor(settings, arrival) ? ['sso', 'mfa'] : ['sso'],
    authTimeMs: arrival.auth_time_ms,
    sid: arrival.sid,
  }
}

function provesSecondFactor({ second_factor, acr_values }: Settings, { amr, acr }: Arrival): boolean {
  return second_factor === 'provider' && (amr.includes('mfa') || (acr !== undefined && acr_values.includes(acr)))
}

function nameIn(value: unknown): string {
  return typeof value === 'string' && value.isWellFormed() ? withoutUnseen(value).trim().slice(0, 128) : ''
}

/** Whether a text can be the id of an account at a provider. */
export function isSubject(text: string): boolean {
  return /^\P{Cc}{1,255}$/u.test(text) && text.isWellFormed()
}

/** The signed-in user who links an account, or confirms who they are. */
export type Wanted = { purpose: 'link' | 'confirm'; user_id: string }

type Deciding = Pick<ConnectionRow, 'connection_id' | 'settings' | 'organization_id' | 'limited_permissions'>

export async function decide(
  { db, rules, now }: Judging,
  connection: Deciding,
  person: Person,
  wanted?: Wanted,
): Promise<Decision> {
  const { subject, email, domain, isVerified } = person
  if (!isSubject(subject)) return refused('subject_invalid')
  const identity = await findIdentity(db, connection.connection_id, subject)
  if (wanted?.purpose === 'confirm' && identity?.user_id !== wanted.user_id) {
    const isUnlinked = identity === undefined && (await couldLink(db, connection, wanted, email))
    return refused(isUnlinked ? 'link_required' : 'other_user')
  }
  if (wanted?.purpose === 'link' && identity !== undefined && identity.user_id !== wanted.user_id) {
    return refused('identity_taken')
  }
  const known = identity?.user_id ?? wanted?.user_id
  if (known !== undefined) {
    const user = await users.findById(db, scopeOf(system), known)
    if (user === undefined) return refused('user_removed')
    if (isElsewhere(connection, user)) return refused('other_organization', user)
    if (isBeyondLimits(rules, connection, user)) return refused('role_not_mapped', user)
    const barred = barredBy(user, { now, rules })
    if (barred !== undefined) return barred
    return identity ? { outcome: 'signs_in', user, identity } : { outcome: 'links', user, by: 'user', isFirst: false }
  }
  if (email === undefined || domain === undefined) return refused('not_linked')
  // Never reveal whether an unverified address belongs to a user.
  if (!isVerified) return refused('email_unverified')
  const { trusted_domains, provisioning_domains } = settingsOf(connection)
  const isOurs = trusted_domains.includes(domain) || provisioning_domains.includes(domain)
  // What an organization set up itself must not find out who else has an account here.
  if (connection.limited_permissions !== null && !isOurs) return refused('no_user')
  const found = await users.findForSignIn(db, email)
  // Nor must the provider of an organization, which can vouch for any address.
  if (found !== undefined && !isOurs && isElsewhere(connection, found)) return refused('no_user')
  if (found !== undefined) return decideLink({ db, rules, now }, connection, { email, domain, found })
  if (!provisioning_domains.includes(domain)) return refused('no_user')
  return hasPassed(person.mapped, now) ? refused('user_expired') : { outcome: 'creates' }
}

/** Whether an account with this address seems to be the one of a user who has not linked any of this connection. */
async function couldLink(
  db: Db,
  { connection_id }: Deciding,
  { user_id }: Wanted,
  email: string | undefined,
): Promise<boolean> {
  const user = await users.findById(db, scopeOf(system), user_id)
  if (email === undefined || user?.email_key !== emailKey(email)) return false
  return (await listIdentitiesOf(db, user_id)).every((one) => one.connection_id !== connection_id)
}

/** Whether a person whose address is verified becomes this user, who goes by the same address. */
async function decideLink(
  judging: Judging,
  connection: Deciding,
  { email, domain, found }: { email: string; domain: string; found: users.UserRow },
): Promise<Decision> {
  if (isElsewhere(connection, found)) return refused('other_organization', found)
  if (isBeyondLimits(judging.rules, connection, found)) return refused('role_not_mapped', found)
  const settings = settingsOf(connection)
  const isSameAddress = found.email_key === emailKey(email)
  // SCIM and imports may write the address as the username alone. With another address as well, it is a name like any other.
  if (!isSameAddress && found.email_key !== null) return refused('name_taken', found)
  const otherwise = isSameAddress ? 'link_required' : 'name_taken'
  if (!settings.trusted_domains.includes(domain) || isServiceAccount(found)) return refused(otherwise, found)
  // Companies give an address to the next person: the user is the one with the other account of the same company.
  const identities = await listIdentitiesOf(judging.db, found.user_id)
  if (identities.some(({ connection_id }) => connection_id === connection.connection_id)) {
    return refused('address_reassigned', found)
  }
  const isFirst = await isUnowned(judging.db, found)
  if (!isSameAddress || found.email_verified !== 1) {
    if (!isFirst) return refused(otherwise, found)
    if (!(await couldGive(judging, settings, found))) return refused('role_not_mapped', found)
  }
  return barredBy(found, judging) ?? { outcome: 'links', user: found, by: 'domain', isFirst }
}

/** Whether the connection belongs to an organization that is not the user's. Who belongs to none is elsewhere as well. */
export function isElsewhere(
  { organization_id }: Pick<ConnectionRow, 'organization_id'>,
  user: Pick<users.UserRow, 'organization_id'>,
): boolean {
  return organization_id !== null && user.organization_id !== organization_id
}

/** Refuses users who may not use their access now. */
function barredBy(user: users.UserRow, at: users.At): Decision | undefined {
  const state = users.accessState(user, at)
  return state === 'active' ? undefined : refused(barredReasons[state], user)
}

const barredReasons = {
  disabled: 'user_inactive',
  organization_disabled: 'organization_disabled',
  expired: 'user_expired',
} as const

function refused(reason: RefusalReason, user?: users.UserRow): Decision {
  return { outcome: 'refused', reason, ...(user && { user }) }
}

/**
 * The same for a change: a user whom an address names is held, and decided about again. Otherwise two people with the
 * address could both become the user. And on PostgreSQL, the same person may have become the user in another tab between the
 * look-up of the identity and that of the address.
 */
export async function decideForChange(
  ctx: ChangeContext,
  ...rest: [connection: Deciding, person: Person, wanted?: Wanted]
): Promise<Decision> {
  const decision = await decide(ctx, ...rest)
  const isJoined = decision.outcome === 'links' && decision.by === 'domain'
  const named = isJoined || decision.outcome === 'refused' ? decision.user : undefined
  if (named === undefined) return decision
  await users.findRowForChange(ctx.db, scopeOf(ctx.actor), named.user_id)
  return decide(ctx, ...rest)
}

/** For the administrator: what happened, and what to change. */
export const reasonTexts: Readonly<Record<RefusalReason, string>> = {
  subject_invalid:
    'The response of the provider has no usable id of the account (OpenID Connect: sub). Check which value it is configured to use as the subject.',
  user_removed: 'The user with this identity was deleted. Restore the user, or remove the identity.',
  user_inactive: 'The user is disabled. Activate the user to let them sign in.',
  user_expired:
    'The end date of the user has passed: the one here, or the one that the claim of expires_at_claim names. Set a later one to let them sign in.',
  organization_disabled: 'The organization of the user is disabled. Enable it to let its users sign in.',
  other_organization:
    'The user does not belong to the organization of this connection. Move the user to it, or let them sign in another way.',
  not_linked:
    'No user has this identity, and the provider sent no usable email address. Let the user sign in and link the connection, or let the provider send the claim email.',
  email_invalid: 'The email address is not valid.',
  email_unverified:
    'The provider does not state that the address is verified. With OpenID Connect, email_verified must be true (Entra ID: xms_edov). With SAML and LDAP, set emails_verified if people cannot change their own address there. Or let the user link the connection while signed in.',
  link_required:
    'A user with this address exists, and the connection may not link them: its domain must be in trusted_domains, and the address must be verified here too, or no one may have used the account yet. The user can link the connection while signed in, or an administrator can link this account (POST /users/{user_id}/identities).',
  address_reassigned:
    'The user with this address has another account of this connection, so the provider has given the address to another person. It is renewed when that user signs in next; or change it now. Then this person can sign in. If both accounts belong to the same user, link this one as well (POST /users/{user_id}/identities).',
  role_not_mapped:
    'The user holds permissions that this connection may not give. If they have never signed in, these are beyond its mapping: link the account (POST /users/{user_id}/identities), or take the role from the user until the first sign-in. A connection that an organization set up itself never signs in users with more permissions than the administrator who set it up.',
  no_user:
    'No user has this identity or address, and no users are created for this domain. Create the user, or add the domain to provisioning_domains.',
  name_taken:
    'The username of a user equals this address, and the connection may not link them. Change the username, or link the account (POST /users/{user_id}/identities).',
  identity_taken: 'Another user has already linked this account of the provider.',
  other_user: 'The user confirmed with an account of the provider that is not linked to them.',
  used_before: 'This message of the provider was used before. It may have been copied from another browser.',
}

/** What arrived, claim by claim. */
export function explainClaims(connection: Vouching, claims: Claims): SignInClaim[] {
  const settings = settingsOf(connection)
  const kind = kindOf(connection.kind)
  const arrival = kind.arrivalOf(settings, claims)
  const person = personOf(connection, claims)
  const { domain } = person
  const emailNotes = (): ClaimNote[] => {
    if (arrival.email === undefined) return [{ code: 'email_missing' }]
    if (domain === undefined) return [{ code: 'email_malformed' }]
    return [
      { code: settings.trusted_domains.includes(domain) ? 'domain_trusted' : 'domain_untrusted', name: domain },
      { code: settings.provisioning_domains.includes(domain) ? 'domain_provisioned' : 'domain_not_provisioned' },
    ]
  }
  const [subject, ...own] = kind.explain(settings, claims, arrival)
  const rows: Explained[] = [
    ...(subject === undefined ? [] : [subject]),
    { claim: kind.emailClaim?.(settings, claims) ?? kind.claimNames.email, notes: emailNotes() },
    ...own,
    ...explainMapping(settings, person.mapped),
    { claim: kind.claimNames.amr, notes: [{ code: isMultiFactor(person.amr) ? 'factor' : 'no_factor' }] },
    {
      claim: kind.claimNames.acr,
      notes: [{ code: settings.acr_values.length === 0 ? 'acr_ignored' : 'acr_compared' }],
    },
    {
      claim: kind.claimNames.auth_time,
      notes: [{ code: person.authTimeMs === undefined ? 'auth_time_missing' : 'auth_time' }],
    },
  ]
  return rows
    .filter(({ claim }) => claim !== '')
    .map(({ claim, notes }) => ({
      claim,
      value: shownValue(claimAt(claims, claim)),
      note: noteInEnglish(notes),
      notes: [...notes],
    }))
}

function explainMapping(settings: Settings, mapped: Mapped): Explained[] {
  const { role, isRoleMapped, groups, attributes, unread } = mapped
  const { role_claim, group_claim, attribute_claims, expires_at_claim } = settings
  const noteOf = (sets: 'role' | 'groups' | 'expires_at'): ClaimNote | undefined => {
    const found = unread.find((one) => one.sets === sets)
    return found && { code: `${sets}_${found.why}` }
  }
  const roleNote = noteOf('role') ?? { code: isRoleMapped ? 'role_mapped' : 'role_unmatched', name: role }
  const total = new Set(Object.values(settings.groups)).size
  const groupNote = noteOf('groups') ?? { code: 'groups_mapped', count: groups.length, total }
  const both = role_claim !== null && role_claim === group_claim
  return [
    ...(role_claim === null ? [] : [{ claim: role_claim, notes: both ? [roleNote, groupNote] : [roleNote] }]),
    ...(group_claim === null || both ? [] : [{ claim: group_claim, notes: [groupNote] }]),
    ...Object.entries(attribute_claims).map(([name, claim]): Explained => {
      const code = Object.hasOwn(attributes, name) ? 'attribute_mapped' : 'attribute_unmapped'
      return { claim, notes: [{ code, name }] }
    }),
    ...(expires_at_claim === null
      ? []
      : [{ claim: expires_at_claim, notes: [noteOf('expires_at') ?? endNote(mapped)] }]),
  ]
}

function endNote({ expires_at }: Mapped): ClaimNote {
  if (expires_at === undefined) return { code: 'expires_at_missing' }
  if (expires_at === null) return { code: 'expires_at_never' }
  return { code: 'expires_at_mapped', name: expires_at }
}

/** JSON escapes what a database or a page would not accept. */
function shownValue(value: unknown): string | null {
  if (value === undefined) return null
  return JSON.stringify(value).slice(0, 200).toWellFormed()
}

/** The decision about a sign-in, which is refused if the claims end the access of the user. */
export async function decideSignIn(
  judging: Judging,
  connection: ConnectionRow,
  person: Person,
  wanted?: Wanted,
): Promise<Decision> {
  const decision = await decide(judging, connection, person, wanted)
  if (decision.outcome !== 'signs_in' && decision.outcome !== 'links') return decision
  const isEnded = isEndedByClaims(connection, decision.user, person.mapped, judging.now)
  return isEnded ? refused('user_expired', decision.user) : decision
}

export async function tryClaims(judging: Judging, connection: ConnectionRow, claims: Claims): Promise<SignInTrial> {
  const person = personOf(connection, claims)
  const decision = await decideSignIn(judging, connection, person)
  const explained = explainClaims(connection, claims)
  const { outcome } = decision
  if (outcome === 'refused')
    return { outcome, reason: decision.reason, detail: reasonTexts[decision.reason], claims: explained }
  const isNew = outcome === 'creates'
  const unread = unreadDetail(settingsOf(connection), person.mapped, { isNew })
  const withUnread = (text: string) => (unread === undefined ? text : `${text} ${unread}`)
  const { role, groups, attributes, expires_at } = isNew
    ? person.mapped
    : await keptMapping(judging.db, connection, decision.user, person.mapped)
  const mapped = { role, groups, attributes, ...(expires_at !== undefined && { expires_at }) }
  if (isNew) {
    const { email = '', first_name, last_name } = person
    const user = { username: email, email, first_name, last_name, role }
    return { outcome, detail: withUnread('A user is created and signs in.'), user, mapped, claims: explained }
  }
  const { user } = decision
  const detail =
    outcome === 'links' ? `The identity is linked to ${user.username}, who signs in.` : `${user.username} signs in.`
  return { outcome, detail: withUnread(detail), user_id: user.user_id, mapped, claims: explained }
}
