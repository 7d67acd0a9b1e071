import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { newestRecord, recordsOf } from '../../../../test/audit-records.ts'
import { codeOf, personWithPhone } from '../../../../test/factors.ts'
import { type Answer, createUser, type Engine, engines, type Started, start } from '../../../../test/harness.ts'
import { type Mailing, mailEnv, mailsOf, startMailing } from '../../../../test/mails/mailing.ts'
import {
  cookiesOf,
  createPerson,
  isSignedIn,
  openBrowser,
  password,
  setCookies,
  signIn,
} from '../../../../test/people.ts'
import { stoppedClock } from '../../../../test/stopped-clock.ts'
import { eventually } from '../../../../test/webhooks/dispatching.ts'
import { fulfilRequests } from './requests.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const chosen = 'a moth in relay seventy'

async function open(t: TestContext, engine: Engine) {
  const clock = stoppedClock()
  const app = await startMailing(t, engine, { clock })
  app.dispatch({ before: () => fulfilRequests(app.storage, clock()) })
  return { app, clock }
}

/** The path of the link in message `count` to this address. A message may arrive twice, as nothing is lost. */
async function mailedPath(app: Mailing, address: string, count = 1): Promise<string> {
  const sent = () => app.server.received.filter(({ to }) => to[0] === address).map(({ mail }) => mail)
  const found = () => [...new Map(sent().map((mail) => [mail.messageId, mail.text ?? ''])).values()]
  await eventually(`message ${count} to ${address}`, () => found().length >= count)
  return pathIn(found()[count - 1] as string)
}

function pathIn(text: string): string {
  const [, path] = /http:\/\/orchard\.example\/auth(\/[a-z-]+\/[\w-]{43})/.exec(text) ?? []
  assert.ok(path, text)
  return path
}

/** The message with the link for a new password, among the notices. */
async function resetText(app: Mailing): Promise<string> {
  const found = () => app.server.received.find(({ mail }) => mail.text?.includes('/reset-password/'))?.mail.text
  await eventually('the message', () => found() !== undefined)
  return found() ?? ''
}

const page = (app: Started, path: string, headers: Record<string, string> = {}) =>
  app.call('GET', path, { key: null, headers })

function post(
  app: Started,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return app.call('POST', path, {
    key: null,
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', ...headers },
  })
}

/** The cookies of this name that an answer sets. */
function cookiesNamed({ headers }: Answer, name: string): { line: string; pair: string }[] {
  const lines = setCookies(headers).filter((line) => line.startsWith(`${name}=`))
  return lines.map((line) => ({ line, pair: line.split(';')[0] as string }))
}

const choose = (app: Started, path: string, new_password = chosen) => post(app, path, { new_password })

async function invite(app: Started, userId: unknown, body: object = {}): Promise<Answer['body']> {
  const response = await app.call('POST', `/users/${userId}/invitation`, { body })
  assert.equal(response.status, 200, response.text)
  return response.body
}

async function userOf(app: Started, userId: unknown) {
  return (await app.call('GET', `/users/${userId}`)).body
}

async function requestReset(app: Started, username: string) {
  const response = await app.call('POST', '/password-resets', { key: null, body: { username } })
  assert.deepEqual([response.status, response.body], [202, {}])
}

