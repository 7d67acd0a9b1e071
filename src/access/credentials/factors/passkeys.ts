/**
 * Verifies what passkeys sign, with @simplewebauthn/server. Leaves to the callers which challenge and which user it is
 * for, and what it grants.
 */
import { randomBytes } from 'node:crypto'
import { memberFault, validationFailed } from '../../../core/errors.ts'
import { isUuid, uuidv7Maker } from '../../../lib/uuidv7.ts'
import { isUsableKey } from './credential-key.ts'
import type { PasskeyAssertion, PasskeyRegistration } from './passkey-schema.ts'
import type { FactorRow } from './store.ts'

/** 28 MB and a third of a second: loaded when the first passkey is verified, not before. */
const library = () => import('@simplewebauthn/server')

/** EdDSA, ES256 and RS256 (WebAuthn §5.4): what the authenticators in use support. */
export const algorithms = [-8, -7, -257]

/** The user's id as passkeys keep it (WebAuthn §14.6.1): its 16 bytes, in base64url. */
export function userHandle(userId: string): string {
  return Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url')
}

const newId = uuidv7Maker()

/** What a passkey is to sign begins with the id of its challenge, so that a response says which one it belongs to. */
export function newCeremony(now: number): { challenge_id: string; webauthn: string } {
  const challenge_id = newId(now)
  const id = Buffer.from(challenge_id.replaceAll('-', ''), 'hex')
  return { challenge_id, webauthn: Buffer.concat([id, randomBytes(32)]).toString('base64url') }
}

/** Returns the challenge that a response claims to be for; undefined if it is not one of ours. */
export function challengeIdOf({ response }: PasskeyAssertion | PasskeyRegistration): string | undefined {
  const { challenge } = clientDataOf(response.clientDataJSON)
  if (typeof challenge !== 'string') return undefined
  const hex = Buffer.from(challenge, 'base64url').toString('hex', 0, 16)
  const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  return isUuid(id) ? id : undefined
}

type Expected = { challenge: string | null; origins: readonly string[] }

/** What is stored of a new passkey, and what its owner has proven. */
export type Registered = Pick<
  FactorRow,
  'credential_id' | 'public_key' | 'sign_count' | 'transports' | 'rp_id' | 'aaguid' | 'backup_eligible' | 'backed_up'
> & { methods: string[] }

