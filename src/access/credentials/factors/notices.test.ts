import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { beginSignIn, codeOf, finishSignIn, type PersonWithPhone, personWithPhone } from '../../../../test/factors.ts'
import { type Engine, engines, type Started, start } from '../../../../test/harness.ts'
import { mailEnv, mailsOf } from '../../../../test/mails/mailing.ts'
import { createPerson, openBrowser, password, signIn } from '../../../../test/people.ts'
import { stoppedClock } from '../../../../test/stopped-clock.ts'
import { system } from '../../../core/actor.ts'
import { timestamp } from '../../../lib/instant.ts'

/** The notices of a user, oldest first, with what they say besides the name. */
async function noticesOf(app: Started, userId: string): Promise<[string, Record<string, string>][]> {
  const rows = await app.runSql(`SELECT kind, data FROM mails WHERE user_id = '${userId}' ORDER BY mail_id`)
  return rows.map(({ kind, data }) => {
    const { name: _, username: _1, ...said } = JSON.parse(String(data))
    return [String(kind), said]
  })
}

async function open(t: TestContext, engine: Engine) {
  const clock = stoppedClock()
  const app = await start(t, engine, { clock, env: mailEnv })
  const ada = await personWithPhone(app, clock(), { email: 'ada@example.com', role: 'admin' })
  return { app, clock, ada, time: () => timestamp(clock()) }
}

const newCodes = async ({ browser }: PersonWithPhone) => {
  const { status, body, text } = await browser.call('POST', '/me/recovery-codes')
  assert.equal(status, 201, text)
  return body.recovery_codes as string[]
}