for (const engine of engines) {
  describe(`invitations on ${engine.name}`, () => {
    it('let a user choose a password, verify the mailbox, and work once', async (t) => {
      const { app } = await open(t, engine)
      const { user_id } = await createUser(app, { username: 'ada', email: 'ada@example.com', first_name: 'Ada' })
      const before = await newestRecord(app)
      const invited = await invite(app, user_id)
      assert.deepEqual([invited.sent, invited.url], [true, undefined])
      assert.equal((await userOf(app, user_id)).invited, true)
      const { body: state } = await app.call('GET', `/users/${user_id}/invitation`)
      assert.deepEqual([state.invited, state.expires_at], [true, invited.expires_at])
      const path = await mailedPath(app, 'ada@example.com')
      const form = await page(app, path)
      assert.equal(form.status, 200)
      assert.equal(form.headers['referrer-policy'], 'no-referrer')
      assert.equal(form.headers['cache-control'], 'no-store')
      assert.match(form.text, /Welcome to Orchard.*<strong>ada<\/strong>/s)
      const done = await choose(app, path)
      assert.equal(done.status, 200, done.text)
      const user = await userOf(app, user_id)
      assert.deepEqual([user.invited, user.has_password, user.email_verified], [undefined, true, true])
      const { body: over } = await app.call('GET', `/users/${user_id}/invitation`)
      assert.deepEqual(over, { user_id, invited: false, created_at: null, expires_at: null })
      assert.equal((await signIn(app, 'ada', chosen)).status, 201)
      const again = await choose(app, path, 'another good password')
      assert.equal(again.status, 410)
      assert.match(again.text, /was used already/)
      assert.equal((await signIn(app, 'ada', 'another good password')).status, 401)
      const records = await recordsOf(app, before)
      assert.deepEqual(records.map(({ action, actor }) => [action, actor.kind]).slice(0, 2), [
        ['invitation.created', 'api_key'],
        ['user.password_set', 'user'],
      ])
      const token = path.split('/').at(-1) as string
      const storedText = `${await app.stored()}${app.logLines().join('\n')}`
      assert.ok(!storedText.includes(token), 'the token stands nowhere')
    })

    it('come with the creation of a user, once, and with a link where no message is sent', async (t) => {
      const { app } = await open(t, engine)
      const before = await newestRecord(app)
      const created = await app.call('POST', '/users', {
        body: { username: 'ada', email: 'ada@example.com', invite: 'true' },
      })
      const { user_id, invitation } = created.body
      assert.deepEqual([created.status, created.body.invited, invitation.sent], [201, true, true])
      assert.deepEqual(Object.keys(invitation), ['expires_at', 'sent'])
      const { invitation: _, ...document } = created.body
      const found = await app.call('GET', `/users/${user_id}`)
      assert.deepEqual([found.body, found.headers.etag], [document, created.headers.etag])
      const records = await recordsOf(app, before)
      assert.deepEqual(
        records.map(({ action, details }) => [action, details]),
        [['user.created', { invitation: { ...invitation, shown: false } }]],
      )
      assert.equal((await choose(app, await mailedPath(app, 'ada@example.com'))).status, 200)
      assert.equal((await userOf(app, user_id)).email_verified, true)

      const request = { body: { username: 'grace', invite: 'true' }, headers: { 'idempotency-key': 'one' } }
      const first = await app.call('POST', '/users', request)
      const again = await app.call('POST', '/users', request)
      assert.deepEqual([first.body.invitation.sent, again.body.invitation.url], [false, undefined])
      assert.equal(again.body.user_id, first.body.user_id)
      assert.equal(first.headers['cache-control'], 'no-store')
      assert.equal((await choose(app, pathIn(first.body.invitation.url))).status, 200)
      const token = pathIn(first.body.invitation.url).split('/').at(-1) as string
      assert.ok(!`${await app.stored()}${app.logLines().join('\n')}`.includes(token), 'the token stands nowhere')

      const dry = await app.call('POST', '/users?dry_run=true', { body: { username: 'eve', invite: 'true' } })
      assert.deepEqual([dry.status, dry.body.invited, dry.body.invitation.url], [200, true, undefined])
      const plain = await app.call('POST', '/users', { body: { username: 'kim', invite: 'false' } })
      assert.deepEqual([plain.status, plain.body.invited, plain.body.invitation], [201, undefined, undefined])
      for (const [member, body] of [
        ['together', { invite: 'true', password }],
        ['yes', { invite: 'yes' }],
        ['boolean', { invite: true }],
      ] as const) {
        const refused = await app.call('POST', '/users', { body: { username: 'mallory', ...body } })
        assert.deepEqual([refused.status, refused.body.errors[0].pointer], [422, '#/invite'], member)
      }
      assert.deepEqual((await app.call('GET', '/users?username=mallory')).body, [])
    })

    it('are a filter of lists and bulk changes, as long as the link is not used or ended', async (t) => {
      const { app, clock } = await open(t, engine)
      const ids: unknown[] = []
      for (const username of ['accepts', 'disabled', 'moved', 'withdrawn', 'deleted', 'expired']) {
        const { user_id } = await createUser(app, { username, email: `${username}@example.com` })
        ids.push(user_id)
      }
      await createUser(app, { username: 'other' })
      const names = async (query: string) => {
        const { body, headers } = await app.call('GET', `/users?count=true&${query}`)
        assert.equal(headers['total-count'], String(body.length), query)
        for (const { user_id, invited } of body) {
          assert.equal((await app.call('GET', `/users/${user_id}/invitation`)).body.invited, invited === true)
        }
        return body.map(({ username }: { username: string }) => username)
      }
      const urls: string[] = []
      for (const id of ids) urls.push((await invite(app, id, { send: false })).url)
      const all = ['accepts', 'disabled', 'moved', 'withdrawn', 'deleted', 'expired']
      assert.deepEqual(await names('invited=true'), all)
      assert.deepEqual(await names('invited=true&q=awn&active=true&sort=-username&limit=2'), ['withdrawn'])
      assert.deepEqual(await names('invited=false'), ['other'])
      const [accepts, disabled, moved, withdrawn, deleted] = ids
      assert.equal((await choose(app, pathIn(urls[0] as string))).status, 200)
      await app.call('PATCH', `/users/${disabled}`, { body: { active: false } })
      await app.call('PATCH', `/users/${moved}`, { body: { email: 'elsewhere@example.com' } })
      await app.call('DELETE', `/users/${withdrawn}/invitation`)
      await app.call('DELETE', `/users/${deleted}`)
      await app.call('POST', `/users/${deleted}/restore`)
      await clock.pass(8 * day)
      assert.deepEqual(await names('invited=true'), ['expired'])
      assert.equal((await names(`invited=false&user_id=${accepts}`)).length, 1)
      const body = { action: 'delete', filter: { invited: true } }
      const { text } = await app.call('POST', '/users/bulk', { body })
      assert.match(text, /"type":"end","changed":1,"unchanged":0,"refused":0/)
      assert.deepEqual(await names('invited=true'), [])
    })

    it('are not found for a user who does not exist', async (t) => {
      const { app } = await open(t, engine)
      const response = await app.call('GET', '/users/0190a5c8-0000-7000-8000-000000000000/invitation')
      assert.deepEqual([response.status, response.body.code], [404, 'user_not_found'])
    })

    it('are not used up by a robot that gets, heads and posts everything it finds', async (t) => {
      const { app } = await open(t, engine)
      const { user_id } = await createUser(app, { username: 'ada', email: 'ada@example.com' })
      await invite(app, user_id)
      const path = await mailedPath(app, 'ada@example.com')
      for (let round = 0; round < 3; round++) {
        await page(app, path)
        await app.call('HEAD', path, { key: null })
        assert.equal((await post(app, path, {})).status, 422)
        assert.equal((await post(app, path, { username: 'ada', new_password: '' })).status, 422)
      }
      assert.equal((await choose(app, path)).status, 200)
    })

    it('can be handed over as a URL, which does not verify the address, and is not in a repeated response', async (t) => {
      const { app } = await open(t, engine)
      const { user_id } = await createUser(app, { username: 'ada', email: 'ada@example.com' })
      const headers = { 'idempotency-key': 'one' }
      const request = { body: { send: false }, headers }
      const first = await app.call('POST', `/users/${user_id}/invitation`, request)
      const again = await app.call('POST', `/users/${user_id}/invitation`, request)
      assert.equal(again.headers['idempotency-replayed'], 'true')
      assert.deepEqual([first.body.sent, again.body.url], [false, undefined])
      assert.equal((await choose(app, pathIn(first.body.url))).status, 200)
      assert.equal((await userOf(app, user_id)).email_verified, undefined)
      assert.deepEqual(await mailsOf(app), [])
    })

    it('are handed over as a URL if no message can go to the address', async (t) => {
      const { app } = await open(t, engine)
      const { user_id } = await createUser(app, { username: 'ada', email: 'ä@example.com' })
      const { sent, url } = await invite(app, user_id)
      assert.equal(sent, false)
      assert.equal((await choose(app, pathIn(url))).status, 200)
      assert.deepEqual(await mailsOf(app), [])
    })

    it('end with a newer one, whose time the page of the old one shows, and when they are withdrawn', async (t) => {
      const { app, clock } = await open(t, engine)
      const { user_id } = await createUser(app, { username: 'ada', email: 'ada@example.com' })
      await invite(app, user_id)
      const old = await mailedPath(app, 'ada@example.com')
      await clock.pass(65 * minute)
      await invite(app, user_id)
      const newer = await mailedPath(app, 'ada@example.com', 2)
      const form = await choose(app, old)
      assert.equal(form.status, 410)
      assert.match(form.text, /A newer message was sent at [^<]*01:05 \(UTC\)\. Use the link in that one/)
      const withdrawn = await app.call('DELETE', `/users/${user_id}/invitation`)
      assert.deepEqual(withdrawn.body, { user_id, withdrawn: true })
      assert.match((await page(app, newer)).text, /was withdrawn/)
      assert.equal((await userOf(app, user_id)).invited, undefined)
    })

    it('are refused when expired, changed by a character, for another purpose, or after the user has changed', async (t) => {
      const { app, clock } = await open(t, engine)
      const endings: [string, (userId: unknown) => Promise<unknown>][] = [
        ['expired', async () => clock.pass(7 * day)],
        [
          'email address was changed',
          (id) => app.call('PATCH', `/users/${id}`, { body: { email: 'new@example.com' } }),
        ],
        ['password was changed', (id) => app.call('POST', `/users/${id}/password`, { body: { password } })],
        [
          'was disabled or deleted.*need the account',
          (id) => app.call('PATCH', `/users/${id}`, { body: { active: false } }),
        ],
        ['was disabled or deleted.*need the account', (id) => app.call('DELETE', `/users/${id}`)],
        [
          'was disabled or deleted.*a new invitation',
          async (id) => {
            await app.call('DELETE', `/users/${id}`)
            await app.call('POST', `/users/${id}/restore`)
          },
        ],
      ]
      for (const [i, [why, change]] of endings.entries()) {
        const { user_id } = await createUser(app, { username: `person-${i}`, email: `person-${i}@example.com` })
        const { url } = await invite(app, user_id, { send: false })
        const path = pathIn(url)
        const last = path.at(-1) === 'A' ? 'B' : 'A'
        assert.equal((await choose(app, `${path.slice(0, -1)}${last}`)).status, 404)
        assert.equal((await choose(app, path.replace('/invitation/', '/reset-password/'))).status, 404)
        assert.equal((await page(app, path)).status, 200)
        await change(user_id)
        const form = await choose(app, path)
        assert.equal(form.status, 410, why)
        assert.match(form.text, new RegExp(why), why)
        await app.call('PATCH', `/users/${user_id}`, { body: { email: null } })
      }
    })

    it('can be used by one of several callers at once, on two nodes if there are two', async (t) => {
      const { app, clock } = await open(t, engine)
      const other = engine.name === 'PostgreSQL' ? await startMailing(t, engine, { clock, beside: app }) : app
      const { user_id } = await createUser(app, { username: 'ada', email: 'ada@example.com' })
      const path = pathIn((await invite(app, user_id, { send: false })).url)
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, n) => choose(n % 2 === 0 ? app : other, path, `${chosen} ${n}`)),
      )
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 410, 410, 410, 410, 410])
    })

    it('are limited to five messages per hour and address', async (t) => {
      const { app, clock } = await open(t, engine)
      const { user_id } = await createUser(app, { username: 'ada', email: 'ada@example.com' })
      for (let n = 0; n < 5; n++) await invite(app, user_id)
      const sixth = await app.call('POST', `/users/${user_id}/invitation`)
      assert.deepEqual([sixth.status, sixth.body.code, sixth.headers['retry-after']], [429, 'too_many_mails', '3600'])
      await clock.pass(hour)
      assert.equal((await invite(app, user_id)).sent, true)
    })
  })

  describe(`links for a new password on ${engine.name}`, () => {
    it('are requested without a credential, end all sessions, and leave no trace of whether the user exists', async (t) => {
      const { app } = await open(t, engine)
      const { user_id } = await createPerson(app, { username: 'ada', email: 'ada@example.com' })
      const browser = await openBrowser(app, 'ada')
      await requestReset(app, 'nobody@example.com')
      await requestReset(app, 'ada@example.com')
      const path = await mailedPath(app, 'ada@example.com')
      const foreign = { 'sec-fetch-site': 'cross-site' }
      assert.equal((await post(app, path, { new_password: chosen }, foreign)).body.code, 'cross_origin')
      const done = await choose(app, path)
      assert.match(done.text, /Password changed[\s\S]*You are signed in as ada\./)
      assert.equal(await isSignedIn(browser), false)
      const me = await app.call('GET', '/me', { key: null, headers: { cookie: cookiesOf(done) } })
      assert.deepEqual([me.status, me.body.username], [200, 'ada'], me.text)
      assert.equal((await choose(app, path)).status, 410)
      assert.equal((await signIn(app, 'ada', chosen)).status, 201)
      assert.equal((await userOf(app, user_id)).email_verified, true)
      const kinds = (await mailsOf(app)).map(({ kind }) => kind).toSorted()
      assert.deepEqual(kinds, ['new_sign_in', 'password_changed', 'password_reset'])
      const names = await app.runSql('SELECT name FROM password_reset_requests WHERE name IS NOT NULL')
      assert.deepEqual(names, [])

      // As browsers send our form over plain HTTP: it works, but could be that of another site.
      await createPerson(app, { username: 'grace', email: 'grace@example.com' })
      await requestReset(app, 'grace@example.com')
      const again = await app.call('POST', await mailedPath(app, 'grace@example.com'), {
        key: null,
        body: new URLSearchParams({ new_password: `${chosen}!` }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'null' },
      })
      assert.match(again.text, /Password changed/)
      assert.deepEqual([again.status, again.headers['set-cookie']], [200, undefined])
      assert.equal((await signIn(app, 'grace', `${chosen}!`)).status, 201)
    })

    it('that strangers ask for hold back no notice to the owner, and nothing that a session can request holds them back', async (t) => {
      const { app, clock } = await open(t, engine)
      await createPerson(app, { username: 'ada', email: 'ada@example.com' })
      for (let n = 0; n < 5; n++) await requestReset(app, n % 2 === 0 ? 'ada' : 'ADA@example.com')
      await fulfilRequests(app.storage, clock())
      const browser = await openBrowser(app, 'ada')
      const body = { current_password: password, new_password: chosen }
      assert.equal((await browser.call('POST', '/me/password', { body })).status, 200)
      const waiting = async (kind: string) => (await mailsOf(app)).filter((mail) => mail.kind === kind)
      assert.equal((await waiting('password_reset')).length, 2)
      const [notice] = await app.runSql("SELECT planned_at, created_at FROM mails WHERE kind = 'password_changed'")
      assert.deepEqual([notice?.planned_at], [notice?.created_at])
      await clock.pass(hour)
      for (const status of [202, 202, 202, 202, 202, 429]) {
        assert.equal((await browser.call('POST', '/me/email-verification')).status, status)
      }
      await requestReset(app, 'ada')
      await fulfilRequests(app.storage, clock())
      assert.equal((await waiting('password_reset')).length, 3)
    })

    it('are requested once by repeated requests with one Idempotency-Key, and not at all by a dry run', async (t) => {
      const { app } = await open(t, engine)
      await createUser(app, { username: 'ada', email: 'ada@example.com' })
      const send = (username: string, query = '') =>
        app.call('POST', `/password-resets${query}`, {
          key: null,
          headers: { 'idempotency-key': 'a' },
          body: { username },
        })
      const requested = async () =>
        (await recordsOf(app)).filter(({ action }) => action === 'password_reset.requested').length
      const trial = await send('ada', '?dry_run=true')
      assert.deepEqual([trial.status, trial.headers['dry-run'], await requested()], [200, 'true', 0])
      const [first, again] = [await send('ada'), await send('ada')]
      assert.deepEqual([first.status, first.headers['idempotency-replayed']], [202, undefined])
      assert.deepEqual([again.status, again.headers['idempotency-replayed']], [202, 'true'])
      assert.equal((await send('eve')).body.code, 'idempotency_mismatch')
      assert.equal(await requested(), 1)
      assert.equal((await send('ada', '?dryrun=true')).body.code, 'validation_failed')
    })

    it('ask for the second factor of a user who has one, and do nothing without', async (t) => {
      const { app, clock } = await open(t, engine)
      const { phone, browser, user_id } = await personWithPhone(app, clock(), {
        username: 'ada',
        email: 'ada@example.com',
      })
      const { body: creation } = await browser.call('POST', '/me/recovery-codes')
      await clock.pass(minute)
      await requestReset(app, 'ada')
      const path = pathIn(await resetText(app))
      const form = await page(app, path)
      assert.match(form.text, /name="code"/)
      const before = await newestRecord(app)
      const wrong = String((Number(codeOf(phone.secret, clock())) + 1) % 1_000_000).padStart(6, '0')
      for (const [code, status] of [
        ['', 422],
        [wrong, 401],
        ['aaaaa-aaaaa', 401],
      ] as const) {
        const refused = await post(app, path, { new_password: chosen, code })
        assert.equal(refused.status, status, code)
        assert.match(refused.text, /The password was not set/)
        assert.match(refused.text, /name="new_password"/)
      }
      assert.deepEqual(await recordsOf(app, before), [])
      assert.equal(await isSignedIn(browser), true)
      const code = codeOf(phone.secret, clock())
      assert.equal((await post(app, path, { new_password: chosen, code })).status, 200)
      assert.equal(await isSignedIn(browser), false)
      const records = await recordsOf(app, before)
      assert.deepEqual(records[0]?.details, { by: 'password_reset', second_factor: 'totp' })
      const created = records.find(({ action }) => action === 'session.created')
      assert.deepEqual(created?.details.amr, ['pwd', 'otp', 'mfa'])
      // The code is used up, also for the sign-in; a recovery code serves as well.
      const { url } = (await app.call('POST', `/users/${user_id}/password-reset`, { body: { send: false } })).body
      const second = pathIn(url)
      assert.equal((await post(app, second, { new_password: password, code })).status, 401)
      const [recovery] = creation.recovery_codes
      const entered = await post(app, second, { new_password: password, code: '', recovery_code: recovery })
      assert.match(entered.text, /href="\.\.\/recovery-codes\?used=true"/)
    })

    it('sign in with what the policy still asks for, and leave a locked user unlocked', async (t) => {
      const env = { ROLLBOOK_SECOND_FACTOR: '{"admin":"required"}' }
      const app = await start(t, engine, { env: { ...mailEnv, ...env } })
      const { user_id } = await createPerson(app, { username: 'ada', role: 'admin' })
      const unlocked = await app.call('GET', `/users/${user_id}/lock`)
      await app.runSql(`INSERT INTO sign_in_throttles (throttle_key, failures, allowed_at, updated_at)
        VALUES ('user:${user_id}:total', 100, '1970-01-01T00:00:00.000Z', '2026-11-20T00:00:00.000Z')`)
      assert.equal((await app.call('GET', `/users/${user_id}/lock`)).body.locked, true)
      const { url } = (await app.call('POST', `/users/${user_id}/password-reset`, { body: { send: false } })).body
      const done = await choose(app, pathIn(url))
      assert.equal(done.status, 200, done.text)
      const headers = { cookie: cookiesOf(done) }
      const refused = await app.call('GET', '/users', { key: null, headers })
      assert.deepEqual([refused.status, refused.body.code], [403, 'factor_required'], refused.text)
      assert.equal((await app.call('GET', '/login', { key: null, headers })).headers.location, 'add-factor')
      assert.deepEqual((await app.call('GET', `/users/${user_id}/lock`)).body, unlocked.body)
    })

    it('lets a stranger with the link guess few codes', async (t) => {
      const { app, clock } = await open(t, engine)
      const { user_id } = await personWithPhone(app, clock(), { username: 'ada', email: 'ada@example.com' })
      const { url } = (await app.call('POST', `/users/${user_id}/password-reset`, { body: { send: false } })).body
      const statuses: number[] = []
      for (let n = 0; n < 12; n++) {
        const { status, headers } = await post(app, pathIn(url), { new_password: chosen, code: String(100_000 + n) })
        statuses.push(status)
        assert.ok(headers[status === 401 ? 'www-authenticate' : 'retry-after'], `${status} without its header`)
      }
      assert.ok(statuses.filter((status) => status === 401).length <= 6, statuses.join(' '))
      assert.equal(statuses.at(-1), 429)
      assert.equal((await signIn(app, 'ada', chosen)).status, 401)
    })

    it('end when the user signs in, and after an hour', async (t) => {
      const { app, clock } = await open(t, engine)
      await createPerson(app, { username: 'ada', email: 'ada@example.com' })
      await requestReset(app, 'ada')
      const first = await mailedPath(app, 'ada@example.com')
      await openBrowser(app, 'ada')
      assert.match((await page(app, first)).text, /You have signed in since/)
      await requestReset(app, 'ada')
      const second = await mailedPath(app, 'ada@example.com', 2)
      await clock.pass(hour)
      assert.match((await page(app, second)).text, /has expired/)
    })

    it('name the administrator instead of the sign-in page where no message is sent', async (t) => {
      for (const ROLLBOOK_SMTP_URL of [mailEnv.ROLLBOOK_SMTP_URL, '']) {
        const app = await start(t, engine, { env: { ...mailEnv, ROLLBOOK_SMTP_URL } })
        const { user_id } = await createPerson(app)
        const handOut = () => app.call('POST', `/users/${user_id}/password-reset`, { body: { send: false } })
        const path = pathIn((await handOut()).body.url)
        await handOut()
        const advice = ROLLBOOK_SMTP_URL === '' ? /ask an administrator for another link/ : /on the sign-in page/
        assert.match((await page(app, path)).text, advice)
      }
    })

    it('are limited for each network, in the same way for all names', async (t) => {
      const { app, clock } = await open(t, engine)
      for (let n = 0; n < 20; n++) await requestReset(app, n % 2 === 0 ? 'ada' : 'nobody')
      for (const username of ['ada', 'nobody']) {
        const response = await app.call('POST', '/password-resets', { key: null, body: { username } })
        assert.deepEqual(
          [response.status, response.body.code, response.headers['retry-after']],
          [429, 'too_many_attempts', '3600'],
        )
      }
      await clock.pass(hour)
      await requestReset(app, 'ada')
    })

    it('find a user whatever blanks, apostrophes and dashes were typed, as the sign-in does, and never another user', async (t) => {
      const { app } = await open(t, engine)
      const straight = await createPerson(app, { username: "o'brien-smith", email: "o'brien-smith@example.com" })
      await createPerson(app, { username: 'ada', email: 'ann–o’neil@example.com' })
      await requestReset(app, ' O‘Brien–Smith@example.com ')
      await mailedPath(app, "o'brien-smith@example.com")
      const both = { a: 'x’y@example.com', b: 'xʼy@example.com' }
      for (const [username, email] of Object.entries(both)) await createPerson(app, { username, email })
      for (const [typed, username] of [
        [' ada', 'ada'],
        ['ada\u200b\u00a0', 'ada'],
        ['O’Brien-Smith ', "o'brien-smith"],
        ['oʼbrien–smith@example.com', "o'brien-smith"],
        ["Ann-O'Neil@example.com", 'ada'],
        ['ann–o’neil@example.com', 'ada'],
        ['x’y@example.com', 'a'],
        ['xʼy@example.com ', 'b'],
      ] as const) {
        const response = await signIn(app, typed)
        assert.deepEqual([response.status, response.body.user?.username ?? username], [201, username], typed)
      }
      // Two users could be meant.
      assert.equal((await signIn(app, "x'y@example.com")).status, 401)
      const page = await post(app, '/login', { username: ' ada ', password })
      assert.equal(page.status, 303, page.text)

      const creation = await app.call('POST', '/users', {
        body: { username: ' grace\u00a0', email: '\tgrace@example.com ' },
      })
      assert.deepEqual(
        [creation.status, creation.body.username, creation.body.email],
        [201, 'grace', 'grace@example.com'],
      )
      for (const query of ['username=%20grace', 'email=grace@example.com%20']) {
        assert.equal((await app.call('GET', `/users?${query}`)).body.length, 1, query)
      }
      await app.call('PATCH', `/users/${straight.user_id}`, { body: { last_name: 'O’Brien–Smith' } })
      await app.call('PATCH', `/users/${creation.body.user_id}`, { body: { last_name: "D'Arcy-Jones" } })
      for (const [q, user] of [
        ["o'brien-smith", straight.user_id],
        ['oʼbrien‑smith', straight.user_id],
        ['d’arcy', creation.body.user_id],
        ['D`Arcy—Jones', creation.body.user_id],
      ]) {
        const found = (await app.call('GET', `/users?q=${encodeURIComponent(String(q))}`)).body
        assert.deepEqual(
          found.map((one: Record<string, unknown>) => one.user_id),
          [user],
          q,
        )
      }
    })

    it('are requested on a page too, without scripts', async (t) => {
      const { app } = await open(t, engine)
      await createPerson(app, { username: 'ada', email: 'ada@example.com' })
      assert.match((await page(app, '/login')).text, /href="forgot-password"/)
      assert.equal((await page(app, '/forgot-password')).status, 200)
      const known = await post(app, '/forgot-password', { username: 'ada' })
      const unknown = await post(app, '/forgot-password', { username: 'nobody' })
      assert.deepEqual([known.status, known.text], [200, unknown.text])
      assert.equal(
        (await post(app, '/forgot-password', { username: 'ada' }, { 'sec-fetch-site': 'cross-site' })).status,
        403,
      )
      await mailedPath(app, 'ada@example.com')
    })
  })

  describe(`a new address on ${engine.name}`, () => {
    async function change(t: TestContext) {
      const { app, clock } = await open(t, engine)
      const { user_id } = await createPerson(app, { username: 'ada', email: 'old@example.com' })
      const browser = await openBrowser(app, 'ada')
      const body = { email: 'new@example.com', current_password: password }
      const response = await browser.call('PATCH', '/me', { body })
      assert.deepEqual(
        [response.status, response.body.email, response.body.pending_email],
        [200, 'old@example.com', 'new@example.com'],
      )
      return { app, clock, user_id, browser, changed: response, path: await mailedPath(app, 'new@example.com') }
    }

    it('replaces the old one when it is confirmed where the user is signed in, and the old one is told', async (t) => {
      const { app, user_id, browser, path } = await change(t)
      // A scanner that presses the button, another user, and a page of another site.
      const stranger = await post(app, path, {})
      assert.deepEqual([stranger.status, stranger.headers['set-cookie']], [403, undefined], 'it starts no session')
      await createPerson(app, { username: 'mallory', email: 'mallory@example.com' })
      const other = await openBrowser(app, 'mallory')
      assert.equal((await post(app, path, {}, { cookie: other.cookie })).status, 403)
      const across = { cookie: browser.cookie, 'sec-fetch-site': 'cross-site' }
      assert.equal((await post(app, path, {}, across)).status, 403)
      assert.equal((await userOf(app, user_id)).email, 'old@example.com')
      assert.match((await page(app, path, { cookie: browser.cookie })).text, /new@example.com/)
      assert.equal((await userOf(app, user_id)).email, 'old@example.com')
      assert.equal((await post(app, path, {}, { cookie: browser.cookie })).status, 200)
      const { email, email_verified } = await userOf(app, user_id)
      assert.deepEqual([email, email_verified], ['new@example.com', true])
      await eventually('a notice', () =>
        app.server.received.some(
          ({ to, mail }) => to[0] === 'old@example.com' && /was changed/.test(mail.subject ?? ''),
        ),
      )
      assert.equal((await browser.call('GET', '/me')).body.pending_email, undefined)
      assert.equal((await post(app, path, {}, { cookie: browser.cookie })).status, 410)
    })

    it('is confirmed without a session in the browser that asked, and with one in another, but in no third', async (t) => {
      const { app, browser, user_id, changed, path } = await change(t)
      const [asking] = cookiesNamed(changed, 'rollbook-address')
      assert.match(asking?.line ?? '', /; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/)
      const secret = asking?.pair.split('=')[1] as string
      assert.ok(!`${await app.stored()}${app.logLines().join('\n')}`.includes(secret), 'the secret is stored')
      assert.equal((await browser.call('DELETE', '/sessions/current')).status, 200)
      for (const cookie of ['', `rollbook-address=${'A'.repeat(43)}`]) {
        for (const refused of [await page(app, path, { cookie }), await post(app, path, {}, { cookie })]) {
          assert.equal(refused.status, 403)
          assert.match(refused.text, /in the browser in which you asked for it.*sign in here, and open it again/s)
        }
      }
      const cookie = asking?.pair as string
      assert.match((await page(app, path, { cookie })).text, /new@example.com/)
      assert.equal((await post(app, path, {}, { cookie, 'sec-fetch-site': 'cross-site' })).status, 403)
      const done = await post(app, path, {}, { cookie })
      assert.equal(done.status, 200, done.text)
      assert.match(String(done.headers['set-cookie']), /rollbook-address=; Max-Age=0/)
      assert.equal((await userOf(app, user_id)).email, 'new@example.com')
      // A later link belongs to the browser that asked for that one.
      const laptop = await openBrowser(app, 'ada')
      const phone = await openBrowser(app, 'ada')
      const request = { headers: { 'idempotency-key': 'one' } }
      const first = await laptop.call('POST', '/me/email-verification', request)
      const again = await laptop.call('POST', '/me/email-verification', request)
      assert.equal(cookiesNamed(first, 'rollbook-address').length, 1)
      assert.deepEqual([again.headers['idempotency-replayed'], cookiesNamed(again, 'rollbook-address')], ['true', []])
      const confirmations = () => app.server.received.filter(({ mail }) => mail.subject?.startsWith('Confirm'))
      await eventually('the second link', () => confirmations().length === 2)
      const second = pathIn(confirmations()[1]?.mail.text ?? '')
      assert.equal((await page(app, second, { cookie })).status, 403)
      assert.equal((await post(app, second, {}, { cookie: phone.cookie })).status, 200)
    })

    it('gives no cookie to what is no browser, for a dry run, or without a link', async (t) => {
      const { app, browser } = await change(t)
      const body = { email: 'third@example.com', current_password: password }
      const dry = await browser.call('PATCH', '/me?dry_run=true', { body })
      const same = await browser.call('PATCH', '/me', { body: { email: 'old@example.com' } })
      const dryLink = await browser.call('POST', '/me/email-verification?dry_run=true')
      for (const response of [dry, same, dryLink]) {
        assert.equal(response.status, 200, response.text)
        assert.deepEqual(cookiesNamed(response, 'rollbook-address'), [])
      }
      assert.equal(app.server.received.filter(({ mail }) => mail.subject?.startsWith('Confirm')).length, 1)
    })

    it('is withdrawn when the user chooses the present one again', async (t) => {
      const { browser, app, path } = await change(t)
      const body = { email: 'old@example.com', current_password: password }
      const updated = await browser.call('PATCH', '/me', { body })
      assert.deepEqual([updated.status, updated.body.pending_email], [200, undefined])
      const { status, text } = await page(app, path, { cookie: browser.cookie })
      assert.equal(status, 410)
      assert.match(text, /was withdrawn/)
    })

    it('is not taken over after the password was changed', async (t) => {
      const { app, browser, path, user_id } = await change(t)
      const body = { current_password: password, new_password: chosen }
      assert.equal((await browser.call('POST', '/me/password', { body })).status, 200)
      assert.equal((await post(app, path, {}, { cookie: browser.cookie })).status, 410)
      assert.equal((await userOf(app, user_id)).email, 'old@example.com')
    })

    it('is not taken over when another user has it by then, and the page says so', async (t) => {
      const { app, browser, path, user_id } = await change(t)
      await createPerson(app, { username: 'grace', email: 'new@example.com' })
      const refused = await post(app, path, {}, { cookie: browser.cookie, accept: 'text/html' })
      assert.equal(refused.status, 409)
      assert.match(refused.text, /belongs to another account/)
      assert.equal((await userOf(app, user_id)).email, 'old@example.com')
    })

    it('gets one response whether or not another user has it, and only that user gets a notice, once a day', async (t) => {
      const { app, clock } = await open(t, engine)
      await createUser(app, { username: 'owner', email: 'taken1@example.com', locale: 'de' })
      await createUser(app, { username: 'taken2@example.com', email: 'other@example.com' })
      const { user_id } = await createUser(app, { username: 'busy', email: 'taken3@example.com' })
      for (let n = 0; n < 5; n++) await invite(app, user_id)
      await app.call('PATCH', `/users/${user_id}`, { body: { active: false } })
      const responses = async (username: string, names: string[], query = '') => {
        await createPerson(app, { username })
        const browser = await openBrowser(app, username)
        const texts: string[] = []
        for (const email of names.map((name) => `${name}@example.com`)) {
          const { status, body, headers } = await browser.call('PATCH', `/me${query}`, {
            body: { email, current_password: password },
          })
          const { body: me } = await browser.call('GET', '/me')
          const { date: _, 'x-request-id': __, ratelimit: ___, ...rest } = headers
          const secret = /(rollbook-address=)[\w-]{43}/g
          texts.push(JSON.stringify({ status, body, rest, me }).replaceAll(email, 'EMAIL').replaceAll(secret, '$1'))
        }
        return texts
      }
      const texts = await responses('mallory', ['freely', 'taken1', 'TAKEN2', 'taken3'])
      assert.match(texts[0] ?? '', /"status":200,.*"pending_email":"EMAIL".*rollbook-address/s)
      assert.equal(new Set(texts).size, 1, texts.join('\n'))
      const trials = await responses('eve', ['freely', 'taken1'], '?dry_run=true')
      assert.match(trials[0] ?? '', /"status":200,/)
      assert.equal(new Set(trials).size, 1, trials.join('\n'))
      await responses('trudy', ['taken1'])
      const sent = async () =>
        (await mailsOf(app)).flatMap(({ kind, address }) =>
          ['verification', 'email_requested'].includes(kind) ? [`${kind} ${address}`] : [],
        )
      const once = [
        'email_requested other@example.com',
        'email_requested taken1@example.com',
        'verification freely@example.com',
      ]
      assert.deepEqual((await sent()).toSorted(), once)
      await eventually('the notice', () => app.server.received.some(({ to }) => to[0] === 'taken1@example.com'))
      const { mail } = app.server.received.find(({ to }) => to[0] === 'taken1@example.com') ?? {}
      assert.match(mail?.subject ?? '', /wurde für ein anderes Konto/)
      assert.doesNotMatch(mail?.text ?? '', /mallory|auth\/(?!account)/)
      await clock.pass(day)
      await responses('walter', ['taken1'])
      assert.deepEqual((await sent()).toSorted(), [...once, once[1]].toSorted())
    })

    it("that is no user's yet gets few links, so that an invitation, links for a new password and notices are not held back", async (t) => {
      const { app, clock } = await open(t, engine)
      const email = 'new@example.com'
      const send = async (username: string, address = email) => {
        const { call } = await openBrowser(app, username)
        const response = await call('PATCH', '/me', { body: { email: address, current_password: password } })
        return [response.status, response.body.code, response.headers['retry-after']]
      }
      const links = async () => (await mailsOf(app, '&kind=verification')).length
      for (const username of ['ada', 'eve', 'kim']) await createPerson(app, { username })
      for (const address of [email, 'NEW@example.com']) assert.equal((await send('eve', address))[0], 200)
      assert.deepEqual(await send('eve'), [429, 'too_many_mails', '3600'])
      assert.equal(await links(), 2)
      assert.equal((await send('ada'))[0], 200)
      assert.equal(await links(), 3)
      // The response is the same, but nothing more is sent.
      assert.equal((await send('kim'))[0], 200)
      assert.equal(await links(), 3)
      const { user_id } = await createUser(app, { username: 'hopper', email })
      await invite(app, user_id)
      for (const name of ['hopper', 'new@example.com']) await requestReset(app, name)
      await fulfilRequests(app.storage, clock())
      await app.call('POST', `/users/${user_id}/password`, { body: { password } })
      await app.call('POST', `/users/${user_id}/password`, { body: { password: chosen } })
      const planned = await app.runSql(`SELECT kind, planned_at, created_at FROM mails WHERE user_id = '${user_id}'`)
      const kinds = ['invitation', 'password_changed', 'password_reset', 'password_reset']
      assert.deepEqual(planned.map(({ kind }) => kind).toSorted(), kinds)
      for (const { kind, planned_at, created_at } of planned) assert.equal(planned_at, created_at, String(kind))
      await clock.pass(hour)
      assert.equal((await send('kim', 'kim@example.com'))[0], 200)
      assert.equal(await links(), 4)
    })

    it('can be confirmed for the address that the user has', async (t) => {
      const { app, browser, user_id } = await change(t)
      const sent = await browser.call('POST', '/me/email-verification')
      assert.deepEqual([sent.status, sent.body.email], [202, 'old@example.com'])
      const path = await mailedPath(app, 'old@example.com')
      assert.equal((await post(app, path, {}, { cookie: browser.cookie })).status, 200)
      assert.equal((await userOf(app, user_id)).email_verified, true)
    })
  })

  describe(`notices on ${engine.name}`, () => {
    it('tell the former address of a changed one, and the user of a changed password, in their language', async (t) => {
      const { app } = await open(t, engine)
      const { user_id } = await createPerson(app, { username: 'ada', email: 'ada@example.com', locale: 'de' })
      await app.call('PATCH', `/users/${user_id}`, { body: { email: 'new@example.com' } })
      await app.call('POST', `/users/${user_id}/password`, { body: { password: chosen } })
      await eventually('two messages', () => app.server.received.length === 2)
      const notified = app.server.received.map(({ to, mail }) => [to[0], mail.subject]).toSorted()
      assert.deepEqual(notified, [
        ['ada@example.com', 'Ihre E-Mail-Adresse für Orchard wurde geändert'],
        ['new@example.com', 'Ihr Passwort für Orchard wurde geändert'],
      ])
    })
  })
}
