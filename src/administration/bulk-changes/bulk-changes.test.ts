// Takes long for its size.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { newestRecord, recordsOf } from '../../../test/audit-records.ts'
import { cases } from '../../../test/cases.ts'
import { type Answer, adminKey, anyEngine, createUser, engines, type Started, start } from '../../../test/harness.ts'
import { createPerson, isSignedIn, openBrowser } from '../../../test/people.ts'
import { system } from '../../core/actor.ts'
import { scopeOf } from '../../core/scope.ts'
import { filtersWithin } from '../users-list/service.ts'
import type { BulkLine } from './schema.ts'

const env = {
  ROLLBOOK_ROLES: JSON.stringify({ support: ['users:read', 'users:write', 'sessions:write'] }),
  ROLLBOOK_RATE_LIMIT: '0',
}

type Row = Extract<BulkLine, { type: 'row' }>
type User = { user_id: string; username: string; role: string; active: boolean }

const everyLineOf = ({ text }: Pick<Answer, 'text'>): BulkLine[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as BulkLine]))
/** Without the progress, which a busy machine reports after a second of silence. */
const linesOf = (response: Pick<Answer, 'text'>) => everyLineOf(response).filter(({ type }) => type !== 'progress')
const rowsOf = (response: Pick<Answer, 'text'>) => linesOf(response).filter((line): line is Row => line.type === 'row')
const endOf = (response: Pick<Answer, 'text'>) => linesOf(response).at(-1)

async function bulk(app: Pick<Started, 'call'>, body: unknown, query = '', request = {}): Promise<Answer> {
  return app.call('POST', `/users/bulk${query}`, { body, ...request })
}

async function usersOf(app: Started): Promise<User[]> {
  return (await app.call('GET', '/users')).body
}

async function addMany(app: Started, count: number, members: (n: number) => object = () => ({})): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => JSON.stringify({ username: `many-${n}`, ...members(n) }))
  const headers = { 'content-type': 'application/x-ndjson' }
  const response = await app.call('POST', '/users/import', { headers, body: rows.join('\n') })
  assert.equal(response.body.created, count, response.text)
}

async function keyWith(app: Started, permissions: string[]): Promise<{ key: string; key_id: string }> {
  const response = await app.call('POST', '/keys', { body: { name: `key ${permissions}`, permissions } })
  assert.equal(response.status, 201, response.text)
  return response.body
}

async function eventsOf(app: Started): Promise<{ type: string; subject: string }[]> {
  await app.storage.settleJournal()
  return (await app.runSql('SELECT type, subject FROM events ORDER BY seq')) as { type: string; subject: string }[]
}

