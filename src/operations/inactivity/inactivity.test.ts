import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { recordsOf } from '../../../test/audit-records.ts'
import { type Engine, engines, start } from '../../../test/harness.ts'
import { mailEnv, mailsOf } from '../../../test/mails/mailing.ts'
import { changeOrganization, createOrganization } from '../../../test/organizations.ts'
import { createPerson, openBrowser } from '../../../test/people.ts'
import { type StoppedClock, stoppedClock } from '../../../test/stopped-clock.ts'
import { system } from '../../core/actor.ts'
import { timestamp } from '../../lib/instant.ts'
import { runInactivity } from './run.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const rule = { '*': { days: 90, notice_days: 14 } }

async function open(t: TestContext, engine: Engine) {
  const clock = stoppedClock()
  const app = await start(t, engine, { env: { ...mailEnv, ROLLBOOK_RATE_LIMIT: '0' }, clock })
  const run = () => runInactivity({ storage: app.storage, request: requestAt(clock) })
  const set = async (inactivity: unknown) => {
    const response = await app.call('PATCH', '/policies', { body: { inactivity } })
    assert.equal(response.status, 200, response.text)
    return response.body
  }
  const preview = async (body: object = {}) => {
    const response = await app.call('POST', '/inactivity/preview', { body })
    assert.equal(response.status, 200, response.text)
    return response.body
  }
  const add = async (username: string, members: object = {}): Promise<string> => {
    const body = { username, email: `${username}@example.com`, ...members }
    const response = await app.call('POST', '/users', { body })
    assert.equal(response.status, 201, response.text)
    return response.body.user_id
  }
  const disabled = async (): Promise<string[]> => {
    const { body } = await app.call('GET', '/users?active=false&sort=username')
    return body.map(({ username }: { username: string }) => username)
  }
  const noticed = async () => (await mailsOf(app, '&kind=inactivity_notice')).map(({ address }) => address).toSorted()
  return { app, clock, run, set, preview, add, disabled, noticed }
}

const requestAt = (clock: StoppedClock) => ({ actor: system, now: clock(), requestId: 'test' })

const names = (users: { username: string }[]) => users.map(({ username }) => username)

