// Takes long for its size.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { adminKey, type Engine, engines, everyEngine, type Started, start } from '../../../test/harness.ts'
import { skip, twoNodes, waitUntil } from '../../../test/nodes/nodes.ts'
import { assertWithin, stallMs } from '../../../test/time-limit.ts'
import { follow } from '../../../test/tokens/listener.ts'
import { bearer, makeKey, makePerson, signedIn, tokenOf } from '../../../test/tokens/parts.ts'
import { createLog } from '../../app/log.ts'
import { serve } from '../../app/serve.ts'
import { system } from '../../core/actor.ts'
import { loadConfig } from '../../core/config.ts'
import { AppError } from '../../core/errors.ts'
import { createFeed } from './feed.ts'

type Row = { seq: number; kind: string; id: string; credentials_version?: number; revoked_at: string }

const fetchRevocations = async (app: Started, query = ''): Promise<{ cursor: number; revocations: Row[] }> => {
  const response = await app.call('GET', `/revocations${query}`)
  assert.equal(response.status, 200, response.text)
  return response.body
}

/** Revokes a key and returns its id. */
async function endKey(app: Started): Promise<string> {
  const { key_id } = await makeKey(app, ['users:read'])
  assert.equal((await app.call('DELETE', `/keys/${key_id}`)).status, 200)
  return key_id
}

async function listening(
  t: TestContext,
  app: Started,
  ...[key = adminKey, options]: [(string | null)?, Parameters<typeof follow>[2]?]
) {
  const listener = await follow(await baseOf(app), key, options)
  t.after(() => listener.close())
  return listener
}

const bases = new WeakMap<Started, Promise<string>>()
function baseOf(app: Started): Promise<string> {
  if (!bases.has(app)) bases.set(app, app.listen())
  return bases.get(app) as Promise<string>
}

const holder = { kind: 'key', id: 'a key', organization_id: null } as const

const revokeTokens = async (app: Started, from: number, howMany: number): Promise<string[]> => {
  const ids = Array.from({ length: howMany }, (_, i) => `token-${from + i}`)
  const request = { actor: system, now: Date.now(), requestId: 'test' }
  for (let at = 0; at < ids.length; at += 10) {
    await Promise.all(
      ids.slice(at, at + 10).map((jti) => app.storage.change('tokens.revoke', { jti, holder }, request)),
    )
  }
  return ids
}

/** What was revoked before, as rows: a change for each takes thirty times as long. */
async function insertRevoked(app: Started, howMany: number): Promise<string[]> {
  const ids = Array.from({ length: howMany }, (_, i) => `token-${i}`)
  const now = new Date().toISOString()
  const rows = ids.map((id, i) => `(${i + 1}, 'token', '${id}', '${now}')`)
  await app.runSql(`INSERT INTO revoked (seq, kind, id, revoked_at) VALUES ${rows.join(', ')}`)
  return ids
}

async function startLimitless(t: TestContext, engine: Engine) {
  return start(t, engine, { env: { ROLLBOOK_RATE_LIMIT: '0' } })
}