/** A request whose response is read as it arrives. */
async function openBulk(t: TestContext, app: Started, body: object, { key = adminKey, headers = {}, query = '' } = {}) {
  const left = new AbortController()
  t.after(() => left.abort())
  const response = await fetch(`${await app.listen()}/users/bulk${query}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: left.signal,
  })
  assert.equal(response.status, 200)
  const pieces = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  return {
    leave: () => left.abort(),
    /** Waits until this has arrived. Returns everything so far. */
    async until(found: RegExp): Promise<string> {
      while (!found.test(text)) {
        const { value, done } = await pieces.read()
        assert.ok(!done, `It ended without ${found}: ${text.slice(-300)}`)
        text += decoder.decode(value, { stream: true })
      }
      return text
    },
    /** Waits for the end, clean or not. */
    async rest(): Promise<{ text: string; isCut: boolean }> {
      try {
        for (;;) {
          const { value, done } = await pieces.read()
          if (done) return { text, isCut: false }
          text += decoder.decode(value, { stream: true })
        }
      } catch {
        return { text, isCut: true }
      }
    },
  }
}

for (const engine of engines) {
  describe(`a bulk change on ${engine.name}`, () => {
    it('reports the users, the result for each and the sums; each changed user has a record and an event', async (t) => {
      const app = await start(t, engine, { env })
      const [ada, bob, eve] = [await createUser(app), await createUser(app), await createUser(app)]
      await app.call('PATCH', `/users/${bob.user_id}`, { body: { active: false } })
      const [before, eventCount] = [await newestRecord(app), (await eventsOf(app)).length]
      const response = await bulk(app, { action: 'deactivate', filter: {}, except: [eve.user_id] })
      assert.equal(response.status, 200)
      assert.match(String(response.headers['content-type']), /^application\/x-ndjson/)
      assert.equal(response.headers['x-accel-buffering'], 'no', 'a proxy hands it on as it comes')
      assert.deepEqual(linesOf(response), [
        { type: 'begin', total: 2 },
        { type: 'row', user_id: ada.user_id, username: ada.username, verdict: 'changed' },
        { type: 'row', user_id: bob.user_id, username: bob.username, verdict: 'unchanged' },
        { type: 'end', changed: 1, unchanged: 1, refused: 0 },
      ])
      assert.deepEqual(
        (await usersOf(app)).map(({ active }) => active),
        [false, false, true],
      )
      const records = await recordsOf(app, before)
      assert.deepEqual(
        records.map(({ action, target, changes, request_id }) => ({ action, id: target?.id, changes, request_id })),
        [
          {
            action: 'user.updated',
            id: ada.user_id,
            changes: { active: { before: true, after: false } },
            request_id: response.headers['x-request-id'],
          },
        ],
      )
      assert.deepEqual((await eventsOf(app)).slice(eventCount), [{ type: 'user.updated', subject: ada.user_id }])
    })

    it('changes the users in the order of user_ids, each once, and reports unknown ids', async (t) => {
      const app = await start(t, engine, { env })
      const [ada, bob] = [await createUser(app), await createUser(app)]
      const nobody = '019A9F3E-0000-7000-8000-000000000000'
      const user_ids = [bob.user_id, nobody, ada.user_id, String(bob.user_id).toUpperCase()]
      const response = await bulk(app, { action: 'set_role', role: 'support', user_ids })
      assert.deepEqual(
        rowsOf(response).map(({ user_id, verdict, code }) => [user_id, verdict, code]),
        [
          [bob.user_id, 'changed', undefined],
          [nobody.toLowerCase(), 'refused', 'user_not_found'],
          [ada.user_id, 'changed', undefined],
        ],
      )
      assert.deepEqual(linesOf(response)[0], { type: 'begin', total: 3 })
      assert.deepEqual(endOf(response), { type: 'end', changed: 2, unchanged: 0, refused: 1 })
    })

    it('matches with a filter the users that the list shows with it', async (t) => {
      const app = await start(t, engine, { env })
      await addMany(app, 30, (n) => ({
        ...(n % 3 === 0 && { role: 'support' }),
        ...(n % 4 === 0 && { active: false }),
        first_name: n % 5 === 0 ? 'Zoë' : 'Grace',
        created_at: `20${10 + (n % 10)}-01-01T00:00:00.000Z`,
      }))
      const all = await usersOf(app)
      for (const filter of [
        { q: 'zoe' },
        { q: 'z', active: true },
        { role: 'support', active: false },
        { created_after: '2013-05-01T00:00:00Z', created_before: '2016-05-01T00:00:00Z', role: 'user' },
        { user_id: all.slice(3, 9).map(({ user_id }) => user_id), q: 'grace' },
        { username: 'MANY-7' },
        { has_password: true },
        { has_password: false, role: 'support' },
        { has_signed_in: true },
        { has_signed_in: false, active: true },
        { last_login_after: '2000-01-01T00:00:00Z' },
      ]) {
        const query = new URLSearchParams(
          Object.entries(filter).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)])),
        )
        const listedIds = ((await app.call('GET', `/users?${query}`)).body as User[]).map(({ user_id }) => user_id)
        const response = await bulk(app, { action: 'delete', filter }, '?dry_run=true')
        assert.deepEqual(
          rowsOf(response).map(({ user_id }) => user_id),
          listedIds,
          JSON.stringify(filter),
        )
        assert.deepEqual(linesOf(response)[0], { type: 'begin', total: listedIds.length })
        const [first = '', ...others] = listedIds
        const excepted = await bulk(
          app,
          { action: 'delete', filter, except: [first || all[0]?.user_id, all[1]?.user_id] },
          '?dry_run=true',
        )
        const left = others.filter((id) => id !== all[1]?.user_id)
        assert.deepEqual(
          [linesOf(excepted)[0], rowsOf(excepted).length],
          [{ type: 'begin', total: left.length }, left.length],
        )
      }
      assert.deepEqual(await usersOf(app), all)
    })

    it('does what the same single changes do, and a dry run predicts it', async (t) => {
      const [many, single] = [await start(t, engine, { env }), await start(t, engine, { env })]
      const callers = await Promise.all(
        [many, single].map(async (app) => {
          return { admin: adminKey, support: (await keyWith(app, ['users:read', 'users:write', 'sessions:write'])).key }
        }),
      )
      let round = 0
      const user = fc.record({
        role: fc.constantFrom('admin', 'admin', 'user', 'support'),
        active: fc.boolean(),
        sessions: fc.nat(2),
      })
      const action = fc.oneof(
        fc.record({ action: fc.constantFrom('activate', 'deactivate', 'end_sessions', 'delete') }),
        fc.record({ action: fc.constant('set_role'), role: fc.constantFrom('admin', 'user', 'support') }),
      )
      const requested = fc.record({
        people: fc.array(user, { minLength: 1, maxLength: 6 }),
        actions: fc.array(action, { minLength: 1, maxLength: 3 }),
        caller: fc.constantFrom('admin' as const, 'support' as const),
      })
      await fc.assert(
        fc.asyncProperty(requested, async ({ people, actions, caller }) => {
          round++
          const populate = async (app: Started) => {
            await app.runSql('DELETE FROM sessions; DELETE FROM users')
            const rows = people.map(({ role, active }, n) =>
              JSON.stringify({ username: `r${round}-${n}`, role, active }),
            )
            const headers = { 'content-type': 'application/x-ndjson' }
            await app.call('POST', '/users/import', { headers, body: rows.join('\n') })
            const users = await usersOf(app)
            assert.equal(users.length, people.length)
            for (const [n, { sessions }] of people.entries()) await addSessions(app, users[n] as User, sessions)
            return users
          }
          const [ids, theirs] = [await populate(many), await populate(single)]
          const marks = [await newestRecord(many), await newestRecord(single)] as const
          const events = [(await eventsOf(many)).length, (await eventsOf(single)).length] as const
          for (const body of actions) {
            const meant = { ...body, user_ids: ids.map(({ user_id }) => user_id) }
            const key = callers[0]?.[caller]
            const dry = await bulk(many, meant, '?dry_run=true', { key })
            assert.equal(dry.headers['dry-run'], 'true')
            const real = await bulk(many, meant, '', { key })
            assert.deepEqual(linesOf(dry), linesOf(real))
            const verdicts: unknown[] = []
            for (const one of theirs)
              verdicts.push(await changeOne(single, one.user_id, body, String(callers[1]?.[caller])))
            assert.deepEqual(
              rowsOf(real).map(({ verdict, code }) => code ?? verdict),
              verdicts,
              JSON.stringify({ people, body, caller }),
            )
          }
          assert.deepEqual((await usersOf(many)).map(partsOf), (await usersOf(single)).map(partsOf))
          // A change without effect has a record only as a single operation.
          const said = async (app: Started, mark: number) =>
            (await recordsOf(app, mark)).filter(hasChanged).map(({ action, target, changes, details }) => {
              return { action, name: target?.name, changes, ended: details.ended }
            })
          assert.deepEqual(await said(many, marks[0]), await said(single, marks[1]))
          const types = async (app: Started, from: number) => (await eventsOf(app)).slice(from).map(({ type }) => type)
          assert.deepEqual((await types(many, events[0])).toSorted(), (await types(single, events[1])).toSorted())
        }),
        { numRuns: cases(25) },
      )
    })

    it('leaves one administrator, wherever they are in the order, and a dry run says so', async (t) => {
      const app = await start(t, engine, { env })
      await addMany(app, 1300, (n) => ({ ...(n % 400 === 5 && { role: 'admin' }) }))
      for (const body of [{ action: 'deactivate' }, { action: 'set_role', role: 'user' }, { action: 'delete' }]) {
        const dry = await bulk(app, { ...body, filter: {} }, '?dry_run=true&rows=refused')
        const real = await bulk(app, { ...body, filter: {} }, '?rows=refused')
        assert.deepEqual(endOf(dry), endOf(real))
        assert.deepEqual(rowsOf(dry), rowsOf(real))
        assert.deepEqual(
          rowsOf(real).map(({ code }) => code),
          ['last_admin'],
        )
        const left = (await usersOf(app)).filter(({ role, active }) => role === 'admin' && active)
        assert.deepEqual(
          left.map(({ user_id }) => user_id),
          rowsOf(real).map(({ user_id }) => user_id),
        )
        if (body.action === 'delete') assert.equal((await usersOf(app)).length, 1)
        await bulk(app, { action: 'activate', filter: {} })
      }
    })

    it('leaves one administrator even if several such changes run at once', async (t) => {
      const app = await start(t, engine, { env })
      const beside = engine.name === 'PostgreSQL' ? await start(t, engine, { env, beside: app }) : app
      await addMany(app, 600, (n) => ({ ...(n % 50 === 3 && { role: 'admin' }) }))
      const ids = (await usersOf(app)).filter(({ role }) => role === 'admin').map(({ user_id }) => user_id)
      const answers = await Promise.all([
        bulk(app, { action: 'deactivate', filter: {} }),
        bulk(beside, { action: 'set_role', role: 'user', user_ids: ids.toReversed() }),
        ...ids.map((id) => beside.call('DELETE', `/users/${id}`)),
      ])
      for (const { status } of answers) assert.ok([200, 404, 409].includes(status), `${status}`)
      for (const response of answers.slice(0, 2)) assert.equal(endOf(response)?.type, 'end', response.text.slice(-300))
      const left = (await usersOf(app)).filter(({ role, active }) => role === 'admin' && active)
      assert.equal(left.length, 1)
    })

    it('changes the caller last, who sees the end of it and stays the remaining administrator', async (t) => {
      const app = await start(t, engine, { env })
      const boss = await createPerson(app, { role: 'admin' })
      const browser = await openBrowser(app, boss.username)
      await addMany(app, 450, (n) => ({ ...(n % 200 === 7 && { role: 'admin' }) }))
      const endResponse = await bulk(browser, { action: 'end_sessions', filter: {} }, '?rows=refused')
      assert.deepEqual(endOf(endResponse), { type: 'end', changed: 1, unchanged: 450, refused: 0 })
      assert.equal(await isSignedIn(browser), false)
      const again = await openBrowser(app, boss.username)
      const response = await bulk(again, { action: 'deactivate', filter: {} })
      assert.deepEqual(endOf(response), { type: 'end', changed: 450, unchanged: 0, refused: 1 })
      assert.deepEqual(rowsOf(response).at(-1)?.code, 'last_admin')
      assert.equal(rowsOf(response).at(-1)?.user_id, boss.user_id)
      assert.equal(await isSignedIn(again), true)
    })

    it('skips users who no longer match when their turn comes, and users created after the start', async (t) => {
      const app = await start(t, engine, { env })
      const users = [await createUser(app), await createUser(app, { role: 'support' }), await createUser(app)]
      const latest = String(users[2]?.created_at)
      const change = async (filters: object, createdUntil: string) => {
        const request = { actor: system, now: Date.now(), requestId: 'test' }
        const user_ids = users.map(({ user_id }) => String(user_id))
        const only = { filters: filtersWithin(scopeOf(system), filters), createdUntil }
        const batch = { action: { action: 'deactivate' }, user_ids, only } as const
        const { result } = await app.storage.change('users.change_many', batch, { ...request, dryRun: true })
        return result.verdicts.map(({ user_id }) => users.findIndex((one) => one.user_id === user_id))
      }
      assert.deepEqual(await change({}, latest), [0, 1, 2])
      assert.deepEqual(await change({ role: 'user' }, latest), [0, 2])
      assert.deepEqual(await change({ role: 'user', user_ids: [users[1]?.user_id, users[2]?.user_id] }, latest), [2])
      assert.deepEqual(await change({}, '2020-01-01T00:00:00.000Z'), [])
    })

    it('restores deleted users, and is not stopped by one who cannot be restored', async (t) => {
      const app = await start(t, engine, { env })
      const users = [await createUser(app), await createUser(app), await createUser(app)]
      const user_ids = users.map(({ user_id }) => user_id)
      assert.deepEqual(endOf(await bulk(app, { action: 'delete', user_ids })), {
        type: 'end',
        changed: 3,
        unchanged: 0,
        refused: 0,
      })
      await createUser(app, { username: String(users[1]?.username) })
      const [before, eventCount] = [await newestRecord(app), (await eventsOf(app)).length]
      const dry = await bulk(app, { action: 'restore', user_ids }, '?dry_run=true')
      assert.deepEqual(await recordsOf(app, before), [])
      const real = await bulk(app, { action: 'restore', user_ids })
      assert.deepEqual(linesOf(dry), linesOf(real))
      assert.deepEqual(
        rowsOf(real).map(({ username, verdict, code }) => [username, verdict, code]),
        [
          [users[0]?.username, 'changed', undefined],
          [users[1]?.username, 'refused', 'username_taken'],
          [users[2]?.username, 'changed', undefined],
        ],
      )
      assert.deepEqual(
        (await recordsOf(app, before)).map(({ action, target }) => [action, target?.id]),
        [
          ['user.restored', user_ids[0]],
          ['user.restored', user_ids[2]],
        ],
      )
      assert.equal((await eventsOf(app)).length, eventCount + 2)
      // Users who could not be restored are still deleted.
      await app.runSql(`DELETE FROM users WHERE username = '${users[1]?.username}'`)
      assert.deepEqual(endOf(await bulk(app, { action: 'restore', user_ids })), {
        type: 'end',
        changed: 1,
        unchanged: 0,
        refused: 2,
      })
      assert.equal((await usersOf(app)).length, 3)
    })

    it('ends more sessions at once than one statement has parameters', async (t) => {
      const app = await start(t, engine, { env })
      await addMany(app, 80)
      for (const user of await usersOf(app)) await addSessions(app, user, 100)
      const response = await bulk(app, { action: 'deactivate', filter: {} }, '?rows=refused')
      assert.deepEqual(endOf(response), { type: 'end', changed: 80, unchanged: 0, refused: 0 })
      assert.deepEqual(await app.runSql('SELECT 1 FROM sessions'), [])
      const [{ n } = { n: 0 }] = await app.runSql("SELECT count(*) AS n FROM revoked WHERE kind = 'session'")
      assert.equal(Number(n), 8000)
    })

    it('reports progress if only refused users have lines', async (t) => {
      const app = await start(t, engine, { env })
      await addMany(app, 3000, (n) => ({ ...(n % 1500 === 1 && { role: 'admin' }) }))
      const { key } = await keyWith(app, ['users:read', 'users:write'])
      const response = await bulk(app, { action: 'deactivate', filter: {} }, '?rows=refused', { key })
      const lines = everyLineOf(response)
      assert.deepEqual(lines[0], { type: 'begin', total: 3000 })
      assert.deepEqual(lines.at(-1), { type: 'end', changed: 2998, unchanged: 0, refused: 2 })
      assert.deepEqual(
        rowsOf(response).map(({ code }) => code),
        ['user_outranks_caller', 'user_outranks_caller'],
      )
      const progress = lines.filter((line) => line.type === 'progress')
      let before = 0
      for (const { done, changed, unchanged, refused } of progress) {
        assert.equal(done, changed + unchanged + refused)
        assert.ok(done > before || done === 0, `${before} ${done}`)
        before = done
      }
      assert.equal(lines.length, progress.length + 4)
    })

    it('returns the first and last line again under its Idempotency-Key, and runs once', async (t) => {
      const app = await start(t, engine, { env })
      const user = await createUser(app)
      const request = { headers: { 'idempotency-key': 'once', 'content-type': 'application/json' } }
      const body = { action: 'deactivate', filter: {} }
      const first = await bulk(app, body, '', request)
      await app.call('PATCH', `/users/${user.user_id}`, { body: { active: true } })
      const second = await bulk(app, body, '', request)
      assert.deepEqual(
        [first.headers['idempotency-replayed'], second.headers['idempotency-replayed']],
        [undefined, 'true'],
      )
      assert.deepEqual(linesOf(second), [linesOf(first)[0], endOf(first)])
      assert.equal((await usersOf(app))[0]?.active, true)
      const other = await bulk(app, { ...body, action: 'delete' }, '', request)
      assert.deepEqual([other.status, other.body.code], [422, 'idempotency_mismatch'])
      assert.equal((await usersOf(app)).length, 1)
    })

    it('refuses a second request with its key while it runs, and a third change of the same caller', async (t) => {
      const app = await start(t, engine, { env })
      await addMany(app, 2500)
      const headers = { 'idempotency-key': 'once' }
      const { key } = await keyWith(app, ['users:read', 'users:write'])
      const body = { action: 'deactivate', filter: {} }
      const first = await openBulk(t, app, body, { key, headers })
      await first.until(/"row"/)
      const again = await bulk(app, body, '', { key, headers: { ...headers, 'content-type': 'application/json' } })
      assert.deepEqual([again.status, again.body.code], [409, 'idempotency_in_progress'])
      const second = bulk(app, body, '?rows=refused', { key })
      const third = await bulk(app, body, '?rows=refused', { key })
      assert.deepEqual([third.status, third.body.code, third.headers['retry-after']], [503, 'overloaded', '5'])
      const other = await bulk(app, { action: 'activate', user_ids: ['019a9f3e-0000-7000-8000-000000000000'] })
      assert.equal(other.status, 200)
      assert.equal(endOf(await second)?.type, 'end')
      const { text, isCut } = await first.rest()
      assert.equal(isCut, false)
      assert.equal(endOf({ text })?.type, 'end')
      // The places are free again.
      assert.equal((await bulk(app, body, '?dry_run=true&rows=refused', { key })).status, 200)
    })

    it('is cut off when the credential ends, and changes no user after that', async (t) => {
      const app = await start(t, engine, { env })
      await addMany(app, 5000)
      const { key, key_id } = await keyWith(app, ['users:read', 'users:write'])
      const reader = await openBulk(t, app, { action: 'deactivate', filter: {} }, { key })
      await reader.until(/"row"/)
      assert.equal((await app.call('DELETE', `/keys/${key_id}`)).status, 200)
      const { text, isCut } = await reader.rest()
      assert.equal(isCut, true)
      assert.doesNotMatch(text, /"end"/)
      await stopsBefore(app, 5000)
    })

    it('stops when the client disconnects, and frees its place', async (t) => {
      const app = await start(t, engine, { env })
      await addMany(app, 5000)
      const reader = await openBulk(t, app, { action: 'deactivate', filter: {} }, { query: '?rows=refused' })
      await reader.until(/"begin"/)
      reader.leave()
      await stopsBefore(app, 5000)
      const headers = { 'idempotency-key': 'after', 'content-type': 'application/json' }
      const answers = await Promise.all(
        ['deactivate', 'end_sessions'].map((action, n) => {
          return bulk(app, { action, filter: {} }, '?rows=refused', {
            headers: { ...headers, 'idempotency-key': `${n}` },
          })
        }),
      )
      // Repeating it does the rest.
      for (const response of answers) assert.equal(endOf(response)?.type, 'end', response.text)
      assert.equal(await inactive(app), 5000)
    })

    it('needs users:read to look by a filter, groups:read to look into a group, and sessions:write to sign out', async (t) => {
      const app = await start(t, engine, { env })
      const { user_id } = await createUser(app)
      const { key: writer } = await keyWith(app, ['users:write'])
      const { key: reader } = await keyWith(app, ['users:write', 'users:read'])
      const { key: ender } = await keyWith(app, ['users:write', 'sessions:write'])
      const codeOf = async (key: string, body: object) => {
        const { status, body: problem } = await bulk(app, body, '?dry_run=true', { key })
        return status === 200 ? 'done' : `${problem.code}: ${problem.detail}`
      }
      const byId = { user_ids: [user_id] }
      assert.equal(await codeOf(writer, { action: 'deactivate', ...byId }), 'done')
      assert.match(await codeOf(writer, { action: 'deactivate', filter: {} }), /^permission_denied: .*users:read/)
      assert.equal(await codeOf(reader, { action: 'deactivate', filter: {} }), 'done')
      const members = { filter: { group: user_id } }
      assert.match(await codeOf(reader, { action: 'deactivate', ...members }), /^permission_denied: .*groups:read/)
      assert.match(await codeOf(reader, { action: 'end_sessions', filter: {} }), /^permission_denied: .*sessions:write/)
      assert.match(await codeOf(ender, { action: 'end_sessions', filter: {} }), /^permission_denied: .*users:read/)
      assert.equal(await codeOf(ender, { action: 'end_sessions', ...byId }), 'done')
    })

    it('changes nothing and leaves no trace in a dry run', async (t) => {
      const app = await start(t, engine, { env })
      await addMany(app, 20)
      for (const user of await usersOf(app)) await addSessions(app, user, 1)
      const everything = () =>
        app.runSql(`SELECT user_id AS a, document AS b FROM users UNION ALL SELECT session_id, user_id FROM sessions
          UNION ALL SELECT event_id, type FROM events UNION ALL SELECT record_id, action FROM audit_records
          UNION ALL SELECT user_id, document FROM deleted_users UNION ALL SELECT id, kind FROM revoked ORDER BY 1, 2`)
      await app.storage.settleJournal()
      const before = await everything()
      for (const action of ['deactivate', 'set_role', 'end_sessions', 'delete', 'activate']) {
        const body = { action, filter: {}, ...(action === 'set_role' && { role: 'support' }) }
        const response = await bulk(app, body, '?dry_run=true', {
          headers: { 'idempotency-key': 'x', 'content-type': 'application/json' },
        })
        assert.equal(endOf(response)?.type, 'end')
        assert.equal(rowsOf(response).length, 20)
      }
      await app.storage.settleJournal()
      assert.deepEqual(await everything(), before)
    })

    it('adds all who match to a group and removes them, with a dry run that says the same', async (t) => {
      const app = await start(t, engine, { env })
      await addMany(app, 1205, (n) => ({ first_name: n < 1100 ? 'In' : 'Out' }))
      const { group_id } = (await app.call('POST', '/groups', { body: { name: 'Guides' } })).body
      const [first, second] = await usersOf(app)
      await app.call('PUT', `/groups/${group_id}/members/${first?.user_id}`)
      const count = async () => (await app.call('GET', `/groups/${group_id}`)).body.member_count
      const add = { action: 'add_to_group', group_id, filter: { q: 'In' }, except: [second?.user_id] }

      const planned = await bulk(app, add, '?dry_run=true')
      assert.deepEqual(endOf(planned), { type: 'end', changed: 1098, unchanged: 1, refused: 0 }, planned.text)
      assert.equal(await count(), 1)
      const done = await bulk(app, add)
      assert.deepEqual([linesOf(done).at(0), endOf(done)], [linesOf(planned).at(0), endOf(planned)])
      assert.deepEqual(rowsOf(done), rowsOf(planned))
      assert.equal(await count(), 1099)
      const events = (await eventsOf(app)).filter(({ type }) => type === 'group.member_added')
      assert.equal(events.length, 1099)

      const remove = { action: 'remove_from_group', group_id, filter: { group: group_id } }
      assert.deepEqual(endOf(await bulk(app, remove, '?dry_run=true')), {
        ...endOf(planned),
        changed: 1099,
        unchanged: 0,
      })
      assert.deepEqual(endOf(await bulk(app, remove)), { ...endOf(planned), changed: 1099, unchanged: 0 })
      assert.equal(await count(), 0)
      const one = { action: 'remove_from_group', group_id: group_id.toUpperCase(), user_ids: [first?.user_id] }
      assert.deepEqual(endOf(await bulk(app, one)), { type: 'end', changed: 0, unchanged: 1, refused: 0 })
      const [unknown] = rowsOf(await bulk(app, { ...one, user_ids: ['01a20e5d-dff2-7795-88a5-58439be27811'] }))
      assert.deepEqual([unknown?.verdict, unknown?.code, unknown?.username], ['refused', 'user_not_found', null])
    })

    it('gives and takes the role of a group by its rules', async (t) => {
      const app = await start(t, engine, { env })
      const group = async (name: string, role: string | null): Promise<string> =>
        (await app.call('POST', '/groups', { body: { name, role } })).body.group_id
      const [administrators, plain] = [await group('Administrators', 'admin'), await group('Plain', null)]
      const users = [await createUser(app), await createUser(app), await createUser(app)]
      const user_ids = users.map(({ user_id }) => user_id)
      const refusal = async (body: object, request = {}) => {
        const { status, body: problem } = await bulk(app, body, '', request)
        return [status, problem?.code]
      }
      const add = { action: 'add_to_group', group_id: administrators, user_ids }
      const nobody = '01a20e5d-dff2-7795-88a5-58439be27811'
      assert.deepEqual(await refusal({ ...add, group_id: nobody }), [404, 'group_not_found'])
      assert.deepEqual(await refusal({ action: 'add_to_group', user_ids }), [422, 'validation_failed'])
      assert.deepEqual(await refusal({ ...add, action: 'activate' }), [422, 'validation_failed'])
      const { key: weak } = await keyWith(app, ['users:read', 'users:write'])
      assert.deepEqual(await refusal({ ...add, group_id: plain }, { key: weak }), [403, 'permission_denied'])
      const { key: some } = await keyWith(app, ['users:read', 'users:write', 'groups:write'])
      assert.deepEqual(await refusal(add, { key: some }), [403, 'role_not_grantable'])
      assert.equal(endOf(await bulk(app, { ...add, group_id: plain }, '', { key: some }))?.type, 'end')

      assert.deepEqual(endOf(await bulk(app, add)), { type: 'end', changed: 3, unchanged: 0, refused: 0 })
      const remove = { ...add, action: 'remove_from_group' }
      for (const query of ['?dry_run=true', '']) {
        const response = await bulk(app, remove, query)
        assert.deepEqual(
          rowsOf(response).map(({ verdict, code }) => code ?? verdict),
          ['changed', 'changed', 'last_admin'],
          query,
        )
      }
      const members = await app.call('GET', `/groups/${administrators}/members`)
      assert.deepEqual(
        members.body.map(({ user_id }: User) => user_id),
        [user_ids[2]],
      )
      const rows = rowsOf(
        await bulk(app, { action: 'remove_from_group', group_id: plain, user_ids }, '', { key: some }),
      )
      assert.deepEqual(
        rows.map(({ verdict, code }) => code ?? verdict),
        ['changed', 'changed', 'user_outranks_caller'],
      )
    })
  })
}

describe('the request of a bulk change', () => {
  const id = '019a9f3e-0000-7000-8000-000000000000'
  const cases: [what: string, body: object, pointer: string][] = [
    ['neither ids nor a filter', { action: 'delete' }, '#/user_ids'],
    ['ids and a filter', { action: 'delete', user_ids: [id], filter: {} }, '#/user_ids'],
    ['no ids', { action: 'delete', user_ids: [] }, '#/user_ids'],
    ['too many ids', { action: 'delete', user_ids: Array.from({ length: 1001 }, () => id) }, '#/user_ids'],
    ['no id', { action: 'delete', user_ids: ['ada'] }, '#/user_ids/0'],
    ['exceptions from ids', { action: 'delete', user_ids: [id], except: [id] }, '#/except'],
    ['another action', { action: 'purge', filter: {} }, '#/action'],
    ['no action', { filter: {} }, '#/action'],
    ['no role', { action: 'set_role', filter: {} }, '#/role'],
    ['a role that is not given', { action: 'delete', role: 'admin', filter: {} }, '#/role'],
    ['an unknown role', { action: 'set_role', role: 'king', filter: {} }, '#/role'],
    ['a filter of the deleted', { action: 'restore', filter: {} }, '#/filter'],
    ['a misspelt filter', { action: 'delete', filter: { rolle: 'user' } }, '#/filter/rolle'],
    ['a filter in words', { action: 'delete', filter: { active: 'false' } }, '#/filter/active'],
    ['a page of the list', { action: 'delete', filter: { limit: 10 } }, '#/filter/limit'],
    ['an order of the list', { action: 'delete', filter: { sort: 'username' } }, '#/filter/sort'],
    ['no instant', { action: 'delete', filter: { created_after: 'yesterday' } }, '#/filter/created_after'],
  ]

  it('is refused as a whole if it is ambiguous, before anything is done', async (t) => {
    const app = await start(t, anyEngine, { env })
    await createUser(app)
    for (const [what, body, pointer] of cases) {
      const { status, body: problem } = await bulk(app, body)
      assert.deepEqual([status, problem.code], [422, 'validation_failed'], what)
      assert.ok(
        problem.errors.some((one: { pointer: string }) => one.pointer === pointer),
        `${what}: ${JSON.stringify(problem.errors)}`,
      )
    }
    assert.equal((await usersOf(app)).length, 1)
  })
})

// In test:rest only: it fills 25,000 users, and whole-list.test.ts states the same rule for a list.
for (const engine of engines.filter(({ name }) => name === 'PostgreSQL')) {
  describe(`a bulk change whose client does not read on ${engine.name}`, () => {
    it('waits for the client, and is cut off if that takes too long', async (t) => {
      const app = await start(t, engine, { env: { ...env, ROLLBOOK_SNAPSHOT_STALL_SECONDS: '1' } })
      // More than the buffers between the two can hold, in letters of three bytes, so that few users do.
      const count = 25_000
      await addMany(app, count, (n) => ({ username: `${n}-${'宇'.repeat(110)}` }))
      const reader = await openBulk(t, app, { action: 'deactivate', filter: {} })
      await reader.until(/"row"/)
      await eventually(() => app.logLines().some((line) => line.includes('The client stopped reading')))
      const { text, isCut } = await reader.rest()
      assert.equal(isCut, true)
      assert.doesNotMatch(text, /"end"/)
      const changed = await inactive(app)
      assert.ok(changed >= rowsOf({ text: text.slice(0, text.lastIndexOf('\n')) }).length, 'what it was told is done')
      await stopsBefore(app, count)
    })
  })
}

const partsOf = ({ username, role, active }: User) => ({ username, role, active })

type Recorded = Awaited<ReturnType<typeof recordsOf>>[number]
const hasChanged = ({ action, changes, details }: Recorded) =>
  action === 'user.sessions_ended' ? details.ended !== 0 : Object.keys(changes).length > 0

/** Changes one user by the single operation. Returns the verdict in the words of the bulk change. */
async function changeOne(
  app: Started,
  userId: string,
  body: { action: string; role?: string },
  key: string,
): Promise<string> {
  const path = `/users/${userId}`
  const seen = async () => (await app.call('GET', path)).body
  const before = await seen()
  const response = await {
    activate: () => app.call('PATCH', path, { key, body: { active: true } }),
    deactivate: () => app.call('PATCH', path, { key, body: { active: false } }),
    set_role: () => app.call('PATCH', path, { key, body: { role: body.role } }),
    delete: () => app.call('DELETE', path, { key }),
    end_sessions: () => app.call('DELETE', `${path}/sessions`, { key }),
  }[body.action as 'delete']()
  if (response.status >= 400) return response.body.code
  if (body.action === 'end_sessions') return response.body.revoked > 0 ? 'changed' : 'unchanged'
  if (body.action === 'delete') return 'changed'
  return before.updated_at === response.body.updated_at &&
    before.role === response.body.role &&
    before.active === response.body.active
    ? 'unchanged'
    : 'changed'
}

let sessions = 0

/** Sessions whose tokens are not in use. */
async function addSessions(app: Started, { user_id }: Pick<User, 'user_id'>, count: number): Promise<void> {
  if (count === 0) return
  const now = new Date().toISOString()
  const rows = Array.from({ length: count }, () => {
    const id = `019a9f3e-0000-7000-8000-${String(++sessions).padStart(12, '0')}`
    return `('${id}', '${user_id}', 'hash-${id}', '${now}', '${now}', '2999-01-01T00:00:00.000Z', '127.0.0.1', 'none')`
  })
  await app.runSql(`INSERT INTO sessions (session_id, user_id, token_hash, created_at, last_seen_at, expires_at, address,
    user_agent) VALUES ${rows.join(', ')}`)
}

async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(20)
}

async function inactive(app: Started): Promise<number> {
  const [row] = await app.runSql('SELECT count(*) AS n FROM users WHERE active = 0')
  return Number(row?.n)
}

/** Polls until there is no more progress. */
async function stopsBefore(app: Started, all: number): Promise<void> {
  let before = -1
  for (let now = await inactive(app); now !== before; now = await inactive(app)) {
    before = now
    await sleep(500)
  }
  assert.ok(before < all, `${before} of ${all}`)
}
