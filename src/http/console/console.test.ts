import assert from 'node:assert/strict'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type Started, start } from '../../../test/harness.ts'
import { mailEnv } from '../../../test/mails/mailing.ts'
import { createPerson, openBrowser } from '../../../test/people.ts'
import { send } from '../../../test/proxies/client.ts'

const sqlite = { name: 'SQLite' } as const

/** The base against which a browser at `place` resolves relative references. */
async function baseAt(app: Started, place: string): Promise<string> {
  const { status, text } = await app.call('GET', place, { key: null })
  assert.equal(status, 200)
  const href = /<base href="([^"]+)">/.exec(text)?.[1]
  return new URL(href ?? assert.fail('The page has no base.'), `http://localhost/auth${place}`).pathname
}

describe('the files of the console', () => {
  it('are found from every address below it, whatever a proxy does to the path', async (t) => {
    const app = await start(t, sqlite)
    const places = [
      '/console',
      '/console/',
      '/console/users',
      '/console/users/',
      '/console/users/42',
      '/console/a/b/c?d=/e/f',
    ]
    for (const place of places) assert.equal(await baseAt(app, place), '/auth/console/', place)
    const stripped = await app.call('GET', '/console/users/42', { key: null })
    assert.match(stripped.text, /<base href="\.\.\/">/)
  })

  it('are not for users who may do nothing there: they are sent to their account', async (t) => {
    const app = await start(t, sqlite)
    for (const [role, expected] of [
      ['user', 303],
      ['admin', 200],
    ] as const) {
      const { username } = await createPerson(app, { role })
      const { call } = await openBrowser(app, username)
      for (const [path, place] of [
        ['/console', 'console/../account'],
        ['/console/', './../account'],
        ['/console/users/42', '../../account'],
      ] as const) {
        const { status, headers } = await call('GET', path)
        assert.deepEqual([status, headers.location], [expected, expected === 303 ? place : undefined], path)
      }
    }
  })

  it('are found below a prefix that has the same name', async (t) => {
    const app = await start(t, sqlite, { env: { ROLLBOOK_BASE_PATH: '/console' } })
    const api = await app.listen()
    const { text } = await send(`${api}/console/users/42`)
    assert.match(text, /<base href="\.\.\/">/)
  })

  it('say the language of messages to users without one of their own, and which features are on', async (t) => {
    const env = { ROLLBOOK_MAIL_LOCALE: 'de', ...mailEnv, ROLLBOOK_ACCESS_REQUESTS: 'on' }
    const app = await start(t, sqlite, { env })
    const { text } = await app.call('GET', '/console/', { key: null })
    assert.match(text, /<meta name="mail-locale" content="de">/)
    assert.match(text, /<meta name="features" content="access_requests">/)
    // The old address of the viewer's own account.
    assert.equal((await app.call('GET', '/console/profile', { key: null })).headers.location, '../account')
  })

  it('have a policy without unsafe sources or other origins, and a new nonce each time', async (t) => {
    const app = await start(t, sqlite)
    const nonces = new Set<string>()
    for (let i = 0; i < 3; i++) {
      const { headers, text } = await app.call('GET', '/console/', { key: null })
      const policy = headers['content-security-policy'] ?? ''
      assert.doesNotMatch(policy, /unsafe|http|\*/)
      assert.match(policy, /default-src 'none'/)
      assert.match(policy, /frame-ancestors 'none'/)
      const nonce = /<meta name="style-nonce" content="([^"]+)">/.exec(text)?.[1] ?? ''
      assert.ok(Buffer.from(nonce, 'base64').length >= 16)
      assert.ok(policy.includes(`'nonce-${nonce}'`))
      assert.equal(headers['cache-control'], 'no-store', 'Back after a sign-out must not show what was there')
      assert.doesNotMatch(text, /<script(?![^>]*\bsrc=)|<style>|\son\w+=|style="/)
      nonces.add(nonce)
    }
    assert.equal(nonces.size, 3)
  })

  it('name the product and the environment, escaped, and have words before any script runs', async (t) => {
    const names = { ROLLBOOK_PRODUCT_NAME: '<Orchard> $&', ROLLBOOK_ENVIRONMENT_NAME: 'Staging "EU"' }
    const app = await start(t, sqlite, { env: names })
    const headers = { 'accept-language': 'de-CH, en;q=0.8' }
    for (const path of ['/console/', '/docs']) {
      const { text } = await app.call('GET', path, { key: null, headers })
      assert.match(text, /<meta name="product-name" content="&lt;Orchard&gt; \$&amp;">/, path)
      assert.match(text, /<meta name="environment-name" content="Staging &quot;EU&quot;">/, path)
      assert.doesNotMatch(text, /<Orchard>/, path)
    }
    const { text } = await app.call('GET', '/console/', { key: null, headers })
    assert.match(text, /<html lang="de" dir="ltr">/)
    assert.match(text, /<bdi class="boot-brand">&lt;Orchard&gt; \$&amp;<\/bdi><span[^>]*>Wird geladen…<\/span>/)
    const arabic = await app.call('GET', '/console/', { key: null, headers: { 'accept-language': 'ar' } })
    assert.match(arabic.text, /<html lang="ar" dir="rtl">/)
  })

  it('are precompressed, named after their content and cached forever', async (t) => {
    const app = await start(t, sqlite)
    const api = await app.listen()
    const { text } = await send(`${api}/console/`)
    const names = [...text.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name]) => name as string)
    assert.ok(names.some((name) => name.endsWith('.js')))
    assert.ok(names.some((name) => name.endsWith('.css')))
    for (const name of names) {
      assert.match(name, /-[\w-]{8}\.\w+$/)
      const plain = await app.call('GET', `/console/${name}`, { key: null })
      assert.equal(plain.headers['content-encoding'], undefined)
      assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
      if (!/\.(js|css)$/.test(name)) continue
      assert.equal(plain.headers.vary, 'accept-encoding')
      for (const [coding, unpack] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync],
      ] as const) {
        const packed = await fetchRaw(`${api}/console/${name}`, coding)
        assert.equal(packed.coding, coding)
        assert.equal(unpack(packed.bytes).toString(), plain.text)
      }
    }
  })

  it('that do not exist return a problem, not the page', async (t) => {
    const app = await start(t, sqlite)
    for (const name of ['index-00000000.js', '..%2f..%2fpackage.json', 'index.html', '%00']) {
      const { status, body, headers } = await app.call('GET', `/console/assets/${name}`, { key: null })
      assert.equal(status, 404, name)
      assert.equal(body.code, 'not_found')
      assert.doesNotMatch(headers['cache-control'] ?? '', /max-age/)
    }
  })

  it('are read-only', async (t) => {
    const app = await start(t, sqlite)
    assert.equal((await app.call('POST', '/console/', { body: {} })).status, 405)
  })
})

/** `fetch` would decompress it. */
function fetchRaw(url: string, coding: string): Promise<{ coding: string | undefined; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { 'accept-encoding': coding } }, (response) => {
      buffer(response).then((bytes) => resolve({ coding: response.headers['content-encoding'], bytes }), reject)
    })
      .on('error', reject)
      .end()
  })
}