for (const engine of everyEngine) {
  describe(`the revocation feed on ${engine.name}`, () => {
    it('reports what has ended, numbered without gaps, and continues from a cursor', async (t) => {
      const app = await start(t, engine)
      assert.deepEqual(await fetchRevocations(app), { cursor: 0, revocations: [] })
      const first = await endKey(app)
      const person = await signedIn(app)
      await app.call('PATCH', `/users/${person.user_id}`, { body: { active: false } })
      const { cursor, revocations } = await fetchRevocations(app)
      assert.deepEqual(
        revocations.map(({ seq }) => seq),
        revocations.map((_, i) => i + 1),
      )
      assert.equal(cursor, revocations.length)
      const received = revocations.map(({ kind, id, credentials_version }) => ({ kind, id, credentials_version }))
      assert.deepEqual(received[0], { kind: 'key', id: first, credentials_version: undefined })
      assert.ok(received.some(({ kind, id }) => kind === 'session' && id === person.session_id))
      assert.ok(
        received.some((one) => one.kind === 'user' && one.id === person.user_id && one.credentials_version === 1),
      )
      const second = await endKey(app)
      const next = await fetchRevocations(app, `?after=${cursor}`)
      assert.deepEqual(
        next.revocations.map(({ seq, kind, id }) => ({ seq, kind, id })),
        [{ seq: cursor + 1, kind: 'key', id: second }],
      )
      assert.deepEqual(await fetchRevocations(app, `?after=${next.cursor}`), { cursor: next.cursor, revocations: [] })
    })

    it('returns many in pieces, without losing one', async (t) => {
      const app = await startLimitless(t, engine)
      const ids = await insertRevoked(app, 2100)
      const found: string[] = []
      const sizes: number[] = []
      for (let cursor = 0; ; ) {
        const page = await fetchRevocations(app, `?after=${cursor}`)
        sizes.push(page.revocations.length)
        found.push(...page.revocations.map(({ id }) => id))
        if (page.revocations.length === 0) break
        cursor = page.cursor
      }
      assert.deepEqual(sizes, [1000, 1000, 100, 0])
      assert.deepEqual(found.sort(), ids.sort())
    })

    it('continues counting when everything old was deleted', async (t) => {
      const app = await start(t, engine)
      await endKey(app)
      const request = { actor: system, now: Date.now() + 16 * 60_000, requestId: 'test' }
      await app.storage.change('revocations.prune', { everyMs: 60_000 }, request)
      assert.deepEqual(await fetchRevocations(app), { cursor: 1, revocations: [] })
      const id = await endKey(app)
      assert.deepEqual(
        (await fetchRevocations(app, '?after=1')).revocations.map((one) => [one.seq, one.id]),
        [[2, id]],
      )
    })

    it('notifies listeners at once, and four times a second sends the age of its knowledge', async (t) => {
      const app = await start(t, engine)
      const listener = await listening(t, app)
      assert.equal(listener.headers.get('content-type'), 'text/event-stream')
      assert.equal(listener.headers.get('x-accel-buffering'), 'no')
      assert.equal(listener.headers.get('cache-control'), 'no-store')
      assert.equal(listener.headers.get('content-encoding'), null)
      const current = () => listener.events.filter(({ event }) => event === 'current')
      await listener.until('it hears', () => current().length > 0)
      const begun = performance.now()
      const id = await endKey(app)
      await listener.until('it is told', () => listener.revoked().includes(id), 1000)
      t.diagnostic(`told after ${Math.round(performance.now() - begun)} ms, the change included`)
      const received = listener.events.find(({ event }) => event === 'revoked')
      assert.equal(received?.id, '1')
      assert.deepEqual(Object.keys(JSON.parse(received?.data ?? '')), ['seq', 'kind', 'id', 'revoked_at'])
      const [before, since] = [current().length, performance.now()]
      await listener.until('it hears five times', () => current().length >= before + 5, 1500)
      assert.ok(performance.now() - since > 700, 'not more often')
      const heard = current().slice(before)
      for (const { data } of heard) {
        const { age_ms, cursor } = JSON.parse(data ?? '')
        assert.ok(age_ms >= 0 && age_ms < 750 + stallMs, `${age_ms}`)
        assert.equal(cursor, 1)
      }
    })

    it('sends a reconnecting client what it missed, once and in order, while more is revoked', async (t) => {
      const app = await startLimitless(t, engine)
      const old = await insertRevoked(app, 1500)
      const listener = await listening(t, app, adminKey, { headers: { 'last-event-id': '700' } })
      const [other, news] = await Promise.all([listening(t, app), revokeTokens(app, 1500, 200)])
      const all = old.length + news.length
      await listener.until('it has heard of all', () => listener.revoked().length >= all - 700, 8000)
      await other.until('the other too', () => other.revoked().length >= all, 8000)
      // A duplicate would have arrived before this one.
      const last = await endKey(app)
      await listener.until('the last', () => listener.revoked().includes(last))
      await other.until('the last too', () => other.revoked().includes(last))
      for (const [one, from] of [
        [listener, 701],
        [other, 1],
      ] as const) {
        const seqs = one.events.flatMap(({ event, id }) => (event === 'revoked' ? [Number(id)] : []))
        assert.deepEqual(
          seqs,
          Array.from({ length: all + 1 - from + 1 }, (_, i) => from + i),
        )
      }
    })
  })
}

