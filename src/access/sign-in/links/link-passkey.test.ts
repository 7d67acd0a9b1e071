import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { recordsOf } from '../../../../test/audit-records.ts'
import { Authenticator } from '../../../../test/authenticator.ts'
import { personWithPhone } from '../../../../test/factors.ts'
import { type Answer, createUser, type Engine, engines, type Started, start } from '../../../../test/harness.ts'
import { browserAfter, cookiesOf, createPerson, isSignedIn, openBrowser } from '../../../../test/people.ts'

const origin = 'https://orchard.example'
const env = { ROLLBOOK_PUBLIC_URL: `${origin}/auth`, ROLLBOOK_RATE_LIMIT: '0' }

const open = (t: TestContext, engine: Engine) => start(t, engine, { env })

async function linkOf(app: Started, user_id: unknown, kind: 'invitation' | 'password-reset'): Promise<string> {
  const response = await app.call('POST', `/users/${user_id}/${kind}`, { body: { return_url: true } })
  assert.equal(response.status, 200, response.text)
  return String(response.body.url).slice(`${origin}/auth`.length)
}

const post = (app: Started, path: string, body?: object): Promise<Answer> =>
  app.call('POST', path, { key: null, headers: { 'sec-fetch-site': 'same-origin' }, ...(body && { body }) })

async function startCeremony(app: Started, path: string): Promise<Answer['body']> {
  const response = await post(app, `${path}/passkey-options`)
  assert.equal(response.status, 200, response.text)
  return response.body
}

const shows = async (app: Started, path: string) =>
  (await app.call('GET', path, { key: null })).text.includes('Use a passkey instead')

