import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines, type Started, start } from '../../test/harness.ts'
import { clock, env, person, setFailures, visitor, wrong } from '../../test/sign-in/visitor.ts'
import { system, timestamp } from '../context.ts'

const nobody = '019a9f00-0000-7000-8000-000000000000'

async function keyWith(app: Started, permissions: string[]): Promise<string> {
  return (await app.call('POST', '/keys', { body: { name: permissions.join(), permissions } })).body.key
}

for (const engine of engines) {
  describe(`the lock of a user on ${engine.name}`, () => {
    it('is read with users:read and opened with users:write, and not by everybody', async (t) => {
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

    it('is not opened for users who hold more than the caller: their password could be guessed on', async (t) => {
      const app = await start(t, engine, { env, clock })
      const admin = await person(app, { role: 'admin' })
      await setFailures(app, admin.user_id, 100)
      const key = await keyWith(app, ['users:read', 'users:write'])
      const answer = await app.call('DELETE', `/users/${admin.user_id}/lock`, { key })
      assert.deepEqual([answer.status, answer.body.code], [403, 'user_outranks_caller'])
      assert.equal((await app.call('GET', `/users/${admin.user_id}/lock`)).body.failures, 100)
    })

    it('says when strangers may try again, by whichever name and from wherever', async (t) => {
      const app = await start(t, engine, { env, clock })
      const ada = await person(app, { email: 'ada@example.org' })
      const retryAt = async () => (await app.call('GET', `/users/${ada.user_id.toUpperCase()}/lock`)).body.retry_at
      assert.equal(await retryAt(), null)
      const attacker = visitor()
      for (let i = 0; i < 5; i++) await attacker.signIn(app, 'ada@example.org', wrong)
      assert.equal((await attacker.signIn(app, 'ada@example.org', wrong)).status, 429)
      assert.equal(await retryAt(), null) // Nobody else has to wait for that.
      for (let i = 5; i < 20; i++) await visitor().signIn(app, 'ada@example.org', wrong)
      assert.equal(await retryAt(), timestamp(clock() + 30_000))
    })

    it('stays as it is in a dry run', async (t) => {
      const app = await start(t, engine, { env, clock })
      const ada = await person(app)
      await setFailures(app, ada.user_id, 95)
      const answer = await app.call('DELETE', `/users/${ada.user_id}/lock?dry_run=true`)
      assert.deepEqual([answer.status, answer.headers['dry-run'], answer.body.locked], [200, 'true', false])
      assert.equal((await app.call('GET', `/users/${ada.user_id}/lock`)).body.failures, 95)
    })

    it('is unknown of users who are not there', async (t) => {
      const app = await start(t, engine, { env, clock })
      for (const method of ['GET', 'DELETE']) {
        const answer = await app.call(method, `/users/${nobody}/lock`)
        assert.deepEqual([answer.status, answer.body.code], [404, 'user_not_found'])
      }
    })

    it('goes with its user', async (t) => {
      const app = await start(t, engine, { env, clock })
      const ada = await person(app)
      await visitor().signIn(app, ada.username, wrong)
      await app.call('DELETE', `/users/${ada.user_id}`)
      assert.deepEqual(await app.runSql("SELECT 1 FROM sign_in_throttles WHERE throttle_key LIKE 'user:%'"), [])
    })

    it('is kept when all else that was counted is forgotten after a day', async (t) => {
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
