import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { recordsOf } from '../../../../test/audit-records.ts'
import { codeOf as codeOfApp, personWithPhone } from '../../../../test/factors.ts'
import { type Answer, createUser, engines, type Started, start } from '../../../../test/harness.ts'
import { type Mailing, mailEnv, mailsOf, startMailing } from '../../../../test/mails/mailing.ts'
import { changeOrganization, createOrganization } from '../../../../test/organizations.ts'
import { browserAfter, cookiesOf, createPerson, openBrowser, setCookies, signIn } from '../../../../test/people.ts'
import { sharedApp } from '../../../../test/shared-app.ts'
import { stoppedClock } from '../../../../test/stopped-clock.ts'
import { eventually } from '../../../../test/webhooks/dispatching.ts'
import { codeOf } from '../../../record/mails/codes.ts'
import { fulfilCodes } from './requests.ts'

const [minute, hour] = [60_000, 3_600_000]
const on = { ROLLBOOK_EMAIL_CODE: 'on' }
const roles = { guarded: ['users:read'] }
const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

type InBrowser = { challenge_id: string; cookie: string; response: Answer }

/** Asks for a code in a new browser, or in one that sends these headers. */
async function requestCode(app: Started, username: string, headers: Record<string, string> = {}): Promise<InBrowser> {
  const response = await app.call('POST', '/sessions/email-code', { key: null, body: { username }, headers })
  return { challenge_id: response.body.challenge_id, cookie: cookiesOf(response), response }
}

/** Enters a code; by default the right one, if any was sent. */
function enter(
  app: Started,
  { challenge_id, cookie }: Omit<InBrowser, 'response'>,
  code = rightCode(app, challenge_id),
) {
  return app.call('POST', '/sessions', { key: null, body: { challenge_id, email_code: code }, headers: { cookie } })
}

function rightCode(app: Started, challenge_id: string): string {
  return codeOf(app.secrets.device, challenge_id)
}

function wrongCode(app: Started, challenge_id: string): string {
  return String((Number(rightCode(app, challenge_id)) + 1) % 1_000_000).padStart(6, '0')
}

async function sentCode(app: Started, now: number, username: string, headers: Record<string, string> = {}) {
  const one = await requestCode(app, username, headers)
  assert.equal(one.response.status, 200, one.response.text)
  await fulfilCodes(app.storage, now)
  return one
}

const codesOf = async (app: Started) => (await mailsOf(app, '&kind=sign_in_code')).map(({ address }) => address)
const codesTo = async (app: Started, address: string) => (await codesOf(app)).filter((one) => one === address)
const outcome = ({ status, body }: Answer) => [status, body.code ?? body.amr]