for (const engine of engines) {
  describe(`the revocation feed on ${engine.name}`, () => {
    it('sends everything again to a client with a number of another database', async (t) => {
      const app = await start(t, engine)
      const id = await endKey(app)
      const { cursor, revocations } = await fetchRevocations(app, '?after=1000')
      assert.deepEqual([cursor, revocations.map((one) => one.id)], [1, [id]])
      const listener = await listening(t, app, adminKey, { headers: { 'last-event-id': '1000' } })
      await listener.until('it is told', () => listener.revoked().length > 0)
      assert.deepEqual(listener.revoked(), [id])
    })

    it('requires the permission, and refuses what it does not understand', async (t) => {
      const app = await start(t, engine)
      const { key } = await makeKey(app, ['users:read', 'keys:read'])
      assert.equal((await app.call('GET', '/revocations', { key })).body.code, 'permission_denied')
      assert.equal((await app.call('GET', '/revocations', { key: null })).body.code, 'credential_missing')
      for (const query of ['?after=-1', '?after=x', '?after=1.5', '?before=1', '?after=1&after=2']) {
        assert.equal((await app.call('GET', `/revocations${query}`)).status, 422, query)
      }
      const accept = 'text/html'
      assert.equal((await app.call('GET', '/revocations', { headers: { accept } })).body.code, 'not_acceptable')
      const headers = { accept: 'text/event-stream', 'last-event-id': 'x' }
      assert.equal((await app.call('GET', '/revocations', { headers })).body.code, 'malformed_header')
    })

    it('lets a client continue from the cursor of the list', async (t) => {
      const app = await start(t, engine)
      await endKey(app)
      const listener = await listening(t, app, adminKey, { after: (await fetchRevocations(app)).cursor })
      const id = await endKey(app)
      await listener.until('it is told', () => listener.revoked().length > 0)
      assert.deepEqual(listener.revoked(), [id])
    })

    it('ends within a second for a client whose credential has ended', async (t) => {
      const app = await start(t, engine)
      await baseOf(app) // From now on tokens contain the address where the service listens.
      const [mine, theirs] = [await makeKey(app, ['tokens:introspect']), await makeKey(app, ['tokens:introspect'])]
      const headers = bearer(await tokenOf(app, { key: theirs.key })).headers ?? {}
      const byKey = await listening(t, app, mine.key)
      const byToken = await listening(t, app, null, { headers })
      const other = await listening(t, app)
      await byToken.until('it hears', () => byToken.events.some(({ event }) => event === 'current'))
      for (const [{ key_id }, listener] of [
        [mine, byKey],
        [theirs, byToken],
      ] as const) {
        assert.equal((await app.call('DELETE', `/keys/${key_id}`)).status, 200)
        const begun = performance.now()
        await listener.whenEnded
        assertWithin(1000, begun)
      }
      const before = other.events.length
      await other.until('others go on', () => other.events.length > before + 1)
    })

    it('serves many clients with one reader, and refuses more than it can serve', async (t) => {
      const app = await startLimitless(t, engine)
      const feed = createFeed({ storage: app.storage, lifecycle: { stage: 'serving' }, log: createLog('silent') })
      t.after(() => feed.close())
      const listen = (actorId: string) => feed.listen({ actorId, after: undefined, mayListen: async () => true })
      const isRefused = (actorId: string) =>
        assert.throws(
          () => listen(actorId),
          (error) => error instanceof AppError && error.code === 'overloaded',
        )
      const texts = new Map<Readable, string>()
      const readEvents = (stream: Readable) =>
        stream.on('data', (chunk) => texts.set(stream, `${texts.get(stream) ?? ''}${chunk}`))
      const first = Array.from({ length: 128 }, () => readEvents(listen('a')))
      isRefused('a')
      const second = Array.from({ length: 128 }, () => readEvents(listen('b')))
      isRefused('c')
      const id = await endKey(app)
      const allAreTold = async () => [...first, ...second].every((stream) => texts.get(stream)?.includes(id))
      await waitUntil('each is told', 5000, allAreTold)
      for (const stream of first) stream.destroy()
      await setImmediate()
      listen('c') // A listener that leaves makes room.
      feed.close()
      await Promise.all(second.map((stream) => stream.closed || once(stream, 'close')))
    })

    it('drops a client that does not read, and continues for the others', async (t) => {
      const app = await startLimitless(t, engine)
      const { hostname, port } = new URL(await baseOf(app))
      const deaf = connect(Number(port), hostname)
      t.after(() => deaf.destroy())
      deaf.pause()
      deaf.on('error', () => {})
      deaf.write(
        `GET /auth/revocations HTTP/1.1\r\nhost: x\r\nx-api-key: ${adminKey}\r\naccept: text/event-stream\r\n\r\n`,
      )
      const other = await listening(t, app)
      await other.until('it hears', () => other.events.length > 1)
      // Long ids fill the connection's system buffers, some megabytes, with fewer revocations.
      const request = { actor: system, now: Date.now(), requestId: 'test' }
      let sent = 0
      const isCut = () => app.logLines().some((line) => line.includes('disconnected a client'))
      while (!isCut() && sent < 4000) {
        const jtis = Array.from({ length: 20 }, () => `${++sent}-${'x'.repeat(8000)}`)
        await Promise.all(jtis.map((jti) => app.storage.change('tokens.revoke', { jti, holder }, request)))
      }
      assert.ok(isCut(), `after ${sent}`)
      await other.until('the other has heard of all', () => other.revoked().length === sent, 10_000)
    })

    it('responds to HEAD without starting to listen', async (t) => {
      const app = await start(t, engine)
      const base = await baseOf(app)
      const headers = { 'x-api-key': adminKey, accept: 'text/event-stream' }
      const response = await fetch(`${base}/revocations`, { method: 'HEAD', headers })
      assert.deepEqual([response.status, await response.text()], [200, ''])
    })
  })
}

