import type { AttributeValues } from '../../directory/attributes/schema.ts'
import type { TotpForm } from '../../lib/totp-form.ts'
import type { LeftOut } from '../reading/source.ts'

/** A user as the source has it, before our rules apply. */
export type Person = {
  /** The source's id of the user; used in reports, and as `external_id` or `user_id`. */
  id: string
  /** The source has no id: this is only the user's place in the file, for reports. */
  idIsPlace?: true
  /** By what organizations name their members, if not by the id. */
  memberName?: string
  username?: string | undefined
  email?: string | undefined
  /** False only if the source says so. */
  emailVerified?: boolean | undefined
  phone?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
  /** Used if neither of the two above is set. */
  fullName?: string | undefined
  externalId?: string | undefined
  active: boolean
  /** Roles and groups, by the names that a role map uses. */
  roles: readonly string[]
  /** Our role, if a mapping sets it. */
  role?: string | undefined
  /** In a form of docs/migrate/password-hashes.md, or the reason for not having one. `ifStrong`: left out if too weak. */
  password: { hash: string } | { clear: string; ifStrong?: true } | { none: string }
  /** One-time codes, as the source has them: with a reason in `leftOut` if they cannot be verified here. */
  totp?: readonly Totp[]
  attributes?: AttributeValues
  /** The password is temporary. */
  mustChangePassword?: boolean
  createdAt?: unknown
  lastLoginAt?: unknown
  /** Other data that cannot be carried over. */
  leftBehind: readonly Omit<LeftOut, 'of'>[]
}

export type Totp = TotpForm & { name?: string | undefined }

/** `line`: where the user starts in the file. */
export type Found = { person: Person; line?: number } | { leftOut: LeftOut }

const notKept = 'Rollbook does not store this'

export const phoneLeftBehind = { what: 'phone number', why: notKept }
export const pictureLeftBehind = { what: 'picture', why: notKept }

export function attributeLeftBehind(name: string): Omit<LeftOut, 'of'> {
  return { what: `attribute ${shortened(name)}`, why: notKept }
}

export function secondFactorLeftBehind(kind: string): Omit<LeftOut, 'of'> {
  return {
    what: `second factor: ${shortened(kind)}`,
    why: 'not carried over; the user signs in with only the password',
  }
}

export function signInWithLeftBehind(provider: string): Omit<LeftOut, 'of'> {
  return { what: `sign-in with ${shortened(provider)}`, why: 'links to other identities are not carried over' }
}

export const noPassword = { none: 'none in the source; the user cannot sign in until a password is set' }

/** Returns each duplicate of a list once. */
export function eachOnce(left: readonly (Omit<LeftOut, 'of'> | undefined | false)[]): Omit<LeftOut, 'of'>[] {
  const byKey = new Map<string, Omit<LeftOut, 'of'>>()
  for (const entry of left) if (entry) byKey.set(`${entry.what}\n${entry.why}`, entry)
  return [...byKey.values()]
}

/** Formats a name of the source for a report: on one line, shortened. */
export function shortened(name: string): string {
  const line = name.replaceAll(/\p{C}+/gu, ' ')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
