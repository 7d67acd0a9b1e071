import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines, type Started, start } from '../../../../test/harness.ts'
import { env, newAddress, password, person, setFailures, visitor, wrong } from '../../../../test/sign-in/visitor.ts'
import { timestamp } from '../../../lib/instant.ts'

const noon = Date.UTC(2026, 10, 20, 12)

for (const engine of engines) {
  describe(`the sign-in state on ${engine.name}`, () => {
    async function startApp(t: Parameters<typeof start>[0]) {
      let now = noon
      const app = await start(t, engine, { env, clock: () => now })
      return { app, wait: (ms: number) => (now += ms) }
    }
    const stateOf = async (app: Started, user_id: string) => {
      await app.storage.settleJournal()
      return (await app.call('GET', `/users/${user_id}/sign-in`)).body
    }
    const isListed = async (app: Started, user_id: string) => {
      const ids = async (locked: boolean) =>
        (await app.call('GET', `/users?locked=${locked}`)).body.map((user: { user_id: string }) => user.user_id)
      const [locked, others] = [await ids(true), await ids(false)]
      assert.notEqual(locked.includes(user_id), others.includes(user_id))
      return locked.includes(user_id)
    }
    /** What it says, and what a sign-in with the right password then gets. */
    async function saysAndGets(app: Started, user: { user_id: string; username: string }, from = visitor()) {
      const said = await stateOf(app, user.user_id)
      assert.equal(await isListed(app, user.user_id), said.locked)
      const { status } = await from.signIn(app, user.username, password)
      return { said, status }
    }

    it('says yes for a user who can sign in', async (t) => {
      const { app } = await startApp(t)
      const ada = await person(app)
      const { said, status } = await saysAndGets(app, ada)
      assert.deepEqual(said, {
        user_id: ada.user_id,
        can_sign_in: 'yes',
        cause: 'none',
        sentence: 'Yes.',
        remedy: 'none',
        locked: false,
        failures: 0,
        last_failure: null,
        disabled: null,
        until: null,
        network: null,
        attempts: 0,
      })
      assert.equal(status, 201)
    })

    it('says how often the password was wrong, when last, and from where; the right one still signs in', async (t) => {
      const { app, wait } = await startApp(t)
      const ada = await person(app)
      const from = visitor('203.0.113.9')
      await from.signIn(app, ada.username, wrong)
      assert.match((await stateOf(app, ada.user_id)).sentence, /Wrong password once, at 2026-11-20 12:00:00 UTC from/)
      wait(1000)
      await from.signIn(app, ada.username, wrong)
      const { said, status } = await saysAndGets(app, ada, from)
      assert.deepEqual(
        [said.can_sign_in, said.cause, said.remedy, said.failures, said.last_failure.address],
        ['yes', 'wrong_passwords', 'reset_password', 2, '203.0.113.9'],
      )
      assert.match(
        said.sentence,
        /^Yes, with the right password\. Wrong password 2 times, last at 2026-11-20 12:00:01 UTC from 203\.0\.113\.9/,
      )
      assert.equal(status, 201)
      assert.equal((await stateOf(app, ada.user_id)).cause, 'none')
    })

    it('says until when a network must wait, while the user gets in elsewhere', async (t) => {
      const { app, wait } = await startApp(t)
      const ada = await person(app)
      const from = visitor('203.0.113.7')
      for (let i = 0; i < 5; i++) await from.signIn(app, ada.username, wrong)
      const { said, status } = await saysAndGets(app, ada, from)
      assert.deepEqual(
        [said.can_sign_in, said.cause, said.remedy, said.locked, said.until, said.network, said.attempts],
        ['not_everywhere', 'wrong_passwords_for_user', 'unlock', true, timestamp(noon + 1000), '203.0.113.7', 5],
      )
      assert.equal(said.sentence, 'Must wait until 2026-11-20 12:00:01 UTC (wrong password 5 times from 203.0.113.7).')
      assert.equal(status, 429)
      wait(1000)
      const later = await saysAndGets(app, ada, from)
      assert.deepEqual([later.said.cause, later.said.locked, later.status], ['wrong_passwords', false, 201])
    })

    it('says so where a network is refused even with the right password, and a day later no more', async (t) => {
      const { app, wait } = await startApp(t)
      const ada = await person(app)
      const from = visitor('203.0.113.8')
      for (let i = 0; i < 20; i++) {
        await from.signIn(app, ada.username, wrong)
        wait(15 * 60_000)
      }
      const { said, status } = await saysAndGets(app, ada, from)
      assert.deepEqual([said.cause, said.locked, said.network], ['network_shut_out', true, '203.0.113.8'])
      assert.match(
        said.sentence,
        /^Must wait until .*, even with the right password \(wrong password 20 times from 203\.0\.113\.8\)/,
      )
      assert.equal(status, 401)
      assert.equal((await visitor().signIn(app, ada.username, password)).status, 201)
    })

    it('says so where unknown browsers must wait, but a known one need not', async (t) => {
      const { app } = await startApp(t)
      const ada = await person(app)
      const home = visitor()
      assert.equal((await home.signIn(app, ada.username, password)).status, 201)
      for (let i = 0; i < 20; i++) await visitor().signIn(app, ada.username, wrong)
      const { said, status } = await saysAndGets(app, ada)
      assert.deepEqual(
        [said.can_sign_in, said.cause, said.locked, said.until],
        ['not_everywhere', 'wrong_passwords_from_many_networks', true, timestamp(noon + 30_000)],
      )
      assert.equal(status, 429)
      assert.equal((await home.signIn(app, ada.username, password)).status, 201)
    })

    it('tells a lock of unknown browsers from one of all browsers, and offers to unlock', async (t) => {
      const { app } = await startApp(t)
      const ada = await person(app)
      const home = visitor()
      await home.signIn(app, ada.username, password)
      await setFailures(app, ada.user_id, 90)
      const strangers = await saysAndGets(app, ada)
      assert.deepEqual(
        [strangers.said.can_sign_in, strangers.said.cause, strangers.said.remedy, strangers.status],
        ['not_everywhere', 'locked', 'unlock', 401],
      )
      assert.match(strangers.said.sentence, /^Only in a browser in which the user has signed in before\. Locked:/)
      await setFailures(app, ada.user_id, 100)
      const all = await saysAndGets(app, ada, home)
      assert.deepEqual([all.said.can_sign_in, all.said.locked, all.status], ['no', true, 401])
      await app.call('DELETE', `/users/${ada.user_id}/lock`)
      const unlocked = await saysAndGets(app, ada)
      assert.deepEqual([unlocked.said.can_sign_in, unlocked.said.locked, unlocked.status], ['yes', false, 201])
    })

    it('names a network that must wait because of other users, without calling this user locked', async (t) => {
      const { app } = await startApp(t)
      const ada = await person(app)
      const from = visitor('203.0.113.77')
      for (let i = 0; i < 30; i++) await from.signIn(app, `nobody-${i}`, wrong)
      assert.equal((await from.signIn(app, ada.username, password)).status, 429)
      const { said, status } = await saysAndGets(app, ada, from)
      assert.deepEqual(
        [said.cause, said.locked, said.network],
        ['wrong_passwords_for_many_users', false, '203.0.113.77'],
      )
      assert.equal(status, 429)
      assert.equal((await visitor().signIn(app, ada.username, password)).status, 201)
    })

    it('says who disabled the user and when, also after later changes and attempts', async (t) => {
      const { app, wait } = await startApp(t)
      const ada = await person(app)
      const { key } = (
        await app.call('POST', '/keys', { body: { name: 'clerk', permissions: ['users:read', 'users:write'] } })
      ).body
      await app.call('PATCH', `/users/${ada.user_id}`, { key, body: { active: false } })
      wait(1000)
      await app.call('PATCH', `/users/${ada.user_id}`, { body: { first_name: 'Ada' } })
      await visitor().signIn(app, ada.username, password)
      const { said, status } = await saysAndGets(app, ada)
      assert.deepEqual(
        [said.can_sign_in, said.cause, said.remedy, said.disabled.at, said.disabled.by.name],
        ['no', 'disabled', 'enable', timestamp(noon), 'clerk'],
      )
      assert.equal(said.sentence, 'No. Disabled by API key clerk at 2026-11-20 12:00:00 UTC.')
      assert.equal(status, 401)
      await app.call('PATCH', `/users/${ada.user_id}`, { body: { active: true } })
      assert.equal((await stateOf(app, ada.user_id)).disabled, null)
    })

    it('says so of a user without a password', async (t) => {
      const { app } = await startApp(t)
      const { body: user } = await app.call('POST', '/users', { body: { username: 'bare' } })
      const { said, status } = await saysAndGets(app, user)
      assert.deepEqual([said.sentence, said.remedy, status], ['No. No password yet.', 'set_password', 401])
    })

    it('says yes for a user without a password whom an active connection signs in, linked or by domain', async (t) => {
      const { app } = await startApp(t)
      const user = async (email: string) =>
        (await app.call('POST', '/users', { body: { username: email, email } })).body as { user_id: string }
      const [linked, routed, other] = [await user('a@x.test'), await user('b@globex.test'), await user('c@y.test')]
      const body = { kind: 'oidc', name: 'Globex', issuer: 'https://id.globex.test', client_id: 'c' }
      const created = await app.call('POST', '/connections', { body: { ...body, trusted_domains: ['globex.test'] } })
      const { connection_id } = created.body
      const path = `/users/${linked.user_id}/identities`
      const link = await app.call('POST', path, { body: { connection_id, subject: 'a' } })
      assert.equal(link.status, 201, link.text)
      const causes = () =>
        Promise.all([linked, routed, other].map(async ({ user_id }) => (await stateOf(app, user_id)).cause))
      assert.deepEqual(await causes(), ['company_sign_in', 'company_sign_in', 'no_password'])
      const said = await stateOf(app, routed.user_id)
      assert.deepEqual([said.can_sign_in, said.remedy, said.sentence], ['yes', 'none', 'Yes, with their company.'])
      await app.call('PATCH', `/connections/${connection_id}`, { body: { active: false } })
      assert.deepEqual(await causes(), ['no_password', 'no_password', 'no_password'])
    })

    it('says that another password must be chosen first', async (t) => {
      const { app } = await startApp(t)
      const ada = await person(app)
      await app.call('POST', `/users/${ada.user_id}/password`, { body: { password, must_change: true } })
      const from = visitor()
      const { said, status } = await saysAndGets(app, ada, from)
      assert.deepEqual([said.can_sign_in, said.cause, status], ['yes', 'must_change_password', 201])
      const refused = await from.call(app, 'PATCH', '/me', { first_name: 'Ada' })
      assert.equal(refused.body.code, 'password_change_required')
    })

    it('is for users:read, and of no user who does not exist', async (t) => {
      const { app } = await startApp(t)
      const ada = await person(app)
      const { key } = (await app.call('POST', '/keys', { body: { name: 'other', permissions: ['keys:read'] } })).body
      assert.equal((await app.call('GET', `/users/${ada.user_id}/sign-in`, { key })).status, 403)
      const missing = await app.call('GET', '/users/019a9f00-0000-7000-8000-000000000000/sign-in')
      assert.deepEqual([missing.status, missing.body.code], [404, 'user_not_found'])
    })

    it('does not let a wait to confirm a password in a session lock anyone', async (t) => {
      const { app } = await startApp(t)
      const ada = await person(app)
      const home = visitor(newAddress())
      await home.signIn(app, ada.username, password)
      const body = { current_password: wrong, new_password: 'a moth in relay seventy' }
      for (let i = 0; i < 6; i++) await home.call(app, 'POST', '/me/password', body)
      const { said, status } = await saysAndGets(app, ada)
      assert.deepEqual([said.cause, said.locked, status], ['wrong_passwords', false, 201])
    })

    it('lists locked users with an up-to-date answer, in pages, counted, and with other filters', async (t) => {
      const { app, wait } = await startApp(t)
      const [ada, bob, eve] = [await person(app), await person(app), await person(app)]
      for (const one of [ada, bob]) await setFailures(app, one.user_id, 95)
      await app.call('PATCH', `/users/${bob.user_id}`, { body: { active: false } })
      const listUsers = async (query: string) => {
        const { body, headers } = await app.call('GET', `/users?${query}`)
        return { names: body.map((user: { username: string }) => user.username), headers }
      }
      const { names, headers } = await listUsers('locked=true&count=true&limit=1')
      assert.deepEqual([names, headers['total-count'], headers.etag], [[ada.username], '2', undefined])
      assert.deepEqual((await listUsers('locked=true&limit=1&offset=1&sort=username')).names.length, 1)
      assert.deepEqual((await listUsers('locked=true&active=true')).names, [ada.username])
      assert.equal((await listUsers('locked=false&limit=50&count=true')).headers['total-count'], '1')
      assert.deepEqual((await listUsers('locked=false&limit=50&sort=-created_at')).names, [eve.username])
      const from = visitor()
      for (let i = 0; i < 5; i++) await from.signIn(app, eve.username, wrong)
      assert.equal((await listUsers('locked=true&limit=50')).names.length, 3)
      wait(1000)
      assert.equal((await listUsers('locked=true&limit=50')).names.length, 2)
      const bulk = await app.call('POST', '/users/bulk', {
        body: { action: 'set_role', role: 'admin', filter: { locked: true, active: true } },
        headers: { accept: 'application/json' },
      })
      assert.equal(bulk.status, 200)
      assert.equal((await app.call('GET', `/users/${ada.user_id}`)).body.role, 'admin')
      assert.equal((await app.call('GET', `/users/${eve.user_id}`)).body.role, 'user')
    })
  })
}
