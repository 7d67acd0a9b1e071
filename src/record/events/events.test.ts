import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { follow, page, readDirectory, replay } from '../../../test/events/directory.ts'
import { createUser, type Engine, engines, everyEngine, type Started, start } from '../../../test/harness.ts'
import { createPerson, openBrowser, password, signIn } from '../../../test/people.ts'
import { assertWithin } from '../../../test/time-limit.ts'
import { makeKey } from '../../../test/tokens/parts.ts'
import { system } from '../../core/actor.ts'
import type { CloudEvent } from './envelope.ts'

const typesOf = (events: readonly CloudEvent[]) => events.map(({ type }) => type)

const announceRoles = (app: Started) =>
  app.storage.change('roles.announce', undefined, { actor: system, now: Date.now(), requestId: 'test' })

/** A little of everything, in a known order. */
async function liveOn(app: Started) {
  const ada = await createPerson(app, { username: 'ada', role: 'admin' })
  await app.call('PATCH', `/users/${ada.user_id}`, { body: { first_name: 'Ada' } })
  const browser = await openBrowser(app, 'ada')
  const { key_id, key } = await makeKey(app, ['users:read'])
  await app.call('POST', `/keys/${key_id}/rotate`)
  await app.call('DELETE', `/keys/${key_id}`)
  await browser.call('DELETE', '/sessions/current')
  const grace = await createPerson(app, { username: 'grace' })
  await openBrowser(app, 'grace')
  await app.call('DELETE', `/users/${grace.user_id}`)
  return { ada, grace, browser, key }
}

for (const engine of everyEngine) {
  describe(`the change feed on ${engine.name}`, () => {
    it('reports each change once, in the order in which it happened, numbered without gaps', async (t) => {
      const app = await start(t, engine)
      await announceRoles(app)
      const { ada, grace } = await liveOn(app)
      const { events } = await page(app, '?limit=1000')
      const received = events.map(({ type, subject }) => [
        type,
        { [ada.user_id]: 'ada', [grace.user_id]: 'grace' }[subject],
      ])
      assert.deepEqual(received.slice(1), [
        ['role.created', undefined],
        ['role.created', undefined],
        ['user.created', 'ada'],
        ['user.updated', 'ada'],
        ['user.signed_in', 'ada'],
        ['session.created', undefined],
        ['key.created', undefined],
        ['key.rotated', undefined],
        ['key.revoked', undefined],
        ['session.ended', undefined],
        ['user.created', 'grace'],
        ['user.signed_in', 'grace'],
        ['session.created', undefined],
        ['session.ended', undefined],
        ['user.deleted', 'grace'],
      ])
      assert.deepEqual(
        events.map(({ sequence }) => Number(sequence)),
        events.map((_, i) => i + 1),
      )
      assert.equal(new Set(events.map(({ id }) => id)).size, events.length)
      assert.deepEqual(replay(events, { isWhole: true }), await readDirectory(app))
    })

    it('keeps only the ids of an erased user', async (t) => {
      const app = await start(t, engine)
      const { grace } = await liveOn(app)
      await app.storage.settleJournal()
      await app.runSql(`UPDATE events SET data = NULL WHERE owner_id = '${grace.user_id}'`)
      const { events } = await page(app, '?limit=1000&type=user.*&type=session.*')
      const erased = events.filter(({ data }) => data.erased !== undefined)
      const session_id = erased.find(({ type }) => type === 'session.created')?.subject
      const user = { user_id: grace.user_id, erased: true }
      assert.deepEqual(
        erased.map(({ data }) => data),
        [user, user, { ...user, session_id }, { ...user, session_id }, user],
      )
      assert.ok(!JSON.stringify(events).includes('grace'))
    })
  })
}