/** @throws AppError `validation_failed` */
export async function checkRegistration(
  input: PasskeyRegistration,
  { challenge, origins, rpId }: Expected & { rpId: string },
): Promise<Registered> {
  const { clientDataJSON, attestationObject, transports = [] } = input.response
  if (challenge === null || origins.length === 0 || isEmbedded(clientDataJSON)) throw refused()
  const { verifyRegistrationResponse } = await library()
  const { id, type, rawId = id } = input
  const { verified, registrationInfo: info } = await verifyRegistrationResponse({
    response: { id, rawId, type, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: [...origins],
    expectedRPID: rpId,
    requireUserVerification: false,
    supportedAlgorithmIDs: algorithms,
  }).catch((error: Error) => {
    throw refused(error)
  })
  if (!verified || info.credential.id !== id) throw refused()
  const { decodeCredentialPublicKey } = await import('@simplewebauthn/server/helpers')
  if (!isUsableKey(decodeCredentialPublicKey(info.credential.publicKey) as Map<unknown, unknown>)) {
    throw badPasskey(
      'Its key does not fit its algorithm, so it could never sign in. Use another device or password manager.',
    )
  }
  return {
    credential_id: id,
    public_key: Buffer.from(info.credential.publicKey).toString('base64url'),
    sign_count: info.credential.counter,
    transports: [...new Set(transports)].join(' '),
    rp_id: rpId,
    aaguid: info.aaguid,
    backup_eligible: Number(info.credentialDeviceType === 'multiDevice'),
    backed_up: Number(info.credentialBackedUp),
    methods: methodsOf(info.userVerified),
  }
}

/** A passkey that was shown, and what must still be true when it is used up. */
export type PasskeyUse = { kind: 'passkey'; factor_id: string; sign_count: number; backed_up: number }

/** Returns what the passkey has proven, and what that uses up; undefined if it does not fit. */
export async function checkAssertion(
  input: PasskeyAssertion,
  { challenge, origins, row, isAlone }: Expected & { row: FactorRow; isAlone: boolean },
): Promise<{ methods: string[]; used: PasskeyUse } | undefined> {
  const { clientDataJSON, authenticatorData, signature, userHandle: handle } = input.response
  const { credential_id, public_key, rp_id, factor_id } = row
  if (challenge === null || origins.length === 0 || isEmbedded(clientDataJSON)) return undefined
  if (credential_id === null || public_key === null || rp_id === null || credential_id !== input.id) return undefined
  // Without a name, the handle is what says who signs in (WebAuthn §7.2 step 6).
  if (handle == null ? isAlone : handle.replace(/=+$/, '') !== userHandle(row.user_id)) return undefined
  const { verifyAuthenticationResponse } = await library()
  const { id, type, rawId = id } = input
  const response = { clientDataJSON, authenticatorData, signature }
  try {
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response: { id, rawId, type, response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: [...origins],
      expectedRPID: rp_id,
      requireUserVerification: isAlone,
      credential: {
        id: credential_id,
        publicKey: new Uint8Array(Buffer.from(public_key, 'base64url')),
        counter: Number(row.sign_count),
      },
    })
    // Whether a passkey can be copied never changes (WebAuthn §7.2 step 18).
    if (!verified || Number(info.credentialDeviceType === 'multiDevice') !== Number(row.backup_eligible))
      return undefined
    const used = { factor_id, sign_count: info.newCounter, backed_up: Number(info.credentialBackedUp) }
    return { methods: methodsOf(info.userVerified), used: { kind: 'passkey', ...used } }
  } catch {
    // The library throws for everything that does not fit; what was sent is the caller's, so there is nothing to repair.
    return undefined
  }
}

/** A passkey that has verified its owner is two kinds of proof by itself; without that it is something one has. */
function methodsOf(isVerified: boolean): string[] {
  return isVerified ? ['pop', 'user', 'mfa'] : ['pop', 'user']
}

/** Whether the page was in a frame of another site. The library accepts that as long as the outer origin is not named. */
function isEmbedded(clientDataJSON: string): boolean {
  const { crossOrigin, topOrigin } = clientDataOf(clientDataJSON)
  return (crossOrigin !== undefined && crossOrigin !== false) || topOrigin !== undefined
}

function clientDataOf(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

function refused(cause?: Error) {
  const failed = badPasskey(
    'The passkey does not fit this page, this browser or these options. Request new options, and try again.',
  )
  failed.cause = cause
  return failed
}

function badPasskey(detail: string) {
  return validationFailed([memberFault('passkey', 'bad_passkey', detail)])
}

/** Password managers by their AAGUID, for a name that the user recognizes. */
const makers = new Map([
  ['ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4', 'Google Password Manager'],
  ['fbfc3007-154e-4ecc-8c0b-6e020557d7bd', 'Apple Passwords'],
  ['dd4ec289-e01d-41c9-bb89-70fa845d4bf2', 'Apple Passwords'],
  ['08987058-cadc-4b81-b6e1-30de50dcbe96', 'Windows Hello'],
  ['9ddd1817-af5a-4672-a2b9-3e3dd95000a9', 'Windows Hello'],
  ['6028b017-b1d4-4c02-b4b3-afcdafc96bb2', 'Windows Hello'],
  ['bada5566-a7aa-401f-bd96-45619a55120d', '1Password'],
  ['d548826e-79b4-db40-a3d8-11116f7e8349', 'Bitwarden'],
  ['531126d6-e717-415c-9320-3d9aa6981239', 'Dashlane'],
  ['50726f74-6f6e-5061-7373-50726f746f6e', 'Proton Pass'],
  ['fdb141b2-5d84-443e-8a35-4698c205a502', 'KeePassXC'],
])

export function nameFor({ aaguid }: Pick<Registered, 'aaguid'>): string {
  return makers.get(aaguid ?? '') ?? 'Passkey'
}
