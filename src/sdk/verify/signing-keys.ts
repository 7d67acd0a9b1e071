/** Fetches and caches the public keys that verify Rollbook's tokens (RFC 7517). */
import type { JWK } from 'jose'
import { unavailable } from './errors.ts'
import { type Issuer, readJson } from './issuer.ts'
import { loadJose } from './jose.ts'

export type SigningKeys = {
  /** Returns a key, without a promise if it is cached. Undefined: Rollbook publishes no such key. */
  find(kid: string): CryptoKey | undefined | Promise<CryptoKey | undefined>
  /** Whether the key is cached and still trusted. */
  has(kid: string): boolean
  /** Drops a revoked key, and allows an immediate fetch: another key signs already. */
  forget(kid: string): void
}

/** Rollbook publishes a key 15 minutes before it signs. */
const freshMs = 5 * 60_000
/** While Rollbook does not respond, old keys are used up to this age; one of them may have been revoked. */
const staleMs = 60 * 60_000
/** Limits how often made-up key ids cause a fetch. */
const cooldownMs = 5000
const retryMs = 1000
/** After a revocation, a node may not know the new key yet, so fetches are more frequent for a second. */
const [nodeLagMs, hurryMs] = [1000, 250]
const mostKeys = 32

export function signingKeysOf(issuer: Issuer, onTrouble: (error: Error) => void): SigningKeys {
  let known = new Map<string, CryptoKey>()
  let [loadedAt, triedAt, failed] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, false]
  let forgotAt = Number.NEGATIVE_INFINITY
  let loading: Promise<void> | undefined

  function pauseMs(): number {
    if (failed) return retryMs
    return triedAt - forgotAt < nodeLagMs ? hurryMs : cooldownMs
  }

  async function load(): Promise<void> {
    triedAt = performance.now()
    try {
      const { keys } = await readJson(
        await issuer.get('/.well-known/jwks.json', { headers: { accept: 'application/json' } }),
      )
      known = await importAll(keys)
      failed = false
      loadedAt = triedAt
    } catch (cause) {
      failed = true
      const error = unavailable('The signing keys cannot be fetched from Rollbook.', cause)
      onTrouble(error)
      throw error
    } finally {
      loading = undefined
    }
  }

  async function loadAndFind(kid: string): Promise<CryptoKey | undefined> {
    if (loading === undefined) {
      const isStale = performance.now() - loadedAt >= staleMs
      if (performance.now() - triedAt < pauseMs()) {
        if (isStale) throw unavailable('The signing keys could not be fetched from Rollbook a moment ago.')
        return known.get(kid)
      }
      loading = load()
    }
    await loading
    return known.get(kid)
  }

  return {
    find(kid) {
      const found = known.get(kid)
      const age = performance.now() - loadedAt
      if (found === undefined || age >= staleMs) return loadAndFind(kid)
      if (age >= freshMs) loadAndFind(kid).catch(onTrouble)
      return found
    },
    has: (kid) => known.has(kid) && performance.now() - loadedAt < staleMs,
    forget(kid) {
      known.delete(kid)
      triedAt = Number.NEGATIVE_INFINITY
      forgotAt = performance.now()
    },
  }
}

/** What Rollbook signs with. Both signatures have 64 bytes. */
const kinds = [
  { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA' },
  { kty: 'EC', crv: 'P-256', alg: 'ES256' },
] as const

/** The algorithm of a key, which its tokens must name (RFC 8725 §3.1). */
export function algorithmOf({ algorithm }: CryptoKey): string {
  return algorithm.name === 'ECDSA' ? 'ES256' : 'EdDSA'
}

/** Imports the keys of these kinds by `kid`, and ignores others, which Rollbook does not use. */
async function importAll(keys: unknown): Promise<Map<string, CryptoKey>> {
  if (!Array.isArray(keys) || keys.length > mostKeys)
    throw new Error(`The key set has no list of up to ${mostKeys} keys.`)
  const { importJWK } = await loadJose()
  const usable = (keys as JWK[]).flatMap(({ kty, crv, x, y, kid, alg, use = 'sig', d }) => {
    const kind = kinds.find((one) => one.kty === kty && one.crv === crv && one.alg === (alg ?? one.alg))
    if (kind === undefined || typeof kid !== 'string' || use !== 'sig' || d !== undefined) return []
    return [{ kid, alg: kind.alg, jwk: { kty, crv, x, ...(kty === 'EC' && { y }) } as JWK }]
  })
  const imported = await Promise.all(usable.map(async ({ kid, alg, jwk }) => [kid, await importJWK(jwk, alg)] as const))
  return new Map(imported as [string, CryptoKey][])
}
