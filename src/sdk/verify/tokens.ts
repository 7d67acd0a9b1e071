/** Verifies access tokens (RFC 9068) without a request to Rollbook. Revocations are in revoked.ts. */
import { hash } from 'node:crypto'
import type { CompactJWSHeaderParameters, JWTPayload, JWTVerifyOptions } from 'jose'
import { isOurs, type OurClaims } from './caller.ts'
import { invalid, VerifyError } from './errors.ts'
import { loadJose } from './jose.ts'
import { algorithmOf, type SigningKeys } from './signing-keys.ts'

export type VerifiedToken = { readonly claims: OurClaims; readonly kid: string; readonly expiresAtMs: number }

export type TokenRules = { issuer: string; audience: string; keys: SigningKeys; clock: () => number }

/** How many verified tokens are cached. */
const mostRemembered = 10_000
/** The feed keeps revocations for 15 minutes, so a token that lives longer could outlive its revocation. */
const longestLifeSeconds = 15 * 60
/** Base64url of 64 bytes has four unused bits. They must be zero, or the same token would have several spellings. */
const signatureForm = /\.[\w-]{85}[AQgw]$/
/** Headers by which a token names its own key (RFC 7515 §4.1), which would let anyone forge one (RFC 8725 §3.10). */
const selfServing = ['jku', 'jwk', 'x5u', 'x5c', 'crit']

/**
 * Verifies a token; returns without a promise if the result is cached. Throws or rejects with `credential_invalid`, or
 * with `verification_unavailable` while the signing keys cannot be fetched.
 */
export type VerifyToken = (token: string) => VerifiedToken | Promise<VerifiedToken>

export function tokenVerifier({ issuer, audience, keys, clock }: TokenRules): VerifyToken {
  const remembered = new Map<string, VerifiedToken>()
  /** A token is cached at its second use: for a token that is used once, caching costs more than it saves. */
  const seenOnce = new Set<string>()
  const options: JWTVerifyOptions = {
    algorithms: ['EdDSA', 'ES256'], // Each with keys of its own kind only; see keyOf.
    typ: 'at+jwt',
    issuer,
    audience,
    get currentDate() {
      return new Date(clock())
    },
  }

  function keyOf(header: CompactJWSHeaderParameters): CryptoKey | Promise<CryptoKey> {
    if (selfServing.some((name) => name in header)) throw invalid('The token refers to its own keys.')
    const found = typeof header.kid === 'string' ? keys.find(header.kid) : undefined
    const ofItsKind = (key: CryptoKey | undefined) => {
      if (key !== undefined && algorithmOf(key) !== header.alg)
        throw invalid('The token names another algorithm than its key.')
      return orRefuse(key)
    }
    return found instanceof Promise ? found.then(ofItsKind) : ofItsKind(found)
  }

  async function verify(token: string, name: string | undefined): Promise<VerifiedToken> {
    if (!signatureForm.test(token)) throw invalid('The token has no Rollbook signature.')
    const { errors, jwtVerify } = await loadJose()
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keyOf, options)
      const verified = {
        claims: ours(payload),
        kid: protectedHeader.kid as string,
        expiresAtMs: (payload.exp as number) * 1000,
      }
      if (name === undefined) noteFirstSight(token)
      else remember(name, verified)
      return verified
    } catch (error) {
      if (error instanceof VerifyError) throw error
      if (error instanceof errors.JWTExpired) throw invalid('The token has expired.')
      if (error instanceof errors.JOSEError)
        throw invalid('The token was not issued by Rollbook for this service.', error)
      throw error
    }
  }

  function noteFirstSight(token: string): void {
    if (seenOnce.size >= mostRemembered) seenOnce.clear()
    seenOnce.add(tailOf(token))
  }

  function remember(name: string, verified: VerifiedToken): void {
    if (remembered.size >= mostRemembered) remembered.delete(remembered.keys().next().value as string)
    remembered.set(name, verified)
  }

  return (token) => {
    if (!seenOnce.has(tailOf(token))) return verify(token, undefined)
    // The token is a credential, so only its hash is stored.
    const name = hash('sha256', token, 'base64')
    const known = remembered.get(name)
    // Without the feed, only the key set shows that a signing key was revoked.
    if (known === undefined || !keys.has(known.kid)) return verify(token, name)
    if (known.expiresAtMs > clock()) return known
    remembered.delete(name)
    throw invalid('The token has expired.')
  }
}

/** Returns 72 bits of the signature. Forging the same bits only causes a lookup by hash. */
function tailOf(token: string): string {
  return token.slice(-12)
}

function orRefuse(key: CryptoKey | undefined): CryptoKey {
  if (key === undefined) throw invalid('The token is not signed with a Rollbook key.')
  return key
}

function ours(payload: JWTPayload): OurClaims {
  const { exp, iat, jti } = payload
  if (typeof exp !== 'number' || typeof iat !== 'number' || typeof jti !== 'string' || !isOurs(payload)) {
    throw invalid('The token lacks claims that every Rollbook token has.')
  }
  if (exp - iat > longestLifeSeconds) throw invalid('The token is valid for longer than Rollbook tokens are.')
  return payload
}
