import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { engines, type Started, start } from '../harness.ts'
import { clock, env, password, person, setFailures, tally, visitor, wrong } from './visitor.ts'

const day = 86_400_000
const lockOf = async (app: Started, { user_id }: { user_id: string }) =>
  (await app.call('GET', `/users/${user_id}/lock`)).body
const unlocked = ({ user_id }: { user_id: string }) => ({
  user_id,
  locked: false,
  failures: 0,
  retry_at: null,
  waiting: [],
})

for (const engine of engines) {
  describe(`locking out a user on ${engine.name}`, () => {
    it('does not affect a browser in which they have signed in before, while an attacker keeps failing', async (t) => {
      let now = clock()
      const app = await start(t, engine, { env, clock: () => now })
      const ada = await person(app)
      const own = visitor()
      assert.equal((await own.signIn(app, ada.username, password)).status, 201)
      const attacker = visitor()
      const stranger = visitor(attacker.address)
      for (let round = 0; round < 20; round++) {
        await Promise.all(Array.from({ length: 5 }, () => attacker.signIn(app, ada.username, wrong)))
        assert.equal(
          (await stranger.signIn(app, ada.username, password)).status,
          429,
          'the account is not under attack',
        )
        assert.equal((await own.signIn(app, ada.username, password)).status, 201, `round ${round}`)
        now += 1000
      }
    })

    it('does not work by filling the queue of passwords: a known browser comes before strangers', async (t) => {
      const app = await start(t, engine, { env: { ...env, ROLLBOOK_HASH_CONCURRENCY: '1' }, clock, realHashes: true })
      const admin = await person(app, { role: 'admin' })
      const own = visitor()
      assert.equal((await own.signIn(app, admin.username, password)).status, 201)
      let answered = 0
      const flood = Array.from({ length: 100 }, async (_, i) => {
        await visitor().signIn(app, i % 2 === 0 ? admin.username : `nobody-${i}`, wrong)
        answered++
      })
      while (answered < 5) await sleep(1)
      const before = answered
      assert.equal((await own.signIn(app, admin.username, password)).status, 201)
      // Without a lane of its own it would be the last of those that were looked at.
      assert.ok(answered - before < 40, `${answered - before} strangers came first`)
      await Promise.all(flood)
    })

    it('does not work from behind the same address either', async (t) => {
      const app = await start(t, engine, { env, clock })
      const ada = await person(app)
      const own = visitor('203.0.113.77')
      await own.signIn(app, ada.username, password)
      const attacks = Array.from({ length: 40 }, (_, i) => visitor(own.address).signIn(app, `somebody-${i}`, wrong))
      assert.equal(tally(await Promise.all(attacks))['429 too_many_attempts'], 10)
      assert.equal((await visitor(own.address).signIn(app, ada.username, password)).status, 429)
      assert.equal((await own.signIn(app, ada.username, password)).status, 201)
    })

    it('takes ninety failures for strangers, and the right password is then refused like a wrong one', async (t) => {
      let now = clock()
      const app = await start(t, engine, { env, clock: () => now })
      const ada = await person(app)
      const own = visitor()
      await own.signIn(app, ada.username, password)
      await setFailures(app, ada.user_id, 89)
      assert.equal((await lockOf(app, ada)).locked, false)
      assert.equal((await visitor().signIn(app, ada.username, wrong)).status, 401)
      const { waiting, ...lock } = await lockOf(app, ada)
      assert.deepEqual({ ...lock, waiting: [] }, { ...unlocked(ada), locked: true, failures: 90 })
      assert.deepEqual([waiting.length, waiting[0].reason, waiting[0].attempts], [1, 'locked', 90])
      for (let i = 0; i < 30; i++) {
        const response = await visitor().signIn(app, ada.username, password)
        assert.deepEqual([response.status, response.body.code], [401, 'sign_in_failed'])
        now += 30_000
      }
      // Continued attempts of strangers do not use up the last ten tries.
      assert.equal((await lockOf(app, ada)).failures, 90)
      assert.equal((await own.signIn(app, ada.username, password)).status, 201)
      assert.equal((await lockOf(app, ada)).failures, 0)
      now += day
      assert.equal((await visitor().signIn(app, ada.username, password)).status, 201)
    })

    it('affects every browser at a hundred failures in a row, until an administrator unlocks', async (t) => {
      let now = clock()
      const app = await start(t, engine, { env, clock: () => now })
      const ada = await person(app)
      const own = visitor()
      await own.signIn(app, ada.username, password)
      await setFailures(app, ada.user_id, 99)
      assert.equal((await own.signIn(app, ada.username, wrong)).status, 401)
      now += day
      assert.equal((await own.signIn(app, ada.username, password)).status, 401)
      assert.equal((await visitor().signIn(app, ada.username, password)).status, 401)
      const { waiting, ...lock } = await lockOf(app, ada)
      assert.deepEqual({ ...lock, waiting: [] }, { ...unlocked(ada), locked: true, failures: 100 })
      assert.deepEqual([waiting.length, waiting[0].reason, waiting[0].attempts], [1, 'locked', 100])
      // Time alone opens nothing.
      now += 400 * day
      await app.storage.change(
        'throttles.prune',
        { everyMs: 60_000 },
        { actor: { kind: 'system', id: 'system', name: '', permissions: ['*'] }, now, requestId: 'test' },
      )
      assert.equal((await visitor().signIn(app, ada.username, password)).status, 401)
      const response = await app.call('DELETE', `/users/${ada.user_id}/lock`)
      assert.deepEqual([response.status, response.body], [200, unlocked(ada)])
      assert.equal((await visitor().signIn(app, ada.username, password)).status, 201)
    })

    it('ends when an administrator sets a password', async (t) => {
      const app = await start(t, engine, { env, clock })
      for (const set of [
        (id: string, next: string) => app.call('POST', `/users/${id}/password`, { body: { password: next } }),
        (id: string, next: string) => app.call('PATCH', `/users/${id}`, { body: { password: next } }),
      ]) {
        const ada = await person(app)
        await setFailures(app, ada.user_id, 100)
        for (let i = 0; i < 6; i++) await visitor().signIn(app, ada.username, wrong)
        const next = `${password} and blue`
        assert.equal((await set(ada.user_id, next)).status, 200)
        assert.deepEqual(await lockOf(app, ada), unlocked(ada))
        assert.equal((await visitor().signIn(app, ada.username, next)).status, 201)
      }
    })

    it('cannot be done to a name before its user exists', async (t) => {
      const app = await start(t, engine, { env, clock })
      for (let i = 0; i < 10; i++) await visitor().signIn(app, 'ada.the.second', wrong)
      const ada = await person(app, { username: 'ada.the.second' })
      assert.equal((await visitor().signIn(app, ada.username, password)).status, 201)
    })

    it('accepts no browser as familiar with a cookie of another user, a forged or an old one', async (t) => {
      let now = clock()
      const app = await start(t, engine, { env, clock: () => now })
      const [ada, eve] = [await person(app), await person(app)]
      const [own, other, attacker] = [visitor(), visitor(), visitor()]
      await own.signIn(app, ada.username, password)
      await other.signIn(app, eve.username, password)
      const device = own.cookies.get('rollbook-device') as string
      const foreign = other.cookies.get('rollbook-device') as string
      assert.ok(device && foreign)
      for (let i = 0; i < 5; i++) await attacker.signIn(app, ada.username, wrong)
      const withCookie = (value: string) => {
        const tries = visitor(attacker.address)
        tries.cookies.set('rollbook-device', value)
        return tries.signIn(app, ada.username, password)
      }
      for (const value of [foreign, foreign.replace(eve.user_id, ada.user_id), device.slice(0, -2), `${device}x`]) {
        assert.equal((await withCookie(value)).status, 429, value)
      }
      assert.equal((await withCookie(device)).status, 201)
      now += 180 * day
      for (let i = 0; i < 6; i++) await attacker.signIn(app, ada.username, wrong)
      assert.equal((await withCookie(device)).status, 429)
    })

    it('counts each familiar browser separately, and a stolen cookie gives no more attempts than another', async (t) => {
      const app = await start(t, engine, { env, clock })
      const ada = await person(app)
      const [desk, phone] = [visitor(), visitor()]
      await desk.signIn(app, ada.username, password)
      await phone.signIn(app, ada.username, password)
      const thief = visitor()
      thief.cookies.set('rollbook-device', phone.cookies.get('rollbook-device') as string)
      const guesses = await Promise.all(Array.from({ length: 50 }, () => thief.signIn(app, ada.username, wrong)))
      assert.deepEqual(tally(guesses), { '401 sign_in_failed': 5, '429 too_many_attempts': 45 })
      assert.equal((await phone.signIn(app, ada.username, password)).status, 429)
      assert.equal((await desk.signIn(app, ada.username, password)).status, 201)
    })

    it('limits guesses at the current password with a stolen session', async (t) => {
      const app = await start(t, engine, { env, clock })
      const ada = await person(app)
      const own = visitor()
      await own.signIn(app, ada.username, password)
      const change = (current_password: string) =>
        own.call(app, 'POST', '/me/password', { current_password, new_password: 'a much quieter green television' })
      const guesses = await Promise.all(Array.from({ length: 50 }, () => change(wrong)))
      assert.deepEqual(tally(guesses), { '403 current_password_wrong': 5, '429 too_many_attempts': 45 })
      assert.equal((await change(password)).status, 429)
      assert.equal((await lockOf(app, ada)).failures, 5)
      // Elsewhere the right password still opens the door.
      assert.equal((await visitor().signIn(app, ada.username, password)).status, 201)
    })
  })
}
