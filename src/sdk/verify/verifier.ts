/**
 * Verifies the caller of a request to the main API. Tokens are verified locally, API keys and sessions are introspected
 * at Rollbook, and revocations take effect within a second.
 */
import { type Answers, answersOf } from './answers.ts'
import { Caller, type OurClaims } from './caller.ts'
import { insufficient, invalid, VerifyError } from './errors.ts'
import { type Feed, followRevocations } from './feed.ts'
import { type Issuer, issuerAt } from './issuer.ts'
import { type Needs, type NeedsArguments, readNeeds } from './needs.ts'
import { readOptions, type VerifierOptions } from './options.ts'
import { type Credential, credentialOf, type RequestRules, type VerifiableRequest } from './request.ts'
import { type Revoked, rememberRevocations } from './revoked.ts'
import { type SigningKeys, signingKeysOf } from './signing-keys.ts'
import { tokenVerifier, type VerifiedToken, type VerifyToken } from './tokens.ts'

export type Verifier = {
  /** Returns the caller. @throws VerifyError with a complete response; TypeError if `needs` are malformed */
  verify(request: VerifiableRequest, ...needs: NeedsArguments): Promise<Caller>
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
    return online.answers.ask(credential).then((claims) => {
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

  return {
    async verify(request, ...given) {
      const needs = readNeeds(given)
      try {
        const credential = credentialOf(request, rules)
        let claims: OurClaims | Promise<OurClaims>
        if (credential.kind === 'access_token') {
          const found = verifyToken(credential.value)
          claims = byToken(credential, found instanceof Promise ? await found : found)
        } else claims = byAsking(credential)
        const caller = new Caller(claims instanceof Promise ? await claims : claims)
        refuseWithout(caller, needs)
        refuseUnproven(caller, needs, clock)
        return caller
      } catch (error) {
        if (error instanceof VerifyError && error.status !== 503) error.type = explainedAt + error.code
        throw error
      }
    },
    current: () => online?.feed.isCurrent() ?? false,
    close: () => online?.feed.close(),
  }
}

function accepted(claims: OurClaims | undefined): OurClaims {
  if (claims === undefined)
    throw invalid('Rollbook does not accept the credential; it may have expired or been revoked.')
  return claims
}

function refuseWithout(caller: Caller, { permission, role }: Needs): void {
  if (permission !== undefined && !caller.has(permission)) {
    throw new VerifyError('permission_denied', `You need the permission ${permission}.`, { scope: permission })
  }
  if (role !== undefined && caller.role !== role)
    throw new VerifyError('permission_denied', `You need the role ${role}.`)
}

/** How recently, and how well, the user was authenticated. With a key, no user was; a claim that is missing proves nothing. */
function refuseUnproven(caller: Caller, { max_age, acr }: Needs, clock: () => number): void {
  if (max_age === undefined && acr === undefined) return
  if (caller.key_id !== undefined) throw new VerifyError('permission_denied', 'Only a signed-in user may do this.')
  const { auth_time, acr: level } = caller.claims
  const isRecent =
    max_age === undefined || (typeof auth_time === 'number' && clock() - auth_time * 1000 <= max_age * 1000)
  const isEnough = acr === undefined || level === 'aal2' || level === acr
  if (isRecent && isEnough) return
  throw insufficient({ ...(acr !== undefined && { acr }), ...(max_age !== undefined && { max_age }) })
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
