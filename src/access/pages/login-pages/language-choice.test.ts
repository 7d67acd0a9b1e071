import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { type Answer, createUser, type Started, start } from '../../../../test/harness.ts'
import { createPerson, password, setCookies } from '../../../../test/people.ts'

const sqlite = { name: 'SQLite' } as const
const formHeaders = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' }

function open(t: TestContext, env: Record<string, string> = {}): Promise<Started> {
  return start(t, sqlite, { env: { ROLLBOOK_PUBLIC_URL: 'https://shop.example/auth', ...env } })
}

const get = (app: Started, path: string, headers: Record<string, string> = {}) =>
  app.call('GET', path, { key: null, headers: { accept: 'text/html', ...headers } })

const post = (app: Started, path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  app.call('POST', path, {
    key: null,
    body: new URLSearchParams(fields).toString(),
    headers: { accept: 'text/html', ...formHeaders, ...headers },
  })

/** The language of an answer, which says the same in its header and in its document. */
function languageOf({ headers, text }: Answer): string {
  const [, lang = '', dir] = /<html lang="([a-z]+)" dir="(ltr|rtl)">/.exec(text) ?? []
  assert.equal(headers['content-language'], lang)
  assert.equal(dir, lang === 'ar' ? 'rtl' : 'ltr')
  for (const name of ['accept-language', 'cookie']) assert.ok(String(headers.vary).includes(name))
  return lang
}

const languageLinks = ({ text }: Answer) =>
  [...text.matchAll(/hreflang="([a-z]+)" dir="\w+" href="([^"]*)"/g)].map(([, language, href = '']) => ({
    language,
    href: href.replaceAll('&amp;', '&'),
  }))

const chosenCookie = ({ headers }: Answer) =>
  setCookies(headers).find((line) => line.startsWith('__Host-rollbook-language='))

