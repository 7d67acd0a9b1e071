import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import {
  type Answer,
  anyEngine,
  createUser,
  type Engine,
  engines,
  type Started,
  start,
} from '../../../../test/harness.ts'

const password = 'analytical engine no. 1'
const other = 'difference engine no. 2'
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'sec-fetch-site': 'same-origin' }
/** After she signs in, the browser belongs to ada. */
const page = (app: Started, path: string, headers: Record<string, string> = {}) =>
  app.call('GET', path, { key: null, headers: { ...browser, ...headers } })

function submit(app: Started, path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  return app.call('POST', path, {
    key: null,
    headers: { ...browser, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  })
}

async function startWithAda(t: TestContext, engine: Engine, env: Record<string, string> = {}): Promise<Started> {
  const app = await start(t, engine, { env })
  await createUser(app, { username: 'ada', password, first_name: 'Ada', last_name: 'Lovelace' })
  return app
}

/** The cookies that a browser would send from now on. */
function cookieOf({ headers }: Answer): string {
  const set = [headers['set-cookie'] ?? []].flat()
  return set.map((cookie) => cookie.split(';', 1)[0]).join('; ')
}

async function signedIn(app: Started, fields: Record<string, string> = {}): Promise<string> {
  const response = await submit(app, '/login', { username: 'ada', password, ...fields })
  assert.equal(response.status, 303, response.text)
  return cookieOf(response)
}

const me = (app: Started, cookie: string) => app.call('GET', '/me', { key: null, headers: { cookie } })

for (const engine of engines) {
  describe(`the sign-in page on ${engine.name}`, () => {
    it('signs in with username or email address, and leads to return_to', async (t) => {
      const app = await startWithAda(t, engine)
      await app.call('POST', '/users', { body: { username: 'grace', email: 'grace@example.com', password } })
      for (const [username, return_to, location] of [
        ['ada', '', 'login'],
        ['ADA', '/reports?page=2#row', '/reports?page=2#row'],
        ['grace@example.com', 'https://evil.example/', 'login'],
      ] as const) {
        const response = await submit(app, '/login', { username, password, return_to })
        assert.equal(response.status, 303)
        assert.equal(response.headers.location, location)
        assert.equal((await me(app, cookieOf(response))).status, 200)
      }
    })

    it('has a page for browsers where nothing is, and a problem document for programs', async (t) => {
      const app = await startWithAda(t, engine)
      for (const path of ['/anything', '/login/x/y', '/nothing?return_to=%2Fx']) {
        const unknown = await page(app, path, { 'accept-language': 'de' })
        assert.equal(unknown.status, 404, path)
        assert.match(unknown.text, /Seite nicht gefunden[\s\S]*Prüfen Sie die Adresse\.[\s\S]*href="\/auth\/login"/)
        assert.match(String(unknown.headers['content-security-policy']), /default-src 'none'/)
        assert.equal((await app.call('HEAD', path, { key: null, headers: browser })).status, 404)
        for (const accept of ['application/json', '*/*']) {
          assert.equal((await page(app, path, { accept })).body.code, 'not_found', accept)
        }
        assert.equal((await submit(app, path, {})).body.code, 'not_found')
      }
      assert.equal((await page(app, '/sessions/current/reauthentication')).body.code, 'method_not_allowed')
    })

    it('shows the same for unknown names and wrong passwords, keeps the name and drops the password', async (t) => {
      const app = await startWithAda(t, engine)
      const texts = []
      for (const username of ['ada', 'eve']) {
        const response = await submit(app, '/login', { username, password: 'not her password at all', return_to: '/x' })
        assert.equal(response.status, 401)
        assert.equal(response.headers['set-cookie'], undefined)
        assert.match(response.text, new RegExp(`name="username"[^>]* value="${username}"`))
        assert.match(response.text, /name="return_to" value="\/x"/)
        assert.match(response.text, /<title>Error: /)
        assert.match(response.text, /id="message" role="alert"/)
        assert.doesNotMatch(response.text, /not her password/)
        texts.push(response.text.replace(`value="${username}"`, ''))
      }
      assert.equal(texts[0], texts[1])
    })

    it('shows where to find the link for the first administrator: before there are users, and on the way to the console', async (t) => {
      const app = await start(t, engine)
      const says = async (query = '') => (await page(app, `/login${query}`)).text.includes('rollbook admin link')
      const forConsole = '?return_to=%2Fauth%2Fconsole%2Fusers%3Fq%3Dada'
      assert.equal(await says(), true)
      assert.equal(await says(forConsole), true)
      assert.equal(await says('?return_to=%2Freports'), false, 'users of the product have no use for it')
      await createUser(app, { username: 'ada', password })
      assert.equal(await says(), false)
      assert.equal(await says(forConsole), true)
      await createUser(app, { username: 'grace', password, role: 'admin' })
      assert.equal(await says(forConsole), false)
    })

    it('shows when to retry after too many attempts', async (t) => {
      const app = await startWithAda(t, engine)
      let response: Answer
      let tries = 0
      do response = await submit(app, '/login', { username: 'ada', password: `wrong password no. ${tries}` })
      while (response.status === 401 && ++tries < 20)
      assert.equal(response.status, 429)
      assert.match(response.headers['retry-after'] ?? '', /^\d+$/)
      assert.match(response.text, /Too many attempts\.<\/strong> Wait \d+ (second|minute)s?, then try again\./)
    })

    it('starts a new session at every sign-in and ends the previous one of the browser', async (t) => {
      const app = await startWithAda(t, engine)
      const first = await signedIn(app)
      const again = await submit(app, '/login', { username: 'ada', password }, { cookie: first })
      const second = cookieOf(again)
      assert.notEqual(second, first)
      assert.equal((await me(app, first)).status, 401)
      assert.equal((await me(app, second)).status, 200)
    })

    it('never adopts a session from the browser: a planted cookie is replaced', async (t) => {
      const app = await startWithAda(t, engine)
      const response = await submit(app, '/login', { username: 'ada', password }, { cookie: 'rollbook=planted' })
      assert.equal(response.status, 303)
      assert.doesNotMatch(cookieOf(response), /planted/)
      assert.equal((await me(app, 'rollbook=planted')).status, 401)
    })

    it('asks users who must change their password to do so, and then leads to return_to', async (t) => {
      const app = await startWithAda(t, engine)
      await app.runSql("UPDATE users SET must_change_password = 1 WHERE username = 'ada'")
      const response = await submit(app, '/login', { username: 'ada', password, return_to: '/reports' })
      assert.equal(response.status, 303)
      assert.equal(response.headers.location, 'change-password?return_to=%2Freports')
      const cookie = cookieOf(response)
      for (const path of ['/login', '/login?return_to=/reports']) {
        assert.match((await page(app, path, { cookie })).headers.location ?? '', /^change-password/)
      }
      const form = await page(app, '/change-password?return_to=/reports', { cookie })
      assert.match(form.text, /Choose a new password/)
      assert.match(form.text, /name="return_to" value="\/reports"/)
      const fields = { current_password: password, new_password: other, return_to: '/reports' }
      const changed = await submit(app, '/change-password', fields, { cookie })
      assert.equal(changed.status, 303, changed.text)
      assert.equal(changed.headers.location, '/reports')
      const { body } = await me(app, cookie)
      assert.equal(body.must_change_password, false)
      assert.equal((await submit(app, '/login', { username: 'ada', password })).status, 401)
    })

    it('shows at the field why a password is not changed, and changes nothing', async (t) => {
      const app = await startWithAda(t, engine)
      const cookie = await signedIn(app)
      for (const [fields, status, field, words] of [
        [{ current_password: password, new_password: 'short' }, 422, 'new-password', /fewer than 15 characters/],
        [{ current_password: 'not her password', new_password: other }, 403, 'current-password', /not your current/],
        [
          { current_password: password, new_password: other, new_password_again: `${other}x` },
          422,
          'new-password-again',
          /not the same/,
        ],
        [{}, 422, 'new-password', /fewer than 15 characters/],
      ] as const) {
        const response = await submit(app, '/change-password', fields, { cookie })
        assert.equal(response.status, status, response.text)
        assert.match(response.text, words)
        assert.match(response.text, new RegExp(`<a href="#${field}">`))
        assert.match(response.text, new RegExp(`id="${field}"[^>]* aria-describedby="[\\w-]+-fault[^>]* aria-invalid`))
        assert.doesNotMatch(response.text, /difference engine|analytical engine/)
      }
      const right = { current_password: password, new_password: other }
      assert.equal((await submit(app, '/change-password?dry_run=true', right, { cookie })).status, 422)
      assert.equal((await submit(app, '/login', { username: 'ada', password })).status, 303)
    })

    it('ends every other session when the password is changed', async (t) => {
      const app = await startWithAda(t, engine)
      const [here, elsewhere] = [await signedIn(app), await signedIn(app)]
      const fields = { current_password: password, new_password: other, new_password_again: other }
      const changed = await submit(app, '/change-password', fields, { cookie: here })
      assert.equal(changed.headers.location, 'login?password_changed')
      assert.equal((await me(app, elsewhere)).status, 401)
      assert.match((await page(app, '/login?password_changed', { cookie: here })).text, /Your password was changed\./)
    })

    it('signs out by the button only, and ends the session for good', async (t) => {
      const app = await startWithAda(t, engine)
      const cookie = await signedIn(app)
      const confirmation = await page(app, '/logout?return_to=/bye', { cookie })
      assert.equal(confirmation.status, 200)
      assert.match(confirmation.text, /<strong>Ada Lovelace<\/strong> \(ada\)/)
      assert.equal((await me(app, cookie)).status, 200)
      const response = await submit(app, '/logout', { return_to: '/bye' }, { cookie })
      assert.equal(response.status, 303)
      assert.equal(response.headers.location, '/bye')
      assert.match(String(response.headers['set-cookie']), /^rollbook=; Max-Age=0;/)
      assert.equal((await me(app, cookie)).status, 401)
      assert.match((await page(app, '/logout', { cookie })).text, /You are signed out/)
      assert.equal((await submit(app, '/logout', {}, { cookie })).headers.location, 'logout')
    })
  })
}

describe('the sign-in page', () => {
  const engine = anyEngine

  it('refuses forms from other sites, whatever they contain, and changes nothing', async (t) => {
    const app = await startWithAda(t, engine)
    const cookie = await signedIn(app)
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': '', origin: 'null' },
      { 'sec-fetch-site': '', origin: 'https://evil.example' },
      { 'sec-fetch-site': '' },
    ]
    for (const headers of foreign) {
      if (headers['sec-fetch-site'] === '') delete headers['sec-fetch-site']
      for (const [path, fields] of [
        ['/login', { username: 'ada', password }],
        ['/logout', {}],
        ['/change-password', { current_password: password, new_password: other }],
      ] as const) {
        const response = await app.call('POST', path, {
          key: null,
          headers: { accept: browser.accept, 'content-type': 'application/x-www-form-urlencoded', cookie, ...headers },
          body: new URLSearchParams(fields).toString(),
        })
        assert.equal(response.status, 403, `${path} ${JSON.stringify(headers)}`)
        assert.match(response.text, /came from another site/)
        assert.equal(response.headers['set-cookie'], undefined)
      }
    }
    assert.equal((await me(app, cookie)).status, 200)
  })

  it('accepts only forms', async (t) => {
    const app = await startWithAda(t, engine)
    const body = JSON.stringify({ username: 'ada', password })
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const response = await app.call('POST', '/login', {
        key: null,
        headers: { ...browser, 'content-type': type },
        body,
      })
      assert.equal(response.status, 415)
      assert.match(response.headers['content-type'] ?? '', /^text\/html/)
    }
    const twice = await app.call('POST', '/login', {
      key: null,
      headers: { ...browser, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'username=eve&username=ada&password=x',
    })
    assert.equal(twice.status, 400)
    const none = await app.call('POST', '/login', { key: null, headers: browser })
    assert.equal(none.status, 422)
    assert.match(none.text, /Enter your username and your password/)
  })

  it('is never cached or framed, and loads only files of its own', async (t) => {
    const app = await startWithAda(t, engine, {
      ROLLBOOK_PUBLIC_URL: 'https://shop.example/auth',
      ROLLBOOK_RETURN_ORIGINS: 'https://app.example',
    })
    for (const path of ['/login', '/login/', '/logout', '/logout/']) {
      const { headers, text } = await page(app, path)
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['referrer-policy'], 'same-origin')
      assert.match(headers['strict-transport-security'] ?? '', /max-age/)
      assert.equal(
        headers['content-security-policy'],
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; " +
          "form-action 'self' https://shop.example https://app.example; base-uri 'none'; frame-ancestors 'none'",
      )
      assert.doesNotMatch(text, /<style|style=|<script>| on\w+=/)
      assert.match(text, /<html lang="en" dir="ltr">/)
    }
  })

  it('has files that may be cached forever and change their name with their content', async (t) => {
    const app = await startWithAda(t, engine)
    const { text } = await page(app, '/login/')
    const files = [...text.matchAll(/(?:src|href)="(\.\.\/login\/assets\/[^"]+)"/g)].map(([, path]) => path as string)
    assert.deepEqual([...new Set(files.map((path) => path.split('/').at(-1)))].sort(), [
      'login.css',
      'login.js',
      'mark.svg',
      'passkey.js',
    ])
    const styles = files.find((path) => path.endsWith('login.css')) ?? ''
    // The font, which only the styles name: text is there before it, also on a slow line.
    for (const file of [...files, styles.replace('login.css', 'inter-latin.woff2')]) {
      const path = file.slice('..'.length)
      const response = await app.call('GET', path, { key: null })
      assert.equal(response.status, 200)
      const zipped = await app.call('GET', path, { key: null, headers: { 'accept-encoding': 'gzip, br' } })
      assert.equal(zipped.headers['content-encoding'], path.endsWith('woff2') ? undefined : 'gzip')
      assert.equal(response.headers['cache-control'], 'public, max-age=31536000, immutable')
      const older = await app.call('GET', path.replace(/assets\/[^/]+/, 'assets/older'), { key: null })
      assert.equal(older.status, 200)
      assert.equal(older.headers['cache-control'], 'no-cache')
    }
    assert.equal((await app.call('GET', '/login/assets/x/routes.ts', { key: null })).status, 404)
    assert.equal((await app.call('GET', '/login/assets/x/..%2froutes.ts', { key: null })).status, 404)
  })

  it('reports a fault to browsers as a page and to programs as a problem document', async (t) => {
    const app = await startWithAda(t, engine)
    const forged = { 'sec-fetch-site': 'cross-site', 'content-type': 'application/x-www-form-urlencoded' }
    const reply = await app.call('POST', '/login', { key: null, headers: { ...browser, ...forged }, body: '' })
    assert.equal(reply.status, 403)
    assert.match(reply.headers['content-type'] ?? '', /^text\/html/)
    assert.match(reply.headers['content-security-policy'] ?? '', /style-src 'self'/)
    assert.match(reply.text, new RegExp(`quote this number: ${reply.headers['x-request-id']}`))
    for (const accept of ['*/*', 'application/json', 'application/problem+json']) {
      const response = await app.call('POST', '/login', { key: null, headers: { ...forged, accept }, body: '' })
      assert.equal(response.body?.code, 'cross_origin', accept)
    }
  })

  it('writes names and addresses as text, never as HTML', async (t) => {
    const evil = `"><script src=//evil.example></script>`
    const app = await start(t, engine, { env: { ROLLBOOK_PRODUCT_NAME: `<b>"R&D"</b>` } })
    await createUser(app, { username: 'ada', password, first_name: evil, last_name: `'"<i>` })
    const failed = await submit(app, '/login', { username: evil, password, return_to: `/x"><script>` })
    assert.equal(failed.status, 401)
    const { text } = await page(app, '/login', { cookie: await signedIn(app) })
    for (const html of [failed.text, text]) {
      assert.doesNotMatch(html, /<script src=\/\/|<b>|<i>|"><script>/)
      assert.match(html, /&lt;b&gt;&quot;R&amp;D&quot;&lt;\/b&gt;/)
    }
    assert.match(text, /&quot;&gt;&lt;script src=\/\/evil\.example&gt;/)
  })

  it('authenticates by the cookie only: Authorization may belong to a proxy', async (t) => {
    const app = await startWithAda(t, engine)
    const authorization = `Basic ${Buffer.from('staging:staging').toString('base64')}`
    assert.equal((await page(app, '/login', { authorization })).status, 200)
    const response = await submit(app, '/login', { username: 'ada', password }, { authorization })
    assert.equal(response.status, 303)
    const shownPage = await page(app, '/login', { authorization, cookie: cookieOf(response) })
    assert.match(shownPage.text, /You are signed in/)
  })

  it('redirects signed-in users to return_to, and to no other site', async (t) => {
    const app = await startWithAda(t, engine, { ROLLBOOK_RETURN_ORIGINS: 'https://app.example' })
    const cookie = await signedIn(app)
    const onward = async (query: string) => (await page(app, `/login?${query}`, { cookie })).headers.location
    assert.equal(await onward('return_to=/reports%3Fpage%3D2'), '/reports?page=2')
    assert.equal(await onward('return_to=https%3A%2F%2Fapp.example%2Fx'), 'https://app.example/x')
    for (const query of [
      'return_to=//evil.example',
      'return_to=%2F%5Cevil.example',
      'return_to=https://app.example@evil.example/',
      'return_to=https://evil.example&return_to=/x',
      'return_to=/x&return_to=/y',
      'return_to=javascript:alert(1)',
      'return_to=/%250d%250aset-cookie:x=y',
      `return_to=/${'x'.repeat(3000)}`,
    ]) {
      assert.equal(await onward(query), undefined, query)
    }
    assert.match(
      (await page(app, '/change-password')).headers.location ?? '',
      /^login\?return_to=%2Fauth%2Fchange-password$/,
    )
  })

  it('links to the product, on the same origin or on its own', async (t) => {
    const productUrl = async (env: Record<string, string>) => {
      const app = await startWithAda(t, engine, env)
      const { text } = await page(app, '/login', { cookie: await signedIn(app) })
      return /href="([^"]*)">Continue to/.exec(text)?.[1]
    }
    assert.equal(await productUrl({}), '/')
    const root = { ROLLBOOK_BASE_PATH: '/' }
    assert.equal(await productUrl({ ...root, ROLLBOOK_RETURN_ORIGINS: 'https://app.example' }), 'https://app.example')
    assert.equal(await productUrl(root), undefined)
  })

  it('is not in the OpenAPI document', async (t) => {
    const app = await startWithAda(t, engine)
    for (const path of ['/login', '/logout', '/change-password']) assert.equal(app.document.paths[path], undefined)
  })
})
