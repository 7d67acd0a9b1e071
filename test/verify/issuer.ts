/** A small real server that stands for Rollbook where a test needs what the real one never does: lies, silence, forgery. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose'
import { serveHttp } from '../http-server.ts'

export type SigningKey = { kid: string; publicKey: CryptoKey; privateKey: CryptoKey }

type Revocation = { seq: number; kind: string; id: string; credentials_version?: number }

export type TestIssuer = {
  /** With the prefix, as `createVerifier` takes it. */
  url: string
  key: SigningKey
  /** What is published; another value answers something else than a key set. */
  keySet: { keys: unknown[] } | ((response: ServerResponse) => void)
  /** What is known of a credential; of others it says that they are not active. */
  known: Map<string, Record<string, unknown>>
  /** Held until it resolves, after the answer was decided. */
  delay: Promise<unknown> | undefined
  /** Answers to /introspect and new connections of the feed are refused. */
  broken: boolean
  /** Whether the feed says that it is current. */
  isCurrent: boolean
  /** `POST /auth/introspect` and so on, as they came. */
  requests: { line: string; headers: IncomingMessage['headers'] }[]
  requestCount(path: string): number
  revoke(revocation: Omit<Revocation, 'seq'>): void
  /** As after a restore of an older store: numbers start again. */
  restart(): void
  cutFeed(): void
  token(claims?: Record<string, unknown>, header?: Partial<JWTHeaderParameters>, key?: SigningKey): Promise<string>
}

export async function makeSigningKey(kid: string, alg = 'EdDSA'): Promise<SigningKey> {
  return { kid, ...(await generateKeyPair(alg, { crv: alg === 'EdDSA' ? 'Ed25519' : 'P-256', extractable: true })) }
}

export async function publicJwk({ kid, publicKey }: SigningKey): Promise<Record<string, unknown>> {
  const alg = publicKey.algorithm.name === 'ECDSA' ? 'ES256' : 'EdDSA'
  return { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }
}

export const testKey = 'rb_the-key-of-the-main-api'

export async function startIssuer(t: Pick<TestContext, 'after'>): Promise<TestIssuer> {
  const key = await makeSigningKey('key-1')
  const feeds = new Map<ServerResponse, NodeJS.Timeout>()
  let revocations: Revocation[] = []

  const { origin } = await serveHttp(t, async (request, response) => {
    const path = (request.url as string).replace('/auth', '')
    issuer.requests.push({ line: `${request.method} ${path}`, headers: request.headers })
    if (path === '/.well-known/jwks.json') {
      if (typeof issuer.keySet === 'function') issuer.keySet(response)
      else response.end(JSON.stringify(issuer.keySet))
    } else if (issuer.broken || request.headers['x-api-key'] !== testKey) {
      response.writeHead(issuer.broken ? 500 : 401).end()
    } else if (path === '/introspect') {
      const credential = new URLSearchParams(await textOf(request)).get('token') as string
      const reply = JSON.stringify(issuer.known.get(credential) ?? { active: false })
      await issuer.delay
      response.end(reply)
    } else startFeed(request, response)
  })

  function startFeed(request: IncomingMessage, response: ServerResponse): void {
    const input = Number(request.headers['last-event-id'] ?? 0)
    // As Rollbook does with a number that it never gave.
    const after = input > (revocations.at(-1)?.seq ?? 0) ? 0 : input
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const row of revocations) if (row.seq > after) response.write(eventOf(row))
    const sayCurrent = () => {
      const cursor = revocations.at(-1)?.seq ?? 0
      if (issuer.isCurrent) response.write(`event: current\ndata: {"age_ms":0,"cursor":${cursor}}\n\n`)
    }
    sayCurrent()
    feeds.set(response, setInterval(sayCurrent, 250))
    response.on('close', () => {
      clearInterval(feeds.get(response))
      feeds.delete(response)
    })
  }

  const url = `${origin}/auth`
  const issuer: TestIssuer = {
    url,
    key,
    keySet: { keys: [await publicJwk(key)] },
    known: new Map(),
    delay: undefined,
    broken: false,
    isCurrent: true,
    requests: [],
    requestCount: (path) => issuer.requests.filter(({ line }) => line.endsWith(path)).length,
    revoke(revocation) {
      const row = { seq: (revocations.at(-1)?.seq ?? 0) + 1, ...revocation }
      revocations.push(row)
      for (const response of feeds.keys()) response.write(eventOf(row))
    },
    restart() {
      revocations = []
      issuer.cutFeed()
    },
    cutFeed() {
      for (const response of feeds.keys()) response.destroy()
    },
    token(claims = {}, header = {}, { kid, privateKey } = key) {
      const now = Math.floor(Date.now() / 1000)
      return new SignJWT({ ...userClaims(url), iat: now, exp: now + 300, jti: crypto.randomUUID(), ...claims })
        .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid, ...header })
        .sign(privateKey)
    },
  }
  return issuer
}

/** What Rollbook says of a person, in a token and when it is asked. */
export function userClaims(issuer: string): Record<string, unknown> {
  return {
    iss: issuer,
    aud: new URL(issuer).origin,
    sub: 'user-1',
    client_id: 'rollbook',
    sid: 'session-1',
    username: 'ada',
    role: 'analyst',
    permissions: ['reports:read'],
    credentials_version: 3,
  }
}

function eventOf(row: Revocation): string {
  return `event: revoked\nid: ${row.seq}\ndata: ${JSON.stringify(row)}\n\n`
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
