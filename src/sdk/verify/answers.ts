/** Introspects credentials at Rollbook (RFC 7662) and caches the responses for a short time. */
import { hash } from 'node:crypto'
import { isOurs, type OurClaims } from './caller.ts'
import { unavailable } from './errors.ts'
import type { Feed } from './feed.ts'
import { type Issuer, readJson } from './issuer.ts'
import type { Credential } from './request.ts'
import type { Revoked } from './revoked.ts'

export type Answers = {
  /** Introspects a credential without the cache. Undefined: Rollbook does not accept it. */
  introspect(credential: Credential): Promise<OurClaims | undefined>
  /** Returns the cached response while it can be trusted, and introspects otherwise. */
  find(credential: Credential): Promise<OurClaims | undefined>
}

export type AnswersOptions = {
  issuer: Issuer
  feed: Feed
  revoked: Revoked
  cacheMs: number
  /** Whether cached responses are valid while the feed is disconnected. */
  trustsWhenCut: boolean
  clock: () => number
  onTrouble(error: Error): void
}

type Asked = { claims: Promise<OurClaims | undefined>; at: number; until: number }

const mostRemembered = 10_000
/** Refusals are cached only briefly, so that a new key or a reactivated user is accepted soon. */
const refusalMs = 1000
/** Limits how many requests to Rollbook a flood of made-up credentials can cause. */
const mostAtOnce = 256
/** One revocation is settled after 1 s, or after five responses that take longer than 250 ms each. */
const mostTries = 6

export function answersOf(options: AnswersOptions): Answers {
  const { issuer, feed, revoked, cacheMs, trustsWhenCut, clock, onTrouble } = options
  const remembered = new Map<string, Asked>()
  let waiting = 0

  async function introspect({ kind, value }: Credential): Promise<OurClaims | undefined> {
    if (waiting >= mostAtOnce) throw unavailable('Too many credentials are being checked. Try again.')
    waiting += 1
    try {
      const response = await issuer.request('/introspect', {
        method: 'POST',
        body: new URLSearchParams({ token: value }),
      })
      const reply = await readJson(response)
      // For example, an API key in the session cookie is not a session.
      if (reply.active !== true || reply.token_type !== kind) return undefined
      if (!isOurs(reply)) throw new Error('The response of Rollbook does not describe a credential.')
      return reply
    } catch (cause) {
      const error = unavailable('Rollbook does not respond, so the credential cannot be checked.', cause)
      onTrouble(error)
      throw error
    } finally {
      waiting -= 1
    }
  }

  const mayTrust = () => trustsWhenCut || feed.isCurrent()

  /** Takes the time before the request: a revocation that arrives meanwhile makes the response untrusted. */
  function askAndRemember(name: string, credential: Credential): Asked {
    const at = performance.now()
    const entry: Asked = { at, claims: introspect(credential), until: at + cacheMs }
    if (remembered.size >= mostRemembered) remembered.delete(remembered.keys().next().value as string)
    remembered.delete(name)
    remembered.set(name, entry)
    const forget = () => remembered.get(name) === entry && remembered.delete(name)
    entry.claims.then((claims) => {
      if (claims === undefined) entry.until = performance.now() + Math.min(refusalMs, cacheMs)
    }, forget)
    return entry
  }

  const mayOverlook = (entry: Asked, claims: OurClaims | undefined) => revoked.mayOverlook(entry.at, claims ?? {})
  const isFresh = ({ until }: Asked, claims: OurClaims | undefined) =>
    performance.now() < until && !hasExpired(claims, clock())

  return {
    introspect,
    async find(credential) {
      const name = hash('sha256', `${credential.kind} ${credential.value}`, 'base64')
      let doubtful: Asked | undefined
      let asksItself = false
      for (let tries = 0; tries < mostTries; tries++) {
        const known = mayTrust() && !asksItself ? remembered.get(name) : undefined
        // The first of many waiting requests retries for all of them.
        const isOwn = known === undefined || known === doubtful
        const entry = isOwn ? askAndRemember(name, credential) : known
        const claims = await entry.claims
        // The feed may have been cut off while this request waited.
        const isOvertaken = mayOverlook(entry, claims)
        if (!isOvertaken && (isOwn || (isFresh(entry, claims) && mayTrust()))) return claims
        doubtful = entry
        asksItself = !isOvertaken
      }
      throw unavailable('A revocation arrived while the credential was checked. Try again.')
    },
  }
}

function hasExpired(claims: OurClaims | undefined, now: number): boolean {
  const exp = claims?.exp
  return typeof exp === 'number' && exp * 1000 <= now
}
