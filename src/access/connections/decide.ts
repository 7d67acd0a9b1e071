/** What the claims of a provider mean here: who signs in, is linked or created, or why the sign-in is refused. Changes nothing. */
import * as users from '../../directory/users/service.ts'
import { isServiceAccount } from '../../directory/users/service-accounts.ts'
import { isMultiFactor } from '../../lib/amr.ts'
import { emailKey } from '../../lib/email-form.ts'
import { plainMailAddress } from '../../lib/mail-address.ts'
import type { Db } from '../../store/db/db.ts'
import { type ClaimNote, noteInEnglish } from './claim-notes.ts'
import { findIdentity, type IdentityRow } from './identities-store.ts'
import type { Arrival, Claims, Explained } from './kinds/kind.ts'
import { kindOf } from './kinds/kinds.ts'
import { type Mapped, mappedOf } from './mapping.ts'
import type { ProtocolReason } from './protocol.ts'
import type { SignInClaim, SignInTrial } from './schema.ts'
import { type ConnectionRow, settingsOf } from './service.ts'
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
  | 'not_linked'
  | 'email_invalid'
  | 'email_unverified'
  | 'link_required'
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
  | { outcome: 'links'; user: users.UserRow; by: 'user' | 'domain' }
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
    mapped: mappedOf(settings, claims),
    amr: provesSecondFactor(settings, arrival) ? ['sso', 'mfa'] : ['sso'],
    authTimeMs: arrival.auth_time_ms,
    sid: arrival.sid,
  }
}

function provesSecondFactor({ second_factor, acr_values }: Settings, { amr, acr }: Arrival): boolean {
  return second_factor === 'provider' && (amr.includes('mfa') || (acr !== undefined && acr_values.includes(acr)))
}

function nameIn(value: unknown): string {
  return typeof value === 'string' && value.isWellFormed()
    ? value
        .replaceAll(/\p{Cc}/gu, ' ')
        .trim()
        .slice(0, 128)
    : ''
}

/** The signed-in user who links an account, or confirms who they are. */
export type Wanted = { purpose: 'link' | 'confirm'; user_id: string }

export async function decide(
  db: Db,
  connection: Pick<ConnectionRow, 'connection_id' | 'settings'>,
  person: Person,
  wanted?: Wanted,
): Promise<Decision> {
  const { subject, email, domain, isVerified } = person
  if (!/^\P{Cc}{1,255}$/u.test(subject) || !subject.isWellFormed()) return refused('subject_invalid')
  const identity = await findIdentity(db, connection.connection_id, subject)
  if (wanted?.purpose === 'confirm' && identity?.user_id !== wanted.user_id) return refused('other_user')
  if (wanted?.purpose === 'link' && identity !== undefined && identity.user_id !== wanted.user_id) {
    return refused('identity_taken')
  }
  const known = identity?.user_id ?? wanted?.user_id
  if (known !== undefined) {
    const user = await users.findById(db, known)
    if (user === undefined) return refused('user_removed')
    if (user.active !== 1) return refused('user_inactive', user)
    return identity ? { outcome: 'signs_in', user, identity } : { outcome: 'links', user, by: 'user' }
  }
  if (email === undefined || domain === undefined) return refused('not_linked')
  // Never reveal whether an unverified address belongs to a user.
  if (!isVerified) return refused('email_unverified')
  const { trusted_domains, provisioning_domains } = settingsOf(connection)
  const found = await users.findForSignIn(db, email)
  if (found !== undefined && found.email_key !== emailKey(email)) return refused('name_taken', found)
  if (found !== undefined) {
    const mayLink = trusted_domains.includes(domain) && found.email_verified === 1 && !isServiceAccount(found)
    if (!mayLink) return refused('link_required', found)
    return found.active === 1 ? { outcome: 'links', user: found, by: 'domain' } : refused('user_inactive', found)
  }
  if (!provisioning_domains.includes(domain)) return refused('no_user')
  return { outcome: 'creates' }
}

function refused(reason: RefusalReason, user?: users.UserRow): Decision {
  return { outcome: 'refused', reason, ...(user && { user }) }
}

/** For the administrator: what happened, and what to change. */
export const reasonTexts: Readonly<Record<RefusalReason, string>> = {
  subject_invalid:
    'The response of the provider has no usable id of the account (OpenID Connect: sub). Check which value it is configured to use as the subject.',
  user_removed: 'The user with this identity was deleted. Restore the user, or remove the identity.',
  user_inactive: 'The user is disabled. Activate the user to let them sign in.',
  not_linked:
    'No user has this identity, and the provider sent no usable email address. Let the user sign in and link the connection, or let the provider send the claim email.',
  email_invalid: 'The email address is not valid.',
  email_unverified:
    'The provider does not state that the address is verified. With OpenID Connect, email_verified must be true (Entra ID: xms_edov). With SAML and LDAP, set emails_verified if people cannot change their own address there. Or let the user link the connection while signed in.',
  link_required:
    'A user with this address exists, and the connection may not link them: its domain must be in trusted_domains, and the address must be verified here too. The user can link the connection while signed in.',
  no_user:
    'No user has this identity or address, and no users are created for this domain. Create the user, or add the domain to provisioning_domains.',
  name_taken: 'The username of another user equals this address.',
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
      value: shownValue(Object.hasOwn(claims, claim) ? claims[claim] : undefined),
      note: noteInEnglish(notes),
      notes: [...notes],
    }))
}

function explainMapping(settings: Settings, { role, isRoleMapped, groups, attributes }: Mapped): Explained[] {
  const { role_claim, group_claim, attribute_claims } = settings
  const roleNote: ClaimNote = { code: isRoleMapped ? 'role_mapped' : 'role_unmatched', name: role }
  const total = new Set(Object.values(settings.groups)).size
  const groupNote: ClaimNote = { code: 'groups_mapped', count: groups.length, total }
  const both = role_claim !== null && role_claim === group_claim
  return [
    ...(role_claim === null ? [] : [{ claim: role_claim, notes: both ? [roleNote, groupNote] : [roleNote] }]),
    ...(group_claim === null || both ? [] : [{ claim: group_claim, notes: [groupNote] }]),
    ...Object.entries(attribute_claims).map(([name, claim]): Explained => {
      const code = Object.hasOwn(attributes, name) ? 'attribute_mapped' : 'attribute_unmapped'
      return { claim, notes: [{ code, name }] }
    }),
  ]
}

/** JSON escapes what a database or a page would not accept. */
function shownValue(value: unknown): string | null {
  if (value === undefined) return null
  return JSON.stringify(value).slice(0, 200).toWellFormed()
}

export async function tryClaims(db: Db, connection: ConnectionRow, claims: Claims): Promise<SignInTrial> {
  const person = personOf(connection, claims)
  const decision = await decide(db, connection, person)
  const explained = explainClaims(connection, claims)
  const { isRoleMapped: _, ...mapped } = person.mapped
  const { outcome } = decision
  if (outcome === 'refused')
    return { outcome, reason: decision.reason, detail: reasonTexts[decision.reason], claims: explained }
  if (outcome === 'creates') {
    const { email = '', first_name, last_name } = person
    const user = { username: email, email, first_name, last_name, role: mapped.role }
    return { outcome, detail: 'A user is created and signs in.', user, mapped, claims: explained }
  }
  const { user } = decision
  const detail =
    outcome === 'links' ? `The identity is linked to ${user.username}, who signs in.` : `${user.username} signs in.`
  return { outcome, detail, user_id: user.user_id, mapped, claims: explained }
}
