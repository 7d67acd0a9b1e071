/** A real OpenID provider on loopback, which gives out tokens to services of its own. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { Provider } from 'oidc-provider'
import { closeServer, surviving } from '../http-server.ts'

const clients = [
  { client_id: 'reports', client_secret: 'secret-of-the-reports-service' },
  { client_id: 'nightly', client_secret: 'secret-of-the-nightly-service' },
]
/** What the provider says of each of its clients. */
const claims: Record<string, Record<string, unknown>> = {
  reports: { roles: ['staff', 'unknown'], realm: { access: ['chief'] }, scope_like: 'other staff' },
  nightly: { roles: [] },
}

export type OpenProvider = {
  issuer: string
  jwksUrl: string
  /** A token for this audience, by the client credentials grant (RFC 6749 §4.4). */
  tokenFor(client: 'reports' | 'nightly', audience: string): Promise<string>
  /** How often the keys were asked for. */
  keyRequests(): number
  /** Signs with other keys from now on, and publishes those. */
  rotate(): Promise<void>
  /** Refuses connections, and accepts them again. */
  close(): Promise<void>
  comeBack(): Promise<void>
}

export async function openProvider(t: TestContext, alg: 'RS256' | 'ES256' = 'RS256'): Promise<OpenProvider> {
  let keyRequests = 0
  let generation = 0
  let callback: ReturnType<Provider['callback']>
  const respond = surviving(t, (request, response) => {
    if (request.url === '/jwks') keyRequests++
    return callback(request, response)
  })
  const server = createServer(respond)
  const listen = (port: number) => new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  const close = () => closeServer(server)
  await listen(0)
  t.after(() => server.listening && close())
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`

  async function rotate(): Promise<void> {
    const { privateKey } = await generateKeyPair(alg, { extractable: true })
    callback = configured(issuer, alg, { ...(await exportJWK(privateKey)), kid: `key-${++generation}` }).callback()
  }
  await rotate()

  return {
    issuer,
    jwksUrl: `${issuer}/jwks`,
    async tokenFor(client, audience) {
      const secret = clients.find(({ client_id }) => client_id === client)?.client_secret
      const reply = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${client}:${secret}`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience, scope: 'api' }),
      })
      const { access_token } = (await reply.json()) as { access_token?: string }
      if (access_token === undefined) throw new Error(`The provider answered ${reply.status}.`)
      return access_token
    },
    keyRequests: () => keyRequests,
    rotate,
    close,
    comeBack: () => listen(port),
  }
}

function configured(issuer: string, alg: 'RS256' | 'ES256', key: JWK): Provider {
  return new Provider(issuer, {
    clients: clients.map((client) => ({
      ...client,
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      id_token_signed_response_alg: alg,
    })),
    jwks: { keys: [{ ...key, alg, use: 'sig' } as never] },
    scopes: ['api'],
    extraTokenClaims: (_context, token) => claims[token.clientId ?? ''] ?? {},
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, resource) => ({
          scope: 'api',
          audience: resource,
          accessTokenTTL: 600,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg } },
        }),
      },
    },
  })
}
