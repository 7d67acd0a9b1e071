import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type Answer,
  createUser,
  type Engine,
  engines,
  everyEngine,
  onlyPostgres,
  type Started,
  start,
} from '../../../test/harness.ts'
import { createPerson, isSignedIn, openBrowser, password, signIn } from '../../../test/people.ts'
import { keptReleases } from '../../../test/upgrade/releases.ts'
import { system } from '../../core/actor.ts'
import { version } from '../../core/version.ts'

const dayMs = 86_400_000

/** An application with an adjustable clock. */
async function startWithClock(
  t: Parameters<typeof start>[0],
  engine: Engine,
  env: Record<string, string> = {},
): Promise<{ app: Started; clock: { now: number } }> {
  const clock = { now: Date.now() }
  return { app: await start(t, engine, { env, clock: () => clock.now }), clock }
}

async function remove(app: Started, userId: unknown, query = ''): Promise<Answer> {
  const response = await app.call('DELETE', `/users/${userId}${query}`)
  assert.equal(response.status, 200, response.text)
  return response
}

const restore = (app: Started, userId: unknown, query = '') => app.call('POST', `/users/${userId}/restore${query}`)

async function deleted(app: Started): Promise<Record<string, unknown>[]> {
  return (await app.call('GET', '/deleted-users')).body
}

async function audit(app: Started, userId: unknown): Promise<unknown[]> {
  await app.storage.settleJournal()
  const rows = await app.runSql(`SELECT action FROM audit_records WHERE target_id = '${userId}' ORDER BY seq`)
  return rows.map(({ action }) => action)
}

async function keyWith(app: Started, permissions: string[]): Promise<string> {
  return (await app.call('POST', '/keys', { body: { name: 'a key', permissions } })).body.key
}

/** What 0.2.0 keeps of a deleted user whose username is a first name. */
function keptUser(user_id: string, username: string, last_name: string) {
  const names = { username, email: `${username}@example.com`, external_id: `hr-${username}`, first_name: username }
  const common = { user_id, ...names, last_name, role: 'user', last_login_at: null }
  const times = { created_at: '2026-11-01T09:30:00.000Z', updated_at: '2026-11-19T09:30:00.000Z' }
  const [first, last] = [username.toLowerCase(), last_name.toLowerCase()]
  const keys = { username_key: first, email_key: `${first}@example.com` }
  const search_text = `\n\n${first}\n\n${first}@example.com\n\n${first} ${last}\n\n${last}`
  const counts = { version: 3, active: 1, must_change_password: 0, credentials_version: 2 }
  return {
    user_row: { ...common, ...keys, ...times, ...counts, password_hash: null, search_text },
    document: { ...common, ...times, active: true, has_password: false },
  }
}

const grace = keptUser('019aa000-0000-7000-8000-000000000001', 'Grace', 'Hopper')
const ada = keptUser('019aa000-0000-7000-8000-000000000002', 'Ada', 'Lovelace')
const alan = keptUser('019aa000-0000-7000-8000-000000000003', 'Alan', 'Turing')
const ofGroups = { group_roles: '', attributes: '{}' }

/** What each release keeps of a deleted user. 0.1.0 kept nothing. */
const rowsOfReleases = [
  { release: '0.2.0', ...grace },
  { release: '0.3.0', ...ada, user_row: { ...ada.user_row, ...ofGroups } },
  { release: '0.4.0', ...alan, user_row: { ...alan.user_row, ...ofGroups } },
]

it('is tested with the stored row of each kept release, and of this one', () => {
  const remaining = keptReleases().filter((release) => release !== '0.1.0')
  assert.deepEqual(new Set(rowsOfReleases.map(({ release }) => release)), new Set([...remaining, version]))
})

