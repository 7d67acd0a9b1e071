/**
 * The main API's side of Rollbook: who sends this request, and what may they do? Tokens are verified here; API keys and
 * sessions are asked about; what was revoked is heard of within a second.
 */
import { type Answers, answersOf } from './answers.ts'
import { Caller, type OurClaims } from './caller.ts'
import { invalid, VerifyError } from './errors.ts'
import { type Feed, followRevocations } from './feed.ts'
import { type Fetch, type Issuer, issuerAt, type Key, readBaseUrl } from './issuer.ts'
import { type Credential, credentialOf, type RequestRules, type VerifiableRequest } from './request.ts'
import { type Revoked, rememberRevocations } from './revoked.ts'
import { type SigningKeys, signingKeysOf } from './signing-keys.ts'
import { tokenVerifier, type VerifiedToken, type VerifyToken } from './tokens.ts'

export type VerifierOptions = {
  /** Rollbook's public URL with its prefix, such as `https://orchard.example.com/auth`, as it stands in tokens. */
  issuer: string
  /** Where this server reaches Rollbook, when that is not the issuer. */
  url?: string | undefined
  /** Who tokens are for; by default the origin of the issuer, as in Rollbook. */
  audience?: string | undefined
  /** An API key with `tokens:introspect`. Without one there are tokens only, valid until they end. */
  key?: Key | undefined
  /** What counts while revocations cannot be heard of: only what Rollbook confirms (`closed`), or tokens until they end. */
  whenCut?: 'closed' | 'open' | undefined
  /** Where pages of the product come from; by default the origin of the issuer. */
  origins?: readonly string[] | undefined
  /** For how long what Rollbook said about a key or a session is remembered; 10 by default, up to 300. */
  cacheSeconds?: number | undefined
  /** Plain http to another machine, on a network of your own. */
  allowHttp?: boolean | undefined
  /** Hears of what goes wrong between here and Rollbook; by default it is written to stderr. */
  onTrouble?: ((error: Error) => void) | undefined
  fetch?: Fetch | undefined
  clock?: (() => number) | undefined
}

/** What a route asks for. */
export type Needs = { permission?: string | undefined; role?: string | undefined }

export type Verifier = {
  /** @throws VerifyError which can be answered as it is */
  verify(request: VerifiableRequest, needs?: Needs): Promise<Caller>
  /** Whether everything that was revoked more than a second ago is known here. */
  current(): boolean
  /** Stops following the feed. */
  close(): void
}

export function createVerifier(options: VerifierOptions): Verifier {
  const { key, whenCut = 'closed', cacheSeconds = 10, clock = Date.now, fetch = globalThis.fetch } = options
  const name = readBaseUrl(options.issuer, { allowHttp: true })
  const url = readBaseUrl(options.url ?? name, options)
  if (key === undefined && whenCut !== 'open') {
    throw new TypeError(
      "Without a key nothing is heard of revocations. Say whenCut: 'open' if tokens may live on until they end.",
    )
  }
  if (key === '') throw new TypeError('The key is empty.')
  if (!(cacheSeconds >= 0 && cacheSeconds <= 300)) throw new TypeError('cacheSeconds is from 0 to 300.')
  const { origin, protocol } = new URL(name)
  const rules = {
    cookieName: protocol === 'https:' ? '__Host-rollbook' : 'rollbook',
    origins: options.origins ?? [origin],
  }
  const onTrouble = notTooOften(options.onTrouble ?? ((error) => console.warn(error)))
  const issuer = issuerAt({ name, url, key, fetch })
  const keys = signingKeysOf(issuer, onTrouble)
  const verifyToken = tokenVerifier({ issuer: name, audience: options.audience ?? origin, keys, clock })
  const online = issuer.hasKey
    ? goOnline({ issuer, keys, onTrouble, whenCut, cacheMs: cacheSeconds * 1000, clock })
    : undefined
  return verifierOf({
    rules,
    verifyToken,
    online,
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
  isClosed: boolean
  explainedAt: string
}

function verifierOf({ rules, verifyToken, online, isClosed, explainedAt }: Parts): Verifier {
  /** What is found out about a token here; undefined when Rollbook has to say whether it was revoked. */
  function judge({ claims, kid }: VerifiedToken): OurClaims | undefined {
    if (online === undefined) return claims
    if (online.revoked.endsToken(claims, kid)) throw invalid('The token was revoked.')
    return isClosed && !online.feed.isCurrent() ? undefined : claims
  }

  async function byAsking(credential: Credential): Promise<OurClaims> {
    if (online === undefined) throw invalid('Only access tokens are accepted here; exchange this for one at Rollbook.')
    const claims = await (credential.kind === 'access_token'
      ? online.answers.ask(credential)
      : online.answers.find(credential))
    if (claims === undefined) throw invalid('Rollbook does not accept the credential; it may have ended.')
    return claims
  }

  return {
    async verify(request, needs = {}) {
      try {
        const credential = credentialOf(request, rules)
        let claims: OurClaims | undefined
        if (credential.kind === 'access_token') {
          const found = verifyToken(credential.value)
          claims = judge(found instanceof Promise ? await found : found)
        }
        const caller = new Caller(claims ?? (await byAsking(credential)))
        refuseWithout(caller, needs)
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

function refuseWithout(caller: Caller, { permission, role }: Needs): void {
  if (permission !== undefined && !caller.has(permission)) {
    throw new VerifyError('permission_denied', `This needs the permission ${permission}.`, { scope: permission })
  }
  if (role !== undefined && caller.role !== role)
    throw new VerifyError('permission_denied', `This needs the role ${role}.`)
}

/** The same trouble with each of a thousand requests is told once in ten seconds. */
function notTooOften(report: (error: Error) => void): (error: Error) => void {
  const toldAt = new Map<string, number>()
  return (error) => {
    if (performance.now() - (toldAt.get(error.message) ?? Number.NEGATIVE_INFINITY) < 10_000) return
    toldAt.set(error.message, performance.now())
    report(error)
  }
}
