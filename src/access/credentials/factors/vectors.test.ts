/** The vectors of W3C Web Authentication Level 3, section 16, in test/webauthn-vectors.json (in base64url). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { AppError } from '../../../core/errors.ts'
import { checkAssertion, checkRegistration, userHandle } from './passkeys.ts'
import type { FactorRow } from './store.ts'

type Vector = {
  name: string
  credential_id: string
  registration: { challenge: string; clientDataJSON: string; attestationObject: string }
  authentication: { challenge: string; clientDataJSON: string; authenticatorData: string; signature: string }
}

const file = join(import.meta.dirname, '../../../../test/webauthn-vectors.json')
const vectors: Vector[] = JSON.parse(readFileSync(file, 'utf8'))

const user_id = '018f0000-0000-7000-8000-000000000000'
const origins = ['https://example.org']

/** With the flags of user verification and of a copy, as each vector has them at its assertion. */
const accepted: Record<string, { isVerified: boolean; backed_up: number }> = {
  'none.ES256': { isVerified: false, backed_up: 1 },
  'packed-self.ES256': { isVerified: false, backed_up: 0 },
  'none.ES256.long-credential-id': { isVerified: true, backed_up: 0 },
  'packed.ES256': { isVerified: true, backed_up: 0 },
  'packed.RS256': { isVerified: false, backed_up: 1 },
  'packed.EdDSA': { isVerified: false, backed_up: 0 },
}

/** Why the others are refused; undefined: by us, because the page was in a frame of another site. */
const refused: Record<string, RegExp | undefined> = {
  'none.ES256.crossOrigin': undefined,
  'none.ES256.topOrigin': undefined,
  // Not among the algorithms that the options offer.
  'packed.ES384': /Unexpected public key alg "-35"/,
  'packed.ES512': /Unexpected public key alg "-36"/,
  'packed.Ed448': /Unexpected public key alg "-53"/,
  // Their certificates are of the authority of the vectors, which is no maker of such devices. No attestation is asked for,
  // and browsers then send none.
  'tpm.ES256': /Could not match TPM manufacturer "id:00000000"/,
  'android-key.ES256': /certificate path \(Android Key\)/,
  'apple.ES256': /could not be chained to any specified trust anchor/,
  // FIDO U2F has no AAGUID (§8.6: 16 zero bytes); the vector has one.
  'fido-u2f.ES256': /AAGUID .* was not expected value/,
}

function register({ credential_id: id, registration }: Vector, challenge = registration.challenge) {
  const response = { ...registration, transports: [] }
  return checkRegistration({ id, type: 'public-key', response }, { challenge, origins, rpId: 'example.org' })
}

type Changes = { row?: Partial<FactorRow>; authentication?: Partial<Vector['authentication']>; isAlone?: boolean }

async function assertionOf(vector: Vector, { row, authentication, isAlone = false }: Changes = {}) {
  const { methods: _, ...created } = await register(vector)
  const { challenge, ...response } = { ...vector.authentication, ...authentication }
  const input = { id: vector.credential_id, type: 'public-key' as const, response }
  const stored = { ...created, factor_id: 'laptop', user_id, ...row } as FactorRow
  const userHandleOf = isAlone ? { userHandle: userHandle(user_id) } : {}
  const assertion = { ...input, response: { ...response, ...userHandleOf } }
  return checkAssertion(assertion, { challenge, origins, row: stored, isAlone })
}

const find = (name: string) => vectors.find((vector) => vector.name === name) ?? assert.fail(name)

/** The text with one bit of this byte changed. */
function flip(text: string, at: number): string {
  const bytes = Buffer.from(text, 'base64url')
  const index = at < 0 ? bytes.length + at : at
  bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index)
  return bytes.toString('base64url')
}

describe('the vectors of WebAuthn Level 3', () => {
  it('are all in one of the two lists', () => {
    const names = [...Object.keys(accepted), ...Object.keys(refused)]
    assert.deepEqual(vectors.map(({ name }) => name).sort(), names.sort())
  })

  for (const [name, { isVerified, backed_up }] of Object.entries(accepted)) {
    it(`are accepted: ${name}`, async () => {
      const vector = find(name)
      const methods = isVerified ? ['pop', 'user', 'mfa'] : ['pop', 'user']
      const used = { kind: 'passkey', factor_id: 'laptop', sign_count: 0, backed_up }
      assert.deepEqual(await assertionOf(vector), { methods, used })
      const alone = await assertionOf(vector, { isAlone: true })
      assert.deepEqual(alone, isVerified ? { methods, used } : undefined, 'alone, only with user verification')
    })

    it(`are refused with one bit changed, or with the key of another: ${name}`, async () => {
      const vector = find(name)
      const { authenticatorData, clientDataJSON, signature, challenge } = vector.authentication
      const { public_key } = await register(find(name === 'none.ES256' ? 'packed.ES256' : 'none.ES256'))
      const changes: Record<string, Changes> = {
        rpIdHash: { authentication: { authenticatorData: flip(authenticatorData, 0) } },
        flags: { authentication: { authenticatorData: flip(authenticatorData, 32) } },
        'signature counter': { authentication: { authenticatorData: flip(authenticatorData, -1) } },
        'a byte more': { authentication: { authenticatorData: `${authenticatorData.slice(0, -1)}AAA` } },
        clientDataJSON: { authentication: { clientDataJSON: flip(clientDataJSON, -3) } },
        'the first byte of the signature': { authentication: { signature: flip(signature, 0) } },
        'the last byte of the signature': { authentication: { signature: flip(signature, -1) } },
        challenge: { authentication: { challenge: flip(challenge, 0) } },
        'public key': { row: { public_key } },
        domain: { row: { rp_id: 'example.com' } },
        credential: { row: { credential_id: 'AAAA' } },
      }
      for (const [what, change] of Object.entries(changes)) {
        assert.equal(await assertionOf(vector, change), undefined, what)
      }
      await assert.rejects(register(vector, flip(vector.registration.challenge, 0)), { name: 'AppError' })
      const attestationObject = flip(vector.registration.attestationObject, 40)
      await assert.rejects(register({ ...vector, registration: { ...vector.registration, attestationObject } }))
    })
  }

  for (const [name, why] of Object.entries(refused)) {
    it(`are refused for the reason that is known: ${name}`, async () => {
      await assert.rejects(register(find(name)), (error: AppError) => {
        const cause = error.cause as Error | undefined
        if (why === undefined) assert.equal(cause, undefined)
        else assert.match(String(cause?.message), why)
        return true
      })
    })
  }
})
