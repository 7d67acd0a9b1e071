import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import { type Engine, engines, type Started, start } from '../../../../test/harness.ts'

const svg = (inside: string, box = '0 0 32 8') =>
  `data:image/svg+xml;base64,${Buffer.from(`<svg viewBox="${box}">${inside}</svg>`).toString('base64')}`
const wide = svg('<path d="M0 0h32v8z"/>')
const square = svg('<path d="M0 0h8v8z"/>', '0 0 8 8')

function chunk(type: string, data: Buffer): Buffer {
  const whole = Buffer.concat([Buffer.alloc(4), Buffer.from(type, 'latin1'), data, Buffer.alloc(4)])
  whole.writeUInt32BE(data.length)
  whole.writeUInt32BE(crc32(whole.subarray(4, -4)), whole.length - 4)
  return whole
}
/** Four by four pixels. */
const png = `data:image/png;base64,${Buffer.concat([
  Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
  chunk('IHDR', Buffer.from([0, 0, 0, 4, 0, 0, 0, 4, 8, 6, 0, 0, 0])),
  chunk('IDAT', deflateSync(Buffer.alloc(68))),
  chunk('IEND', Buffer.alloc(0)),
]).toString('base64')}`

const unset = {
  name: null,
  logo: null,
  logo_dark: null,
  accent_color: null,
  terms_url: null,
  privacy_url: null,
  support_url: null,
  updated_at: null,
}
const browser = { accept: 'text/html' }
const put = (app: Started, body: object, headers: Record<string, string> = {}) =>
  app.call('PUT', '/branding', { body, headers })

async function page(app: Started, path = '/login'): Promise<string> {
  return (await app.call('GET', path, { key: null, headers: { ...browser, 'accept-language': 'en' } })).text
}

async function fileOf(app: Started, path: string) {
  return app.call('GET', path.replace(/^(\.\.\/)*/, '/').replace('/auth/', '/'), { key: null })
}

async function startPlain(t: TestContext, engine: Engine): Promise<Started> {
  return start(t, engine, { env: { ROLLBOOK_PRODUCT_NAME: 'Orchard', ROLLBOOK_RATE_LIMIT: '0' } })
}

