import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines, type Started, start } from '../../../../test/harness.ts'
import { clock, env, password, person, setFailures, visitor, wrong } from '../../../../test/sign-in/visitor.ts'
import { system } from '../../../core/actor.ts'
import { timestamp } from '../../../lib/instant.ts'

const nobody = '019a9f00-0000-7000-8000-000000000000'

async function keyWith(app: Started, permissions: string[]): Promise<string> {
  return (await app.call('POST', '/keys', { body: { name: permissions.join(), permissions } })).body.key
}

for (const engine of engines) {
  describe(`the lock of a user on ${engine.name}`, () => {
    it('can be read with users:read and opened with users:write only', async (t) => {
      const app = await start(t, engine, { env, clock })
      const ada = await person(app)
      const path = `/users/${ada.user_id}/lock`
      const [reader, writer, other] = [
        await keyWith(app, ['users:read']),
        await keyWith(app, ['users:write']),
        await keyWith(app, ['keys:read']),
      ]
      const statuses = async (method: string) =>
        Promise.all([reader, writer, other, null].map(async (key) => (await app.call(method, path, { key })).status))
      assert.deepEqual(await statuses('GET'), [200, 403, 403, 401])
      assert.deepEqual(await statuses('DELETE'), [403, 200, 403, 401])
    })

    it('cannot be opened for users with more permissions than the caller, who could then guess their password', async (t) => {
      const app = await start(t, engine, { env, clock })
      const admin = await person(app, { role: 'admin' })
      await setFailures(app, admin.user_id, 100)
      const key = await keyWith(app, ['users:read', 'users:write'])
      const response = await app.call('DELETE', `/users/${admin.user_id}/lock`, { key })
      assert.deepEqual([response.status, response.body.code], [403, 'user_outranks_caller'])
      assert.equal((await app.call('GET', `/users/${admin.user_id}/lock`)).body.failures, 100)
    })

    it('says when strangers may retry, for any name and from anywhere', async (t) => {
      const app = await start(t, engine, { env, clock })
      const ada = await person(app, { email: 'ada@example.org' })
      const retryAt = async () => (await app.call('GET', `/users/${ada.user_id.toUpperCase()}/lock`)).body.retry_at
      assert.equal(await retryAt(), null)
      const attacker = visitor()
      for (let i = 0; i < 5; i++) await attacker.signIn(app, 'ada@example.org', wrong)
      assert.equal((await attacker.signIn(app, 'ada@example.org', wrong)).status, 429)
      assert.equal(await retryAt(), null) // The others need not wait for that.
      for (let i = 5; i < 20; i++) await visitor().signIn(app, 'ada@example.org', wrong)
      assert.equal(await retryAt(), timestamp(clock() + 30_000))
    })

    it('lists what must wait: the network that failed, until when, and how often it failed', async (t) => {
      const app = await start(t, engine, { env, clock })
      const ada = await person(app, { email: 'ada@example.org' })
      const waiting = async () => (await app.call('GET', `/users/${ada.user_id}/lock`)).body.waiting
      assert.deepEqual(await waiting(), [])
      const attacker = visitor('203.0.113.5')
      for (let i = 0; i < 6; i++) await attacker.signIn(app, ada.username, wrong)
      const seen = { attempts: 5, last_attempt_at: timestamp(clock()) }
      const network = { kind: 'network', network: '203.0.113.5', until: timestamp(clock() + 1000), ...seen }
      assert.deepEqual(await waiting(), [{ ...network, reason: 'wrong_passwords_for_user' }])
    })

    it('names the user when attempts from many networks failed, or too many in a row', async (t) => {
      const app = await start(t, engine, { env, clock })
      const ada = await person(app)
      const waiting = async () => (await app.call('GET', `/users/${ada.user_id}/lock`)).body.waiting
      const user = { kind: 'user', network: null, last_attempt_at: timestamp(clock()) }
      for (let i = 0; i < 20; i++) await visitor().signIn(app, ada.username, wrong)
      const crowd = { until: timestamp(clock() + 30_000), reason: 'wrong_passwords_from_many_networks', attempts: 20 }
      assert.deepEqual(await waiting(), [{ ...user, ...crowd }])
      await setFailures(app, ada.user_id, 90)
      const last_attempt_at = '2026-11-20T00:00:00.000Z'
      const locked = { ...user, until: null, reason: 'locked', attempts: 90, last_attempt_at }
      assert.deepEqual(await waiting(), [{ ...user, ...crowd }, locked])
    })

    it('names a known browser that must wait', async (t) => {
      const app = await start(t, engine, { env, clock })
      const ada = await person(app)
      const own = visitor()
      await own.signIn(app, ada.username, password)
      for (let i = 0; i < 6; i++) await own.signIn(app, ada.username, wrong)
      const { waiting } = (await app.call('GET', `/users/${ada.user_id}/lock`)).body
      assert.deepEqual(
        waiting.map(({ kind, network, reason, attempts }: Record<string, unknown>) => [
          kind,
          network,
          reason,
          attempts,
        ]),
        [['browser', null, 'wrong_passwords_for_user', 5]],
      )
    })

    for (const { name, address, networks } of [
      { name: 'an IPv4 address', address: () => '203.0.113.9', networks: ['203.0.113.9'] },
      { name: 'an IPv6 /64', address: () => '2001:db8:5:1::9', networks: ['2001:db8:5:1::/64'] },
      {
        name: 'an IPv6 /48',
        address: (i: number) => `2001:db8:6:${(i % 60).toString(16)}::9`,
        networks: ['2001:db8:6::/48'],
      },
    ]) {
      it(`names ${name} that must wait because of its attempts at others, and lets it try again`, async (t) => {
        let now = clock()
        const app = await start(t, engine, { env, clock: () => now })
        const ada = await person(app)
        const most = networks[0]?.endsWith('/48') ? 240 : 30
        for (let i = 0; i < most; i++) await visitor(address(i)).signIn(app, `nobody-${i}`, wrong)
        now += 100
        assert.equal((await visitor(address(0)).signIn(app, ada.username, password)).status, 429)
        const path = `/users/${ada.user_id}/lock`
        let found = (await app.call('GET', path)).body
        // On PostgreSQL a record gets its place in the chain shortly after its commit.
        while (found.waiting.length === 0) found = (await app.call('GET', path)).body
        assert.deepEqual([found.locked, found.failures, found.retry_at], [false, 0, null])
        assert.deepEqual(
          found.waiting.map(({ kind, network, reason, attempts, last_attempt_at }: Record<string, unknown>) => ({
            kind,
            network,
            reason,
            attempts,
            last_attempt_at,
          })),
          networks.map((network) => ({
            kind: 'network',
            network,
            reason: 'wrong_passwords_for_many_users',
            attempts: most,
            last_attempt_at: timestamp(now),
          })),
        )
        assert.ok(Date.parse(found.waiting[0].until) > now)
        assert.deepEqual((await app.call('DELETE', path)).body.waiting, [])
        assert.deepEqual((await app.call('GET', path)).body.waiting, [])
        assert.equal((await visitor(address(0)).signIn(app, ada.username, password)).status, 201)
      })
    }

    it('names a network that is shut out for this user, until it has been quiet for a day', async (t) => {
      let now = clock()
      const app = await start(t, engine, { env, clock: () => now })
      const ada = await person(app)
      for (let i = 0; i < 20; i++) {
        assert.equal((await visitor('203.0.113.8').signIn(app, ada.username, wrong)).status, 401)
        now += 900_000
      }
      const path = `/users/${ada.user_id}/lock`
      const lastAt = now - 900_000
      const expected = {
        kind: 'network',
        network: '203.0.113.8',
        until: timestamp(lastAt + 86_400_000),
        reason: 'network_shut_out',
        attempts: 20,
        last_attempt_at: timestamp(lastAt),
      }
      assert.deepEqual((await app.call('GET', path)).body.waiting, [expected])
      await app.call('DELETE', path)
      assert.equal((await visitor('203.0.113.8').signIn(app, ada.username, password)).status, 201)
    })

    it('is not changed by a dry run', async (t) => {
      const app = await start(t, engine, { env, clock })
      const ada = await person(app)
      await setFailures(app, ada.user_id, 95)
      const response = await app.call('DELETE', `/users/${ada.user_id}/lock?dry_run=true`)
      assert.deepEqual([response.status, response.headers['dry-run'], response.body.locked], [200, 'true', false])
      assert.equal((await app.call('GET', `/users/${ada.user_id}/lock`)).body.failures, 95)
    })

    it('is unknown for users who do not exist', async (t) => {
      const app = await start(t, engine, { env, clock })
      for (const method of ['GET', 'DELETE']) {
        const response = await app.call(method, `/users/${nobody}/lock`)
        assert.deepEqual([response.status, response.body.code], [404, 'user_not_found'])
      }
    })

    it('goes with its user', async (t) => {
      const app = await start(t, engine, { env, clock })
      const ada = await person(app)
      await visitor().signIn(app, ada.username, wrong)
      await app.call('DELETE', `/users/${ada.user_id}`)
      assert.deepEqual(await app.runSql("SELECT 1 FROM sign_in_throttles WHERE throttle_key LIKE 'user:%'"), [])
    })

    it('is kept when all other counts are forgotten after a day', async (t) => {
      let now = clock()
      const app = await start(t, engine, { env, clock: () => now })
      const [ada, bob] = [await person(app), await person(app)]
      for (const username of [ada.username, 'nobody']) await visitor('203.0.113.5').signIn(app, username, wrong)
      const prune = () =>
        app.storage.change('throttles.prune', { everyMs: 60_000 }, { actor: system, now, requestId: 'test' })
      now += 86_400_000 - 1
      assert.equal((await prune()).result, 0)
      now += 60_000
      await visitor('203.0.113.6').signIn(app, bob.username, wrong)
      assert.equal((await prune()).result, 6)
      const left = await app.runSql('SELECT throttle_key FROM sign_in_throttles ORDER BY throttle_key')
      assert.deepEqual(
        left.map(({ throttle_key }) => throttle_key).sort(),
        [
          `user:${ada.user_id}:total`,
          `user:${bob.user_id}:total`,
          `user:${bob.user_id}:username`,
          `user:${bob.user_id}:username:203.0.113.6`,
          'network:203.0.113.6',
        ].sort(),
      )
    })
  })
}
