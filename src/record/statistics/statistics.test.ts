import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { addPhone, personWithPhone } from '../../../test/factors.ts'
import { createUser, type Engine, engines, everyEngine, type Started, start } from '../../../test/harness.ts'
import { actAs } from '../../../test/impersonation.ts'
import { createPerson, openBrowser, password, signIn } from '../../../test/people.ts'
import { system } from '../../core/actor.ts'
import { statistics as migration } from '../../store/db/migrations/0010-statistics.ts'
import type { Statistics } from './schema.ts'

const day = 86_400_000
const noon = Date.UTC(2026, 10, 22, 12)

async function open(t: TestContext, engine: Engine) {
  const clock = { now: noon }
  const env = { ROLLBOOK_ROLES: '{"reader": ["reports:read"]}', ROLLBOOK_RATE_LIMIT: '0' }
  const app = await start(t, engine, { env, clock: () => clock.now })
  return { app, clock }
}

async function statistics(app: Started, days = 7): Promise<Statistics> {
  const { status, body, text } = await app.call('GET', `/statistics?days=${days}`)
  assert.equal(status, 200, text)
  return body
}

/** The figures of one day, in the order of the members. */
async function figures(app: Started, date: string) {
  const { days } = await statistics(app, 30)
  const found = days.find((one) => one.date === date)
  return found && [found.sign_ups, found.sign_ins, found.failed_sign_ins, found.active_users]
}

const use = (app: Started, now: number, ...uses: { session_id: string; last_seen_at: string }[]) =>
  app.storage.change('sessions.record_use', uses, { actor: system, now, requestId: 'test' })