for (const engine of engines) {
  describe(`the inactivity rule on ${engine.name}`, () => {
    it('tells, spares who returns, and disables the others as the preview said', async (t) => {
      const { app, clock, run, set, preview, add, disabled, noticed } = await open(t, engine)
      await createPerson(app, { username: 'grace', email: 'grace@example.com', role: 'admin' })
      await openBrowser(app, 'grace')
      const active = await createPerson(app, { username: 'active', email: 'active@example.com' })
      const idle = await add('idle')
      const robot = await add('robot', { kind: 'service' })
      const keyed = await app.call('POST', `/users/${robot}/keys`, { body: { name: 'nightly', permissions: [] } })
      assert.equal(keyed.status, 201, keyed.text)
      await run()
      assert.equal((await app.call('GET', '/policies')).body.inactivity, null)
      assert.deepEqual(names((await preview()).users), [])
      const both = { ...rule, 'kind:service': rule['*'] }
      assert.deepEqual((await set(both)).inactivity, both)
      const began = clock()
      const foreseen = await preview({ until: timestamp(began + 90 * day) })
      assert.deepEqual(new Set(names(foreseen.users)), new Set(['active', 'idle', 'robot']))
      assert.equal(foreseen.spared.username, 'grace')
      assert.equal(foreseen.users[0].disable_at, timestamp(began + 90 * day))
      await clock.pass(76 * day - minute)
      await run()
      assert.deepEqual(await noticed(), [])
      await clock.pass(hour)
      await run()
      await run()
      assert.deepEqual(await noticed(), ['active@example.com', 'idle@example.com', 'robot@example.com'])
      const next = await preview()
      assert.deepEqual(
        next.users.map(({ noticed: is }: { noticed: boolean }) => is),
        [true, true, true],
      )
      await clock.pass(5 * day)
      await openBrowser(app, active.username)
      const use = { key_id: keyed.body.key_id as string, last_used_at: timestamp(clock()) }
      await app.storage.change('keys.record_use', [use], requestAt(clock))
      const [last] = (await preview()).users
      assert.equal(last.username, 'idle')
      // A use counts, also when the key or session has been deleted since: who was told and returned is not disabled.
      assert.equal((await app.call('DELETE', `/keys/${keyed.body.key_id}`)).status, 200)
      assert.equal((await app.call('DELETE', `/users/${active.user_id}/sessions`)).status, 200)
      assert.deepEqual(names((await preview()).users), ['idle'])
      await clock.pass(Date.parse(last.disable_at) - clock() - minute)
      await run()
      assert.deepEqual(await disabled(), [])
      await clock.pass(hour)
      await run()
      assert.deepEqual(await disabled(), ['idle'])
      const record = (await recordsOf(app)).find(({ details }) => details?.reason === 'inactivity')
      assert.deepEqual(record?.changes, { active: { before: true, after: false } })
      assert.equal(record?.target?.id, idle)
      // Enabled again, they count from then on.
      await app.call('PATCH', `/users/${idle}`, { body: { active: true } })
      await clock.pass(hour)
      await run()
      assert.deepEqual(await disabled(), [])
      const again = await preview({ until: timestamp(clock() + 90 * day) })
      const { disable_at } = again.users.find(({ username }: { username: string }) => username === 'idle')
      assert.equal(disable_at, timestamp(clock() - hour + 90 * day))
    })

    it('tells those first who are overdue when it begins, and leaves the last administrator', async (t) => {
      const { app, clock, run, set, preview, add, disabled, noticed } = await open(t, engine)
      await add('first', { role: 'admin' })
      await clock.pass(minute)
      await add('second', { role: 'admin' })
      await clock.pass(400 * day)
      const foreseen = await preview({ inactivity: rule })
      assert.deepEqual([names(foreseen.users), foreseen.spared.username], [['first'], 'second'])
      assert.equal(foreseen.users[0].disable_at, timestamp(clock() + 14 * day))
      assert.deepEqual(await noticed(), [])
      await set(rule)
      await run()
      assert.deepEqual(await disabled(), [])
      assert.deepEqual(await noticed(), ['first@example.com'])
      await clock.pass(14 * day + hour)
      await run()
      assert.deepEqual(await disabled(), ['first'])
      await clock.pass(100 * day)
      await run()
      await clock.pass(100 * day)
      await run()
      assert.deepEqual(await disabled(), ['first'])
      // A rule that was removed for a while begins anew.
      await app.call('PATCH', `/users/${(await app.call('GET', '/users?username=first')).body[0].user_id}`, {
        body: { active: true },
      })
      await clock.pass(80 * day)
      await run()
      await set(null)
      await clock.pass(30 * day)
      await run()
      await set(rule)
      await run()
      assert.deepEqual(await disabled(), [])
    })

    it('does not count the time in which an organization was disabled, also before there was a rule', async (t) => {
      const { app, clock, preview, add } = await open(t, engine)
      await add('root', { role: 'admin' })
      const organization_id = await createOrganization(app)
      await add('ada', { organization_id })
      await changeOrganization(app, organization_id, { active: false })
      await clock.pass(100 * day)
      await changeOrganization(app, organization_id, { active: true })
      await clock.pass(day)
      const { users } = await preview({ inactivity: rule })
      assert.ok(!names(users).includes('ada'), JSON.stringify(users))
    })

    it('counts a group only while the membership lasts, and not one that ends before the user would be disabled', async (t) => {
      const { app, clock, run, set, preview, add, disabled, noticed } = await open(t, engine)
      await createPerson(app, { username: 'grace', email: 'grace@example.com', role: 'admin' })
      await openBrowser(app, 'grace')
      const group = (await app.call('POST', '/groups', { body: { name: 'Temps' } })).body.group_id
      const join = async (name: string, days?: number) => {
        const path = `/groups/${group}/members/${await add(name)}`
        const body = days === undefined ? {} : { expires_at: timestamp(clock() + days * day) }
        assert.equal((await app.call('PUT', path, { body })).status, 200)
      }
      await join('stays')
      await join('leaves', 20)
      await join('outlasts', 31)
      await set({ 'group:Temps': { days: 30, notice_days: 10 }, '*': { days: 60, notice_days: 10 } })
      const began = clock()
      const foreseen = async () => {
        const { users } = await preview({ until: timestamp(began + 59 * day) })
        return names(users)
          .filter((name) => name !== 'grace')
          .toSorted()
      }
      assert.deepEqual(await foreseen(), ['outlasts', 'stays'])
      await clock.pass(20 * day + minute)
      // Without the job that removes the membership.
      assert.deepEqual(await foreseen(), ['outlasts', 'stays'])
      await run()
      assert.deepEqual(await noticed(), ['outlasts@example.com', 'stays@example.com'])
      await clock.pass(10 * day + hour)
      await run()
      assert.deepEqual(await disabled(), ['outlasts', 'stays'])
      const later = (await preview({ until: timestamp(began + 61 * day) })).users
      assert.equal(
        later.find(({ username }: { username: string }) => username === 'leaves').disable_at,
        timestamp(began + 60 * day),
      )
    })

    it('stops at more than 5 % and more than 10, until it is confirmed', async (t) => {
      const { app, clock, run, set, preview, add, disabled } = await open(t, engine)
      for (let n = 0; n < 12; n++) await add(`idle-${String(n).padStart(2, '0')}`)
      await add('expired', { expires_at: timestamp(clock() + day) })
      await set(rule)
      assert.equal((await preview({ until: timestamp(clock() + 91 * day) })).stops, true)
      await clock.pass(77 * day)
      await run()
      await clock.pass(14 * day + hour)
      await run()
      const { stopped } = await preview()
      // Without the one whose access has ended.
      assert.deepEqual([stopped.users, stopped.active_users, stopped.confirmed_at], [12, 12, null])
      assert.deepEqual(await disabled(), [])
      const { body: deployment } = await app.call('GET', '/deployment')
      assert.ok(deployment.warnings.some(({ code }: { code: string }) => code === 'inactivity_stopped'))
      assert.match((await app.call('GET', '/metrics')).text, /rollbook_inactivity_stopped_users 12/)
      await clock.pass(hour)
      await run()
      assert.equal((await recordsOf(app)).filter(({ action }) => action === 'inactivity.stopped').length, 1)
      const dry = await app.call('POST', '/inactivity/confirmation?dry_run=true')
      assert.equal(dry.status, 200, dry.text)
      await run()
      assert.deepEqual(await disabled(), [])
      assert.equal((await app.call('POST', '/inactivity/confirmation')).status, 200)
      assert.equal((await app.call('POST', '/inactivity/confirmation')).body.code, 'inactivity_not_stopped')
      await run()
      assert.equal((await disabled()).length, 12)
      assert.equal((await preview()).stopped, null)
    })

    it('refuses rules that it does not understand, and a role that a rule names stays', async (t) => {
      const { app, set } = await open(t, engine)
      const limit = { days: 90, notice_days: 14 }
      const wrong = [
        {},
        { '*': 90 },
        { '*': { days: 90 } },
        { '*': { days: 14, notice_days: 14 } },
        { '*': { days: 90, notice_days: 0 } },
        { '*': { days: 1.5, notice_days: 1 } },
        { nosuchrole: limit },
        { 'kind:person': limit },
        { 'group:': limit },
      ]
      for (const inactivity of wrong) {
        const changed = await app.call('PATCH', '/policies', { body: { inactivity } })
        assert.equal(changed.status, 422, `${JSON.stringify(inactivity)} ${changed.text}`)
        assert.equal((await app.call('POST', '/inactivity/preview', { body: { inactivity } })).status, 422)
      }
      await app.call('POST', '/roles', { body: { role: 'temp', permissions: [] } })
      const before = await app.call('GET', '/policies')
      await set({ temp: limit, 'group:Nobody': limit, 'kind:service': limit, managed: limit, '*': limit })
      const after = await app.call('GET', '/policies')
      assert.notEqual(after.headers.etag, before.headers.etag)
      const refused = await app.call('DELETE', '/roles/temp')
      assert.deepEqual([refused.status, refused.body.code], [409, 'role_in_use'])
      const { group_id } = (await app.call('POST', '/groups', { body: { name: 'nobody' } })).body
      const renamed = await app.call('PATCH', `/groups/${group_id}`, { body: { name: 'Others' } })
      assert.deepEqual([renamed.status, renamed.body.code], [409, 'group_in_policy'])
      await set(null)
      assert.equal((await app.call('DELETE', '/roles/temp')).status, 200)
    })
  })
}
