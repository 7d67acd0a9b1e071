import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeOf, personWithPhone } from '../../../../test/factors.ts'
import { engines, start } from '../../../../test/harness.ts'
import { createPerson, password } from '../../../../test/people.ts'
import { fieldIn, plainBrowser } from '../../../../test/plain-browser.ts'

for (const engine of engines) {
  describe(`the sign-in page with second factors on ${engine.name}`, () => {
    it('asks for the code after the password, and says when it is wrong', async (t) => {
      let now = Date.UTC(2026, 10, 23, 12)
      const app = await start(t, engine, { clock: () => now })
      const { username, phone } = await personWithPhone(app, now)
      now += 30_000
      const browser = plainBrowser(app)
      const first = await browser.post('/login', { username, password, return_to: '/reports' })
      assert.match(first.text, /<h1>Confirm that it is you<\/h1>/)
      const challenge = { challenge_id: fieldIn(first, 'challenge_id'), methods: 'totp', return_to: '/reports' }
      const wrong = await browser.post('/login', { ...challenge, code: '000000' })
      assert.equal(wrong.status, 401)
      assert.match(wrong.text, /The code was not accepted/)
      const done = await browser.post('/login', { ...challenge, code: codeOf(phone.secret, now) })
      assert.deepEqual([done.status, done.headers.location], [303, '/reports'])
      assert.match((await browser.get('/login')).text, /You are signed in/)
    })

    it('leads users who need a factor to adding one, and shows recovery codes once', async (t) => {
      let now = Date.UTC(2026, 10, 23, 12)
      const app = await start(t, engine, { clock: () => now, env: { ROLLBOOK_SECOND_FACTOR: 'required' } })
      const { username } = await createPerson(app)
      const browser = plainBrowser(app)
      const signedIn = await browser.post('/login', { username, password })
      assert.deepEqual([signedIn.status, signedIn.headers.location], [303, 'login'])
      assert.equal((await browser.get('/login')).headers.location, 'add-factor')
      const offer = await browser.get('/add-factor')
      assert.match(offer.text, /Set up an authenticator app/)
      assert.match(offer.text, /data-start="me\/factors\/passkeys\/options".*data-confirm="confirm"/)
      assert.deepEqual(await app.runSql('SELECT factor_id FROM factors'), [])
      const page = await browser.post('/add-factor', {})
      assert.match(page.text, /<svg /)
      const factor_id = fieldIn(page, 'factor_id')
      const secret = /<code class="key">([A-Z2-7 ]+)<\/code>/.exec(page.text)?.[1]?.replaceAll(' ', '') ?? ''
      const wrong = await browser.post('/add-factor', { factor_id, code: codeOf(secret, now + 120_000) })
      assert.equal(wrong.status, 422)
      assert.ok(wrong.text.includes(secret.slice(0, 4)))
      const added = await browser.post('/add-factor', { factor_id, code: codeOf(secret, now) })
      const codes = [...added.text.matchAll(/<li><code>([\dA-Z-]{29})<\/code><\/li>/g)].map(([, code]) => code)
      assert.equal(codes.length, 10)
      const [, file = ''] =
        /href="data:text\/plain;charset=utf-8,([^"]+)" download="recovery-codes.txt"/.exec(added.text) ?? []
      assert.equal(decodeURIComponent(file), ['Rollbook', 'Recovery codes', '', ...codes, ''].join('\r\n'))
      assert.match((await browser.get('/login')).text, /You are signed in/)

      now += 30_000
      const other = plainBrowser(app)
      const next = await other.post('/login', { username, password })
      const methods = fieldIn(next, 'methods')
      const challenge = { challenge_id: fieldIn(next, 'challenge_id'), methods }
      assert.match(next.text, /id="code"[^>]* inputmode="numeric"/)
      assert.match(next.text, /<details class="instead"><summary>Use a recovery code<\/summary>/)
      const nothing = await other.post('/login', { ...challenge, code: ' ', recovery_code: '' })
      assert.deepEqual([nothing.status, /Enter a code\./.test(nothing.text)], [422, true])
      const mistyped = await other.post('/login', { ...challenge, code: '', recovery_code: 'AAAAA-AAAAA' })
      assert.equal(mistyped.status, 401)
      assert.match(mistyped.text, /<details class="instead" open>[\s\S]*aria-describedby="message recovery-code-hint"/)
      const fields = { ...challenge, code: '', recovery_code: codes[3] ?? '', return_to: '/reports' }
      const used = await other.post('/login', fields)
      const place = '/recovery-codes?used=true&return_to=%2Freports'
      assert.deepEqual([used.status, used.headers.location], [303, `/auth${place}`])
      const offered = await other.get(place)
      assert.match(offered.text, /You have 9 recovery codes left\..*href="\/auth\/account".*href="\/reports">/s)
      assert.equal((await other.post('/recovery-codes', {})).text.match(/<li><code>/g)?.length, 10)

      // The same where a code confirms the session.
      const [code = ''] = (await other.post('/recovery-codes', {})).text.match(/[\dA-Z]{5}(-[\dA-Z]{5}){4}/) ?? []
      const confirmed = await other.post('/confirm', { code, return_to: '/auth/change-password' })
      const after = new URLSearchParams({ used: 'true', return_to: '/auth/change-password' })
      assert.deepEqual([confirmed.status, confirmed.headers.location], [303, `recovery-codes?${after}`])
    })

    it('reminds users of a factor that will be required, until it is, and lets them put it off', async (t) => {
      let now = Date.UTC(2026, 10, 23, 12)
      const env = { ROLLBOOK_SECOND_FACTOR: '{"admin":"required"}', ROLLBOOK_SECOND_FACTOR_FROM: '2027-01-15' }
      const app = await start(t, engine, { clock: () => now, env })
      const due = '2027-01-15T00:00:00.000Z'
      const { username } = await createPerson(app, { role: 'admin' })
      const browser = plainBrowser(app)
      const signedIn = await browser.post('/login', { username, password, return_to: '/reports' })
      assert.deepEqual([signedIn.status, signedIn.headers.location], [303, 'add-factor?return_to=%2Freports'])
      const offer = await browser.get('/add-factor?return_to=%2Freports')
      assert.match(offer.text, /will require a second factor from 15 January 2027 on/)
      assert.match(offer.text, /<a class="action second" href="\/reports">Later<\/a>/)
      const me = async () => JSON.parse((await browser.get('/me')).text)
      assert.equal((await me()).second_factor_from, due)

      // A user who needs no factor, and one who has one.
      const other = await createPerson(app)
      const plain = await plainBrowser(app).post('/login', { username: other.username, password })
      assert.equal(plain.headers.location, 'login')
      const strong = await personWithPhone(app, now, { role: 'admin' })
      assert.equal((await strong.browser.call('GET', '/me')).body.second_factor_from, null)

      now = Date.parse(due)
      const late = plainBrowser(app)
      const next = await late.post('/login', { username, password })
      assert.deepEqual([next.status, next.headers.location], [303, 'login'])
      assert.equal((await late.get('/login')).headers.location, 'add-factor')
      const required = await late.get('/add-factor')
      assert.match(required.text, /Your administrator requires a second factor/)
      assert.doesNotMatch(required.text, /Later/)
    })

    it('offers recovery codes without scripts, to sessions that showed a factor within the last minutes', async (t) => {
      let now = Date.UTC(2026, 10, 23, 12)
      const app = await start(t, engine, { clock: () => now, env: { ROLLBOOK_TRUST_BROWSER_DAYS: '30' } })
      const { username, phone, browser: own } = await personWithPhone(app, now)
      now += 30_000
      const browser = plainBrowser(app)
      const left = async () => (await own.call('GET', '/me/factors')).body.recovery_codes
      const first = await browser.post('/login', { username, password })
      const challenge = { challenge_id: fieldIn(first, 'challenge_id'), methods: 'totp', trust_browser: 'true' }
      assert.equal((await browser.post('/login', { ...challenge, code: codeOf(phone.secret, now) })).status, 303)

      const offer = await browser.get('/recovery-codes?return_to=%2Freports')
      assert.match(offer.text, /You get ten, and each works once\.<.*href="\/reports">Later</s)
      assert.equal(await left(), 0, 'a page that is looked at changes nothing')
      const page = await browser.post('/recovery-codes', { return_to: '/reports' })
      assert.equal(page.text.match(/<li><code>/g)?.length, 10)
      assert.match(page.text, /href="\/reports">I have kept them/)
      assert.equal(await left(), 10)
      assert.match((await browser.get('/recovery-codes')).text, /You have 10 unused codes, which the new ones replace/)

      // The browser is trusted now: the password alone starts a session, which has shown no factor.
      await browser.post('/logout', {})
      assert.equal((await browser.post('/login', { username, password })).headers.location, 'login')
      const refused = await browser.post('/recovery-codes', {})
      assert.deepEqual([refused.status, refused.headers.location], [303, 'confirm?return_to=%2Fauth%2Frecovery-codes'])
      now += 660_000
      const stale = await browser.post('/recovery-codes', { return_to: '/reports' })
      const place = new URLSearchParams({ return_to: '/auth/recovery-codes?return_to=%2Freports' })
      assert.deepEqual([stale.status, stale.headers.location], [303, `confirm?${place}`])
      assert.match(
        (await browser.get(`/${stale.headers.location}`)).text,
        /value="\/auth\/recovery-codes\?return_to=%2Freports"/,
      )
      const stranger = await plainBrowser(app).post('/recovery-codes', {})
      assert.deepEqual([stranger.status, stranger.headers.location], [303, 'login'])
      const { username: bob } = await createPerson(app)
      const without = plainBrowser(app)
      await without.post('/login', { username: bob, password })
      assert.equal((await without.get('/recovery-codes')).headers.location, 'login')
      assert.equal((await without.post('/recovery-codes', {})).headers.location, 'login')
    })

    it('has a page to confirm on, which renews the session', async (t) => {
      let now = Date.UTC(2026, 10, 23, 12)
      const app = await start(t, engine, { clock: () => now })
      const { username } = await createPerson(app)
      const browser = plainBrowser(app)
      await browser.post('/login', { username, password })
      now += 3_600_000
      assert.match((await browser.get('/confirm?return_to=%2Freports')).text, /id="password"/)
      const wrong = await browser.post('/confirm', { password: 'not this one', return_to: '/reports' })
      assert.equal(wrong.status, 403)
      const confirmed = await browser.post('/confirm', { password, return_to: '/reports' })
      assert.deepEqual([confirmed.status, confirmed.headers.location], [303, '/reports'])
      const { auth_time } = JSON.parse((await browser.get('/sessions')).text)[0]
      assert.equal(auth_time, new Date(now).toISOString())
    })
  })
}