for (const engine of everyEngine) {
  describe(`statistics on ${engine.name}`, () => {
    it('have every day up to today, in UTC, oldest first, with zeros for days without activity', async (t) => {
      const { app, clock } = await open(t, engine)
      clock.now = Date.UTC(2026, 2, 2, 0, 0, 0)
      const { days, generated_at } = await statistics(app, 3)
      assert.deepEqual(
        days,
        ['2026-02-28', '2026-03-01', '2026-03-02'].map((date) => ({
          date,
          sign_ups: 0,
          sign_ins: 0,
          failed_sign_ins: 0,
          active_users: 0,
          complete: date < '2026-03-02',
        })),
      )
      assert.equal(generated_at, '2026-03-02T00:00:00.000Z')
      assert.equal((await app.call('GET', '/statistics')).body.days.length, 30)
      assert.equal((await statistics(app, 731)).days.length, 731)
      for (const query of ['days=0', 'days=732', 'days=x', 'since=2026'])
        assert.equal((await app.call('GET', `/statistics?${query}`)).status, 422, query)
    })

    it('count new users, sign-ins, failed sign-ins and active users on each day', async (t) => {
      const { app, clock } = await open(t, engine)
      await createPerson(app, { username: 'ada' })
      await createPerson(app, { username: 'grace' })
      await signIn(app, 'ada')
      await signIn(app, 'ada')
      await signIn(app, 'ada', 'not the password at all')
      await signIn(app, 'nobody', 'not the password at all')
      clock.now += day
      await signIn(app, 'grace')
      assert.deepEqual(await figures(app, '2026-11-22'), [2, 2, 2, 1])
      assert.deepEqual(await figures(app, '2026-11-23'), [0, 1, 0, 1])
    })

    it('count a user who returns with a session once on each day', async (t) => {
      const { app, clock } = await open(t, engine)
      await createPerson(app, { username: 'ada' })
      const [one, other] = [await openBrowser(app, 'ada'), await openBrowser(app, 'ada')]
      const used = (at: number) => ({ last_seen_at: new Date(at).toISOString() })
      await use(app, noon, { session_id: one.session_id, ...used(noon + 1000) })
      assert.deepEqual(await figures(app, '2026-11-22'), [1, 2, 0, 1])
      clock.now += day
      assert.deepEqual(await figures(app, '2026-11-23'), [0, 0, 0, 0])
      for (const { session_id } of [one, other]) await use(app, clock.now, { session_id, ...used(clock.now) })
      await use(app, clock.now, { session_id: one.session_id, ...used(clock.now + 60_000) })
      assert.deepEqual(await figures(app, '2026-11-23'), [0, 0, 0, 1])
      // Who they were is deleted, but not how many.
      clock.now += 2 * day
      await app.storage.change(
        'statistics.tidy',
        { everyMs: 3_600_000 },
        { actor: system, now: clock.now, requestId: 'test' },
      )
      assert.deepEqual(await app.runSql('SELECT * FROM active_users'), [])
      assert.deepEqual(await figures(app, '2026-11-23'), [0, 0, 0, 1])
    })

    it('report how many users there are, also for each role, as the list has them', async (t) => {
      const { app } = await open(t, engine)
      await createUser(app, { username: 'joan' })
      await createPerson(app, { username: 'ada', role: 'admin' })
      const { user_id } = await createPerson(app, { username: 'grace' })
      await signIn(app, 'ada')
      await app.call('PATCH', `/users/${user_id}`, { body: { active: false } })
      const past = '2020-01-01T00:00:00Z'
      const over = await createUser(app, { username: 'over', role: 'reader', expires_at: past })
      // Disabled before anything else.
      await app.call('PATCH', `/users/${user_id}`, { body: { expires_at: past } })
      for (const name of ['North', 'South', 'Empty']) await app.call('POST', '/groups', { body: { name } })
      for (const { group_id, name } of (await app.call('GET', '/groups')).body) {
        if (name !== 'Empty') await app.call('PUT', `/groups/${group_id}/members/${user_id}`)
      }
      assert.deepEqual((await statistics(app)).totals, {
        users: 4,
        active: 2,
        inactive: 1,
        expired: 1,
        service_accounts: 0,
        with_password: 2,
        without_password: 2,
        never_signed_in: 3,
        with_factor: 0,
        with_totp: 0,
        with_passkey: 0,
        groups: 3,
        in_groups: 1,
        roles: [
          { role: 'admin', users: 1 },
          { role: 'user', users: 2 },
          { role: 'reader', users: 1 },
        ],
      })
      await app.call('DELETE', `/users/${user_id}`)
      await app.call('DELETE', `/users/${over.user_id}`)
      const { inactive, expired, in_groups } = (await statistics(app)).totals
      assert.deepEqual([inactive, expired, in_groups], [0, 0, 0])
    })

    it('miss nothing when many are created and sign in at once, on two nodes if there are two', async (t) => {
      const { app, clock } = await open(t, engine)
      const other = engine.name === 'PostgreSQL' ? await start(t, engine, { beside: app, clock: () => clock.now }) : app
      const nodes = [app, other]
      const names = Array.from({ length: 12 }, (_, n) => `user-of-many-${n}`)
      await Promise.all(names.map((username, n) => createPerson(nodes[n % 2] as Started, { username })))
      const answers = await Promise.all(
        [...names, ...names].map((name, n) => signIn(nodes[(n + 1) % 2] as Started, name, n < 20 ? password : 'wrong')),
      )
      const count = (status: number) => answers.filter((response) => response.status === status).length
      assert.equal(count(201), 20)
      assert.deepEqual(await figures(app, '2026-11-22'), [12, 20, 4, 12])
    })

    it('of a store of an earlier release are what it still knows, and null where it does not', async (t) => {
      const { app, clock } = await open(t, engine)
      const { user_id } = await createPerson(app, { username: 'gone' })
      await createPerson(app, { username: 'ada' })
      await app.call('DELETE', `/users/${user_id}`)
      clock.now += day
      await createPerson(app, { username: 'grace' })
      await signIn(app, 'grace')
      await signIn(app, 'grace', 'not the password at all')
      await app.storage.settleJournal()
      const counted = (await statistics(app)).days
      const statements = migration[engine.name === 'SQLite' ? 'sqlite' : 'postgres']
      await app.runSql(`
        DELETE FROM daily_counts; DELETE FROM active_users;
        ${statements.filter((one) => one.startsWith('INSERT')).join(';\n')}`)
      const { days } = await statistics(app, 3)
      const today = new Date().toISOString().slice(0, 10)
      assert.deepEqual(
        days.map(({ active_users: _, ...rest }) => rest),
        counted.slice(-3).map(({ active_users: _, ...rest }, n) => ({
          ...rest,
          // Before the first record the figures are unknown, except for deleted users who can be restored.
          ...(n === 0 && { sign_ins: null, failed_sign_ins: null }),
        })),
      )
      for (const { date, active_users } of days) assert.equal(active_users === null, date < today, date)
    })
  })
}

