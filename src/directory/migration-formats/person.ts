import type { LeftOut } from './source.ts'

/** A user as a source has them, before our rules are applied. */
export type Person = {
  /** What the source calls the user by; in reports, and as `external_id` or `user_id`. */
  id: string
  /** There is no id in the source: it says only where the user stands, for reports. */
  idIsPlace?: true
  username?: string | undefined
  email?: string | undefined
  /** False only where the source says so. */
  emailVerified?: boolean | undefined
  phone?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
  /** Used when there is neither of the two above. */
  fullName?: string | undefined
  externalId?: string | undefined
  active: boolean
  /** Roles and groups, by the names that a role map uses. */
  roles: readonly string[]
  /** Our role, where a mapping has said so. */
  role?: string | undefined
  /** In a form of docs/import-hashes.md, or why there is none. `ifStrong`: left out when it is too weak. */
  password: { hash: string } | { clear: string; ifStrong?: true } | { none: string }
  /** The password is a temporary one. */
  mustChangePassword?: boolean
  createdAt?: unknown
  lastLoginAt?: unknown
  /** What else there was, and cannot be carried over. */
  leftBehind: readonly Omit<LeftOut, 'of'>[]
}

/** `line`: where the user begins in the file. */
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

/** What there are several of in a list, once each. */
export function eachOnce(left: readonly (Omit<LeftOut, 'of'> | undefined | false)[]): Omit<LeftOut, 'of'>[] {
  const byKey = new Map<string, Omit<LeftOut, 'of'>>()
  for (const entry of left) if (entry) byKey.set(`${entry.what}\n${entry.why}`, entry)
  return [...byKey.values()]
}

/** A name of the source in a report: one line, and not for ever. */
export function shortened(name: string): string {
  const line = name.replaceAll(/\p{C}+/gu, ' ')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
