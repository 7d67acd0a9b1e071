/** A browser on its way through the identity provider of the tests. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { SignInFailure } from '../src/access/providers/connections/schema.ts'
import { type Answer, createUser, type Engine, type Started, start } from './harness.ts'
import { clientId, type IdentityProvider, type Lies, startIdentityProvider } from './identity-provider.ts'

export const env = { ROLLBOOK_IDP_ALLOWED_NETWORKS: '127.0.0.1', ROLLBOOK_RATE_LIMIT: '0' }
export const password = 'analytical engine no. 1'
export const browser = { accept: 'text/html', 'sec-fetch-site': 'same-origin' }

export type Jar = Map<string, string>
export type Connection = { connection_id: string; redirect_uri: string }
export type Body = Record<string, unknown>

export function storeCookies(jar: Jar, { headers }: Answer): void {
  for (const cookie of [headers['set-cookie'] ?? []].flat()) {
    const [pair = ''] = cookie.split(';', 1)
    const at = pair.indexOf('=')
    if (/Max-Age=0/.test(cookie)) jar.delete(pair.slice(0, at))
    else jar.set(pair.slice(0, at), pair.slice(at + 1))
  }
}

export async function get(app: Started, path: string, jar: Jar): Promise<Answer> {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { ...browser, 'sec-fetch-site': 'cross-site', ...(cookie !== '' && { cookie }) }
  const response = await app.call('GET', path, { key: null, headers })
  storeCookies(jar, response)
  return response
}

export async function connect(app: Started, idp: IdentityProvider, body: Body = {}): Promise<Connection> {
  const created = await app.call('POST', '/connections', {
    body: { kind: 'oidc', name: 'Example', issuer: idp.issuer, client_id: clientId, client_secret: 'shared', ...body },
  })
  assert.equal(created.status, 201, created.text)
  return created.body
}

/** Starts a sign-in. Returns where the browser is sent. */
export async function startSignIn(app: Started, { connection_id }: Connection, jar: Jar, more = ''): Promise<URL> {
  const response = await get(app, `/login?connection=${connection_id}${more}`, jar)
  assert.equal(response.status, 303, response.text)
  return new URL(response.headers.location ?? '')
}

export type Back = { code?: string; state?: string | null; iss?: string }

/** Comes back from the provider, as it would send the browser. */
export function come(
  app: Started,
  { connection_id }: Connection,
  jar: Jar,
  { code = 'a-code', state, iss }: Back,
): Promise<Answer> {
  const query = new URLSearchParams({ code, state: state ?? '', ...(iss !== undefined && { iss }) })
  return get(app, `/connections/${connection_id}/callback?${query}`, jar)
}

export async function signIn(
  app: Started,
  idp: IdentityProvider,
  connection: Connection,
  jar: Jar = new Map(),
): Promise<Answer> {
  const url = await startSignIn(app, connection, jar)
  idp.expect(url)
  const back = await come(app, connection, jar, { state: url.searchParams.get('state'), iss: idp.issuer })
  if (back.status === 500) console.log(app.logLines().slice(-3).join('\n'))
  return back
}

export async function me(app: Started, jar: Jar): Promise<Answer> {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  return app.call('GET', '/me', { key: null, headers: { cookie } })
}

export async function failures(app: Started, { connection_id }: Connection): Promise<SignInFailure[]> {
  return (await app.call('GET', `/connections/${connection_id}/failures`)).body
}

export const companyDomains = { trusted_domains: ['example.com'], provisioning_domains: ['example.com'] }
export const ada = { email: 'ada@example.com', email_verified: true, given_name: 'Ada', family_name: 'Lovelace' }

export async function company(t: TestContext, engine: Engine, { lies = {}, body = companyDomains as Body } = {}) {
  const idp = await startIdentityProvider(t)
  idp.lies = lies as Lies
  const app = await start(t, engine, { env })
  return { app, idp, connection: await connect(app, idp, body) }
}

export const verify = (app: Started, user_id: string) =>
  app.runSql(`UPDATE users SET email_verified = 1 WHERE user_id = '${user_id}'`)

/** The browser of a new user, who is signed in with a password. */
export async function signedIn(app: Started, username: string, body: Body = {}): Promise<Jar> {
  await createUser(app, { username, password, ...body })
  const jar: Jar = new Map()
  const response = await app.call('POST', '/sessions', { key: null, body: { username, password } })
  assert.equal(response.status, 201, response.text)
  storeCookies(jar, response)
  return jar
}