for (const engine of engines) {
  describe(`the change feed on ${engine.name}`, () => {
    it('contains nothing that did not happen, and no secret', async (t) => {
      const app = await start(t, engine)
      const { ada, browser, key } = await liveOn(app)
      const before = await follow(app)
      await app.call('PATCH', `/users/${ada.user_id}?dry_run=true`, { body: { first_name: 'Nobody' } })
      await app.call('DELETE', `/users/${ada.user_id}`) // The last administrator.
      await app.call('PATCH', `/users/${ada.user_id}`, { body: { first_name: 'Ada' } }) // No change.
      await app.call('POST', '/users', { body: { username: 'ada' } })
      await signIn(app, 'ada', 'not the password of ada')
      await app.call('GET', '/users')
      assert.deepEqual(await follow(app), before)
      const text = JSON.stringify(before)
      const [row] = await app.runSql(`SELECT password_hash FROM users WHERE user_id = '${ada.user_id}'`)
      for (const secret of [password, key, browser.cookie.split(/[=;]/)[1], row?.password_hash, '$argon2', 'hash']) {
        assert.ok(typeof secret === 'string' && secret.length > 3 && !text.includes(secret))
      }
    })

    it('gives only the types that are asked for, and passes over the others', async (t) => {
      const app = await start(t, engine)
      await liveOn(app)
      const all = await follow(app)
      const wanted = async (...types: string[]) =>
        (await page(app, `?limit=1000&${types.map((type) => `type=${type}`).join('&')}`)).events
      assert.deepEqual(
        await wanted('user.*'),
        all.filter(({ type }) => type.startsWith('user.')),
      )
      assert.deepEqual(typesOf(await wanted('user.deleted', 'key.*')), [
        'key.created',
        'key.created',
        'key.rotated',
        'key.revoked',
        'user.deleted',
      ])
      const { cursor, events } = await page(app, '?type=role.*')
      assert.deepEqual([Number(cursor), events], [all.length, []])
      // The last event that fits ends the page; the next one is not skipped.
      const first = await page(app, '?type=user.created&limit=1')
      assert.equal(
        (await page(app, `?type=user.created&limit=1&after=${first.cursor}`)).events[0]?.data.username,
        'grace',
      )
    })

    it('returns pages of the requested size, each linking to the next, until there is nothing new', async (t) => {
      const app = await start(t, engine)
      for (let i = 0; i < 7; i++) await createUser(app)
      const all = await follow(app)
      const sizes: number[] = []
      const found: CloudEvent[] = []
      for (let path = '/events?limit=3'; sizes.at(-1) !== 0; ) {
        const { body, headers } = await app.call('GET', path)
        sizes.push(body.events.length)
        found.push(...body.events)
        const [, next = ''] = /^<\/auth(\/events[^>]*)>; rel="next"$/.exec(headers.link ?? '') ?? []
        const query = new URLSearchParams(next.split('?')[1])
        assert.deepEqual([...query.keys()].sort(), ['after', 'feed_id', 'limit'])
        assert.deepEqual([query.get('after'), query.get('feed_id')], [body.cursor, headers['feed-id']])
        path = next
      }
      assert.deepEqual(sizes, [3, 3, 2, 0])
      assert.deepEqual(found, all)
      assert.deepEqual(await follow(app, { after: all[4]?.sequence ?? '' }), all.slice(5))
    })

    it('puts each event into the CloudEvents envelope, with a valid schema', async (t) => {
      const app = await start(t, engine)
      await announceRoles(app)
      await liveOn(app)
      const { events } = await page(app, '?limit=1000')
      const ajv = new Ajv2020({ strict: false, validateFormats: false })
      ajv.addSchema(app.document, 'openapi')
      for (const event of events) {
        // CloudEvents 1.0 rules for names and values of attributes.
        for (const name of Object.keys(event)) assert.match(name, /^[a-z0-9]{1,20}$/)
        assert.equal(event.specversion, '1.0')
        assert.ok(URL.canParse(event.source) && URL.canParse(event.dataschema))
        assert.equal(new Date(event.time).toISOString(), event.time)
        const [base, name = ''] = event.dataschema.split('/openapi.json#/components/schemas/')
        assert.equal(base, event.source)
        const noun = event.type.split('.')[0]
        assert.equal(name.toLowerCase(), `${noun}eventv1`)
        const isValid = ajv.compile({ $ref: `openapi#/components/schemas/${name}` })
        assert.ok(isValid(event.data), `${event.type}: ${ajv.errorsText(isValid.errors)}`)
        const id = { user: 'user_id', session: 'session_id', key: 'key_id', role: 'role' }[noun ?? ''] ?? ''
        assert.equal(event.data[id], event.subject)
      }
      // As text they sort like the numbers, even when these get another digit.
      assert.deepEqual(
        events.map(({ sequence }) => sequence).sort(),
        events.map(({ sequence }) => sequence),
      )
    })

    it('describes a user, session and key exactly as the API does', async (t) => {
      const app = await start(t, engine)
      const person = await createPerson(app)
      const { session_id } = await openBrowser(app, person.username)
      const { key_id } = await makeKey(app, ['users:read'], { expires_at: '2030-01-01T00:00:00Z' })
      const { events } = await page(app, '?type=user.signed_in&type=session.*&type=key.created')
      const of = (subject: string) => events.find((event) => event.subject === subject)?.data
      assert.deepEqual(of(person.user_id), (await app.call('GET', `/users/${person.user_id}`)).body)
      const [session] = (await app.call('GET', `/users/${person.user_id}/sessions`)).body
      const { last_seen_at: _, device: __, current: ___, ...remaining } = session
      assert.deepEqual(of(session_id), remaining)
      const keys: { key_id: string; last_used_at: unknown; managed: unknown }[] = (await app.call('GET', '/keys')).body
      const found = keys.find((one) => one.key_id === key_id)
      assert.ok(found)
      const { last_used_at: ____, managed: _____, ...key } = found
      assert.deepEqual(of(key_id), key)
    })

    it('responds in each of the supported formats', async (t) => {
      const app = await start(t, engine)
      for (let i = 0; i < 3; i++) await createUser(app)
      const get = (accept: string) => app.call('GET', '/events', { headers: { accept } })
      const json = await get('application/json')
      assert.equal(json.headers['content-type'], 'application/json; charset=utf-8')
      assert.equal(json.headers['cache-control'], 'no-store')
      assert.equal(json.headers.vary, 'accept, accept-encoding')
      const batch = await get('application/cloudevents-batch+json')
      assert.equal(batch.headers['content-type'], 'application/cloudevents-batch+json; charset=utf-8')
      assert.deepEqual(batch.body, json.body.events)
      assert.equal(batch.headers['feed-id'], json.body.feed_id)
      assert.ok(batch.headers.link?.includes(`after=${json.body.cursor}`))
      assert.equal((await get('text/html')).body.code, 'not_acceptable')
      assert.equal((await app.call('HEAD', '/events?wait=30')).status, 200)
      const url = `${await app.listen()}/events`
      const headers = { 'x-api-key': 'the-key-of-the-tests-0123456789abcdef', 'accept-encoding': 'gzip' }
      const { status, body } = await raw(url, headers)
      assert.equal(status, 200)
      assert.deepEqual(JSON.parse(gunzipSync(body).toString()).cursor, json.body.cursor)
    })

    it('waits for news when that is wanted, and not a moment longer', async (t) => {
      const app = await start(t, engine)
      const { cursor } = await page(app)
      const begun = performance.now()
      const [found] = await Promise.all([
        page(app, `?after=${cursor}&wait=30&type=user.*`),
        sleep(300).then(async () => {
          await makeKey(app, ['users:read']) // Not the awaited type.
          await createUser(app, { username: 'awaited' })
        }),
      ])
      assert.deepEqual(
        found.events.map(({ data }) => data.username),
        ['awaited'],
      )
      assert.ok(performance.now() - begun >= 300)
      assertWithin(1500, begun)
      const again = performance.now()
      assert.deepEqual((await page(app, `?after=${found.cursor}&wait=1`)).events, [])
      assert.ok(performance.now() - again >= 990)
      assertWithin(2000, again)
    })

    it('returns nothing to a caller whose credential ends while they wait', async (t) => {
      const app = await start(t, engine)
      const { key_id, key } = await makeKey(app, ['events:read'])
      const { cursor } = await page(app)
      const [response] = await Promise.all([
        app.call('GET', `/events?after=${cursor}&wait=30`, { key }),
        sleep(200).then(() => app.call('DELETE', `/keys/${key_id}`)),
      ])
      assert.deepEqual([response.status, response.body.code], [401, 'credential_invalid'])
    })

    it('lets a limited number of requests wait, at most half of them with one credential', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_RATE_LIMIT: '0' } })
      const { key } = await makeKey(app, ['events:read'])
      const { cursor } = await page(app)
      const wait = (credential?: string) =>
        app.call('GET', `/events?after=${cursor}&wait=30`, credential ? { key: credential } : {})
      const waiting = Array.from({ length: 129 }, () => wait())
      // One more than may wait.
      const refused = await Promise.race(waiting)
      assert.deepEqual([refused.status, refused.body.code], [503, 'overloaded'])
      const other = wait(key)
      assert.equal((await app.call('GET', '/events')).status, 200)
      await sleep(100)
      await createUser(app)
      const answers = await Promise.all([...waiting, other])
      for (const { status, body } of answers.filter((response) => response !== refused)) {
        assert.deepEqual([status, body.events.length], [200, 1])
      }
    })

    it('reports a cursor of another history, and a cursor it does not understand', async (t) => {
      const app = await start(t, engine)
      const { feed_id, cursor } = await page(app)
      assert.equal((await app.call('GET', `/events?after=${cursor}&feed_id=${feed_id}`)).status, 200)
      assert.equal((await app.call('GET', `/events?after=${cursor}@${feed_id.slice(0, 8)}`)).status, 200)
      // A client that starts over may still send the name of the old history.
      for (const after of ['', '&after=0']) {
        assert.equal((await page(app, `?feed_id=019a9f3e-0000-4000-8000-000000000000${after}`)).cursor, cursor)
      }
      for (const query of [
        `?after=${Number(cursor) + 1}`,
        `?after=${cursor}&feed_id=019a9f3e-0000-4000-8000-000000000000`,
        `?after=${cursor}&feed_id=`,
        `?after=${cursor}@00000000`,
        `?after=${Number.MAX_SAFE_INTEGER}`,
      ]) {
        for (const accept of ['application/json', 'text/event-stream']) {
          const { status, body } = await app.call('GET', `/events${query}`, { headers: { accept } })
          assert.deepEqual([status, body.code], [410, 'cursor_unknown'], query)
        }
      }
      for (const after of ['-1', 'x', '1.5.2', '1e3', '', '٣', `9${'0'.repeat(20)}`, '9999999999999999', '1.', '.1']) {
        const { status, body } = await app.call('GET', `/events?after=${encodeURIComponent(after)}`)
        assert.deepEqual([status, body.code], [400, 'bad_cursor'], after)
      }
      for (const query of ['limit=0', 'limit=1001', 'wait=31', 'wait=-1', 'type=', 'type=user', 'type=*', 'before=1']) {
        assert.equal((await app.call('GET', `/events?${query}`)).status, 422, query)
      }
      // A browser that was cut off sends nothing else.
      const other = { accept: 'text/event-stream', 'last-event-id': `${cursor}@00000000` }
      assert.equal((await app.call('GET', '/events', { headers: other })).body.code, 'cursor_unknown')
      const headers = { accept: 'text/event-stream', 'last-event-id': 'x' }
      assert.equal((await app.call('GET', '/events', { headers })).body.code, 'malformed_header')
    })

    it('requires the permission', async (t) => {
      const app = await start(t, engine)
      const { key } = await makeKey(app, ['users:read', 'audit:read', 'tokens:introspect'])
      assert.equal((await app.call('GET', '/events', { key })).body.code, 'permission_denied')
      assert.equal((await app.call('GET', '/events', { key: null })).body.code, 'credential_missing')
    })
  })
}