describe('the language of a page', () => {
  it('is the best one that the browser accepts, else the one of messages', async (t) => {
    const [app, arabic] = [await open(t), await open(t, { ROLLBOOK_MAIL_LOCALE: 'ar' })]
    for (const [header, language] of [
      ['de-AT, en;q=0.5', 'de'],
      ['fr, ar-EG;q=0.3, en;q=0.2', 'ar'],
      ['fr', 'en'],
      ['*', 'en'],
      ['de;q=0, en;q=0.1', 'en'],
      ['\u00e4\u00f6, ";<script>, de;q=nonsense', 'en'],
      [`${'x'.repeat(4000)}, de`, 'de'],
    ] as const) {
      assert.equal(languageOf(await get(app, '/login', { 'accept-language': header })), language, header)
    }
    assert.equal(languageOf(await get(app, '/login')), 'en')
    assert.equal(languageOf(await get(arabic, '/login')), 'ar')
    assert.equal(languageOf(await get(arabic, '/login', { 'accept-language': 'de' })), 'de')
  })

  it('is chosen at the foot of the page, is kept in a cookie that has only the language, and keeps the rest of the address', async (t) => {
    const app = await open(t)
    const first = await get(app, '/login?return_to=%2Freports%3Fa%3D1%26b%3D2&ui_locales=en')
    assert.deepEqual(
      languageLinks(first).map(({ language }) => language),
      ['de', 'ar'],
    )
    const [german] = languageLinks(first)
    const chosen = await get(app, `/login${german?.href}`, { 'accept-language': 'ar' })
    assert.equal(languageOf(chosen), 'de')
    assert.match(chosen.text, /name="return_to" value="\/reports\?a=1&amp;b=2"/)
    const cookie = chosenCookie(chosen)
    assert.equal(cookie, '__Host-rollbook-language=de; Max-Age=31536000; Path=/; SameSite=Lax; Secure')
    const pair = { cookie: '__Host-rollbook-language=de', 'accept-language': 'ar' }
    const refused = await post(app, '/login', { username: 'ada', password: 'wrong', return_to: '/reports' }, pair)
    assert.deepEqual([refused.status, languageOf(refused)], [401, 'de'])
    assert.match(refused.text, /Die Anmeldung ist fehlgeschlagen/)
    assert.equal(chosenCookie(refused), undefined)
    // Another language of a page that a form made is the page with the form, which leads to the same place.
    assert.deepEqual(
      languageLinks(refused).map(({ href }) => href),
      ['?return_to=%2Freports&lang=ar', '?return_to=%2Freports&lang=en'],
    )
    assert.equal(languageOf(await get(app, '/login?lang=en', pair)), 'en')
  })

  it('may come from the product, as ui_locales of OpenID Connect', async (t) => {
    const app = await open(t)
    const sent = await get(app, '/login?ui_locales=fr-CA%20de-CH%20en', { 'accept-language': 'ar' })
    assert.equal(languageOf(sent), 'de')
    assert.match(chosenCookie(sent) ?? '', /=de;/)
    assert.ok(languageLinks(sent).every(({ href }) => !href.includes('ui_locales')))
  })

  it('does not follow values that name no language, and never leaves the page', async (t) => {
    const app = await open(t)
    const hostile = [
      'xx',
      '',
      '../../de',
      'de%0d%0aset-cookie:a=b',
      '//evil.example',
      '%22%3E%3Cscript%3E',
      'de&lang=ar',
    ]
    for (const value of [...hostile, `de-${'a-'.repeat(500)}`, '__proto__', 'constructor']) {
      const response = await get(app, `/login?lang=${value}&return_to=%2F%2Fevil.example`)
      assert.equal(languageOf(response), 'en', value)
      assert.equal(chosenCookie(response), undefined, value)
      assert.doesNotMatch(response.text, /<script>|href="(?:https?:)?\/\/evil/)
      for (const { href } of languageLinks(response)) {
        assert.match(href, /^\?/)
        assert.doesNotMatch(href, /["<>\s]/)
      }
    }
    for (const value of ['xx', 'de"; Path=/x', '%64%65']) {
      const response = await get(app, '/login', { cookie: `__Host-rollbook-language=${value}` })
      assert.equal(languageOf(response), 'en')
    }
    // A sibling page may have set another cookie of the name: no reason to refuse the page.
    const twice = await get(app, '/login', { cookie: '__Host-rollbook-language=de; __Host-rollbook-language=ar' })
    assert.equal(languageOf(twice), 'de')
  })

  it('is that of the user whose link it is, until the reader chooses another, which uses up nothing', async (t) => {
    const app = await open(t)
    const { user_id } = await createUser(app, { username: 'grete', email: 'grete@example.com', locale: 'de' })
    const created = await app.call('POST', `/users/${user_id}/invitation`, { body: {} })
    const path = new URL(created.body.url).pathname.slice('/auth'.length)
    const page = await get(app, path, { cookie: '__Host-rollbook-language=ar', 'accept-language': 'en' })
    assert.equal(languageOf(page), 'de')
    assert.match(page.text, /<h1>Willkommen bei /)
    for (const { language, href } of languageLinks(page)) {
      assert.equal(languageOf(await get(app, path + href)), language)
      const refused = await post(app, path + href, { new_password: 'short' })
      assert.deepEqual([refused.status, languageOf(refused)], [422, language])
    }
    assert.equal((await post(app, `${path}?dry_run=true`, { new_password: password })).status, 422)
    const done = await post(app, `${path}?lang=ar`, { new_password: 'a moth in relay seventy' })
    assert.deepEqual([done.status, languageOf(done), languageLinks(done)], [200, 'ar', []])
    const used = await get(app, path)
    assert.deepEqual([used.status, languageOf(used)], [410, 'de'])
    assert.match(used.text, /Er wurde schon benutzt/)
    assert.equal(languageOf(await get(app, `${path.slice(0, -1)}~`, { 'accept-language': 'ar' })), 'ar')
  })

  it('is also that of refusals, while programs get the problem document in English', async (t) => {
    const app = await open(t)
    const headers = { 'accept-language': 'de', 'sec-fetch-site': 'cross-site' }
    const refused = await post(app, '/login', { username: 'ada', password }, headers)
    assert.deepEqual([refused.status, languageOf(refused)], [403, 'de'])
    assert.match(refused.text, /Dieses Formular kam von einer anderen Website/)
    const document = await post(
      app,
      '/login',
      { username: 'ada', password },
      { ...headers, accept: 'application/json' },
    )
    assert.equal(document.body.title, 'The request comes from another site')
    const { username } = await createPerson(app)
    const fields = { username, password: 'wrong', return_to: '/reports' }
    const answers = []
    for (let tries = 0; tries < 12; tries++)
      answers.push(await post(app, '/login', fields, { 'accept-language': 'ar' }))
    assert.match(answers.at(-1)?.text ?? '', /محاولات كثيرة جدًا/)
  })
})