for (const engine of engines) {
  describe(`statistics on ${engine.name}`, () => {
    it('keep deleted users, and do not count restored users twice, or dry runs', async (t) => {
      const { app } = await open(t, engine)
      const { user_id } = await createPerson(app, { username: 'ada' })
      await signIn(app, 'ada')
      await app.call('DELETE', `/users/${user_id}`)
      assert.deepEqual(await figures(app, '2026-11-22'), [1, 1, 0, 1])
      assert.equal((await app.call('POST', `/users/${user_id}/restore`)).status, 200)
      assert.equal((await app.call('POST', '/users?dry_run=true', { body: { username: 'grace' } })).status, 200)
      assert.equal((await app.call('POST', '/users', { body: { username: 'ADA' } })).status, 409)
      assert.deepEqual(await figures(app, '2026-11-22'), [1, 1, 0, 1])
      assert.equal((await app.call('DELETE', `/users/${user_id}?purge=true`)).status, 200)
      assert.deepEqual(await figures(app, '2026-11-22'), [1, 1, 0, 1])
      assert.equal((await statistics(app)).totals.users, 0)
    })

    it('count imported users on the day on which they were created', async (t) => {
      const { app } = await open(t, engine)
      const rows = [
        { username: 'ada', created_at: '2026-11-20T23:59:59.999Z' },
        { username: 'grace', created_at: '2026-11-21T00:30:00.000+01:00' },
        { username: 'joan' },
      ]
      const response = await app.call('POST', '/users/import', {
        headers: { 'content-type': 'application/x-ndjson' },
        body: rows.map((row) => JSON.stringify(row)).join('\n'),
      })
      assert.equal(response.status, 200, response.text)
      const { days, totals } = await statistics(app)
      assert.equal(totals.users, 3, response.text)
      assert.deepEqual(
        days.slice(-3).map(({ date, sign_ups }) => [date, sign_ups]),
        [
          ['2026-11-20', 2],
          ['2026-11-21', 0],
          ['2026-11-22', 1],
        ],
      )
    })

    it('count the users with a factor once, and not while they are deleted', async (t) => {
      const { app, clock } = await open(t, engine)
      await createPerson(app)
      const { browser, user_id } = await personWithPhone(app, clock.now)
      clock.now += 60_000
      await addPhone(browser, clock.now)
      const factors = async () => {
        const { with_factor, with_totp, with_passkey } = (await statistics(app)).totals
        return [with_factor, with_totp, with_passkey]
      }
      assert.deepEqual(await factors(), [1, 1, 0])
      await app.call('DELETE', `/users/${user_id}`)
      assert.deepEqual(await factors(), [0, 0, 0])
      await app.call('POST', `/users/${user_id}/restore`)
      assert.deepEqual(await factors(), [1, 1, 0])
      await app.call('DELETE', `/users/${user_id}/factors`)
      assert.deepEqual(await factors(), [0, 0, 0])
    })

    it('count the sign-in of an administrator who acts as a user, and none of the user', async (t) => {
      const { app } = await open(t, engine)
      await actAs(app)
      assert.deepEqual(await figures(app, '2026-11-22'), [2, 1, 0, 1])
    })
  })
}