describe('the roles in the change feed', () => {
  for (const engine of engines) {
    it(`are reported when a start finds that they changed, and only once: ${engine.name}`, async (t) => {
      const rolesOf = (roles: object) => ({ env: { ROLLBOOK_ROLES: JSON.stringify(roles) } })
      const app = await startAndAnnounce(engine, t, rolesOf({ support: ['users:read'], constructor: ['a:b'] }))
      const received = async (from: Started) =>
        (await page(from, '?type=role.*')).events.map(({ type, data }) => [type, data.role, data.permissions])
      const first = [
        ['role.created', 'admin', ['*']],
        ['role.created', 'user', []],
        ['role.created', 'support', ['users:read']],
        ['role.created', 'constructor', ['a:b']],
      ]
      assert.deepEqual((await received(app)).sort(), [...first].sort())
      await announceRoles(app)
      assert.equal((await received(app)).length, first.length)
      if (engine.name !== 'PostgreSQL') return
      // Another node, with another configuration, on the same store.
      const next = await startAndAnnounce(engine, t, {
        ...rolesOf({ support: ['users:write'], boss: ['*'] }),
        beside: app,
      })
      assert.deepEqual((await received(next)).slice(first.length).sort(), [
        ['role.created', 'boss', ['*']],
        ['role.deleted', 'constructor', ['a:b']],
        ['role.updated', 'support', ['users:write']],
      ])
      assert.deepEqual(replay(await follow(next), { isWhole: true }).role, (await readDirectory(next)).role)
      const records = await app.runSql("SELECT what FROM audit_records WHERE action = 'roles.changed' ORDER BY seq")
      assert.deepEqual(
        records.map(({ what }) => Object.keys(JSON.parse(String(what)).changes).length),
        [4, 3],
      )
    })
  }
})

async function startAndAnnounce(engine: Engine, t: Parameters<typeof start>[0], options: Parameters<typeof start>[2]) {
  const app = await start(t, engine, options)
  await announceRoles(app)
  return app
}

/** fetch would decompress it. */
async function raw(url: string, headers: Record<string, string>): Promise<{ status: number; body: Buffer }> {
  const { get } = await import('node:http')
  return new Promise((resolve, reject) => {
    get(url, { headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }))
    }).on('error', reject)
  })
}