for (const engine of everyEngine) {
  describe(`a deleted user on ${engine.name}`, () => {
    it('comes back as they were: id, role, password, names and times', async (t) => {
      const app = await start(t, engine)
      await createUser(app)
      const members = {
        username: 'Ada',
        email: 'Ada@example.com',
        external_id: 'hr-1',
        role: 'admin',
        first_name: 'Ada',
      }
      const { user_id } = await createPerson(app, members)
      await createUser(app)
      await openBrowser(app, 'ada')
      const before = await app.call('GET', `/users/${user_id}`)
      const users = (await app.call('GET', '/users')).text
      await createPerson(app, { username: 'another', role: 'admin' })

      const { restorable_until } = (await remove(app, user_id)).body
      assert.equal((await app.call('GET', `/users/${user_id}`)).body.code, 'user_not_found')
      assert.deepEqual(await deleted(app), [
        { ...before.body, deleted_at: (await deleted(app))[0]?.deleted_at, restorable_until },
      ])
      const response = await restore(app, user_id)
      assert.deepEqual([response.status, response.body], [200, before.body])
      assert.deepEqual((await app.call('GET', `/users/${user_id}`)).body, before.body)
      assert.deepEqual([response.headers.etag, before.headers.etag], ['"3"', '"2"'])
      assert.ok((await app.call('GET', '/users')).text.startsWith(users.slice(0, -1)))
      assert.deepEqual(await deleted(app), [])
      assert.equal((await signIn(app, 'ada@example.com')).status, 201)
      const actions = await audit(app, user_id)
      assert.deepEqual(actions, ['user.created', 'session.created', 'user.deleted', 'user.restored', 'session.created'])
    })

    it('can be restored even if an earlier release deleted them', async (t) => {
      const app = await start(t, engine)
      for (const { release, user_row, document } of rowsOfReleases) {
        const { user_id } = document
        await app.runSql(`
          INSERT INTO deleted_users (user_id, deleted_at, restorable_until, document, user_row)
          VALUES ('${user_id}', '2026-11-20T09:30:00.000Z', '2999-01-01T00:00:00.000Z', '${JSON.stringify(document)}',
            '${JSON.stringify(user_row)}')`)
        const response = await restore(app, user_id)
        assert.deepEqual([release, response.status, response.body], [release, 200, { ...document, attributes: {} }])
        assert.deepEqual((await app.call('GET', `/users/${user_id}`)).body, response.body)
      }
    })

    it('can be restored even if they were deleted before a column existed', async (t) => {
      const app = await start(t, engine)
      const { user_id, username } = await createPerson(app, { username: 'ada', last_name: 'Lovelace' })
      await remove(app, user_id)
      const [stored] = await app.runSql(`SELECT user_row FROM deleted_users WHERE user_id = '${user_id}'`)
      const { last_name, external_id, must_change_password, ...others } = JSON.parse(String(stored?.user_row))
      assert.deepEqual([last_name, external_id, must_change_password], ['Lovelace', null, 0])
      await app.runSql(`UPDATE deleted_users SET user_row = '${JSON.stringify(others)}'`)
      const { status, body } = await restore(app, user_id)
      assert.deepEqual([status, body.username, body.last_name, body.external_id], [200, username, '', null])
      assert.equal((await signIn(app, 'ada')).status, 201)
    })

    it('frees their names at once, and can be restored only if those are still free', async (t) => {
      const app = await start(t, engine)
      const members = { username: 'ada', email: 'ada@example.com', external_id: 'hr-1' }
      const { user_id } = await createUser(app, members)
      await remove(app, user_id)
      for (const [member, value] of Object.entries(members)) {
        const other = await createUser(app, { [member]: value.toUpperCase().replace('HR', 'hr') })
        const response = await restore(app, user_id)
        assert.deepEqual([response.status, response.body.code], [409, `${member}_taken`])
        assert.deepEqual(
          response.body.errors.map(({ pointer }: { pointer: string }) => pointer),
          [`#/${member}`],
        )
        assert.equal((await deleted(app)).length, 1, 'a refusal leaves everything as it was')
        await remove(app, other.user_id, '?purge=true')
      }
      assert.equal((await restore(app, user_id)).status, 200)
    })

    it('is restored once by any number of simultaneous requests', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app)
      await remove(app, user_id)
      const answers = await Promise.all(Array.from({ length: 8 }, () => restore(app, user_id)))
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array(7).fill(404)])
      assert.deepEqual((await audit(app, user_id)).filter((action) => action === 'user.restored').length, 1)
    })

    it('exists in one place only, whatever happens at the same time', async (t) => {
      const app = await start(t, engine)
      for (let round = 0; round < 6; round++) {
        const { user_id } = await createUser(app)
        await remove(app, user_id)
        const acts = [
          restore(app, user_id),
          app.call('DELETE', `/users/${user_id}?purge=true`),
          restore(app, user_id),
          app.call('DELETE', `/users/${user_id}`),
        ]
        await Promise.all(round % 2 ? acts : acts.reverse())
        const [row] = await app.runSql(`
          SELECT (SELECT count(*) FROM users WHERE user_id = '${user_id}') AS users,
            (SELECT count(*) FROM deleted_users WHERE user_id = '${user_id}') AS deleted,
            (SELECT count(*) FROM erasures WHERE user_id = '${user_id}') AS erased`)
        assert.equal(
          Object.values(row ?? {}).reduce<number>((sum, n) => sum + Number(n), 0),
          1,
          JSON.stringify(row),
        )
        // The purge must not miss the user while the restore moves it.
        assert.equal(Number(row?.erased), 1)
      }
    })

    it('is restored or erased when both happen at once, never half of each', async (t) => {
      const { app, clock } = await startWithClock(t, engine)
      const request = { actor: system, now: clock.now + 7 * dayMs, requestId: 'test' }
      for (let round = 0; round < 6; round++) {
        const { user_id } = await createUser(app)
        await remove(app, user_id)
        const [restored] = await Promise.all([
          restore(app, user_id),
          app.storage.change('users.begin_erasures', { everyMs: 0 }, request),
        ])
        const [erasure] = await app.runSql(`SELECT user_id FROM erasures WHERE user_id = '${user_id}'`)
        assert.equal(restored.status, erasure === undefined ? 200 : 404)
        assert.equal((await app.call('GET', `/users/${user_id}`)).status, erasure === undefined ? 200 : 404)
      }
    })
  })

  describe(`the list of deleted users on ${engine.name}`, () => {
    it('has the last to be deleted first, by pages, without a gap or a repetition', async (t) => {
      const { app, clock } = await startWithClock(t, engine)
      const ids: unknown[] = []
      for (let n = 0; n < 7; n++) {
        const { user_id } = await createUser(app)
        await remove(app, user_id)
        ids.unshift(user_id)
        // Some of them in the same millisecond.
        if (n % 3 === 0) clock.now += 1000
      }
      const all = await deleted(app)
      assert.deepEqual(
        all
          .map(({ deleted_at, user_id }) => [deleted_at, user_id])
          .toSorted()
          .reverse(),
        all.map(({ deleted_at, user_id }) => [deleted_at, user_id]),
      )
      const found: unknown[] = []
      let path: string | undefined = '/deleted-users?limit=2'
      for (let pages = 0; path !== undefined && pages < 10; pages++) {
        const page: Answer = await app.call('GET', path)
        found.push(...page.body.map(({ user_id }: { user_id: string }) => user_id))
        path = /<\/auth([^>]+)>; rel="next"/.exec(page.headers.link ?? '')?.[1]
      }
      assert.deepEqual(
        found,
        all.map(({ user_id }) => user_id),
      )
      assert.deepEqual(found.toSorted(), ids.toSorted())
    })

    it('is searched, filtered, counted and sorted', async (t) => {
      const clock = { now: Date.parse('2026-11-20T12:00:00Z') }
      const app = await start(t, engine, { clock: () => clock.now })
      const people = [
        { username: 'zoe', email: 'Zoe@Example.com', first_name: 'Zoë', last_name: 'Quintana' },
        { username: 'Ada.Lovelace', first_name: 'Ada', last_name: 'Lovelace' },
        { username: 'mona', email: 'mona@example.com', role: 'admin' },
        { username: 'per%cent_', last_name: "O'Neil" },
      ]
      await createUser(app, { username: 'who-stays', role: 'admin' })
      for (const person of people) {
        const { user_id } = await createUser(app, person)
        await remove(app, user_id)
        clock.now += 60_000
      }
      const listed = async (query: string) => {
        const { status, body, headers } = await app.call('GET', `/deleted-users${query}`)
        assert.equal(status, 200, JSON.stringify(body))
        const names = body.map(({ username }: { username: string }) => username)
        return headers['total-count'] === undefined ? names : [Number(headers['total-count']), ...names]
      }
      assert.deepEqual(await listed(''), ['per%cent_', 'mona', 'Ada.Lovelace', 'zoe'])
      assert.deepEqual(await listed('?sort=deleted_at'), ['zoe', 'Ada.Lovelace', 'mona', 'per%cent_'])
      assert.deepEqual(await listed('?sort=username'), ['Ada.Lovelace', 'mona', 'per%cent_', 'zoe'])
      assert.deepEqual(await listed('?sort=-username&limit=2&count=true'), [4, 'zoe', 'per%cent_'])
      assert.deepEqual(await listed('?q=LOVE'), ['Ada.Lovelace'])
      assert.deepEqual(await listed('?q=zoe%20quin'), ['zoe'])
      assert.deepEqual(await listed('?q=example.com&count=true'), [2, 'mona', 'zoe'])
      // Two characters match at a beginning only; wildcards are ordinary characters.
      assert.deepEqual(await listed('?q=qu'), ['zoe'])
      assert.deepEqual(await listed('?q=na'), [])
      assert.deepEqual(await listed('?q=r%25c'), ['per%cent_'])
      assert.deepEqual(await listed('?q=a_l'), [])
      assert.deepEqual(await listed('?username=ada.lovelace'), ['Ada.Lovelace'])
      assert.deepEqual(await listed('?username=%00'), [])
      assert.deepEqual(await listed('?email=ZOE@example.com'), ['zoe'])
      assert.deepEqual(await listed('?role=admin'), ['mona'])
      const times = '?deleted_after=2026-11-20T12:00:30Z&deleted_before=2026-11-20T12:02:30Z'
      assert.deepEqual(await listed(times), ['mona', 'Ada.Lovelace'])
      for (const query of ['?sort=email', '?q=', '?deleted_after=yesterday', '?active=true', '?limit=1001']) {
        assert.equal((await app.call('GET', `/deleted-users${query}`)).body.code, 'validation_failed', query)
      }
    })
  })
}

