/** What Rollbook says about a credential (RFC 7662), asked for and remembered for a short while. */
import { hash } from 'node:crypto'
import { isOurs, type OurClaims } from './caller.ts'
import { unavailable } from './errors.ts'
import type { Feed } from './feed.ts'
import { type Issuer, readJson } from './issuer.ts'
import type { Credential } from './request.ts'
import type { Revoked } from './revoked.ts'

export type Answers = {
  /** Asks now, whatever is remembered. Undefined: Rollbook does not accept it. */
  ask(credential: Credential): Promise<OurClaims | undefined>
  /** What is remembered, as long as it may be trusted, or asks. */
  find(credential: Credential): Promise<OurClaims | undefined>
}

export type AnswersOptions = {
  issuer: Issuer
  feed: Feed
  revoked: Revoked
  cacheMs: number
  /** Whether remembered answers count while the feed is cut. */
  trustsWhenCut: boolean
  clock: () => number
  onTrouble(error: Error): void
}

type Asked = { answer: Promise<OurClaims | undefined>; at: number; until: number }

const mostRemembered = 10_000
/** A key that was just made or a person who was just let in again does not wait longer. */
const refusalMs = 1000
/** What a flood of made-up credentials can have waiting at Rollbook. */
const mostAtOnce = 256
/** Named once, a credential has a sure answer after a second, or five that take longer than a quarter of one. */
const mostTries = 6

export function answersOf(options: AnswersOptions): Answers {
  const { issuer, feed, revoked, cacheMs, trustsWhenCut, clock, onTrouble } = options
  const remembered = new Map<string, Asked>()
  let waiting = 0

  async function ask({ kind, value }: Credential): Promise<OurClaims | undefined> {
    if (waiting >= mostAtOnce) throw unavailable('Too many credentials are being checked. Try again.')
    waiting += 1
    try {
      const response = await issuer.ask('/introspect', { method: 'POST', body: new URLSearchParams({ token: value }) })
      const answer = await readJson(response)
      // An API key that came as a cookie is no session.
      if (answer.active !== true || answer.token_type !== kind) return undefined
      if (!isOurs(answer)) throw new Error('The response of Rollbook does not describe a credential.')
      return answer
    } catch (cause) {
      const error = unavailable('Rollbook does not respond, so the credential cannot be checked.', cause)
      onTrouble(error)
      throw error
    } finally {
      waiting -= 1
    }
  }

  const mayTrust = () => trustsWhenCut || feed.isCurrent()

  /** The time is noted before it is asked: what is revoked meanwhile makes the answer doubtful. */
  function askAndRemember(name: string, credential: Credential): Asked {
    const at = performance.now()
    const asked: Asked = { at, answer: ask(credential), until: at + cacheMs }
    if (remembered.size >= mostRemembered) remembered.delete(remembered.keys().next().value as string)
    remembered.delete(name)
    remembered.set(name, asked)
    const forget = () => remembered.get(name) === asked && remembered.delete(name)
    asked.answer.then((claims) => {
      if (claims === undefined) asked.until = performance.now() + Math.min(refusalMs, cacheMs)
    }, forget)
    return asked
  }

  const mayOverlook = (asked: Asked, claims: OurClaims | undefined) => revoked.mayOverlook(asked.at, claims ?? {})
  const isFresh = ({ until }: Asked, claims: OurClaims | undefined) =>
    performance.now() < until && !hasExpired(claims, clock())

  return {
    ask,
    async find(credential) {
      const name = hash('sha256', `${credential.kind} ${credential.value}`, 'base64')
      let doubtful: Asked | undefined
      let asksItself = false
      for (let tries = 0; tries < mostTries; tries++) {
        const known = mayTrust() && !asksItself ? remembered.get(name) : undefined
        // Of a thousand requests that wait, the first asks again for all.
        const isOwn = known === undefined || known === doubtful
        const asked = isOwn ? askAndRemember(name, credential) : known
        const claims = await asked.answer
        // Time has passed: the feed may have been cut meanwhile.
        const isOvertaken = mayOverlook(asked, claims)
        if (!isOvertaken && (isOwn || (isFresh(asked, claims) && mayTrust()))) return claims
        doubtful = asked
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
