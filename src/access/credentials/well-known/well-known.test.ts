import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyEngine, start } from '../../../../test/harness.ts'
import { serveHttp } from '../../../../test/http-server.ts'

// Nothing of this is in the store.
const engine = anyEngine
const publicUrl = 'https://orchard.example/auth'
const files = ['webauthn', 'passkey-endpoints', 'change-password']

describe('the well-known URLs', () => {
  it('are served below the prefix and at the root, for proxies that keep or strip the prefix', async (t) => {
    for (const basePath of ['/auth', '/']) {
      const env = {
        ROLLBOOK_PUBLIC_URL: publicUrl,
        ROLLBOOK_BASE_PATH: basePath,
        ROLLBOOK_PASSKEY_ORIGINS: 'https://orchard.example.net, https://shop.example',
      }
      const app = await start(t, engine, { env })
      const { origin } = new URL(await app.listen())
      for (const prefix of basePath === '/' ? [''] : ['', '/auth']) {
        const get = (name: string) => fetch(`${origin}${prefix}/.well-known/${name}`, { redirect: 'manual' })
        const related = await get('webauthn')
        assert.equal(related.status, 200)
        assert.match(related.headers.get('content-type') ?? '', /^application\/json/)
        assert.match(related.headers.get('cache-control') ?? '', /^public/)
        assert.deepEqual(await related.json(), {
          origins: ['https://orchard.example', 'https://orchard.example.net', 'https://shop.example'],
        })
        const endpoints = await get('passkey-endpoints')
        assert.match(endpoints.headers.get('content-type') ?? '', /^application\/json/)
        const manage = `${publicUrl}/account`
        assert.deepEqual(await endpoints.json(), { enroll: manage, manage })
        const change = await get('change-password')
        assert.deepEqual([change.status, change.headers.get('location')], [302, '/auth/change-password'])
        // As the W3C's document has it: browsers learn from this that unknown paths are not 200.
        const reliable = await get('resource-that-should-not-exist-whose-status-code-should-not-be-200')
        assert.equal(reliable.status, 404)
      }
    }
  })

  it('belong to Rollbook in front of the product, which keeps the others', async (t) => {
    const requests: string[] = []
    const product = await serveHttp(t, (request, response) => {
      requests.push(request.url ?? '')
      response.end('product')
    })
    const app = await start(t, engine, { env: { ROLLBOOK_UPSTREAM: product.origin } })
    const { origin } = new URL(await app.listen())
    for (const name of files) {
      const reply = await fetch(`${origin}/.well-known/${name}`, { redirect: 'manual' })
      assert.notEqual(reply.status, 401, name)
      assert.ok(!(await reply.text()).includes('product'), name)
    }
    const other = await fetch(`${origin}/.well-known/security.txt`, {
      headers: { 'x-api-key': app.config.adminKey ?? '' },
    })
    assert.deepEqual([await other.text(), requests], ['product', ['/.well-known/security.txt']])
  })

  it('name no passkeys where the public URL is an IP address', async (t) => {
    const app = await start(t, engine, { env: { ROLLBOOK_PUBLIC_URL: 'https://192.0.2.7/auth' } })
    const origin = await app.listen()
    const statuses = await Promise.all(
      files.map(async (name) => (await fetch(`${origin}/.well-known/${name}`, { redirect: 'manual' })).status),
    )
    assert.deepEqual(statuses, [404, 404, 302])
  })
})