for (const engine of engines) {
  describe(`a deleted user on ${engine.name}`, () => {
    it('can be restored as the first of several with the same name, and the others cannot', async (t) => {
      const app = await start(t, engine)
      const first = await createUser(app, { username: 'ada' })
      await remove(app, first.user_id)
      const second = await createUser(app, { username: 'Ada' })
      await remove(app, second.user_id)
      assert.equal((await restore(app, first.user_id)).status, 200)
      assert.equal((await restore(app, second.user_id)).body.code, 'username_taken')
      await remove(app, first.user_id)
      assert.equal((await restore(app, second.user_id)).status, 200)
      assert.equal((await app.call('GET', '/users')).body.length, 1)
    })

    it('can be restored until the grace is over, and not a moment longer', async (t) => {
      const { app, clock } = await startWithClock(t, engine, { ROLLBOOK_DELETION_GRACE_DAYS: '3' })
      const [early, late] = [await createUser(app), await createUser(app)]
      const dry = (await remove(app, early.user_id, '?dry_run=true')).body
      const { restorable_until } = (await remove(app, early.user_id)).body
      await remove(app, late.user_id)
      assert.equal(restorable_until, new Date(clock.now + 3 * dayMs).toISOString())
      assert.equal(dry.restorable_until, restorable_until)
      clock.now += 3 * dayMs - 1
      assert.equal((await restore(app, early.user_id)).status, 200)
      assert.equal((await deleted(app)).length, 1)
      clock.now += 1
      assert.equal((await restore(app, late.user_id)).body.code, 'user_not_found')
      assert.deepEqual(await deleted(app), [])
    })

    it('is restored once by a repeated request with an Idempotency-Key', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app)
      await remove(app, user_id)
      const send = () => app.call('POST', `/users/${user_id}/restore`, { headers: { 'idempotency-key': 'oops' } })
      const [first, second] = [await send(), await send()]
      assert.deepEqual([first.status, second.status, second.headers['idempotency-replayed']], [200, 200, 'true'])
      assert.deepEqual(second.body, first.body)
    })

    it('is announced by an event with the current user', async (t) => {
      const app = await start(t, engine)
      const user = await createUser(app)
      const { restorable_until } = (await remove(app, user.user_id)).body
      await restore(app, user.user_id)
      await app.storage.settleJournal()
      const events = await app.runSql(
        `SELECT type, subject, data FROM events WHERE owner_id = '${user.user_id}' ORDER BY seq`,
      )
      assert.deepEqual(
        events.map(({ type, subject, data }) => [type, subject, JSON.parse(String(data))]),
        [
          ['user.created', user.user_id, user],
          ['user.deleted', user.user_id, { user_id: user.user_id, restorable_until }],
          ['user.restored', user.user_id, user],
        ],
      )
    })

    it('gets nothing back that was issued before: no session, no access token, no If-Match', async (t) => {
      const app = await start(t, engine)
      const { user_id, username } = await createPerson(app, { role: 'admin' })
      await createPerson(app, { role: 'admin' })
      const browser = await openBrowser(app, username)
      const token = (await browser.call('POST', '/token')).body.access_token
      const byToken = () => app.call('GET', '/me', { key: null, headers: { authorization: `Bearer ${token}` } })
      assert.equal((await byToken()).status, 200)
      await remove(app, user_id)
      assert.equal((await byToken()).status, 401)
      await restore(app, user_id)
      assert.equal((await byToken()).status, 401)
      assert.equal(await isSignedIn(browser), false)
      const again = await openBrowser(app, username)
      assert.ok(await isSignedIn(again))
      assert.equal((await byToken()).status, 401)
      // For a main API that verifies offline: the version in the feed is above that of every earlier token.
      const [revoked] = await app.runSql(
        `SELECT max(credentials_version) AS version FROM revoked WHERE kind = 'user' AND id = '${user_id}'`,
      )
      const [row] = await app.runSql(`SELECT credentials_version FROM users WHERE user_id = '${user_id}'`)
      assert.equal(Number(row?.credentials_version), Number(revoked?.version))
      const stale = await app.call('PATCH', `/users/${user_id}`, { body: {}, headers: { 'if-match': '"2"' } })
      assert.equal(stale.body.code, 'precondition_failed')
    })

    it('stays disabled if they were disabled, and must still change the password if they had to', async (t) => {
      const app = await start(t, engine)
      const { user_id, username } = await createPerson(app)
      const fresh = 'a moth in relay seventy'
      await app.call('POST', `/users/${user_id}/password`, { body: { password: fresh, must_change: true } })
      await app.call('PATCH', `/users/${user_id}`, { body: { active: false } })
      await remove(app, user_id)
      assert.equal((await restore(app, user_id)).body.active, false)
      assert.equal((await signIn(app, username, fresh)).status, 401)
      await app.call('PATCH', `/users/${user_id}`, { body: { active: true } })
      const browser = await openBrowser(app, username, fresh)
      assert.equal((await browser.call('GET', '/sessions')).body.code, 'password_change_required')
    })

    it('cannot be restored with an email address that is now the username of another user', async (t) => {
      const app = await start(t, engine)
      const byMail = await createUser(app, { username: 'ada', email: 'ada@example.com' })
      await remove(app, byMail.user_id)
      const byName = await createUser(app, { username: 'Ada@Example.com' })
      const response = await restore(app, byMail.user_id)
      assert.deepEqual([response.status, response.body.code], [409, 'email_taken'])
      await remove(app, byName.user_id)
      await createUser(app, { email: 'ada@example.com' })
      assert.equal((await restore(app, byName.user_id)).body.code, 'username_taken')
    })

    it('cannot be restored by a caller who may not grant the role', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app, { role: 'admin' })
      await createUser(app, { role: 'admin' })
      await remove(app, user_id)
      const writer = await keyWith(app, ['users:read', 'users:write'])
      const reader = await keyWith(app, ['users:read'])
      const path = `/users/${user_id}/restore`
      assert.equal((await app.call('POST', path, { key: reader })).body.code, 'permission_denied')
      for (const query of ['', '?dry_run=true']) {
        assert.equal((await app.call('POST', path + query, { key: writer })).body.code, 'user_outranks_caller')
      }
      assert.equal((await deleted(app)).length, 1)
      const other = await createUser(app)
      await remove(app, other.user_id)
      assert.equal((await app.call('POST', `/users/${other.user_id}/restore`, { key: writer })).status, 200)
    })

    it('stays deleted in a dry run, which says what would happen', async (t) => {
      const app = await start(t, engine)
      const user = await createUser(app)
      await remove(app, user.user_id)
      const response = await restore(app, user.user_id, '?dry_run=true')
      assert.deepEqual([response.status, response.body, response.headers['dry-run']], [200, user, 'true'])
      assert.equal(response.headers.etag, undefined)
      assert.equal((await app.call('GET', `/users/${user.user_id}`)).status, 404)
      const again = await createUser(app, { username: String(user.username) })
      assert.equal((await restore(app, user.user_id, '?dry_run=true')).body.code, 'username_taken')
      await remove(app, again.user_id)
      assert.equal((await deleted(app)).length, 2)
    })

    it('is unknown if the user was never deleted or never existed', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app)
      for (const id of [user_id, '019a9f3e-0000-7000-8000-000000000000', 'x', "'; DROP TABLE users; --"]) {
        const response = await restore(app, encodeURIComponent(String(id)))
        assert.deepEqual([response.status, response.body.code], [404, 'user_not_found'])
      }
    })
  })

  describe(`the list of deleted users on ${engine.name}`, () => {
    it('continues a filtered page where it ended, in the order of its cursor only', async (t) => {
      const app = await start(t, engine)
      for (let n = 0; n < 7; n++) {
        const { user_id } = await createUser(app, { username: `same-${n % 3}-${n}`, last_name: n % 2 ? 'odd' : 'even' })
        await remove(app, user_id)
      }
      const found: string[] = []
      let path: string | undefined = '/deleted-users?limit=1&sort=username&q=even'
      for (let pages = 0; path !== undefined && pages < 10; pages++) {
        const page: Answer = await app.call('GET', path)
        found.push(...page.body.map(({ username }: { username: string }) => username))
        path = /<\/auth([^>]+)>; rel="next"/.exec(page.headers.link ?? '')?.[1]
      }
      assert.deepEqual(found, ['same-0-0', 'same-0-6', 'same-1-4', 'same-2-2'])
      const { headers } = await app.call('GET', '/deleted-users?limit=1&sort=username')
      const cursor = /cursor=([^&>]+)/.exec(String(headers.link))?.[1]
      for (const sort of ['-username', 'deleted_at', '-deleted_at']) {
        const refused = await app.call('GET', `/deleted-users?limit=1&sort=${sort}&cursor=${cursor}`)
        assert.equal(refused.body.code, 'bad_cursor', sort)
      }
    })

    it('accepts the cursors of 0.2.0', async (t) => {
      const app = await start(t, engine)
      for (let n = 0; n < 3; n++) await remove(app, (await createUser(app)).user_id)
      const [first, ...rest] = await deleted(app)
      const cursor = Buffer.from(JSON.stringify([first?.deleted_at, first?.user_id])).toString('base64url')
      assert.deepEqual((await app.call('GET', `/deleted-users?cursor=${cursor}`)).body, rest)
    })

    it('shows no secret, and refuses an invalid cursor', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createPerson(app)
      await remove(app, user_id)
      assert.doesNotMatch((await app.call('GET', '/deleted-users')).text, /argon2|hash|version/)
      const encoded = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url')
      const cursors = [
        'x',
        encoded({}),
        encoded([]),
        encoded(['2026-11-20T00:00:00.000Z', 'x']),
        encoded(['x', user_id]),
      ]
      for (const cursor of cursors) {
        assert.equal((await app.call('GET', `/deleted-users?cursor=${cursor}`)).body.code, 'bad_cursor', cursor)
      }
      assert.equal((await app.call('GET', '/deleted-users?limit=0')).body.code, 'validation_failed')
    })
  })
}

