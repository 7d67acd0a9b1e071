import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { adminKey, createUser, everyEngine, type Started, start } from '../../../test/harness.ts'
import { chainHash, digestOf } from './chain.ts'
import { changesOf } from './entry.ts'
import type { EventRow, RecordRow } from './rows.ts'

async function records(app: Started): Promise<RecordRow[]> {
  await app.storage.settleJournal()
  const rows = (await app.runSql('SELECT * FROM audit_records ORDER BY seq')) as RecordRow[]
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }))
}

async function events(app: Started): Promise<EventRow[]> {
  await app.storage.settleJournal()
  const rows = (await app.runSql('SELECT * FROM events ORDER BY seq')) as EventRow[]
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }))
}

const last = <T>(rows: T[]) => rows.at(-1) as T

describe('the difference between two states', () => {
  it('has each changed member, and no unchanged one', () => {
    const before = { name: 'Ada', email: null, list: ['a'] }
    const after = { name: 'Ada', email: 'ada@example.com', list: ['a', 'b'] }
    assert.deepEqual(changesOf(before, after, ['name', 'email', 'list']), {
      email: { before: null, after: 'ada@example.com' },
      list: { before: ['a'], after: ['a', 'b'] },
    })
    assert.deepEqual(changesOf(before, { ...before, list: ['a'] }, ['name', 'email', 'list']), {})
  })

  it('is everything if one of the states does not exist', () => {
    assert.deepEqual(changesOf(undefined, { a: 'x', b: '', c: false }, ['a', 'b', 'c']), {
      a: { before: null, after: 'x' },
      c: { before: null, after: false },
    })
    assert.deepEqual(changesOf({ a: 'x' }, undefined, ['a']), { a: { before: 'x', after: null } })
  })
})