describe('the revocation feed of a stopping service', () => {
  it('ends cleanly, so that followers go to another node, and waits for none', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
    t.after(() => rmSync(directory, { recursive: true }))
    const env = { ROLLBOOK_DATA_DIR: directory, ROLLBOOK_PORT: '0', ROLLBOOK_ADMIN_KEY: adminKey }
    const running = await serve(loadConfig(env), createLog('silent'), (error) => assert.fail(error))
    const listener = await follow(running.url, adminKey)
    await listener.until('it hears', () => listener.events.some(({ event }) => event === 'current'))
    const begun = performance.now()
    await Promise.all([running.stop('test'), listener.whenEnded])
    assertWithin(3000, begun, 'The stop, which gives running requests 10 s,')
  })
})

describe('the revocation feed of several nodes', { skip }, () => {
  it('reports on each of them what was revoked on another, in the order of commits', async (t) => {
    const [one, two] = await twoNodes(t, { ROLLBOOK_RATE_LIMIT: '0' })
    const listeners = [await listening(t, one), await listening(t, two)]
    await Promise.all([revokeTokens(one, 0, 150), revokeTokens(two, 1000, 150), makePerson(one)])
    for (const listener of listeners) {
      await listener.until('all are told', () => listener.revoked().length === 300, 5000)
      const seqs = listener.events.flatMap(({ event, id }) => (event === 'revoked' ? [Number(id)] : []))
      assert.deepEqual(
        seqs,
        Array.from({ length: 300 }, (_, i) => i + 1),
      )
    }
    const begun = performance.now()
    const id = await endKey(one)
    await waitUntil('the other node tells it', 1000, async () => listeners[1]?.revoked().includes(id) ?? false)
    t.diagnostic(`told by the other node after ${Math.round(performance.now() - begun)} ms, the change included`)
  })
})