for (const engine of engines) {
  describe(`notices of factors on ${engine.name}`, () => {
    it('tell of one that was added, and of one that was removed by its owner or by an administrator', async (t) => {
      const { app, ada, time } = await open(t, engine)
      const added = ['factor_added', { factor: 'phone', time: time() }]
      assert.deepEqual(await noticesOf(app, ada.user_id), [added])
      const own = await ada.browser.call('DELETE', `/me/factors/${ada.phone.factor_id}`)
      assert.equal(own.status, 200, own.text)
      const removed = ['factor_removed', { factor: 'phone', time: time() }]
      assert.deepEqual(await noticesOf(app, ada.user_id), [added, removed])

      const grace = await personWithPhone(app, Date.parse(time()), { email: 'grace@example.com' })
      const path = `/users/${grace.user_id}/factors/${grace.phone.factor_id}`
      assert.equal((await app.call('DELETE', path)).status, 200)
      assert.deepEqual((await noticesOf(app, grace.user_id)).at(-1), removed)
    })

    it('tell of the removal of all, and say nothing where there was none', async (t) => {
      const { app, ada, time } = await open(t, engine)
      const reset = () => app.call('DELETE', `/users/${ada.user_id}/factors`)
      assert.equal((await reset()).status, 200)
      assert.deepEqual((await noticesOf(app, ada.user_id)).at(-1), ['factors_reset', { time: time() }])
      assert.equal((await reset()).status, 200)
      assert.equal((await mailsOf(app, '&kind=factors_reset')).length, 1)
    })

    it('say how many recovery codes are left, at a sign-in and at a confirmation', async (t) => {
      const { app, ada, time } = await open(t, engine)
      const codes = await newCodes(ada)
      assert.deepEqual((await noticesOf(app, ada.user_id)).at(-1), ['recovery_codes_replaced', { time: time() }])
      const response = await finishSignIn(app, await beginSignIn(app, ada.username), { recovery_code: codes[0] })
      assert.equal(response.status, 201, response.text)
      const said = (await noticesOf(app, ada.user_id)).find(([kind]) => kind === 'recovery_code_used')
      assert.deepEqual(said, ['recovery_code_used', { remaining: '9', time: time() }])
      const body = { recovery_code: codes[1] }
      const confirmed = await ada.browser.call('POST', '/sessions/current/reauthentication', { body })
      assert.equal(confirmed.status, 200, confirmed.text)
      assert.deepEqual((await noticesOf(app, ada.user_id)).at(-1), [
        'recovery_code_used',
        { remaining: '8', time: time() },
      ])
    })

    it('come with the commit: a wrong code, an unfinished enrollment and a dry run send none', async (t) => {
      const { app, ada } = await open(t, engine)
      const before = await noticesOf(app, ada.user_id)
      const wrong = await finishSignIn(app, await beginSignIn(app, ada.username), { recovery_code: 'A'.repeat(25) })
      assert.equal(wrong.body.code, 'second_factor_failed')
      assert.equal((await ada.browser.call('POST', '/me/factors/totp', { body: { name: 'tablet' } })).status, 201)
      const path = `/users/${ada.user_id}/factors/${ada.phone.factor_id}`
      assert.equal((await app.call('DELETE', `${path}?dry_run=true`)).status, 200)
      assert.deepEqual(await noticesOf(app, ada.user_id), before)
    })
  })

  describe(`notices of sign-ins and keys on ${engine.name}`, () => {
    const firefox = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0' }

    it('tell of a new browser, but neither of the first one ever nor of a known one', async (t) => {
      const clock = stoppedClock()
      const app = await start(t, engine, { clock, env: mailEnv })
      const { user_id, username } = await createPerson(app, { email: 'ada@example.com' })
      const first = await openBrowser(app, username)
      const again = await signIn(app, username, password, { cookie: first.cookie, 'sec-fetch-site': 'same-origin' })
      assert.equal(again.status, 201)
      assert.deepEqual(await noticesOf(app, user_id), [])

      assert.equal((await signIn(app, username, 'wrong and long enough', firefox)).status, 401)
      assert.deepEqual(await noticesOf(app, user_id), [])
      assert.equal((await signIn(app, username, password, firefox)).status, 201)
      const said = { device: 'Firefox on Linux', address: '127.0.0.1', time: timestamp(clock()) }
      assert.deepEqual(await noticesOf(app, user_id), [['new_sign_in', said]])
    })

    it('stay one while it waits, whatever a script does, and never take the cookie of another user', async (t) => {
      const app = await start(t, engine, { env: mailEnv })
      const ada = await createPerson(app, { email: 'ada@example.com' })
      const grace = await createPerson(app, { email: 'grace@example.com' })
      const browser = await openBrowser(app, ada.username)
      await openBrowser(app, grace.username)
      const headers = { cookie: browser.cookie, 'sec-fetch-site': 'same-origin' }
      assert.equal((await signIn(app, grace.username, password, headers)).status, 201)
      assert.deepEqual(
        (await noticesOf(app, grace.user_id)).map(([kind]) => kind),
        ['new_sign_in'],
      )
      for (let i = 0; i < 5; i++) assert.equal((await signIn(app, grace.username)).status, 201)
      assert.equal((await noticesOf(app, grace.user_id)).length, 1)
      await app.runSql(`UPDATE mails SET status = 'sent' WHERE user_id = '${grace.user_id}'`)
      assert.equal((await signIn(app, grace.username)).status, 201)
      assert.equal((await noticesOf(app, grace.user_id)).length, 2)
    })

    it('tell of the new browser only after its second factor', async (t) => {
      const { app, clock, ada } = await open(t, engine)
      await clock.pass(30_000)
      const challenge = await beginSignIn(app, ada.username)
      const kinds = async () => (await noticesOf(app, ada.user_id)).map(([kind]) => kind)
      assert.deepEqual(await kinds(), ['factor_added'])
      const response = await finishSignIn(app, challenge, { code: codeOf(ada.phone.secret, clock()) })
      assert.equal(response.status, 201, response.text)
      assert.deepEqual(await kinds(), ['factor_added', 'new_sign_in'])
    })

    it('tell the user with whose session a key was created or rotated; a key that creates one has no address', async (t) => {
      const { app, ada, time } = await open(t, engine)
      const key = { name: 'backup', permissions: ['users:read'] }
      const created = await ada.browser.call('POST', '/keys', { body: key })
      assert.equal(created.status, 201)
      assert.deepEqual((await noticesOf(app, ada.user_id)).at(-1), ['key_created', { key: 'backup', time: time() }])
      assert.equal((await app.call('POST', '/keys', { body: { ...key, name: 'other' } })).status, 201)
      assert.equal((await mailsOf(app, '&kind=key_created')).length, 1)
      assert.equal((await ada.browser.call('POST', `/keys/${created.body.key_id}/rotate`)).status, 200)
      assert.equal((await mailsOf(app, '&kind=key_created')).length, 2)
    })

    it('wait for no notice that a thief can cause, and those that can be caused at will become one message', async (t) => {
      const { app, clock, ada } = await open(t, engine)
      for (let n = 0; n < 14; n++) {
        const body = { name: `backup ${n}`, permissions: ['users:read'] }
        assert.equal((await ada.browser.call('POST', '/keys', { body })).status, 201)
      }
      await newCodes(ada)
      assert.equal((await ada.browser.call('DELETE', `/me/factors/${ada.phone.factor_id}`)).status, 200)
      await app.runSql("UPDATE mails SET created_at = '' WHERE planned_at > created_at")
      const rows = await app.runSql('SELECT kind, created_at, data FROM mails ORDER BY mail_id')
      const kinds = (isHeld: boolean) =>
        rows.filter((row) => (row.created_at === '') === isHeld).map(({ kind }) => kind)
      const keys = Array.from({ length: 3 }, () => 'key_created')
      const atOnce = ['factor_added', ...keys, 'recovery_codes_replaced', 'factor_removed']
      assert.deepEqual([kinds(false), kinds(true)], [atOnce, ['notices']])
      const { notices } = JSON.parse(String(rows.find(({ kind }) => kind === 'notices')?.data))
      const stated = notices.map(({ data, count }: { data: { key: string }; count: number }) => [data.key, count])
      const single = Array.from({ length: 9 }, (_, n) => [`backup ${n + 3}`, 1])
      assert.deepEqual(stated, [...single, ['backup 13', 2]])

      // Nor do they use up what the owner may ask for, or what a message that is being sent can still take in.
      const { result } = await app.storage.change(
        'mails.advance',
        { outcomes: [], room: 9, token_hashes: [], lease_ms: 60_000 },
        { actor: system, now: clock() + 3_600_000, requestId: 'test' },
      )
      assert.equal(result.claimed.length, 7)
      assert.equal((await app.call('POST', `/users/${ada.user_id}/password-reset`)).body.sent, true)
      assert.equal(
        (await ada.browser.call('POST', '/keys', { body: { name: 'last', permissions: ['users:read'] } })).status,
        201,
      )
      const later = await app.runSql("SELECT data FROM mails WHERE kind = 'notices' ORDER BY mail_id")
      assert.deepEqual(
        later.map(({ data }) => JSON.parse(String(data)).notices.length),
        [10, 1],
      )

      // A node of 0.3.0 could not send it.
      await app.runSql("INSERT INTO nodes VALUES ('old', 'host', '0.3.0', '', '', NULL)")
      await ada.browser.call('POST', '/keys', { body: { name: 'beside', permissions: ['users:read'] } })
      const [newest] = await app.runSql('SELECT kind FROM mails ORDER BY mail_id DESC LIMIT 1')
      assert.equal(newest?.kind, 'key_created')
    })

    it('are not rows where no mail server is set up', async (t) => {
      const clock = stoppedClock()
      const app = await start(t, engine, { clock })
      const ada = await personWithPhone(app, clock(), { email: 'ada@example.com', role: 'admin' })
      await newCodes(ada)
      await clock.pass(30_000)
      const code = codeOf(ada.phone.secret, clock())
      assert.equal((await finishSignIn(app, await beginSignIn(app, ada.username), { code })).status, 201)
      assert.equal((await app.call('DELETE', `/users/${ada.user_id}/factors`)).status, 200)
      assert.deepEqual(await app.runSql('SELECT * FROM mails'), [])
    })
  })
}
