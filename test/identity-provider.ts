/** An OpenID Connect provider of the tests, which lies as it is told to. Real ones are in the tests that name them. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { serveHttp } from './http-server.ts'

export type Lies = {
  /** Members that the ID token has instead of the true ones; undefined removes one. */
  claims?: Record<string, unknown>
  /** Returns another ID token than the true one. */
  token?: (claims: Record<string, unknown>, provider: IdentityProvider) => string | Promise<string>
  /** Answers a path in its own way. */
  handlers?: Record<string, (request: IncomingMessage, response: ServerResponse) => void>
  metadata?: Record<string, unknown>
  userinfo?: Record<string, unknown>
  /** How the token endpoint refuses clients that authenticate by HTTP Basic. */
  refuseBasic?: (request: IncomingMessage, response: ServerResponse) => void
}

export type IdentityProvider = {
  issuer: string
  lies: Lies
  /** Paths that were asked for, oldest first. */
  requestedPaths: string[]
  /** The code verifiers and codes that the token endpoint got. */
  exchanges: URLSearchParams[]
  /** The `Authorization` headers that the token endpoint got. */
  authorizations: string[]
  publicKey: JWK
  /** Signs from now on with another key, which is published. */
  rotate(): Promise<void>
  sign(claims: Record<string, unknown>): Promise<string>
  /** With this `typ` in the header. */
  signAs(typ: string, claims: Record<string, unknown>): Promise<string>
  /** What the next sign-in is to be for. */
  expect(authorization: URL): void
}

export const clientId = 'rollbook'

export async function startIdentityProvider(t: TestContext): Promise<IdentityProvider> {
  let keys = await newKeys(1)
  let nonce = ''
  const { origin: issuer } = await serveHttp(t, (request, response) => respond(request, response))

  const provider: IdentityProvider = {
    issuer,
    lies: {},
    requestedPaths: [],
    exchanges: [],
    authorizations: [],
    get publicKey() {
      return keys.jwk
    },
    async rotate() {
      keys = await newKeys(Number(keys.jwk.kid) + 1)
    },
    sign: (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: keys.jwk.kid as string }).sign(keys.privateKey),
    signAs: (typ, claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: keys.jwk.kid as string, typ }).sign(keys.privateKey),
    expect(authorization) {
      nonce = authorization.searchParams.get('nonce') ?? ''
    },
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?', 1)[0] ?? ''
    provider.requestedPaths.push(path)
    const lie = provider.lies.handlers?.[path]
    if (lie !== undefined) return lie(request, response)
    const send = (body: unknown, status = 200) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (path === '/.well-known/openid-configuration') {
      return send({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
        authorization_response_iss_parameter_supported: true,
        ...provider.lies.metadata,
      })
    }
    if (path === '/authorize') {
      const parameters = new URL(request.url ?? '', issuer).searchParams
      nonce = parameters.get('nonce') ?? ''
      const redirectUri = parameters.get('redirect_uri')
      if (redirectUri === null) return send({ error: 'invalid_request' }, 400)
      const back = new URL(redirectUri)
      back.search = String(new URLSearchParams({ code: 'a-code', state: parameters.get('state') ?? '', iss: issuer }))
      return void response.writeHead(303, { location: back.href }).end()
    }
    if (path === '/jwks') return send({ keys: [keys.jwk] })
    if (path === '/userinfo') return send(provider.lies.userinfo ?? {})
    if (path !== '/token') return send({ error: 'not_found' }, 404)
    const { authorization } = request.headers
    if (authorization !== undefined) {
      provider.authorizations.push(authorization)
      if (provider.lies.refuseBasic !== undefined) return provider.lies.refuseBasic(request, response)
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    provider.exchanges.push(new URLSearchParams(Buffer.concat(chunks).toString()))
    const now = Math.floor(Date.now() / 1000)
    const claims = Object.fromEntries(
      Object.entries({
        iss: issuer,
        aud: clientId,
        sub: 'subject-1',
        nonce,
        iat: now,
        exp: now + 300,
        auth_time: now,
        ...provider.lies.claims,
      }).filter(([, value]) => value !== undefined),
    )
    const id_token = await (provider.lies.token?.(claims, provider) ?? provider.sign(claims))
    return send({ access_token: 'an access token', token_type: 'Bearer', expires_in: 60, id_token })
  }

  return provider
}

async function newKeys(kid: number) {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: String(kid), alg: 'RS256', use: 'sig' }
  return { jwk, privateKey }
}
