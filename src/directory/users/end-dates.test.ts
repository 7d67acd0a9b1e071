import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { recordsOf } from '../../../test/audit-records.ts'
import { company, failures, type Jar, me, signIn as signInAtCompany } from '../../../test/company.ts'
import { beginSignIn, codeOf, finishSignIn, personWithPasskey, personWithPhone } from '../../../test/factors.ts'
import { type Engine, engines, type Started, start } from '../../../test/harness.ts'
import { startImpersonation } from '../../../test/impersonation.ts'
import { mailEnv, mailsOf } from '../../../test/mails/mailing.ts'
import {
  type Browser,
  browserAfter,
  cookiesOf,
  createPerson,
  openBrowser,
  password,
  signIn,
} from '../../../test/people.ts'
import { connectTo } from '../../../test/scim/provider.ts'
import { type StoppedClock, stoppedClock } from '../../../test/stopped-clock.ts'
import { eventually } from '../../../test/webhooks/dispatching.ts'
import { system } from '../../core/actor.ts'
import { timestamp } from '../../lib/instant.ts'
import { rollbookUserUrn, userUrn } from '../../scim/protocol/urns.ts'

const env = { ROLLBOOK_RATE_LIMIT: '0' }
const [second, minute, day] = [1000, 60_000, 86_400_000]

type World = { app: Started; other: Started; clock: StoppedClock }

/** Two nodes on PostgreSQL; on SQLite there is one. */
async function open(t: TestContext, engine: Engine): Promise<World> {
  const clock = stoppedClock()
  const app = await start(t, engine, { env, clock })
  return { app, other: app.database ? await start(t, engine, { env, clock, beside: app }) : app, clock }
}

const setEnd = async (app: Started, userId: string, expires_at: string | null) => {
  const response = await app.call('PATCH', `/users/${userId}`, { body: { expires_at } })
  assert.equal(response.status, 200, response.text)
  return response
}

const recordEnds = (app: Started, clock: StoppedClock) =>
  app.storage.change('users.record_ends', undefined, { actor: system, now: clock(), requestId: 'test' })

const on = (app: Started, { cookie }: Pick<Browser, 'cookie'>, method = 'GET', path = '/me') =>
  app.call(method, path, { key: null, headers: { cookie, 'sec-fetch-site': 'same-origin' } })
const bearer = (token: string) => ({ key: null, headers: { authorization: `Bearer ${token}` } })

/** Asks with every kind of credential of a user, on this node. Returns what was accepted of each. */
async function credentialsOf({ app, clock }: World) {
  const { user_id, username, browser, phone } = await personWithPhone(app, clock())
  const keyed = await browser.call('POST', '/me/keys', { body: { name: 'laptop', permissions: [] } })
  assert.equal(keyed.status, 201, keyed.text)
  const ofKey = { key: keyed.body.key as string }
  const tokenBy = async (request: object) => {
    const response = await app.call('POST', '/token', request)
    assert.equal(response.status, 200, response.text)
    return response.body.access_token as string
  }
  const reset = await app.call('POST', `/users/${user_id}/password-reset`, { body: { send: false } })
  const link = new URL(reset.body.url).pathname.replace(/^\/auth/, '')
  // Late tokens, so that only the end date can end them.
  const tokens = async () => ({
    bySession: await tokenBy({ key: null, headers: { cookie: browser.cookie, 'sec-fetch-site': 'same-origin' } }),
    byKey: await tokenBy(ofKey),
  })
  const admin = await createPerson(app, { role: 'admin' })
  const acting = await startImpersonation(await openBrowser(app, admin.username), user_id)
  assert.equal(acting.status, 201, acting.text)
  const actingBrowser = browserAfter(app, acting)
  const device = await personWithPasskey(app)
  const challenge = await beginSignIn(app, username)

  async function accepted(node: Started, issued: Awaited<ReturnType<typeof tokens>>) {
    const isActive = async (token: string) => (await node.call('POST', '/introspect', { body: { token } })).body.active
    const cookieValue = /rollbook=([^;]+)/.exec(browser.cookie)?.[1] ?? ''
    const firstStep = await signIn(node, username)
    return {
      session: (await on(node, browser)).status === 200,
      forwardAuth: (await on(node, browser, 'GET', '/verify/forward-auth')).status === 200,
      personalKey: (await node.call('GET', '/me', ofKey)).status === 200,
      tokenOfSession: (await node.call('GET', '/me', bearer(issued.bySession))).status === 200,
      tokenOfKey: (await node.call('GET', '/me', bearer(issued.byKey))).status === 200,
      introspection: (await Promise.all([cookieValue, ofKey.key, issued.bySession, issued.byKey].map(isActive))).every(
        Boolean,
      ),
      impersonation: (await on(node, actingBrowser)).status === 200,
      password: firstStep.body.code === 'second_factor_required',
      link: (await node.call('GET', link, { key: null })).status === 200,
    }
  }
  const code = () => finishSignIn(app, challenge, { code: codeOf(phone.secret, clock()) })
  return { user_id, username, tokens, accepted, code, device, browser, ofKey }
}

