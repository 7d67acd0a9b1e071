/** Tokens that a provider sends by itself: logout tokens (OpenID Connect Back-Channel Logout 1.0 §2.6), and revocations. */
import { createLocalJWKSet, createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose'
import { type Order, ProtocolFailure } from '../connections/service.ts'
import type { GuardedFetch } from '../provider-calls/service.ts'

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
/** How old a token may be. */
const oldestSeconds = 120
/** How far the clock of the provider may be off. */
export const skewSeconds = 60

export type KeySet = (...args: Parameters<ReturnType<typeof createRemoteJWKSet>>) => Promise<CryptoKey>

/** How long keys that could not be read are not read again: anyone can send a token. */
const failedMs = 30_000

type KeySetParts = {
  fetch: GuardedFetch
  clock(): number
  /** Called with each request for the keys. */
  follow<Result>(request: () => Promise<Result>): Promise<Result>
}

/**
 * Keys are read again after ten minutes, and for an unknown key at most once a minute.
 *
 * @throws ProtocolFailure `provider_unreachable` if the provider publishes keys that cannot be read
 */
export function keySet(url: URL, { fetch, clock, follow }: KeySetParts): KeySet {
  const keys = createRemoteJWKSet(url, {
    cooldownDuration: 60_000,
    cacheMaxAge: 600_000,
    [customFetch]: (address, { headers, signal }) =>
      follow(async () => {
        const response = await fetch(String(address), { headers: Object.fromEntries(new Headers(headers)), signal })
        if (response.status !== 200) throw new Error(`The status is ${response.status}, not 200.`, { cause: response })
        const text = await response.text()
        createLocalJWKSet(JSON.parse(text))
        return new Response(text)
      }),
  })
  let failed: { until: number; failure: ProtocolFailure } | undefined
  return async (...token) => {
    if (failed !== undefined && clock() < failed.until) throw failed.failure
    try {
      return await keys(...token)
    } catch (cause) {
      // The token names a key that is not there, or names none of several.
      if (cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys) throw cause
      const words = cause instanceof Error ? cause.message : String(cause)
      const detail = `The keys that the provider publishes cannot be read: ${words.slice(0, 300)}`
      const failure = new ProtocolFailure('provider_unreachable', detail, { cause })
      // One bad key among good ones is a failure of the tokens that name it.
      if (!keys.fresh) failed = { until: clock() + failedMs, failure }
      throw failure
    }
  }
}

type Expected = { keys: KeySet; algorithms: readonly string[]; issuer: string; audience: string; now: number }

export async function readLogoutToken(
  token: string,
  expected: Expected,
): Promise<Order & { subject: string | null; sid: string | null }> {
  const { payload, header } = await verify(token, expected)
  if (header.typ?.toLowerCase() !== 'logout+jwt') throw invalid('The logout token is not of the type logout+jwt.')
  const { events, nonce, sub, sid } = payload
  const event = isRecord(events) ? events[logoutEvent] : undefined
  if (!isRecord(event)) throw invalid('The logout token has no event of a back-channel logout.')
  // Otherwise an ID token could be passed off as one.
  if (nonce !== undefined) throw invalid('The logout token has a nonce.')
  if (sub !== undefined && typeof sub !== 'string') throw invalid('The sub of the logout token is no text.')
  if (sid !== undefined && typeof sid !== 'string') throw invalid('The sid of the logout token is no text.')
  if (sub === undefined && sid === undefined) throw invalid('The logout token has neither sub nor sid.')
  return { ...orderOf(payload, expected), subject: sub ?? null, sid: sid ?? null }
}

export async function readRevocationToken(token: string, expected: Expected): Promise<Order> {
  const { payload, header } = await verify(token, expected)
  const typ = header.typ?.toLowerCase()
  if (typ !== undefined && !['jwt', 'global-token-revocation+jwt'].includes(typ)) {
    throw invalid('The token is of another type than global-token-revocation+jwt.')
  }
  return orderOf(payload, expected)
}

async function verify(token: string, { keys, algorithms, issuer, audience, now }: Expected) {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      algorithms: [...algorithms],
      issuer,
      audience,
      clockTolerance: skewSeconds,
      currentDate: new Date(now),
      requiredClaims: ['iat', 'jti'],
    })
    return { payload, header: protectedHeader }
  } catch (cause) {
    if (cause instanceof ProtocolFailure) throw cause
    const words = cause instanceof Error ? cause.message : String(cause)
    throw new ProtocolFailure('token_invalid', `The token is not valid: ${words.slice(0, 300)}`, { cause })
  }
}

/** Without `exp`, `iat` alone limits it. */
function orderOf({ iat = 0, jti }: JWTPayload, { now }: Expected): Order {
  if (typeof jti !== 'string' || jti === '' || jti.length > 512) throw invalid('The token has no usable jti.')
  const seconds = now / 1000
  if (iat < seconds - oldestSeconds) throw invalid('The token was issued more than two minutes ago.')
  if (iat > seconds + skewSeconds) throw invalid('The token was issued in the future.')
  return { id: jti, until: (iat + oldestSeconds + skewSeconds) * 1000 }
}

function invalid(detail: string): ProtocolFailure {
  return new ProtocolFailure('token_invalid', detail)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