for (const engine of engines) {
  describe(`branding on ${engine.name}`, () => {
    it('is read and replaced as a whole, with a version, a dry run, a record and an event', async (t) => {
      const app = await startPlain(t, engine)
      const before = await app.call('GET', '/branding')
      assert.deepEqual([before.status, before.body], [200, unset])
      const plain = await page(app)

      const wanted = { name: 'Acme', logo: square, privacy_url: 'https://acme.example/p' }
      const dry = await app.call('PUT', '/branding?dry_run=true', { body: wanted })
      assert.deepEqual([dry.status, dry.body.name, dry.headers.etag], [200, 'Acme', undefined])
      assert.equal(await page(app), plain)

      const etag = String(before.headers.etag)
      const saved = await put(app, wanted, { 'if-match': etag })
      assert.equal(saved.status, 200, saved.text)
      assert.equal((await put(app, {}, { 'if-match': etag })).status, 412)
      const read = await app.call('GET', '/branding')
      assert.deepEqual([read.body, read.headers.etag], [saved.body, saved.headers.etag])
      assert.deepEqual(
        { ...read.body, logo: null, updated_at: null },
        { ...unset, name: 'Acme', privacy_url: 'https://acme.example/p' },
      )
      assert.equal(
        (await app.call('GET', '/branding', { headers: { 'if-none-match': String(read.headers.etag) } })).status,
        304,
      )
      // What was read can be sent back, and changes nothing.
      assert.equal((await put(app, read.body)).headers.etag, read.headers.etag)

      const [record] = (await app.call('GET', '/audit?action=branding.updated&limit=5')).body.filter(
        ({ changes }: { changes: object }) => Object.keys(changes).length > 0,
      )
      assert.deepEqual(Object.keys(record.changes).sort(), ['logo', 'name', 'privacy_url'])
      assert.match(record.changes.logo.after, /^sha256:[0-9a-f]{64}$/)
      const events = (await app.call('GET', '/events?type=branding.updated')).text
      assert.match(events, /"logo_sha256":"[0-9a-f]{64}"/)
      assert.doesNotMatch(events + JSON.stringify(record), /base64/)

      assert.equal((await put(app, {})).status, 200)
      assert.equal(await page(app), plain)
    })

    it('refuses what is not allowed, and names every fault', async (t) => {
      const app = await startPlain(t, engine)
      const cases: [body: object, pointers: string[]][] = [
        [{ accent_color: '#ffff00', logo: 'https://evil.example/x.svg' }, ['#/logo', '#/accent_color']],
        [{ terms_url: 'javascript:alert(1)', privacy_url: 'http://plain.example/' }, ['#/terms_url', '#/privacy_url']],
        [{ support_url: 'mailto:a@b.example?bcc=c@d.example' }, ['#/support_url']],
        [{ terms_url: 'mailto:help@example.com' }, ['#/terms_url']],
        [{ privacy_url: 'https://user:secret@example.com/' }, ['#/privacy_url']],
        [{ name: 'Acme\u202e' }, ['#/name']],
        [{ name: '   ' }, ['#/name']],
        [{ accent_color: 'red' }, ['#/accent_color']],
        [{ logos: null }, ['#/logos']],
      ]
      for (const [body, pointers] of cases) {
        const response = await put(app, body)
        assert.equal(response.status, 422, response.text)
        assert.deepEqual(
          response.body.errors.map(({ pointer }: { pointer: string }) => pointer),
          pointers,
        )
      }
      const low = await put(app, { accent_color: '#FFFF00' })
      assert.match(
        low.body.detail,
        /#ffff00 has a contrast of 1:1 .* The nearest colour that has enough is #[0-9a-f]{6}\./,
      )
      const [nearest] = /#[0-9a-f]{6}(?=\.$)/.exec(low.body.detail) ?? []
      assert.equal((await put(app, { accent_color: nearest, support_url: 'mailto:help@example.com' })).status, 200)
    })

    it('is on pages, and its files are pictures and nothing else', async (t) => {
      const app = await startPlain(t, engine)
      const links = { terms_url: 'https://acme.example/t', support_url: 'mailto:help@acme.example' }
      await put(app, { name: 'A&B <i>', logo: wide, logo_dark: png, accent_color: '#7a1f5c', ...links })
      const text = await page(app)
      assert.match(text, /<title>Sign in · A&amp;B &lt;i&gt;<\/title>/)
      assert.match(
        text,
        /<footer>[\s\S]*href="https:\/\/acme\.example\/t">Terms<[\s\S]*href="mailto:help@acme\.example">Help</,
      )
      assert.doesNotMatch(text, /<style|style=|<bdi>A/, 'a wide logo is the name')
      const paths = [...text.matchAll(/(?:src|srcset|href)="(branding\/[^"]+)"/g)].map(([, path]) => path as string)
      assert.deepEqual(paths.map((path) => path.split('/')[2]).sort(), [
        'accent.css',
        'logo-dark.png',
        'logo.svg',
        'mark.svg',
      ])
      for (const path of paths) {
        const { status, headers, text: content } = await fileOf(app, path)
        assert.equal(status, 200, path)
        assert.equal(headers['x-content-type-options'], 'nosniff')
        assert.equal(headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'; sandbox")
        assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
        const type = { css: /^text\/css/, png: /^image\/png$/, svg: /^image\/svg\+xml/ }[
          path.split('.').at(-1) as 'css'
        ]
        assert.match(String(headers['content-type']), type)
        if (path.endsWith('.css'))
          assert.match(content, /--action: #7a1f5c;[\s\S]*prefers-color-scheme: dark[\s\S]*--accent: #[0-9a-f]{6};/)
        const older = await fileOf(app, path.replace(/branding\/[^/]+/, 'branding/older'))
        assert.deepEqual([older.status, older.headers['cache-control']], [200, 'no-cache'])
      }
      assert.match(
        await page(app, '/nothing/here'),
        /<img class="logo" src="\/auth\/branding\/[^"]+\/logo\.svg" alt="A&amp;B &lt;i&gt;"/,
      )
      await put(app, { logo: square, name: 'Acme' })
      assert.match(
        await page(app),
        /<link rel="icon" type="image\/svg\+xml" href="branding\/[^"]+\/logo\.svg">[\s\S]*alt=""[^>]*><\/picture> <bdi>Acme<\/bdi>/,
      )
      assert.equal((await fileOf(app, 'branding/x/logo-dark.png')).status, 404)
      assert.equal((await fileOf(app, 'branding/x/..%2f..%2fetc')).status, 404)
    })

    it('is in messages: name, colour, links, and a PNG inside', async (t) => {
      const app = await startPlain(t, engine)
      const preview = async () =>
        (await app.call('POST', '/mails/preview', { body: { kind: 'invitation', locale: 'de' } })).body
      const plain = await preview()
      assert.match(plain.html, /bgcolor="#1f5fbf"/)
      await put(app, { name: 'Acme', logo: png, accent_color: '#7a1f5c', privacy_url: 'https://acme.example/p' })
      const { subject, text, html } = await preview()
      assert.equal(subject, 'Sie sind zu Acme eingeladen')
      assert.match(text, /\n\nDatenschutz: https:\/\/acme\.example\/p\n$/)
      assert.match(html, /<img src="data:image\/png;base64,[^"]+" alt="Acme" width="44" height="44"/)
      assert.match(
        html,
        /bgcolor="#7a1f5c"[\s\S]*<a class="small" href="https:\/\/acme\.example\/p"[^>]*>Datenschutz<\/a>/,
      )
      await put(app, { logo: wide })
      assert.doesNotMatch((await preview()).html, /<img|svg/)
      await put(app, {})
      assert.deepEqual({ ...(await preview()), text: '', html: '' }, { ...plain, text: '', html: '' })
    })

    it('is shown before it is saved, with the nearest colour that can be read and what would be left out', async (t) => {
      const app = await startPlain(t, engine)
      const branding = { name: 'Acme', logo: svg('<text>Acme</text><path d="M0 0h32v8z"/>'), accent_color: '#ffcc00' }
      const { status, body, text } = await app.call('POST', '/branding/preview', { body: { branding, locale: 'ar' } })
      assert.equal(status, 200, text)
      assert.deepEqual(body.left_out, [{ member: 'logo', names: ['text'] }])
      assert.ok(body.contrast < 1.6, String(body.contrast))
      assert.match(body.page, /<html lang="ar" dir="rtl">[\s\S]*<img class="logo" src="data:image\/svg\+xml;base64,/)
      assert.ok(body.page.includes(`--action: ${body.branding.accent_color};`))
      assert.ok(body.html.includes(`bgcolor="${body.branding.accent_color}"`))
      assert.equal((await app.call('GET', '/branding')).body.name, null)
      assert.equal(
        (await app.call('POST', '/branding/preview', { body: { branding: { terms_url: 'x' } } })).status,
        422,
      )
    })

    if (engine.name === 'PostgreSQL') {
      it('reaches another node within a second', async (t) => {
        const app = await startPlain(t, engine)
        const other = await start(t, engine, { beside: app, env: { ROLLBOOK_PRODUCT_NAME: 'Orchard' } })
        assert.match(await page(other), /· Orchard<\/title>/)
        await put(app, { name: 'Acme' })
        assert.match(await page(app), /· Acme<\/title>/)
        const began = performance.now()
        while (!(await page(other)).includes('· Acme</title>')) assert.ok(performance.now() - began < 1000)
      })
    }
  })
}