const all = (value: boolean) => ({
  session: value,
  forwardAuth: value,
  personalKey: value,
  tokenOfSession: value,
  tokenOfKey: value,
  introspection: value,
  impersonation: value,
  password: value,
  link: value,
})

for (const engine of engines) {
  describe(`end dates on ${engine.name}`, () => {
    it('end every credential at the instant, on every node, without a job, and not a second before', async (t) => {
      const world = await open(t, engine)
      const { app, other, clock } = world
      const known = await credentialsOf(world)
      const endMs = clock() + 2 * minute
      const set = await setEnd(app, known.user_id, timestamp(endMs))
      assert.equal(set.body.expires_at, timestamp(endMs))
      assert.equal(set.body.active, true)
      const issued = await known.tokens()
      const exp = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()).exp
      assert.deepEqual([exp(issued.bySession), exp(issued.byKey)], [endMs / 1000, endMs / 1000])
      await clock.pass(2 * minute - second)
      for (const node of [app, other]) assert.deepEqual(await known.accepted(node, issued), all(true))
      await clock.pass(second)
      for (const node of [app, other]) assert.deepEqual(await known.accepted(node, issued), all(false))
      assert.equal((await known.code()).status, 401)
      await clock.pass(second)
      assert.deepEqual(await known.accepted(other, issued), all(false))

      const state = (await app.call('GET', `/users/${known.user_id}/sign-in`)).body
      assert.deepEqual([state.can_sign_in, state.cause, state.remedy], ['no', 'expired', 'extend'])
      assert.equal((await app.call('GET', `/users/${known.user_id}`)).body.active, true)

      // A later date brings the user and the key back. The session is not, although no job has ended it.
      await setEnd(app, known.user_id, timestamp(clock() + day))
      assert.equal((await on(other, known.browser)).status, 401)
      const isAccepted = async () => (await other.call('GET', '/me', known.ofKey)).status === 200
      await eventually('the other node accepts the key', isAccepted)
      assert.equal((await signIn(app, known.username)).body.code, 'second_factor_required')
      assert.equal((await setEnd(app, known.user_id, null)).body.expires_at, undefined)
      assert.equal((await on(app, known.browser)).status, 401)
    })

    it('end passkeys and codes, and a sign-in that began before', async (t) => {
      const { app, clock } = await open(t, engine)
      const { user_id, device } = await personWithPasskey(app)
      const alone = async () => {
        const headers = { host: 'localhost' }
        const begun = await app.call('POST', '/sessions/passkey-options', { key: null, headers })
        const body = { passkey: device.get(begun.body.options) }
        return (
          await app.call('POST', '/sessions', { key: null, body, headers: { ...headers, cookie: cookiesOf(begun) } })
        ).status
      }
      await setEnd(app, user_id, timestamp(clock() + minute))
      await clock.pass(minute - second)
      assert.equal(await alone(), 201)
      await clock.pass(second)
      assert.equal(await alone(), 401)
      const { details } = (await recordsOf(app)).findLast(({ action }) => action === 'session.created') ?? {}
      assert.equal(details?.reason, 'user_expired')
    })

    it('are recorded once, end sessions and name the user in the revocations', async (t) => {
      const { app, other, clock } = await open(t, engine)
      const { user_id, username } = await createPerson(app)
      const browser = await openBrowser(app, username)
      await setEnd(app, user_id, timestamp(clock() + minute))
      await recordEnds(app, clock)
      assert.equal((await on(app, browser)).status, 200)
      const { cursor } = (await app.call('GET', '/revocations')).body
      await clock.pass(minute)
      const results = await Promise.all([recordEnds(app, clock), recordEnds(other, clock), recordEnds(app, clock)])
      assert.equal(
        results.reduce((sum, { result }) => sum + result.recorded, 0),
        1,
      )
      const revoked = (await app.call('GET', `/revocations?after=${cursor}`)).body.revocations
      assert.ok(revoked.some((one: { kind: string; id: string }) => one.kind === 'user' && one.id === user_id))
      assert.equal((await app.call('GET', `/users/${user_id}/sessions`)).body.length, 0)
      // Another date in the past is of the same end; a later one has an end of its own.
      const recordsOfEnds = async () => (await recordsOf(app)).filter(({ action }) => action === 'user.expired')
      await setEnd(app, user_id, timestamp(clock() - day))
      await recordEnds(app, clock)
      assert.equal((await recordsOfEnds()).length, 1)
      const [record] = await recordsOfEnds()
      assert.deepEqual([record?.actor.kind, record?.target?.id], ['system', user_id])
      await setEnd(app, user_id, timestamp(clock() + minute))
      await clock.pass(minute)
      await recordEnds(app, clock)
      const events = (await app.call('GET', '/events?limit=1000')).body.events as { type: string; subject: string }[]
      assert.equal(events.filter(({ type, subject }) => /user\.expired/.test(type) && subject === user_id).length, 2)
      assert.equal((await recordsOfEnds()).length, 2)
    })

    it('are announced to the user 7 days and 1 day before, and to administrators in one digest a day', async (t) => {
      const clock = stoppedClock()
      const app = await start(t, engine, { env: { ...mailEnv, ...env }, clock })
      await createPerson(app, { username: 'grace', email: 'grace@example.com', role: 'admin' })
      const create = (name: string, ms: number) => {
        const body = { username: name, email: `${name}@example.com`, expires_at: timestamp(clock() + ms) }
        return app.call('POST', '/users', { body })
      }
      const notice = () =>
        app.storage.change('users.notice_ends', undefined, { actor: system, now: clock(), requestId: 'test' })
      const sent = async (kind: string) => {
        await notice()
        await notice()
        return (await mailsOf(app, `&kind=${kind}`)).map(({ address }) => address).toSorted()
      }
      await create('late', 40 * day)
      await create('week', 8 * day)
      await create('few', 3 * day)
      await create('today', day / 2)
      assert.deepEqual(await sent('access_ending'), ['few@example.com', 'today@example.com'])
      assert.deepEqual(await sent('access_endings'), ['grace@example.com'])
      await clock.pass(day)
      assert.deepEqual(await sent('access_ending'), ['few@example.com', 'today@example.com', 'week@example.com'])
      assert.equal((await sent('access_endings')).length, 2)
      await clock.pass(day)
      const few = ['few@example.com', 'few@example.com']
      assert.deepEqual(await sent('access_ending'), [...few, 'today@example.com', 'week@example.com'])
      assert.equal((await sent('access_endings')).length, 3)
      await clock.pass(day)
      assert.equal((await sent('access_ending')).length, 4)
      assert.equal((await sent('access_endings')).length, 3)
    })

    it('are not recorded while the clock has jumped', async (t) => {
      const { app, clock } = await open(t, engine)
      const judge = () =>
        app.storage.change(
          'housekeeping.judge_clock',
          { isSteady: false, isConfirmed: false },
          { actor: system, now: clock(), requestId: 'test' },
        )
      await judge()
      await app.call('POST', '/users', { body: { username: 'temp', expires_at: timestamp(clock() + minute) } })
      await clock.pass(2 * day)
      assert.deepEqual((await recordEnds(app, clock)).result, { recorded: 0 })
      await judge()
      assert.deepEqual((await recordEnds(app, clock)).result, { recorded: 0 })
    })

    it('may be set at creation, end at once in the past, and are checked', async (t) => {
      const { app, clock } = await open(t, engine)
      const created = await app.call('POST', '/users', {
        body: { username: 'past', password, expires_at: '2020-02-29T23:00:00+01:00' },
      })
      assert.deepEqual([created.status, created.body.expires_at], [201, '2020-02-29T22:00:00.000Z'])
      assert.equal((await signIn(app, 'past')).status, 401)
      await recordEnds(app, clock)
      const invited = await app.call('POST', `/users/${created.body.user_id}/invitation`, { body: { send: false } })
      assert.equal(invited.body.code, 'user_not_invitable')
      const path = `/users/${created.body.user_id}`
      for (const expires_at of [
        '2026-12-31',
        '2026-12-31T00:00:00',
        '2026-02-30T00:00:00Z',
        '',
        5,
        '1969-12-31T00:00:00Z',
      ]) {
        const refused = await app.call('PATCH', path, { body: { expires_at } })
        assert.deepEqual([refused.status, refused.body.code], [422, 'validation_failed'], String(expires_at))
      }
      const dry = await app.call('PATCH', `${path}?dry_run=true`, { body: { expires_at: '9999-12-31T23:59:59Z' } })
      assert.equal(dry.body.expires_at, '9999-12-31T23:59:59.000Z')
      const { changes } = (await recordsOf(app)).find(({ action }) => action === 'user.created') ?? {}
      assert.deepEqual(changes?.expires_at, { before: null, after: '2020-02-29T22:00:00.000Z' })
      // An administrator with access is one, whether it ends or not, so that nobody else becomes the first one.
      const body = { username: 'temporary', role: 'admin', expires_at: timestamp(clock() + minute) }
      assert.equal((await app.call('POST', '/users', { body })).status, 201)
      const isSetupOpen = async () => (await app.call('GET', '/setup', { key: null })).body.open
      assert.equal(await isSetupOpen(), false)
      await clock.pass(minute)
      assert.equal(await isSetupOpen(), true)
      // Sessions and keys go on with a date that is not here yet.
      const other = await createPerson(app)
      const browser = await openBrowser(app, other.username)
      await setEnd(app, other.user_id, timestamp(clock() + day))
      assert.equal((await on(app, browser)).status, 200)
    })

    it('leave one active administrator without any, whichever way they are set', async (t) => {
      const { app, clock } = await open(t, engine)
      const { user_id } = await createPerson(app, { username: 'ada', role: 'admin' })
      const dated = await createPerson(app, { username: 'grace', role: 'admin' })
      const expires_at = timestamp(clock() + day)
      await setEnd(app, dated.user_id, expires_at)
      const path = `/users/${user_id}`
      const imported = {
        body: JSON.stringify({ username: 'ada', expires_at }),
        headers: { 'content-type': 'application/x-ndjson' },
      }
      for (const [method, where, request] of [
        ['PATCH', path, { body: { expires_at } }],
        ['PATCH', path, { body: { active: false } }],
        ['PATCH', path, { body: { role: 'user' } }],
        ['DELETE', path, {}],
      ] as const) {
        const refused = await app.call(method, where, request)
        assert.deepEqual(
          [refused.status, refused.body.code],
          [409, 'last_admin'],
          `${method} ${JSON.stringify(request)}`,
        )
      }
      const rows = await app.call('POST', '/users/import?mode=update', imported)
      assert.match(rows.text, /last_admin/)
      assert.equal((await app.call('GET', path)).body.expires_at, undefined)
      await setEnd(app, dated.user_id, null)
      await setEnd(app, user_id, expires_at)
      assert.equal(
        (await app.call('PATCH', `/users/${dated.user_id}`, { body: { expires_at } })).body.code,
        'last_admin',
      )

      // Many at once: ada, who has a date, does not count, and of two without one the second stays.
      const third = await createPerson(app, { username: 'joan', role: 'admin' })
      const bulk = async (action: object, ids: string[], query = '') => {
        const response = await app.call('POST', `/users/bulk${query}`, { body: { ...action, user_ids: ids } })
        assert.equal(response.status, 200, response.text)
        const rows = response.text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
        return rows.filter(({ type }) => type === 'row').map(({ code, verdict }) => code ?? verdict)
      }
      const lost = [
        { action: 'set_expires_at', expires_at },
        { action: 'deactivate' },
        { action: 'set_role', role: 'user' },
        { action: 'delete' },
      ]
      for (const action of lost) {
        const tried = await bulk(action, [dated.user_id, third.user_id], '?dry_run=true')
        assert.deepEqual(tried, ['changed', 'last_admin'], action.action)
      }
      assert.deepEqual(await bulk(lost[0] as object, [dated.user_id, third.user_id]), ['changed', 'last_admin'])
      for (const action of lost) assert.deepEqual(await bulk(action, [third.user_id]), ['last_admin'], action.action)
    })

    it('leave one administrator whose role comes from a group, is changed, reviewed, or provisioned', async (t) => {
      const { app, clock } = await open(t, engine)
      const expires_at = timestamp(clock() + day)
      await app.call('POST', '/roles', { body: { role: 'root', permissions: ['*'] } })
      const { group_id } = (await app.call('POST', '/groups', { body: { name: 'Roots', role: 'root' } })).body
      const { scim, patch, createUser } = await connectTo(app)
      const { id } = await createUser({ userName: 'joan' })
      const dated = await createPerson(app, { role: 'admin' })
      for (const user_id of [id, dated.user_id]) await app.call('PUT', `/groups/${group_id}/members/${user_id}`)
      await setEnd(app, dated.user_id, expires_at)
      const review = await app.call('POST', '/reviews', { body: { name: 'Q4', due_at: timestamp(clock() + day) } })
      const rows = (await app.call('GET', `/reviews/${review.body.review_id}/rows`)).body
      const { row_id } = rows.find((row: { user_id: string }) => row.user_id === id)
      const decided = await app.call('POST', `/reviews/${review.body.review_id}/decisions`, {
        body: { row_ids: [row_id], decision: 'remove' },
      })
      assert.equal(decided.body.rows?.[0].code, 'last_admin', decided.text)
      const member = `/groups/${group_id}/members/${id}`
      for (const [method, path, body] of [
        ['PATCH', `/users/${id}`, { expires_at }],
        ['DELETE', member, undefined],
        ['PATCH', `/groups/${group_id}`, { role: null }],
        ['DELETE', `/groups/${group_id}`, undefined],
        ['PATCH', '/roles/root', { permissions: ['users:read'] }],
        ['DELETE', '/roles/root?replace_with=user', undefined],
      ] as const) {
        const refused = await app.call(method, path, body && { body })
        assert.deepEqual([refused.status, refused.body.code], [409, 'last_admin'], `${method} ${path} ${refused.text}`)
      }
      // An identity provider may do nothing to a user with more permissions.
      for (const [path, value] of [
        ['active', false],
        [`${rollbookUserUrn}:expiresAt`, expires_at],
      ]) {
        assert.equal((await patch(`/Users/${id}`, { op: 'replace', path, value })).status, 403, String(path))
      }
      assert.equal((await scim('DELETE', `/Users/${id}`)).status, 403)
      const user = (await app.call('GET', `/users/${id}`)).body
      assert.deepEqual([user.active, user.expires_at], [true, undefined])
      await createPerson(app, { role: 'admin' })
      assert.equal((await app.call('DELETE', member)).status, 200)
    })

    it('are found by filters, counted and exported, with a column once there is one', async (t) => {
      const { app, clock } = await open(t, engine)
      const at = (ms: number) => timestamp(clock() + ms)
      const csv = async (query = '') =>
        (await app.call('GET', `/users${query}`, { headers: { accept: 'text/csv' } })).text.trimEnd().split('\r\n')
      await createPerson(app, { username: 'none' })
      assert.doesNotMatch((await csv())[0] ?? '', /expires_at/)
      const bodies = [
        { username: 'over', expires_at: at(-day) },
        { username: 'soon', expires_at: at(day) },
        { username: 'later', expires_at: at(40 * day) },
        { username: 'off', expires_at: at(-day) },
        { username: 'gone' },
      ]
      for (const body of bodies) assert.equal((await app.call('POST', '/users', { body })).status, 201)
      for (const name of ['off', 'gone']) {
        const [{ user_id }] = (await app.call('GET', `/users?username=${name}`)).body
        await app.call('PATCH', `/users/${user_id}`, { body: { active: false } })
      }
      const week = encodeURIComponent(at(7 * day))
      for (const [query, expected] of [
        ['state=active', ['none', 'soon', 'later']],
        ['state=expired', ['over']],
        ['state=disabled', ['off', 'gone']],
        ['active=true', ['none', 'over', 'soon', 'later']],
        ['state=active&active=false', []],
        ['state=disabled&active=true', []],
        [`expires_before=${week}`, ['over', 'soon', 'off']],
        [`expires_after=${week}`, ['later']],
        [`expires_after=${encodeURIComponent(at(0))}&expires_before=${week}`, ['soon']],
        [`state=active&expires_before=${week}`, ['soon']],
        ['state=active&q=so', ['soon']],
        ['state=active&role=user&sort=username', ['later', 'none', 'soon']],
      ] as const) {
        const { body, headers } = await app.call('GET', `/users?${query}&limit=10&count=true`)
        assert.deepEqual(
          body.map(({ username }: { username: string }) => username),
          expected,
          query,
        )
        assert.equal(headers['total-count'], String(expected.length), query)
        assert.equal((await csv(`?${query}`)).length, expected.length + 1, query)
      }
      const [header = '', first = ''] = await csv('?state=expired')
      assert.equal(first.split(',')[header.split(',').indexOf('expires_at')], at(-day))
      // People write days; an empty cell leaves the date.
      const body = 'username,expires_at\nnone,2027-01-31\nsoon,\nlater,2027-02-01T12:00:00+01:00\n'
      const headers = { 'content-type': 'text/csv' }
      const job = await app.call('POST', '/users/import?mode=update', { body, headers })
      assert.deepEqual([job.body.updated, job.body.unchanged], [2, 1], job.text)
      const dates = (await app.call('GET', '/users?sort=username')).body.map(
        (one: { username: string; expires_at?: string }) => [one.username, one.expires_at],
      )
      assert.deepEqual(Object.fromEntries(dates), {
        gone: undefined,
        later: '2027-02-01T11:00:00.000Z',
        none: '2027-01-31T23:59:59.999Z',
        off: at(-day),
        over: at(-day),
        soon: at(day),
      })
    })

    it('are set for many users at once, with the former ones to undo it, and by an invitation', async (t) => {
      const { app, clock } = await open(t, engine)
      const [first, other] = [await createPerson(app), await createPerson(app)]
      const invited = (await app.call('POST', '/users', { body: { username: 'invited' } })).body
      await setEnd(app, first.user_id, timestamp(clock() + day))
      const many = async (body: object) => {
        const { status, text } = await app.call('POST', '/users/bulk', {
          body: { action: 'set_expires_at', user_ids: [first.user_id, other.user_id], ...body },
        })
        assert.equal(status, 200, text)
        return text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      }
      const later = timestamp(clock() + 30 * day)
      const rows = await many({ expires_at: later })
      assert.deepEqual(
        rows.filter(({ type }) => type === 'row').map(({ before }) => before),
        [{ expires_at: timestamp(clock() + day) }, { expires_at: null }],
      )
      for (const { before } of rows.filter(({ type }) => type === 'row').slice(1)) {
        await many({ ...before, user_ids: [other.user_id] })
      }
      assert.equal((await app.call('GET', `/users/${first.user_id}`)).body.expires_at, later)
      assert.equal((await app.call('GET', `/users/${other.user_id}`)).body.expires_at, undefined)
      const refused = await app.call('POST', '/users/bulk', {
        body: { action: 'set_expires_at', user_ids: [first.user_id] },
      })
      assert.equal(refused.body.errors[0].pointer, '#/expires_at', refused.text)

      const path = `/users/${invited.user_id}`
      const link = await app.call('POST', `${path}/invitation`, { body: { send: false, access_expires_at: later } })
      assert.equal(link.status, 200, link.text)
      assert.notEqual(link.body.expires_at, later)
      assert.equal((await app.call('GET', path)).body.expires_at, later)
      const past = { send: false, access_expires_at: timestamp(clock()) }
      assert.equal((await app.call('POST', `${path}/invitation`, { body: past })).body.code, 'user_not_invitable')
      assert.equal((await app.call('GET', path)).body.expires_at, later)
    })

    it('are `expiresAt` of an extension in SCIM', async (t) => {
      const { app } = await open(t, engine)
      const { scim, patch } = await connectTo(app)
      const end = '2027-01-31T12:00:00.000Z'
      const own = (expiresAt: string) => ({ [rollbookUserUrn]: { expiresAt } })
      const sent = { schemas: [userUrn, rollbookUserUrn], userName: 'temp', active: true }
      const { body: resource } = await scim('POST', '/Users', { ...sent, ...own('2027-01-31T13:00:00+01:00') })
      const read = async () => (await app.call('GET', `/users/${resource.id}`)).body.expires_at
      const listed = async () => (await scim('GET', '/Users')).body.Resources[0]
      assert.deepEqual([resource[rollbookUserUrn], await read()], [{ expiresAt: end }, end])
      assert.deepEqual((await listed())[rollbookUserUrn], { expiresAt: end })
      assert.deepEqual((await listed()).schemas, [userUrn, rollbookUserUrn])
      // A client that does not know the extension leaves the date.
      await scim('PUT', `/Users/${resource.id}`, { schemas: [userUrn], userName: 'temp', displayName: 'Temp' })
      assert.equal(await read(), end)
      await patch(`/Users/${resource.id}`, {
        op: 'replace',
        path: `${rollbookUserUrn}:expiresAt`,
        value: '2028-02-29T00:00:00Z',
      })
      assert.equal(await read(), '2028-02-29T00:00:00.000Z')
      await patch(`/Users/${resource.id}`, { op: 'remove', path: `${rollbookUserUrn}:expiresAt` })
      assert.deepEqual([await read(), (await listed())[rollbookUserUrn]], [undefined, undefined])
      await setEnd(app, resource.id, end)
      assert.deepEqual((await listed())[rollbookUserUrn], { expiresAt: end })
      const bad = await scim('PUT', `/Users/${resource.id}`, { ...sent, ...own('tomorrow') })
      assert.deepEqual([bad.status, bad.body.scimType], [400, 'invalidValue'])
    })

    it('are an attribute of SCIM that the connection names, in place of the extension', async (t) => {
      const { app } = await open(t, engine)
      const { scim, patch, connection_id } = await connectTo(app, { end_date_attribute: 'userType' })
      const create = await scim('POST', '/Users', { schemas: [userUrn], userName: 'temp', userType: '2027-01-31' })
      assert.equal(create.status, 201, create.text)
      const { id } = create.body
      const read = async () => (await app.call('GET', `/users/${id}`)).body.expires_at
      assert.equal(await read(), '2027-01-31T23:59:59.999Z')
      assert.deepEqual(
        [create.body.userType, create.body[rollbookUserUrn]],
        ['2027-01-31', { expiresAt: '2027-01-31T23:59:59.999Z' }],
      )
      const replace = (path: string, value: unknown) => patch(`/Users/${id}`, { op: 'replace', path, value })
      await replace('userType', '2027-02-28T12:00:00+01:00')
      assert.equal(await read(), '2027-02-28T11:00:00.000Z')
      // What a request does not name leaves the date, also one that an administrator has set since.
      const own = '2027-06-30T00:00:00.000Z'
      await setEnd(app, id, own)
      assert.equal((await replace('displayName', 'Temp')).status, 200)
      assert.equal(await read(), own)
      for (const value of ['Employee', '2027-02-30', '9999999999999', '10000-01-01']) {
        const refused = await replace('userType', value)
        assert.deepEqual([refused.status, refused.body.scimType], [400, 'invalidValue'], refused.text)
        assert.match(refused.body.detail, /userType, the end date/)
      }
      assert.equal(await read(), own)
      await scim('PUT', `/Users/${id}`, { schemas: [userUrn], userName: 'temp', userType: '2027-03-31' })
      assert.equal(await read(), '2027-03-31T23:59:59.999Z')
      // A PUT without the attribute leaves the date; the extension counts before it.
      await scim('PUT', `/Users/${id}`, { schemas: [userUrn], userName: 'temp' })
      assert.equal(await read(), '2027-03-31T23:59:59.999Z')
      const both = { userType: '2027-04-30', [rollbookUserUrn]: { expiresAt: own } }
      await scim('PUT', `/Users/${id}`, { schemas: [userUrn, rollbookUserUrn], userName: 'temp', ...both })
      assert.equal(await read(), own)
      await patch(`/Users/${id}`, { op: 'remove', path: 'userType' })
      assert.equal(await read(), undefined)
      await replace('userType', '2027-05-31')
      await app.call('PATCH', `/provisioning/${connection_id}`, { body: { end_date_attribute: null } })
      assert.equal((await replace('userType', 'Employee')).status, 200)
      assert.equal(await read(), '2027-05-31T23:59:59.999Z')
      const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
      await app.call('PATCH', `/provisioning/${connection_id}`, { body: { end_date_attribute: 'costCenter' } })
      await replace(`${enterprise}:costCenter`, '2027-08-31')
      assert.equal(await read(), '2027-08-31T23:59:59.999Z')
      const bad = await app.call('PATCH', `/provisioning/${connection_id}`, {
        body: { end_date_attribute: 'userName' },
      })
      assert.equal(bad.status, 422)
    })

    it('bar users at their company', async (t) => {
      const { app, idp, connection } = await company(t, engine, {
        lies: { claims: { email: 'ada@example.com', email_verified: true } },
      })
      const jar: Jar = new Map()
      await signInAtCompany(app, idp, connection, jar)
      const { user_id } = (await me(app, jar)).body
      await setEnd(app, user_id, '2020-01-01T00:00:00Z')
      assert.equal((await me(app, jar)).status, 401)
      assert.equal((await signInAtCompany(app, idp, connection)).status, 403)
      assert.equal((await failures(app, connection))[0]?.reason, 'user_expired')
      await setEnd(app, user_id, null)
      assert.equal((await signInAtCompany(app, idp, connection)).status, 303)
    })

    it('come back with a restored user, and stay out of the list of ends meanwhile', async (t) => {
      const { app, clock } = await open(t, engine)
      const { user_id } = await createPerson(app)
      await setEnd(app, user_id, timestamp(clock() + minute))
      await app.call('DELETE', `/users/${user_id}`)
      assert.deepEqual(await app.runSql('SELECT user_id FROM user_ends'), [])
      await clock.pass(2 * minute)
      const restored = await app.call('POST', `/users/${user_id}/restore`)
      assert.equal(restored.body.expires_at, timestamp(clock() - minute), restored.text)
      assert.equal((await recordEnds(app, clock)).result.recorded, 1)
      await app.call('DELETE', `/users/${user_id}`)
      await app.call('POST', `/users/${user_id}/restore`)
      assert.equal((await recordEnds(app, clock)).result.recorded, 0)
    })
  })
}
