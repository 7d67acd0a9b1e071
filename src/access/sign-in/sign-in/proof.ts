/**
 * What the authenticators of a sign-in share. Each one (a password, a one-time code, a recovery code, a passkey) takes what
 * the browser sent and returns a proof, or refuses; decide.ts says whether the proof is enough for a session.
 */
import { randomBytes } from 'node:crypto'
import { system } from '../../../core/actor.ts'
import type { Config } from '../../../core/config.ts'
import type { Hasher } from '../../../directory/passwords/service.ts'
import type { AccessState, UserRow } from '../../../directory/users/service.ts'
import type { Method } from '../../../lib/amr.ts'
import type { Recorder } from '../../../record/audit/service.ts'
import type { Secrets } from '../../../store/secrets/service.ts'
import type { Storage } from '../../../store/storage/storage.ts'
import type { ChallengeRow } from '../../credentials/challenges/service.ts'
import type { RelyingParty } from '../../credentials/factors/service.ts'
import { type Device, newDeviceId, readDevices } from '../throttling/service.ts'
import type { Proof } from './decide.ts'
import type { Finishing, FromCompany } from './finish.ts'

export type SignInParts = {
  storage: Storage
  hasher: Hasher
  secrets: Secrets
  recorder: Recorder
  config: Pick<Config, 'keyEncryptionSecret' | 'keyEncryptionSecretPrevious' | 'trustBrowserDays'>
  relyingParty: RelyingParty
}
export type When = { now: number; requestId: string }

/** The browser or script that signs in. */
export type Visit = {
  address: string
  userAgent: string
  /** The origins of pages that may use passkeys. */
  origins?: readonly string[]
  /** The cookie of a browser in which a user has signed in before. */
  device?: string | undefined
  /** The cookie of a browser that has begun a sign-in. */
  challenge?: string | undefined
  /** The cookie of a browser in which users are not asked for their second factor. */
  trust?: string | undefined
  /** The browser's previous session. */
  replaces?: string | undefined
}

/** What the steps so far have proved, and what the end of the sign-in stores and uses up. */
export type Proved = Pick<Finishing, 'proof' | 'password_hash' | 'company' | 'reservation' | 'finishes' | 'used'> & {
  device: Device | undefined
}

/** What the steps before have proved, which the challenge keeps. */
export function provenBefore({ amr, password_hash, email_key, connection_id, company }: ChallengeRow): {
  before: Pick<Proof, 'amr'> & Partial<Pick<Proof, 'email_key'>>
  rest: Pick<Proved, 'password_hash' | 'company'>
} {
  return {
    before: {
      amr: amr.split(' ').filter((method) => method !== ''),
      ...(email_key !== null && { email_key }),
    },
    rest: {
      ...(password_hash !== null && { password_hash }),
      ...(connection_id !== null &&
        company !== null && {
          company: { connection_id, said: JSON.parse(company) as FromCompany['said'], hint: null },
        }),
    },
  }
}

/** Details of a failed sign-in that the audit record has and the response leaves out. */
export type Tried = {
  user?: UserRow
  method: 'password' | 'totp' | 'recovery_code' | 'passkey' | 'email_code'
  reason?:
    | 'unknown_user'
    | 'user_inactive'
    | 'user_expired'
    | 'organization_disabled'
    | 'no_password'
    | 'password_refused'
    | 'locked'
    | 'wrong_password'
    | 'wrong_code'
    | 'wrong_passkey'
    | 'unknown_passkey'
}

/** Why a user who is known may not sign in. */
export const barredReasons = {
  disabled: 'user_inactive',
  organization_disabled: 'organization_disabled',
  expired: 'user_expired',
} as const satisfies Record<Exclude<AccessState, 'active'>, Tried['reason']>

export type { Method }

export function requestAt({ now, requestId }: When) {
  return { actor: system, now, requestId }
}

export function deviceOf(
  { secrets }: Pick<SignInParts, 'secrets'>,
  { device }: Pick<Visit, 'device'>,
  user: { user_id: string } | undefined,
  now: number,
): Device | undefined {
  return readDevices(secrets.device, device, now).find((one) => one.user_id === user?.user_id)
}

export function newDevice(user_id: string): Device {
  return { user_id, device_id: newDeviceId() }
}

/** 256 random bits for a cookie. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}
