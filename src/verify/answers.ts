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

type Asked = { answer: Promise<OurClaims | undefined>; heard: number; until: number }

const mostRemembered = 10_000
/** A key that was just made or a person who was just let in again does not wait longer. */
const refusalMs = 1000
/** What a flood of made-up credentials can have waiting at Rollbook. */
const mostAtOnce = 256

export function answersOf(options: AnswersOptions): Answers {
  const { issuer, feed, revoked, cacheMs, trustsWhenCut, clock, onTrouble } = options
  const remembered = new Map<string, Asked>()
  let waiting = 0

  async function ask({ kind, value }: Credential): Promise<OurClaims | undefined> {
    if (waiting >= mostAtOnce) throw unavailable('Too many credentials are being asked about; try again.')
    waiting += 1
    try {
      const response = await issuer.ask('/introspect', { method: 'POST', body: new URLSearchParams({ token: value }) })
      const answer = await readJson(response)
      // An API key that came as a cookie is no session.
      if (answer.active !== true || answer.token_type !== kind) return undefined
      if (!isOurs(answer)) throw new Error('Rollbook answered something else than what a credential is.')
      return answer
    } catch (cause) {
      const error = unavailable('Rollbook, which knows whether the credential is valid, does not answer.', cause)
      onTrouble(error)
      throw error
    } finally {
      waiting -= 1
    }
  }

  const mayTrust = () => trustsWhenCut || feed.isCurrent()

  /** Noted before it is asked: what is revoked meanwhile makes the answer doubtful. */
  function askAndRemember(name: string, credential: Credential): Promise<OurClaims | undefined> {
    const asked: Asked = { answer: ask(credential), heard: revoked.count(), until: performance.now() + cacheMs }
    if (remembered.size >= mostRemembered) remembered.delete(remembered.keys().next().value as string)
    remembered.delete(name)
    remembered.set(name, asked)
    const forget = () => remembered.get(name) === asked && remembered.delete(name)
    asked.answer.then((claims) => {
      if (claims === undefined) asked.until = performance.now() + Math.min(refusalMs, cacheMs)
    }, forget)
    return asked.answer
  }

  return {
    ask,
    async find(credential) {
      const name = hash('sha256', `${credential.kind} ${credential.value}`, 'base64')
      const known = remembered.get(name)
      if (known !== undefined && mayTrust()) {
        const claims = await known.answer
        const isFresh = performance.now() < known.until && !revoked.changedSince(known.heard, claims ?? {})
        // Time has passed: the feed may have been cut meanwhile.
        if (isFresh && mayTrust() && !hasExpired(claims, clock())) return claims
      }
      return askAndRemember(name, credential)
    },
  }
}

function hasExpired(claims: OurClaims | undefined, now: number): boolean {
  const exp = claims?.exp
  return typeof exp === 'number' && exp * 1000 <= now
}
