import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pino from 'pino'
import {
  type Answer,
  adminKey,
  createUser,
  engines,
  everyEngine,
  type Request,
  type Started,
  start,
} from '../../../test/harness.ts'
import { mailEnv } from '../../../test/mails/mailing.ts'
import { startHousekeeping } from '../../app/housekeeping.ts'

const once = (key: string, body?: unknown, others: Request = {}): Request => ({
  ...(body !== undefined && { body }),
  headers: { 'idempotency-key': key },
  ...others,
})
const isReplay = (response: Answer): boolean => response.headers['idempotency-replayed'] === 'true'
const usernames = async (app: Started): Promise<string[]> =>
  ((await app.call('GET', '/users')).body as { username: string }[]).map(({ username }) => username)

for (const engine of everyEngine) {
  describe(`Idempotency-Key on ${engine.name}`, () => {
    it('returns the first response again to the same request, which takes effect once', async (t) => {
      const app = await start(t, engine)
      const send = () =>
        app.call('POST', '/users', once('a', { username: 'ada', password: 'the sky above the port was grey' }))
      const first = await send()
      assert.deepEqual([first.status, isReplay(first)], [201, false])
      await app.call('PATCH', `/users/${first.body.user_id}`, { body: { username: 'countess' } })
      for (let i = 0; i < 3; i++) {
        const again = await send()
        assert.deepEqual([again.status, again.body, isReplay(again)], [201, first.body, true])
        assert.deepEqual([again.headers.etag, again.headers.location], [first.headers.etag, first.headers.location])
      }
      assert.deepEqual(await usernames(app), ['countess'])
    })

    it('shows the same secret again when the creation or rotation of a key is repeated', async (t) => {
      const app = await start(t, engine)
      const create = () => app.call('POST', '/keys', once('a', { name: 'sync', permissions: ['users:read'] }))
      const [created, again] = [await create(), await create()]
      assert.deepEqual([again.status, again.body, isReplay(again)], [201, created.body, true])
      assert.equal(again.headers.location, created.headers.location)

      const rotate = () => app.call('POST', `/keys/${created.body.key_id}/rotate`, once('b'))
      const [rotated, rotatedAgain] = [await rotate(), await rotate()]
      assert.deepEqual([rotatedAgain.body, isReplay(rotatedAgain)], [rotated.body, true])
      assert.equal((await app.call('GET', '/users', { key: rotated.body.key })).status, 200)
      // Rotated once: a second rotation would have revoked the first secret.
      assert.equal((await app.call('GET', '/users', { key: created.body.key })).status, 200)
    })

    it('makes simultaneous requests take effect once: each gets the result, or is told that it is running', async (t) => {
      const app = await start(t, engine)
      const bodies = [{ username: 'ada' }, { username: 'eve', password: 'the sky above the port was grey' }]
      for (const [i, body] of bodies.entries()) {
        const send = () => app.call('POST', '/users', once(`key-${i}`, body))
        const answers = await Promise.all(Array.from({ length: 24 }, send))
        const created = answers.filter(({ status }) => status === 201)
        assert.equal(created.filter((response) => !isReplay(response)).length, 1)
        assert.equal(new Set(created.map(({ body }) => body.user_id)).size, 1)
        for (const { status, body, headers } of answers.filter(({ status }) => status !== 201)) {
          assert.deepEqual([status, body.code, headers['retry-after']], [409, 'idempotency_in_progress', '1'])
        }
        assert.deepEqual([(await send()).status, isReplay(await send())], [201, true])
      }
      assert.deepEqual(await usernames(app), ['ada', 'eve'])
    })

    it('expires after the configured time', async (t) => {
      let now = Date.now() - 25 * 3_600_000
      const app = await start(t, engine, { clock: () => now })
      const send = () => app.call('POST', '/keys', once('a', { name: 'x', permissions: ['users:read'] }))
      const old = await send()
      now = Date.now() - 23 * 3_600_000
      const recent = await app.call('POST', '/keys', once('b', { name: 'y', permissions: ['users:read'] }))
      now = Date.now()
      const parts = {
        storage: app.storage,
        authenticator: { takeUses: () => ({ keys: [], sessions: [] }) },
        tokens: app.tokens,
        log: pino({ enabled: false }),
      }
      // The clock jumps by a day, which housekeeping doubts unless the operator confirms it.
      const confirmedDate = new Date().toISOString().slice(0, 10)
      await startHousekeeping({ config: app.config, ...parts, confirmedDate }).stop()
      const again = await app.call('POST', '/keys', once('b', { name: 'y', permissions: ['users:read'] }))
      assert.deepEqual([again.body, isReplay(again)], [recent.body, true])
      const repeated = await send()
      assert.equal(isReplay(repeated), false)
      assert.notEqual(repeated.body.key, old.body.key)
    })

    it('stores neither the API key it repeats nor a password, in any encoding', async (t) => {
      const app = await start(t, engine)
      const password = 'the sky above the port was grey'
      await app.call('POST', '/users', once('key-of-the-user', { username: 'grace-hopper', password }))
      const created = await app.call('POST', '/keys', once('key-of-the-key', { name: 'kept-name', permissions: ['*'] }))
      const rotated = await app.call('POST', `/keys/${created.body.key_id}/rotate`, once('key-of-the-rotation'))
      const stored = await app.stored()
      const holds = (text: string | Uint8Array) => stored.includes(text)

      assert.ok(holds('grace-hopper') && holds('kept-name'), 'what is stored is what was written')
      for (const secret of [created.body.key, rotated.body.key, password, adminKey]) {
        const bytes = Buffer.from(secret)
        const encodings = [bytes, Buffer.from(secret, 'utf16le'), bytes.toString('hex')]
        for (const form of [
          ...encodings,
          bytes.toString('base64').slice(0, -4),
          bytes.toString('base64url').slice(0, -4),
        ]) {
          assert.equal(holds(form), false)
        }
      }
      assert.equal(holds('key-of-the-user'), false)
    })
  })
}