for (const engine of engines) {
  describe(`codes by email on ${engine.name}`, () => {
    const clock = stoppedClock()
    const env = {
      ...mailEnv,
      ...on,
      ROLLBOOK_TRUST_BROWSER_DAYS: '30',
      ROLLBOOK_ROLES: JSON.stringify(roles),
      ROLLBOOK_SECOND_FACTOR: '{"guarded":"required"}',
    }
    const shared = sharedApp(engine, { env, clock })

    /** With every limit as it is in the beginning. */
    async function open() {
      const app = await shared()
      await clock.pass(24 * hour)
      return app
    }

    it('end with the access of the user: none is sent from then on, and one that was sent does not work', async () => {
      const app = await open()
      const expires_at = new Date(clock() + minute).toISOString()
      for (const name of ['temp', 'early']) {
        await createUser(app, { username: name, email: `${name}@example.com`, expires_at })
      }
      const [one, other] = [await sentCode(app, clock(), 'early'), await sentCode(app, clock(), 'temp')]
      await clock.pass(minute - 1000)
      assert.deepEqual(outcome(await enter(app, other)), [201, ['otp']])
      await clock.pass(1000)
      assert.equal((await enter(app, one)).status, 401)
      await sentCode(app, clock(), 'early')
      assert.equal((await codesTo(app, 'early@example.com')).length, 1)
    })

    it('sign a user in once, in the browser that asked, and say so', async () => {
      const app = await open()
      const { user_id } = await createUser(app, { username: 'ada', email: 'ada@example.com' })
      const one = await sentCode(app, clock(), 'ADA@example.com')
      assert.equal((await codesTo(app, 'ada@example.com')).length, 1)
      // Useless without the cookie of the browser, and with that of another.
      const elsewhere = await requestCode(app, 'ada')
      for (const cookie of ['', elsewhere.cookie]) {
        assert.deepEqual(outcome(await enter(app, { ...one, cookie })), [401, 'challenge_expired'])
      }
      const code = rightCode(app, one.challenge_id)
      const done = await enter(app, one, ` ${code.slice(0, 3)} ${code.slice(3)}`)
      assert.deepEqual(outcome(done), [201, ['otp']], done.text)
      // No session fixation: the token is new, and the mark of the sign-in is gone.
      assert.ok(setCookies(done.headers).length >= 3)
      const browser = browserAfter(app, done)
      const { body: token } = await browser.call('POST', '/token')
      const claims = JSON.parse(Buffer.from(token.access_token.split('.')[1], 'base64url').toString())
      assert.deepEqual([claims.sub, claims.amr, claims.acr], [user_id, ['otp'], 'aal1'])
      assert.deepEqual(
        (await browser.call('GET', '/sessions')).body.map(({ amr }: { amr: string[] }) => amr),
        [['otp']],
      )
      const { body: user } = await app.call('GET', `/users/${user_id}`)
      assert.equal(user.email_verified, true)
      assert.notEqual(user.last_login_at, null)
      assert.deepEqual(outcome(await enter(app, one)), [401, 'challenge_expired'])
      const records = await recordsOf(app)
      const actions = records.map(({ action }) => action)
      for (const action of ['email_code.requested', 'email_code.created', 'user.updated', 'session.created']) {
        assert.ok(actions.includes(action), action)
      }
      // The code is nowhere, and the name that was entered is in no record.
      const tables = ['mails', 'challenges', 'audit_records', 'events', 'link_tokens', 'sign_in_throttles']
      for (const table of tables) {
        const text = JSON.stringify(await app.runSql(`SELECT * FROM ${table}`))
        assert.ok(!text.includes(`"${code}"`) && !text.includes(` ${code} `), table)
      }
    })

    it('are raced: one of many requests with the same code starts a session', async (t) => {
      const app = await open()
      const node = engine.name === 'PostgreSQL' ? await start(t, engine, { clock, beside: app, env }) : app
      const { user_id } = await createUser(app, { username: 'ada', email: 'raced@example.com' })
      const one = await sentCode(app, clock(), 'ada')
      const responses = await Promise.all([app, node, app, node].map((each) => enter(each, one)))
      assert.equal(responses.filter(({ status }) => status === 201).length, 1, responses.map(({ text }) => text).join())
      const { body: sessions } = await app.call('GET', `/users/${user_id}/sessions`)
      assert.equal(sessions.length, 1)
    })

    it('end with the address, the account, the credentials, another sign-in and the setting', async (t) => {
      const app = await open()
      const changes: Record<string, (user_id: string, name: string) => Promise<unknown>> = {
        disabled: (id) => app.call('PATCH', `/users/${id}`, { body: { active: false } }),
        organization: async (id) => {
          const organization_id = await createOrganization(app)
          await app.runSql(`UPDATE users SET organization_id = '${organization_id}' WHERE user_id = '${id}'`)
          for (const active of [false, true]) await changeOrganization(app, organization_id, { active })
        },
        deleted: (id) => app.call('DELETE', `/users/${id}`),
        role: (id) => app.call('PATCH', `/users/${id}`, { body: { role: 'guarded' } }),
        password: (id) => app.call('PATCH', `/users/${id}`, { body: { password: 'another moth in relay seventy' } }),
        address: (id, name) => app.call('PATCH', `/users/${id}`, { body: { email: `new.${name}@example.com` } }),
        signed_in: (_, name) => signIn(app, name),
      }
      for (const [name, change] of Object.entries(changes)) {
        const { user_id } = await createPerson(app, { username: name, email: `${name}@example.com` })
        const one = await sentCode(app, clock(), name)
        await change(user_id, name)
        const expected = name === 'signed_in' ? 'challenge_expired' : 'sign_in_failed'
        assert.deepEqual(outcome(await enter(app, one)), [401, expected], name)
      }
      await createUser(app, { username: 'ada', email: 'ada@example.com' })
      const one = await sentCode(app, clock(), 'ada')
      const isShared = engine.name === 'PostgreSQL'
      const off = await start(t, engine, {
        clock,
        env: { ...env, ROLLBOOK_EMAIL_CODE: 'off' },
        ...(isShared && { beside: app }),
      })
      if (isShared) assert.deepEqual(outcome(await enter(off, one)), [401, 'sign_in_failed'])
      assert.deepEqual(outcome((await requestCode(off, 'ada')).response), [404, 'not_enabled'])
      const pages = [await off.call('GET', '/login', { key: null }), await app.call('GET', '/login', { key: null })]
      assert.deepEqual(
        pages.map(({ text }) => text.includes('email-code')),
        [false, true],
      )
      assert.equal((await off.call('GET', '/email-code', { key: null })).status, 404)
      await clock.pass(10 * minute)
      assert.deepEqual(outcome(await enter(app, await sentCode(app, clock() - 1, 'ada'))), [201, ['otp']])
      const late = await sentCode(app, clock(), 'ada')
      await clock.pass(10 * minute)
      assert.deepEqual(outcome(await enter(app, late)), [401, 'challenge_expired'])
    })

    it('come before the second factor, and never replace it', async () => {
      const app = await open()
      const guarded = { username: 'ada', email: 'ada@example.com', role: 'guarded' }
      const { phone } = await personWithPhone(app, clock(), guarded)
      await clock.pass(minute)
      const one = await sentCode(app, clock(), 'ada')
      const first = await enter(app, one)
      assert.deepEqual(outcome(first), [401, 'second_factor_required'])
      assert.deepEqual(first.body.methods, ['totp'])
      assert.deepEqual(outcome(await enter(app, one)), [401, 'challenge_expired'])
      const step = { challenge_id: first.body.challenge_id, cookie: cookiesOf(first) }
      assert.deepEqual(outcome(await enter(app, step)), [401, 'challenge_expired'])
      const body = { challenge_id: step.challenge_id, code: codeOfApp(phone.secret, clock()), trust_browser: true }
      const done = await app.call('POST', '/sessions', { key: null, body, headers: { cookie: step.cookie } })
      assert.deepEqual(outcome(done), [201, ['otp', 'mfa']], done.text)
      assert.ok(
        setCookies(done.headers).every((line) => !line.includes('trust')),
        String(setCookies(done.headers)),
      )
      // Without a factor, the policy asks for one first.
      await createUser(app, { username: 'eve', email: 'eve@example.com', role: 'guarded' })
      const half = await enter(app, await sentCode(app, clock(), 'eve'))
      assert.deepEqual(outcome(half), [201, ['otp']])
      const refused = await browserAfter(app, half).call('GET', '/users')
      assert.equal(refused.status, 403, refused.text)
    })

    it('do not tell names that exist from others: in responses, headers, attempts and waits', async () => {
      const app = await open()
      await createUser(app, { username: 'ada', email: 'known@example.com' })
      const { user_id } = await createUser(app, { username: 'off', email: 'off@example.com' })
      await app.call('PATCH', `/users/${user_id}`, { body: { active: false } })
      await createUser(app, { username: 'mute' })
      const shapes = []
      for (const name of ['ada', 'off', 'mute', 'nobody@example.com']) {
        const one = await sentCode(app, clock(), name)
        const lifetime = Date.parse(one.response.body.expires_at) - clock()
        const members = Object.keys(one.response.body)
        const headers = Object.entries(one.response.headers)
          .map(([header, value]) => `${header}: ${String(value).replace(/=[\w-]{43}/, '')}`)
          .filter((line) => !/^(x-request-id|date|content-length|ratelimit)/.test(line))
        const tries = []
        for (let n = 0; n < 6; n++) tries.push(outcome(await enter(app, one, wrongCode(app, one.challenge_id))))
        shapes.push(JSON.stringify([lifetime, members, headers, tries]))
        await clock.pass(hour)
      }
      assert.deepEqual([...new Set(shapes)].length, 1, shapes.join('\n'))
      const sent = await codesOf(app)
      assert.deepEqual([sent.includes('known@example.com'), sent.includes('off@example.com')], [true, false])
    })

    it('are bounded: attempts for each code, messages for each address, requests of each network', async () => {
      const app = await open()
      await createPerson(app, { username: 'ada', email: 'bounded@example.com' })
      const familiar = (await openBrowser(app, 'ada')).cookie
      let codes = []
      for (let n = 0; n < 6; n++) codes.push(await sentCode(app, clock(), n % 2 === 0 ? 'ada' : 'bounded@example.com'))
      assert.equal((await codesTo(app, 'bounded@example.com')).length, 3)
      // Strangers have used up their share, and not that of a browser in which she has signed in.
      codes = [
        await sentCode(app, clock(), 'ada', { cookie: familiar }),
        await sentCode(app, clock(), 'ada', { cookie: familiar }),
      ]
      const last = await sentCode(app, clock(), 'ada', { cookie: familiar })
      assert.equal((await codesTo(app, 'bounded@example.com')).length, 5)
      assert.deepEqual(outcome(await enter(app, last)), [401, 'sign_in_failed'])
      const [one] = codes as [InBrowser]
      const withDevice = { ...one, cookie: `${familiar}; ${one.cookie}` }
      await clock.pass(1000)
      for (let n = 0; n < 5; n++) {
        assert.equal(
          (await enter(app, withDevice, wrongCode(app, one.challenge_id))).body.code,
          'sign_in_failed',
          String(n),
        )
        await clock.pass(minute)
      }
      assert.deepEqual(outcome(await enter(app, withDevice)), [401, 'challenge_expired'])
      const flood = []
      for (let n = 0; n < 62 && flood.at(-1) !== 429; n++)
        flood.push((await requestCode(app, `user${n}`)).response.status)
      assert.ok(flood.includes(429))
    })

    it('never reach users whom a connection signs in', async () => {
      const app = await open()
      await createPerson(app, { username: 'ada', email: 'ada@company.example' })
      const before = await sentCode(app, clock(), 'ada')
      const connection = {
        ...{ kind: 'oidc', name: 'Company', issuer: 'https://idp.company.example', client_id: 'c', client_secret: 's' },
        domains: ['company.example'],
      }
      const { status, text, body } = await app.call('POST', '/connections', { body: connection })
      assert.equal(status, 201, text)
      if (!body.active) {
        const active = await app.call('PATCH', `/connections/${body.connection_id}`, { body: { active: true } })
        assert.equal(active.status, 200, active.text)
      }
      assert.deepEqual(outcome(await enter(app, before)), [401, 'sign_in_failed'])
      const after = await sentCode(app, clock(), 'ada')
      assert.equal((await codesTo(app, 'ada@company.example')).length, 1)
      assert.deepEqual(outcome(await enter(app, after)), [401, 'sign_in_failed'])
    })

    it('are entered on a page without scripts, and named in the message', async (t) => {
      const clock = stoppedClock()
      const app: Mailing = await startMailing(t, engine, { clock, env: on })
      app.dispatch({ before: () => fulfilCodes(app.storage, clock()) })
      const { user_id } = await createUser(app, { username: 'ada', email: 'ada@example.com' })
      assert.equal((await app.call('GET', `/users/${user_id}/sign-in`)).body.cause, 'email_code_only')
      const post = (fields: Record<string, string>, cookie = '') => {
        const body = new URLSearchParams({ ...fields, return_to: '/auth/docs' }).toString()
        return app.call('POST', '/email-code', { key: null, body, headers: { ...form, cookie } })
      }
      assert.equal((await app.call('GET', '/email-code', { key: null })).status, 200)
      assert.equal((await post({ username: ' ' })).status, 422)
      const page = await post({ username: 'ada' })
      assert.match(page.text, /inputmode="numeric" autocomplete="one-time-code"/)
      const challenge_id = /name="challenge_id" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
      await eventually('the message', () => app.server.received.length > 0)
      const { subject, text } = app.server.received[0]?.mail ?? {}
      const code = /^(\d{6}) is your code for Orchard$/.exec(subject ?? '')?.[1] ?? ''
      assert.equal(code, rightCode(app, challenge_id))
      assert.match(text ?? '', /orchard\.example[\s\S]*127\.0\.0\.1[\s\S]*If you did not ask/)
      const [cookie, fields] = [cookiesOf(page), { challenge_id, username: 'ada' }]
      const wrong = await post({ ...fields, code: wrongCode(app, challenge_id) }, cookie)
      assert.match(wrong.text, /The code was not accepted/)
      assert.equal(wrong.status, 401)
      const foreign = { ...form, 'sec-fetch-site': 'cross-site', cookie }
      const body = new URLSearchParams({ ...fields, code }).toString()
      assert.equal((await app.call('POST', '/email-code', { key: null, body, headers: foreign })).status, 403)
      const arabic = [...code].map((digit) => String.fromCharCode(0x660 + Number(digit))).join('')
      const done = await post({ ...fields, code: arabic }, cookie)
      assert.deepEqual([done.status, done.headers.location], [303, '/auth/docs'], done.text)
      // A user with nothing else confirms with a new sign-in.
      const headers = { cookie: cookiesOf(done) }
      const confirm = await app.call('GET', '/confirm?return_to=/auth/docs', { key: null, headers })
      assert.match(confirm.text, /href="email-code\?return_to=[^"]*">Sign in again with a code by email/)
      assert.match((await post({ ...fields, code }, cookie)).text, /This took too long/)
    })
  })
}

it('a code has six digits, and every position takes every digit', () => {
  const secret = new Uint8Array(32)
  const codes = Array.from({ length: 2000 }, (_, n) => codeOf(secret, `challenge ${n}`))
  assert.ok(codes.every((code) => /^\d{6}$/.test(code)))
  for (let place = 0; place < 6; place++) assert.equal(new Set(codes.map((code) => code[place])).size, 10)
  assert.ok(new Set(codes).size > 1900)
  assert.notEqual(codeOf(new Uint8Array(32).fill(1), 'challenge 1'), codes[1])
})
