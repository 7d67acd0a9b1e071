/**
 * Verifies the caller of a request to the main API. Tokens are verified locally, API keys and sessions are introspected
 * at Rollbook, and revocations take effect within a second.
 */
import { type Answers, answersOf } from './answers.ts'
import type { OurClaims } from './caller.ts'
import { invalid } from './errors.ts'
import { type Feed, followRevocations } from './feed.ts'
import { type Issuer, issuerAt } from './issuer.ts'
import { readOptions, type VerifierOptions } from './options.ts'
import type { Credential, RequestRules } from './request.ts'
import { type Revoked, rememberRevocations } from './revoked.ts'
import { type SigningKeys, signingKeysOf } from './signing-keys.ts'
import { tokenVerifier, type VerifiedToken, type VerifyToken } from './tokens.ts'
import { type Verify, verifyBy } from './verify-by.ts'

export type Verifier = {
  /** Returns the caller. @throws VerifyError with a complete response; TypeError if `needs` are malformed */
  verify: Verify
  /** Whether every revocation that is older than one second is known here. */
  current(): boolean
  /** Stops following the feed. */
  close(): void
}

/** Creates a verifier and starts to follow the revocation feed. @throws TypeError for an unknown or malformed option */
export function createVerifier(options: VerifierOptions): Verifier {
  const { issuer: name, url, audience, key, whenCut, origins, cacheMs, fetch, clock, ...rest } = readOptions(options)
  const rules = { cookieName: name.startsWith('https:') ? '__Host-rollbook' : 'rollbook', origins }
  const onTrouble = notTooOften(rest.onTrouble)
  const issuer = issuerAt({ name, url, key, fetch })
  const keys = signingKeysOf(issuer, onTrouble)
  const verifyToken = tokenVerifier({ issuer: name, audience, keys, clock })
  const online = issuer.hasKey ? goOnline({ issuer, keys, onTrouble, whenCut, cacheMs, clock }) : undefined
  return verifierOf({
    rules,
    verifyToken,
    online,
    clock,
    isClosed: whenCut === 'closed',
    explainedAt: `${name}/docs/problems#`,
  })
}

type Online = { feed: Feed; revoked: Revoked; answers: Answers }
type OnlineOptions = {
  issuer: Issuer
  keys: SigningKeys
  onTrouble: (error: Error) => void
  whenCut: 'closed' | 'open'
  cacheMs: number
  clock: () => number
}

function goOnline({ keys, whenCut, ...options }: OnlineOptions): Online {
  const revoked = rememberRevocations()
  const feed = followRevocations({
    ...options,
    revoked,
    onRevoked({ kind, id }) {
      if (kind === 'signing_key') keys.forget(id)
    },
  })
  const answers = answersOf({ ...options, feed, revoked, trustsWhenCut: whenCut === 'open' })
  return { feed, revoked, answers }
}

type Parts = {
  rules: RequestRules
  verifyToken: VerifyToken
  online: Online | undefined
  clock: () => number
  isClosed: boolean
  explainedAt: string
}

function verifierOf({ rules, verifyToken, online, clock, isClosed, explainedAt }: Parts): Verifier {
  function refuseRevoked({ claims, kid }: VerifiedToken): void {
    if (online?.revoked.endsToken(claims, kid)) throw invalid('The token was revoked.')
  }

  /** Accepts a verified token. Asks Rollbook whether it was revoked if the feed is disconnected. */
  function byToken(credential: Credential, token: VerifiedToken): OurClaims | Promise<OurClaims> {
    refuseRevoked(token)
    if (online === undefined || !isClosed || online.feed.isCurrent()) return token.claims
    return online.answers.introspect(credential).then((claims) => {
      // The feed may have named the token while the request was under way.
      refuseRevoked(token)
      return accepted(claims)
    })
  }

  async function byAsking(credential: Credential): Promise<OurClaims> {
    if (online === undefined)
      throw invalid('Only access tokens are accepted here. Exchange this credential for one at Rollbook.')
    return accepted(await online.answers.find(credential))
  }

  function find(credential: Credential): OurClaims | Promise<OurClaims> {
    if (credential.kind !== 'access_token') return byAsking(credential)
    const found = verifyToken(credential.value)
    return found instanceof Promise ? found.then((token) => byToken(credential, token)) : byToken(credential, found)
  }

  return {
    verify: verifyBy({ rules, find, clock, explainedAt }),
    current: () => online?.feed.isCurrent() ?? false,
    close: () => online?.feed.close(),
  }
}

function accepted(claims: OurClaims | undefined): OurClaims {
  if (claims === undefined)
    throw invalid('Rollbook does not accept the credential; it may have expired or been revoked.')
  return claims
}

/** Reports the same error at most once in ten seconds. */
function notTooOften(report: (error: Error) => unknown): (error: Error) => void {
  const toldAt = new Map<string, number>()
  return (error) => {
    if (performance.now() - (toldAt.get(error.message) ?? Number.NEGATIVE_INFINITY) < 10_000) return
    toldAt.set(error.message, performance.now())
    // An error in `report` must neither fail a request nor end the feed.
    new Promise((resolve) => resolve(report(error))).catch((fault) => console.warn(fault))
  }
}
