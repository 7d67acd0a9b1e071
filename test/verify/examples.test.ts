import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { anyEngine } from '../harness.ts'
import { makeKey, type Product, signInAs, startExample, startProduct } from './product.ts'
import { until } from './verifying.ts'

type Answer = { status: number; headers: Headers; body: Record<string, unknown> }
type Ask = (line: string, headers?: Record<string, string>) => Promise<Answer>

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function startAll(t: TestContext, example: string): Promise<Product & { request: Ask }> {
  const product = await startProduct(t, anyEngine)
  const url = await startExample(t, example, product)
  const request: Ask = async (line, headers = {}) => {
    const [method, path] = line.split(' ') as [string, string]
    const response = await fetch(url + path, { method, headers })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] }
  }
  return { ...product, request }
}

function assertProblem(response: Answer, status: number, code: string): void {
  assert.deepEqual([response.status, response.body.status, response.body.code], [status, status, code])
  assert.equal(response.headers.get('content-type'), 'application/problem+json; charset=utf-8')
}

/** Made from a token of the attacker's own and the public keys. */
async function forgeriesOf(token: string, issuer: string): Promise<Record<string, string>> {
  const [header, claims, signature = ''] = token.split('.')
  const { kid } = JSON.parse(Buffer.from(header as string, 'base64url').toString())
  const tokenWith = (alg: string) =>
    `${Buffer.from(JSON.stringify({ alg, typ: 'at+jwt', kid })).toString('base64url')}.${claims}`
  const { keys } = (await (await fetch(`${issuer}/.well-known/jwks.json`)).json()) as { keys: { x: string }[] }
  const secret = Buffer.from(keys[0]?.x as string, 'base64url')
  const admin = Buffer.from(
    JSON.stringify({ ...JSON.parse(Buffer.from(claims as string, 'base64url').toString()), permissions: ['*'] }),
  )
  return {
    'alg none': `${tokenWith('none')}.`,
    'HS256 with the public key': `${tokenWith('HS256')}.${createHmac('sha256', secret).update(tokenWith('HS256')).digest('base64url')}`,
    'more permissions': `${header}.${admin.toString('base64url')}.${signature}`,
    'a bit of the signature': `${header}.${claims}.${signature.slice(0, -2)}${signature.at(-2) === 'A' ? 'B' : 'A'}${signature.at(-1)}`,
    'a spare bit of the signature': `${header}.${claims}.${signature.slice(0, -1)}${String.fromCharCode((signature.at(-1) as string).charCodeAt(0) + 1)}`,
  }
}