for (const engine of engines) {
  describe(`a passkey by a link on ${engine.name}`, () => {
    it('stands in for the password of an invited user, who then signs in with it alone, and keeps it', async (t) => {
      const app = await open(t, engine)
      const { user_id } = await createUser(app, { username: 'ada', email: 'ada@example.com' })
      const path = await linkOf(app, user_id, 'invitation')
      assert.ok(await shows(app, path))
      const device = new Authenticator({ origin })
      const { challenge_id, options } = await startCeremony(app, path)
      assert.deepEqual([options.rp.id, options.user.name], ['orchard.example', 'ada'])
      const passkey = device.create(options)
      const added = await post(app, `${path}/passkey`, { challenge_id, passkey })
      assert.deepEqual([added.status, added.body], [200, { username: 'ada' }], added.text)
      const user = (await app.call('GET', `/users/${user_id}`)).body
      assert.deepEqual([user.has_password, user.invited === true], [false, false])
      // The link works once, for either.
      assert.equal((await app.call('GET', path, { key: null })).status, 410)
      assert.equal((await post(app, `${path}/passkey-options`)).body.code, 'link_ended')
      const records = await recordsOf(app)
      const [last] = records.filter(({ action }) => action === 'factor.added')
      assert.deepEqual([last?.actor.id, last?.details.by], [user_id, 'invitation'])

      const requested = await app.call('POST', '/sessions/passkey-options', { key: null })
      const signedIn = await app.call('POST', '/sessions', {
        key: null,
        headers: { cookie: cookiesOf(requested) },
        body: { passkey: device.get(requested.body.options) },
      })
      assert.deepEqual([signedIn.status, signedIn.body.user_id], [201, user_id], signedIn.text)

      const { call } = browserAfter(app, signedIn)
      const [only] = (await call('GET', '/me/factors')).body.factors
      const remove = () => call('DELETE', `/me/factors/${only.factor_id}`)
      assert.equal((await remove()).body.code, 'last_sign_in_way')
      const another = (await call('POST', '/me/factors/passkeys/options')).body
      const key = { challenge_id: another.challenge_id, passkey: new Authenticator({ origin }).create(another.options) }
      assert.equal((await call('POST', '/me/factors/passkeys', { body: key })).status, 201)
      assert.equal((await remove()).status, 200)
    })

    it('ends the other link with which one could be chosen', async (t) => {
      const app = await open(t, engine)
      const { user_id } = await createUser(app, { username: 'ada', email: 'ada@example.com' })
      const invitation = await linkOf(app, user_id, 'invitation')
      const reset = await linkOf(app, user_id, 'password-reset')
      const { challenge_id, options } = await startCeremony(app, reset)
      const body = { challenge_id, passkey: new Authenticator({ origin }).create(options) }
      assert.equal((await post(app, `${reset}/passkey`, body)).status, 200)
      assert.equal((await app.call('GET', invitation, { key: null })).status, 410)
      assert.equal((await app.call('GET', `/users/${user_id}/invitation`)).body.invited, false)
    })

    it('ends the sessions of a user who lost the password', async (t) => {
      const app = await open(t, engine)
      const { user_id, username } = await createPerson(app)
      const browser = await openBrowser(app, username)
      const path = await linkOf(app, user_id, 'password-reset')
      const { challenge_id, options } = await startCeremony(app, path)
      assert.equal(await isSignedIn(browser), true, 'options alone end nothing')
      const body = { challenge_id, passkey: new Authenticator({ origin }).create(options) }
      assert.equal((await post(app, `${path}/passkey`, body)).status, 200)
      assert.equal(await isSignedIn(browser), false)
    })

    it('is not for users who have a second factor: a mailbox must not get past it', async (t) => {
      const app = await open(t, engine)
      const { user_id } = await personWithPhone(app, Date.now())
      const path = await linkOf(app, user_id, 'password-reset')
      assert.equal(await shows(app, path), false)
      const refused = await post(app, `${path}/passkey-options`)
      assert.deepEqual([refused.status, refused.body.errors?.[0].code], [422, 'has_factor'], refused.text)

      // Nor if it was added after the options.
      const other = await createPerson(app)
      const late = await linkOf(app, other.user_id, 'password-reset')
      const { challenge_id, options } = await startCeremony(app, late)
      const browser = await openBrowser(app, other.username)
      const again = (await browser.call('POST', '/me/factors/passkeys/options')).body
      const mine = { challenge_id: again.challenge_id, passkey: new Authenticator({ origin }).create(again.options) }
      assert.equal((await browser.call('POST', '/me/factors/passkeys', { body: mine })).status, 201)
      const thief = { challenge_id, passkey: new Authenticator({ origin }).create(options) }
      assert.equal((await post(app, `${late}/passkey`, thief)).status, 422)
      assert.equal((await app.call('GET', `/users/${other.user_id}/factors`)).body.factors.length, 1)
    })

    it('of a user who has one is asked for after a new password, and the link alone starts no session', async (t) => {
      const app = await open(t, engine)
      const { user_id, username } = await createPerson(app)
      const browser = await openBrowser(app, username)
      const begun = (await browser.call('POST', '/me/factors/passkeys/options')).body
      const device = new Authenticator({ origin })
      const added = { challenge_id: begun.challenge_id, passkey: device.create(begun.options) }
      assert.equal((await browser.call('POST', '/me/factors/passkeys', { body: added })).status, 201)
      const path = await linkOf(app, user_id, 'password-reset')
      const changed = await app.call('POST', path, {
        key: null,
        headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ new_password: 'a moth in relay seventy' }).toString(),
      })
      assert.match(changed.text, /Password changed[\s\S]*data-finish="\.\.\/sessions"/)
      assert.equal(await isSignedIn(browser), false)
      assert.deepEqual((await app.call('GET', `/users/${user_id}/sessions`)).body, [])
      const [, options = ''] = /data-options="([^"]+)"/.exec(changed.text) ?? []
      const passkey = device.get(JSON.parse(options.replaceAll('&quot;', '"')))
      const headers = { cookie: cookiesOf(changed), 'sec-fetch-site': 'same-origin' }
      const done = await app.call('POST', '/sessions', { key: null, headers, body: { passkey } })
      assert.deepEqual([done.status, done.body.amr], [201, ['pwd', 'pop', 'user', 'mfa']], done.text)
    })

    it('needs the options of the same link, this origin, and happens once', async (t) => {
      const app = await open(t, engine)
      const links = await Promise.all(
        ['ada', 'bea'].map(async (username) => {
          const { user_id } = await createUser(app, { username, email: `${username}@example.com` })
          return linkOf(app, user_id, 'invitation')
        }),
      )
      const [path = '', other = ''] = links
      const { challenge_id, options } = await startCeremony(app, path)
      const device = new Authenticator({ origin })
      const body = { challenge_id, passkey: device.create(options) }
      assert.equal((await post(app, `${other}/passkey`, body)).status, 422)
      const foreign = { challenge_id, passkey: device.create(options, { origin: 'https://evil.example' }) }
      assert.equal((await post(app, `${path}/passkey`, foreign)).status, 422)
      const wrong = `${path.slice(0, -5)}AAAAA`
      assert.equal((await post(app, `${wrong}/passkey-options`)).body.code, 'link_ended')
      const answers = await Promise.all(Array.from({ length: 8 }, () => post(app, `${path}/passkey`, body)))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    })
  })
}
