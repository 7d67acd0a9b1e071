import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { start } from '../../../test/harness.ts'

const engine = { name: 'SQLite' } as const
describe('the docs page over HTTP', () => {
  it('needs no credential and runs nothing that is not its own, with and without a slash at the end', async (t) => {
    const app = await start(t, engine)
    for (const path of ['/docs', '/docs/']) {
      const response = await app.call('GET', path, { key: null })
      assert.equal(response.status, 200)
      assert.equal(response.headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(response.headers['x-content-type-options'], 'nosniff')
      assert.equal(response.headers['referrer-policy'], 'same-origin')
      const policy = String(response.headers['content-security-policy'])
      assert.match(policy, /default-src 'none'.*script-src 'self';.*frame-ancestors 'none'/)
      assert.doesNotMatch(policy, /unsafe|https?:|upgrade-insecure-requests/)
      assert.doesNotMatch(response.text, /<script>|<style|style=|\bon\w+=|https?:/)
    }
  })

  it('links to everything from where it was opened, with and without a trailing slash', async (t) => {
    const app = await start(t, engine, { env: { ROLLBOOK_PUBLIC_URL: 'https://product.example/people' } })
    for (const path of ['/docs', '/docs/']) {
      const { text } = await app.call('GET', path)
      const links = linksOf(text).map((link) => new URL(link, `https://elsewhere.example/a/b${path}`).href)
      assert.equal(links.length, 5)
      for (const link of links) {
        const [, inside = ''] = link.split('https://elsewhere.example/a/b')
        assert.equal((await app.call('GET', inside)).status, 200, link)
      }
    }
  })

  it('shows the name of the product, escaped', async (t) => {
    const app = await start(t, engine, { env: { ROLLBOOK_PRODUCT_NAME: 'Q&A "<b>' } })
    const { text } = await app.call('GET', '/docs', { key: null })
    assert.ok(text.includes('<title>Q&amp;A &quot;&lt;b&gt; API</title>'))
    assert.ok(text.includes('data-product="Q&amp;A &quot;&lt;b&gt;"'))
  })

  it('leaves the public address to the OpenAPI document', async (t) => {
    const app = await start(t, engine, { env: { ROLLBOOK_PUBLIC_URL: 'https://product.example/people' } })
    assert.equal((await app.call('GET', '/openapi.json')).body.servers[0].url, '/people')
  })

  for (const path of ['/openapi.json', '/openapi.sdk.json', '/docs/problems', '/docs/alerts']) {
    it(`sends ${path} compressed, and again only after it has changed`, async (t) => {
      const app = await start(t, engine)
      const url = `${await app.listen()}${path}`
      const tags = new Set<string>()
      const lengths: Record<string, number> = {}
      const texts = new Set<string>()
      for (const coding of ['br', 'gzip', 'identity']) {
        const headers = { 'accept-encoding': coding }
        const response = await fetch(url, { headers })
        assert.equal(response.headers.get('content-encoding') ?? 'identity', coding)
        assert.equal(response.headers.get('cache-control'), 'no-cache')
        assert.equal(response.headers.get('vary'), 'accept-encoding')
        const etag = response.headers.get('etag') as string
        assert.match(etag, /^"[\w-]+"$/)
        tags.add(etag)
        lengths[coding] = Number(response.headers.get('content-length'))
        texts.add(await response.text())
        const head = await fetch(url, { method: 'HEAD', headers })
        for (const name of ['etag', 'content-length', 'content-encoding', 'vary', 'cache-control', 'content-type'])
          assert.equal(head.headers.get(name), response.headers.get(name), name)
        for (const known of [etag, `"other", W/${etag}`, '*']) {
          const again = await fetch(url, { headers: { ...headers, 'if-none-match': known } })
          assert.equal(again.status, 304, known)
          assert.equal(await again.text(), '')
          for (const name of ['etag', 'vary', 'cache-control'])
            assert.equal(again.headers.get(name), response.headers.get(name), name)
        }
        const changed = await fetch(url, { headers: { ...headers, 'if-none-match': '"of-another-release"' } })
        assert.equal(changed.status, 200)
        assert.equal(texts.add(await changed.text()).size, 1, 'each coding and each answer holds the same document')
      }
      assert.equal(tags.size, 3, 'each coding has a strong tag of its own')
      assert.ok(Number(lengths.br) < Number(lengths.gzip) && Number(lengths.gzip) * 2 < Number(lengths.identity))
    })
  }

  it('gives another configuration another tag of the OpenAPI document', async (t) => {
    const tags = new Set<string>()
    for (const address of ['https://a.example/auth', 'https://a.example/people']) {
      const app = await start(t, engine, { env: { ROLLBOOK_PUBLIC_URL: address } })
      const etag = String((await app.call('GET', '/openapi.json')).headers.etag)
      assert.equal(String((await app.call('GET', '/openapi.json')).headers.etag), etag)
      tags.add(etag)
    }
    assert.equal(tags.size, 2)
  })

  it('serves its files compressed or not, to be cached forever', async (t) => {
    const app = await start(t, engine)
    const base = await app.listen()
    const path = linksOf((await app.call('GET', '/docs')).text).find((link) => link.endsWith('/docs-page.js'))
    const url = new URL(path as string, `${base}/docs`)
    const lengths: Record<string, number> = {}
    const texts = new Set<string>()
    for (const coding of ['br', 'gzip', 'identity']) {
      const response = await fetch(url, { headers: { 'accept-encoding': coding } })
      assert.equal(response.headers.get('content-encoding') ?? 'identity', coding)
      assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.equal(response.headers.get('content-type'), 'text/javascript; charset=utf-8')
      assert.equal(response.headers.get('vary'), 'accept-encoding')
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
      lengths[coding] = Number(response.headers.get('content-length'))
      texts.add(await response.text())
      const head = await fetch(url, { method: 'HEAD', headers: { 'accept-encoding': coding } })
      assert.equal(Number(head.headers.get('content-length')), lengths[coding])
    }
    const [script = '', ...others] = texts
    assert.deepEqual(others, [], 'each coding holds the same script')
    assert.equal(lengths.identity, Buffer.byteLength(script))
    assert.ok(Number(lengths.br) < Number(lengths.gzip), JSON.stringify(lengths))
  })

  it('serves a page of another release too, but without caching what may not belong to it', async (t) => {
    const app = await start(t, engine)
    const response = await app.call('GET', '/docs/assets/of-another-one/docs-page.js', { key: null })
    assert.equal(response.status, 200)
    assert.equal(response.headers['cache-control'], 'no-cache')
  })

  it('serves none but its own files', async (t) => {
    const app = await start(t, engine)
    for (const name of [
      'package.json',
      'constructor',
      '..%2f..%2fpage.ts',
      '%2e%2e%2fpage.ts',
      'docs-page.js%00',
      'docs-page.html',
    ]) {
      const response = await app.call('GET', `/docs/assets/x/${name}`, { key: null })
      assert.equal(response.status, 404, name)
      assert.equal(response.body.code, 'not_found')
    }
  })

  it('is not part of the OpenAPI document', async (t) => {
    const { document } = await start(t, engine)
    assert.deepEqual(
      Object.keys(document.paths).filter((path) => path.startsWith('/docs')),
      [],
    )
  })
})

function linksOf(html: string): string[] {
  return [...html.matchAll(/(?:href|src|data-openapi)="([^"]+)"/g)].map(([, link]) => link as string)
}