for (const example of ['fastify', 'express', 'hono', 'fetch']) {
  describe(`the example for ${example}`, () => {
    it('accepts users by token and by cookie, and programs by key', async (t) => {
      const { app, request: ask } = await startAll(t, example)
      const { person, cookie, token } = await signInAs(app, 'editor')
      const { key, key_id } = await makeKey(app, ['reports:read'])
      const known = { kind: 'user', id: person.user_id, username: person.username }
      for (const headers of [bearer(token), { cookie }] as Record<string, string>[]) {
        const { status, body } = await ask('GET /whoami', headers)
        assert.equal(status, 200)
        assert.deepEqual(body, { ...known, permissions: ['reports:read', 'reports:write'] })
        assert.equal((await ask('GET /reports', headers)).status, 200)
      }
      for (const headers of [{ 'x-api-key': key }, bearer(key)] as Record<string, string>[]) {
        const { status, body } = await ask('GET /whoami', headers)
        assert.deepEqual([status, body], [200, { kind: 'api_key', id: key_id, permissions: ['reports:read'] }])
      }
      const keyToken = await app.call('POST', '/token', { key })
      assert.equal((await ask('GET /reports', bearer(keyToken.body.access_token))).status, 200)
    })

    it('returns 401 without a credential and with a forged one, and says what it accepts', async (t) => {
      const { app, request: ask, issuer } = await startAll(t, example)
      const missing = await ask('GET /whoami')
      assertProblem(missing, 401, 'credential_missing')
      assert.equal(missing.headers.get('www-authenticate'), 'Bearer realm="rollbook"')
      const { token } = await signInAs(app, 'analyst')
      for (const [name, forged] of Object.entries(await forgeriesOf(token, issuer))) {
        const response = await ask('GET /whoami', bearer(forged))
        assert.equal(response.status, 401, name)
        assertProblem(response, 401, 'credential_invalid')
        assert.equal(response.headers.get('www-authenticate'), 'Bearer realm="rollbook", error="invalid_token"')
      }
      assert.equal((await ask('GET /whoami', bearer(token))).status, 200)
    })

    it('returns 403 without the permission, and for changes that another site sends with the cookie', async (t) => {
      const { app, request: ask } = await startAll(t, example)
      const [analyst, editor] = [await signInAs(app, 'analyst'), await signInAs(app, 'editor')]
      const { key } = await makeKey(app, ['users:read'])
      const denied = await ask('GET /reports', { 'x-api-key': key })
      assertProblem(denied, 403, 'permission_denied')
      assert.match(denied.headers.get('www-authenticate') ?? '', /error="insufficient_scope", scope="reports:read"$/)
      assertProblem(await ask('POST /reports', bearer(analyst.token)), 403, 'permission_denied')
      assert.equal((await ask('POST /reports', bearer(editor.token))).status, 201)
      const own = { cookie: editor.cookie, 'sec-fetch-site': 'same-origin' }
      assert.equal((await ask('POST /reports', own)).status, 201)
      for (const headers of [{ cookie: editor.cookie }, { ...own, 'sec-fetch-site': 'cross-site' }]) {
        assertProblem(await ask('POST /reports', headers), 403, 'cross_origin')
      }
      assertProblem(await ask('GET /whoami', { ...bearer(editor.token), ...own }), 400, 'ambiguous_credentials')
    })

    it('refuses within a second what was revoked, and nothing else', async (t) => {
      const { app, request: ask } = await startAll(t, example)
      const [ada, bob] = [await signInAs(app, 'analyst'), await signInAs(app, 'analyst')]
      const { key, key_id } = await makeKey(app, ['reports:read'])
      const deleted: Record<string, string>[] = [bearer(ada.token), { cookie: ada.cookie }, { 'x-api-key': key }]
      const stays: Record<string, string>[] = [bearer(bob.token), { cookie: bob.cookie }]
      const statuses = (all: typeof deleted) =>
        Promise.all(all.map(async (headers) => (await ask('GET /whoami', headers)).status))
      await until(async () => (await statuses(deleted)).every((status) => status === 200))
      const disabled = await app.call('PATCH', `/users/${ada.person.user_id}`, { body: { active: false } })
      const revoked = await app.call('DELETE', `/keys/${key_id}`)
      assert.deepEqual([disabled.status, revoked.status], [200, 200])
      await until(async () => (await statuses(deleted)).every((status) => status === 401), 1000)
      assert.deepEqual(await statuses(stays), [200, 200])
    })

    it('returns 503 while it cannot reach Rollbook, and recovers by itself', async (t) => {
      const { app, request: ask, proxy } = await startAll(t, example)
      const { token, cookie } = await signInAs(app, 'analyst')
      await until(async () => (await ask('GET /whoami', bearer(token))).status === 200)
      proxy.cut()
      for (const headers of [bearer(token), { cookie }] as Record<string, string>[]) {
        const response = await ask('GET /whoami', headers)
        assertProblem(response, 503, 'verification_unavailable')
        assert.equal(response.headers.get('retry-after'), '1')
      }
      assertProblem(await ask('GET /whoami'), 401, 'credential_missing')
      proxy.mend()
      await until(async () => (await ask('GET /whoami', bearer(token))).status === 200)
      assert.equal((await ask('GET /whoami', { cookie })).status, 200)
    })
  })
}