for (const engine of engines) {
  describe(`Idempotency-Key on ${engine.name}`, () => {
    it('refuses another request under the same key, and that is no replay', async (t) => {
      const app = await start(t, engine)
      const { key_id } = (await app.call('POST', '/keys', once('a', { name: 'x', permissions: ['users:read'] }))).body
      await app.call('POST', '/users', once('b', { username: 'ada' }))
      const others = [
        () => app.call('POST', '/users', once('b', { username: 'eve' })),
        () => app.call('POST', '/users', once('b', '{ "username": "ada" }')),
        () => app.call('POST', '/users', once('a', { username: 'ada' })),
        () => app.call('POST', `/keys/${key_id}/rotate`, once('a')),
      ]
      for (const send of others) {
        const response = await send()
        assert.deepEqual([response.status, response.body.code], [422, 'idempotency_mismatch'])
        assert.equal(isReplay(response), false)
      }
      assert.deepEqual(await usernames(app), ['ada'])
    })

    it('keeps a refusal too, even if its reason is gone', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app, { username: 'ada' })
      const send = () => app.call('POST', '/users', once('a', { username: 'ADA' }))
      const first = await send()
      assert.deepEqual([first.status, first.body.code, isReplay(first)], [409, 'username_taken', false])
      await app.call('DELETE', `/users/${user_id}`)
      const again = await send()
      assert.deepEqual([again.status, again.body.code, isReplay(again)], [409, 'username_taken', true])
      assert.equal(again.body.detail, first.body.detail)
      assert.deepEqual(await usernames(app), [])
    })

    it('keeps no refusal that asks to wait', async (t) => {
      let now = Date.now()
      const app = await start(t, engine, { env: mailEnv, clock: () => now })
      const { user_id } = await createUser(app, { username: 'ada', email: 'ada@example.com' })
      const invite = (key: string) => app.call('POST', `/users/${user_id}/invitation`, once(key))
      for (let n = 0; n < 5; n++) assert.equal((await invite(`n${n}`)).status, 200)
      const early = await invite('a')
      assert.deepEqual([early.status, early.body.code], [429, 'too_many_mails'])
      now += Number(early.headers['retry-after']) * 1000
      const later = await invite('a')
      assert.deepEqual([later.status, later.body.sent, isReplay(later)], [200, true, false])
      assert.equal(isReplay(await invite('a')), true)
    })

    it('belongs to the credential that sent it', async (t) => {
      const app = await start(t, engine)
      const permissions = ['users:write', 'keys:write', 'users:read']
      const { key } = (await app.call('POST', '/keys', { body: { name: 'other', permissions } })).body
      const body = { name: 'sync', permissions: ['users:read'] }
      const mine = await app.call('POST', '/keys', once('a', body))
      const theirs = await app.call('POST', '/keys', once('a', body, { key }))
      assert.deepEqual([theirs.status, isReplay(theirs)], [201, false])
      assert.notEqual(theirs.body.key, mine.body.key)
      assert.equal((await app.call('POST', '/users', once('a', { username: 'ada' }, { key }))).status, 422)
    })

    it('is for POST: other methods are repeatable by nature and take no notice of it', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app)
      const change = (first_name: string) => app.call('PATCH', `/users/${user_id}`, once('a', { first_name }))
      assert.equal((await change('Ada')).body.first_name, 'Ada')
      assert.equal((await change('Eve')).body.first_name, 'Eve')
    })

    it('is not spent by a dry run', async (t) => {
      const app = await start(t, engine)
      const dry = await app.call('POST', '/users?dry_run=true', once('a', { username: 'ada' }))
      assert.deepEqual([dry.status, isReplay(dry)], [200, false])
      const real = await app.call('POST', '/users', once('a', { username: 'eve' }))
      assert.deepEqual([real.status, isReplay(real)], [201, false])
      assert.deepEqual(await usernames(app), ['eve'])
    })

    it('has 1 to 255 ASCII characters', async (t) => {
      const app = await start(t, engine)
      for (const key of ['', 'ä', 'x'.repeat(256), 'a\tb']) {
        const response = await app.call('POST', '/users', once(key, { username: 'ada' }))
        assert.deepEqual([response.status, response.body.code], [400, 'malformed_header'], key)
      }
      assert.equal((await app.call('POST', '/users', once('x'.repeat(255), { username: 'ada' }))).status, 201)
    })
  })
}