for (const engine of everyEngine) {
  describe(`the journal on ${engine.name}`, () => {
    it('records who changed what about whom, from where, and the values before; secrets only as changed', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app, { username: 'ada', first_name: 'Ada' })
      const headers = { 'user-agent': 'journal test', 'x-request-id': 'req-1' }
      const body = { first_name: 'Augusta', password: 'analytical engine no. 1' }
      const response = await app.call('PATCH', `/users/${user_id}`, { body, headers })
      assert.equal(response.status, 200)
      const record = last(await records(app))
      assert.deepEqual(
        [record.action, record.outcome, record.actor_kind, record.target_kind, record.target_id, record.request_id],
        ['user.updated', 'success', 'api_key', 'user', user_id, 'req-1'],
      )
      assert.equal(record.actor_id, record.key_id)
      const { salt: _, ...who } = JSON.parse(record.who as string)
      assert.deepEqual(who, { name: 'admin (configuration)', address: '127.0.0.1', user_agent: 'journal test' })
      const { salt: __, ...what } = JSON.parse(record.what as string)
      const first_name = { before: 'Ada', after: 'Augusta' }
      assert.deepEqual(what, { name: 'ada', changes: { first_name, password: 'changed' } })
      const event = last(await events(app))
      assert.deepEqual([event.type, event.subject, event.owner_id], ['user.updated', user_id, user_id])
      assert.deepEqual(JSON.parse(event.data as string), response.body)
      assert.equal(event.event_id, `${record.record_id}.0`)
    })

    it('has one record and no event for a change that changes nothing', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app)
      const before = await events(app)
      await app.call('PATCH', `/users/${user_id}`, { body: {} })
      const record = last(await records(app))
      assert.deepEqual([record.action, JSON.parse(record.what as string).changes], ['user.updated', {}])
      assert.deepEqual(await events(app), before)
    })

    it('has nothing of a dry run, of what a rule refused, or of a stored response', async (t) => {
      const app = await start(t, engine)
      const headers = { 'idempotency-key': 'once' }
      const body = { username: 'ada' }
      assert.equal((await app.call('POST', '/users', { body, headers })).status, 201)
      const [recorded, followed] = [await records(app), await events(app)]
      assert.equal((await app.call('POST', '/users', { body, headers })).headers['idempotency-replayed'], 'true')
      assert.equal((await app.call('POST', '/users', { body })).body.code, 'username_taken')
      assert.equal((await app.call('POST', '/users?dry_run=true', { body: { username: 'grace' } })).status, 200)
      assert.deepEqual([await records(app), await events(app)], [recorded, followed])
    })

    it('chains the records: each hash covers the one before and every column', async (t) => {
      const app = await start(t, engine)
      for (let i = 0; i < 5; i++) await createUser(app)
      const rows = await records(app)
      assert.ok(rows.length >= 6)
      let previous = ''
      for (const [i, row] of rows.entries()) {
        assert.equal(row.seq, i + 1)
        assert.deepEqual([row.who_digest, row.what_digest], [digestOf(row.who), digestOf(row.what)])
        assert.equal(row.hash, chainHash(previous, row))
        previous = row.hash
      }
    })

    it('numbers simultaneous changes without a gap, and reports each user in the order of their versions', async (t) => {
      const app = await start(t, engine)
      const beside = engine.name === 'PostgreSQL' ? await start(t, engine, { beside: app }) : app
      const users = await Promise.all([1, 2, 3].map(() => createUser(app)))
      const changes = Array.from({ length: 120 }, (_, i) => {
        const node = i % 2 === 0 ? app : beside
        return node.call('PATCH', `/users/${users[i % 3]?.user_id}`, { body: { first_name: `${i}` } })
      })
      const answers = await Promise.all(changes)
      const versionOf = new Map(
        answers.map(({ body, headers }) => [body.first_name, Number(headers.etag?.match(/\d+/)?.[0])]),
      )
      const rows = await events(beside)
      assert.deepEqual(
        rows.map(({ seq }) => seq),
        rows.map((_, i) => i + 1),
      )
      for (const user of users) {
        const recorded = rows.filter(({ subject, type }) => subject === user.user_id && type === 'user.updated')
        const versions = recorded.map(({ data }) => versionOf.get(JSON.parse(data as string).first_name))
        assert.equal(recorded.length, 40)
        assert.deepEqual(
          versions,
          versions.toSorted((a, b) => Number(a) - Number(b)),
        )
      }
      assert.equal((await records(app)).filter(({ action }) => action === 'user.updated').length, 120)
    })

    it('has the records of a change as soon as the change is confirmed, for readers on any node', async (t) => {
      const app = await start(t, engine)
      const beside = engine.name === 'PostgreSQL' ? await start(t, engine, { beside: app }) : app
      for (let i = 0; i < 10; i++) {
        const { user_id } = await createUser(app)
        assert.equal(last(await events(beside)).subject, user_id)
        assert.equal(last(await records(beside)).target_id, user_id)
      }
    })

    it('records the session of a sign-in, and its end whatever ends it', async (t) => {
      const app = await start(t, engine)
      const password = 'analytical engine no. 1'
      const { user_id } = await createUser(app, { username: 'ada', password })
      const before = (await events(app)).length
      const sent = { body: { username: 'ada', password }, key: null }
      const { body: session } = await app.call('POST', '/sessions', sent)
      const record = last(await records(app))
      assert.deepEqual(
        [record.action, record.actor_kind, record.actor_id, record.session_id, record.target_id],
        ['session.created', 'user', user_id, session.session_id, user_id],
      )
      await app.call('PATCH', `/users/${user_id}`, { body: { active: false } })
      const recorded = (await events(app)).slice(before).map(({ type, subject, owner_id }) => [type, subject, owner_id])
      assert.deepEqual(recorded.toSorted(), [
        ['session.created', session.session_id, user_id],
        ['session.ended', session.session_id, user_id],
        ['user.signed_in', user_id, user_id],
        ['user.updated', user_id, user_id],
      ])
    })

    it('accepts names of any characters, and continues after them', async (t) => {
      const app = await start(t, engine)
      const actor = { kind: 'service' as const, id: 'https://issuer|a\0\ud800', name: 'b\0\ud800', permissions: ['*'] }
      const input = { username: 'ada', username_key: 'ada' }
      await app.storage.change('users.create', input, { actor, now: Date.now(), requestId: 'test' })
      const record = last(await records(app))
      assert.equal(record.actor_id, 'https://issuer|a\ufffd\ufffd')
      // PostgreSQL gets the record within a list, where the NUL is an escape in a text, and stays one.
      assert.match(JSON.parse(record.who as string).name, /^b[\0\ufffd]\ud800$/)
      await createUser(app)
      assert.equal((await records(app)).length, record.seq + 1)
    })

    it('contains no secret: no password, no hash, no key, no cookie', async (t) => {
      const app = await start(t, engine)
      const password = 'analytical engine no. 1'
      const { user_id } = await createUser(app, { username: 'ada', password })
      const { headers } = await app.call('POST', '/sessions', { body: { username: 'ada', password }, key: null })
      const cookie = String(headers['set-cookie']).match(/rollbook=([^;]+)/)?.[1] as string
      const created = await app.call('POST', '/keys', { body: { name: 'script', permissions: ['users:read'] } })
      const rotated = await app.call('POST', `/keys/${created.body.key_id}/rotate`)
      await app.call('POST', `/users/${user_id}/password`, { body: { password: 'difference engine no. 2' } })
      const text = JSON.stringify([await records(app), await events(app)])
      const secrets = [password, 'difference engine', '$argon2', cookie, created.body.key, rotated.body.key, adminKey]
      for (const secret of secrets) assert.ok(!text.includes(secret), secret)
      const hashes = await app.runSql('SELECT key_hash AS hash FROM api_keys')
      assert.ok(hashes.length >= 2)
      for (const { hash } of hashes) assert.ok(!text.includes(hash as string))
    })
  })
}