for (const engine of onlyPostgres) {
  describe(`a deleted user on two nodes on ${engine.name}`, () => {
    it('has the permissions that the role has now, even if it had fewer at the deletion', async (t) => {
      const roles = (support: string[]) => ({ ROLLBOOK_ROLES: JSON.stringify({ support }) })
      const before = await start(t, engine, { env: roles(['users:read']) })
      const { user_id } = await createUser(before, { role: 'support' })
      await remove(before, user_id)
      const key = await keyWith(before, ['users:read', 'users:write'])
      assert.equal((await before.call('POST', `/users/${user_id}/restore?dry_run=true`, { key })).status, 200)
      const after = await start(t, engine, { env: roles(['*']), beside: before })
      for (const [method, path] of [
        ['POST', `/users/${user_id}/restore`],
        ['POST', `/users/${user_id}/restore?dry_run=true`],
        ['DELETE', `/users/${user_id}?purge=true`],
      ] as const) {
        const response = await after.call(method, path, { key })
        assert.deepEqual([response.status, response.body.code], [403, 'user_outranks_caller'])
      }
      assert.equal((await deleted(after)).length, 1)
      assert.equal((await restore(after, user_id)).status, 200)
    })

    it('is restored on both at once, and refused on both at once', async (t) => {
      const here = await start(t, engine)
      const there = await start(t, engine, { beside: here })
      const { user_id, username } = await createPerson(here)
      const browser = await openBrowser(there, username)
      await remove(here, user_id)
      assert.equal((await signIn(there, username)).status, 401)
      assert.equal((await there.call('GET', `/users/${user_id}`)).status, 404)
      assert.equal((await restore(there, user_id)).status, 200)
      assert.equal((await here.call('GET', `/users/${user_id}`)).status, 200)
      assert.equal((await signIn(here, username, password)).status, 201)
      assert.equal(await isSignedIn(browser), false)
      assert.equal((await restore(here, user_id)).status, 404)
    })
  })
}
