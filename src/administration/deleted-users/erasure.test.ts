import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  adminKey,
  anyEngine,
  createUser,
  engines,
  everyEngine,
  onlyPostgres,
  type Started,
  start,
} from '../../../test/harness.ts'
import { mailEnv } from '../../../test/mails/mailing.ts'
import { createPerson, openBrowser, password, signIn } from '../../../test/people.ts'
import { connectTo } from '../../../test/scim/provider.ts'
import { eventually } from '../../../test/webhooks/dispatching.ts'
import { openForReading } from '../../cli/audit/read-store.ts'
import { system } from '../../core/actor.ts'
import { scopeOf } from '../../core/scope.ts'
import { verifyStore } from '../../record/audit/verify-store.ts'
import { recordedActor } from '../../record/journal/entry.ts'
import { userUrn } from '../../scim/protocol/urns.ts'
import { planList } from '../users-list/plan.ts'
import { eraseRound } from './eraser.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const env = { ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1', ROLLBOOK_RATE_LIMIT: '0' }

const purge = async (app: Started, userId: unknown, query = '') => {
  const response = await app.call('DELETE', `/users/${userId}?purge=true&override=true${query}`)
  assert.deepEqual([response.status, response.body.restorable_until], [200, null], response.text)
  return response
}

const round = (app: Started, atMs = Date.now()) => eraseRound(app.storage, atMs, 0)

/** Brings the waiting users into SQLite's search index, as the steps in the background do. */
async function fillSearchIndex(app: Started): Promise<void> {
  const request = { actor: system, now: Date.now(), requestId: 'test' }
  await app.storage.change('users.clean_search_index', { begins: true }, request)
}

async function settledSql(app: Started, text: string): Promise<Record<string, unknown>[]> {
  await app.storage.settleJournal()
  return app.runSql(text)
}

async function verified(app: Started): Promise<unknown> {
  await app.storage.settleJournal()
  const { db, close } = await openForReading(app.config)
  try {
    return (await verifyStore(db, {})).fault
  } finally {
    await close()
  }
}

type Life = { user_id: string; traces: Record<string, string> }

/** A user who has done everything that leaves a trace; each trace is unique. */
async function live(app: Started, tag: string): Promise<Life> {
  const name = (what: string) => `${what}${tag}zqx`
  const address = `198.51.100.${tag.length}7`
  const traces: Record<string, string> = {
    username: name('ada'),
    'earlier username': name('countess'),
    email: `${name('mail')}@example.com`,
    'first name': name('Augusta'),
    'last name': name('Lovelace'),
    'external id': name('hr'),
    'user agent': name('Browser'),
    address,
    'what a webhook answered': name('echo'),
  }
  const headers = { 'x-forwarded-for': address, 'user-agent': traces['user agent'] as string }
  const person = await createPerson(app, {
    username: traces['earlier username'] as string,
    email: traces.email as string,
    first_name: traces['first name'] as string,
    last_name: traces['last name'] as string,
    external_id: traces['external id'] as string,
    role: 'admin',
  })
  const { user_id } = person
  await app.call('PATCH', `/users/${user_id}`, { body: { username: traces.username } })
  await signIn(app, traces.username as string, 'a wrong password', headers)
  const signedIn = await signIn(app, traces.username as string, password, headers)
  assert.equal(signedIn.status, 201, signedIn.text)
  const cookie = String([signedIn.headers['set-cookie']].flat()[0]).split(';', 1)[0] as string
  const asThem = { key: null, headers: { ...headers, cookie, 'sec-fetch-site': 'same-origin' } }
  const other = await createUser(app, { role: 'admin' })
  assert.equal(
    (await app.call('PATCH', `/users/${other.user_id}`, { ...asThem, body: { first_name: 'X' } })).status,
    200,
  )
  await app.call('DELETE', `/users/${other.user_id}/lock`, asThem)
  await app.call('PATCH', `/users/${user_id}`, { ...asThem, body: { last_name: `${traces['last name']}-King` } })
  assert.equal((await app.call('POST', '/keys/x/rotate', asThem)).status, 404)
  await app.call('DELETE', `/users/${user_id}/sessions`)
  await signIn(app, traces.username as string, password, headers)
  const [row] = await app.runSql(`SELECT password_hash FROM users WHERE user_id = '${user_id}'`)
  traces['password hash'] = String(row?.password_hash)
  const attempts = JSON.stringify([{ response_status: 500, response_body: traces['what a webhook answered'] }])
  await app.runSql(`
    INSERT INTO webhook_endpoints (endpoint_id, url, description, active, secret, sealed, cursor, version, created_at, updated_at)
    SELECT 'e1', 'https://example.com', '', 1, 's', 0, 0, 1, '', '' WHERE NOT EXISTS (SELECT 1 FROM webhook_endpoints);
    INSERT INTO webhook_deliveries (delivery_id, endpoint_id, event_seq, event_id, order_key, type, status, attempt_count, attempts, created_at)
    VALUES ('${crypto.randomUUID()}', 'e1', 1, 'x', '${user_id}', 'user.created', 'dead', 1, '${attempts}', '')`)
  return { user_id, traces }
}

/** Returns which traces are found in the bytes of all stored files. */
async function found(app: Started, { traces }: Life): Promise<string[]> {
  const bytes = await app.stored()
  return Object.keys(traces).filter((what) => bytes.includes(traces[what] as string))
}

for (const engine of everyEngine) {
  describe(`an erased user on ${engine.name}`, () => {
    it('is not found by any search of the bytes, whatever they did, while others are', async (t) => {
      const app = await start(t, engine, { env })
      const [ada, bob] = [await live(app, 'a'), await live(app, 'bb')]
      await app.storage.settleJournal()
      await fillSearchIndex(app)
      assert.deepEqual(await found(app, ada), Object.keys(ada.traces), 'all of it is there before')
      await purge(app, ada.user_id)
      assert.deepEqual(await found(app, ada), [])
      assert.deepEqual(await found(app, bob), Object.keys(bob.traces))
      await round(app)
      await round(app, Date.now() + 11 * minuteMs)
      assert.deepEqual(await found(app, ada), [])
      assert.deepEqual(await found(app, bob), Object.keys(bob.traces))
      const [erasure] = await app.runSql('SELECT user_id, finished_at FROM erasures')
      assert.equal(erasure?.user_id, ada.user_id)
      assert.ok(erasure?.finished_at)
    })

    it('is not in what identity providers sent, while others are', async (t) => {
      const app = await start(t, engine, { env })
      const provider = await connectTo(app)
      const claims = (email: string) => JSON.stringify([{ claim: 'email', value: email }])
      const sent = async (tag: string) => {
        const [email, externalId] = [`mail-${tag}@Example.com`, `hr-${tag}`]
        const user = await provider.createUser({ userName: tag, externalId, emails: [{ value: email, primary: true }] })
        const path = `/Users/${user.id}`
        const refused = [
          await provider.patch(path, { op: 'replace', path: 'active', value: `${tag}-by-id` }),
          await provider.scim('POST', '/Users', { schemas: [userUrn], userName: tag, title: `${tag}-by-name` }),
          await provider.scim('POST', '/Users', {
            schemas: [userUrn],
            userName: ' ',
            externalId,
            title: `${tag}-by-hr`,
          }),
        ]
        assert.deepEqual(
          refused.map(({ status }) => status),
          [400, 409, 400],
        )
        await app.runSql(`INSERT INTO sign_in_failures (failure_id, connection_id, failed_at, request_id, reason, detail, claims)
          VALUES ('${crypto.randomUUID()}', 'c', '', 'r', 'email_unverified', '${tag}-detail', '${claims(email.toLowerCase())}')`)
        return user.id as string
      }
      const stored = async () => {
        const bytes = (await app.stored()).toString('latin1')
        return [...new Set(bytes.match(/zqx[ab]-(by-id|by-name|by-hr|detail)/g))].sort()
      }
      const all = (tag: string) => ['by-hr', 'by-id', 'by-name', 'detail'].map((what) => `${tag}-${what}`)
      const purged = await sent('zqxa')
      await sent('zqxb')
      await eventually('stored', async () => (await stored()).length === 8)
      await purge(app, purged)
      assert.deepEqual(await stored(), all('zqxb'))
    })

    it('is not in failed sign-ins of any kind of connection, in whatever form their names came', async (t) => {
      const app = await start(t, engine, { env })
      const body = { kind: 'oidc', name: 'Okta', issuer: 'https://id.example', client_id: 'c', client_secret: 's' }
      const { connection_id } = (await app.call('POST', '/connections', { body })).body
      const claim = (value: unknown) => JSON.stringify([{ claim: 'sub', value: JSON.stringify(value), notes: [] }])
      const fail = (id: string, claims: string, detail = '') =>
        app.runSql(`INSERT INTO sign_in_failures (failure_id, connection_id, failed_at, request_id, reason, detail, claims)
          VALUES ('${id}', '${connection_id}', '', 'r', 'no_user', '${detail}', '${claims}')`)
      const user = await createUser(app, { username: 'countess', email: 'countess@example.com', external_id: 'HR/7' })
      const { user_id } = user
      await app.call('PATCH', `/users/${user_id}`, { body: { username: 'Ada.Ö', email: 'ada@example.com' } })
      const link = { body: { connection_id, subject: '00u77' } }
      assert.equal((await app.call('POST', `/users/${user_id}/identities`, link)).status, 201)
      await fail('oidc', claim('Ada@Example.com'))
      await fail('list', claim(['ada@example.com', 'x@example.com']))
      await fail('deep', claim({ userinfo: JSON.stringify({ mail: 'ada@example.com' }) }))
      await fail('subject', claim('00u77'))
      await fail('dn', claim('CN=Ada.Ö,OU=People,DC=example'))
      await fail('windows', claim('EXAMPLE\\ada.ö'))
      await fail('former name', claim('countess'))
      await fail('former address', claim('countess@example.com'))
      await fail('external id', claim('hr/7'))
      await fail('percent', claim('https://id.example/?login_hint=ada%40example.com'))
      await fail('detail', '[]', 'No user has the address ada@example.com.')
      const others = [
        'madada@example.com',
        'ada@example.com.au',
        '00u777',
        'countess2',
        'ada@elsewhere.example',
        'hr/71',
      ]
      for (const other of others) await fail(`other ${other}`, claim(other))
      await purge(app, user_id)
      const left = await app.runSql('SELECT failure_id FROM sign_in_failures ORDER BY failure_id')
      assert.deepEqual(
        left.map(({ failure_id }) => failure_id),
        others.map((other) => `other ${other}`).sort(),
      )
    })

    it('is erased again from what running requests wrote a moment later', async (t) => {
      const app = await start(t, engine, { env })
      const { user_id } = await createPerson(app, { username: 'ada' })
      await purge(app, user_id)
      await round(app)
      const origin = { address: '198.51.100.9', user_agent: 'late-browser' }
      const witnessed = { now: Date.now(), requestId: 'late', origin }
      const actor = { kind: 'user', id: user_id, name: 'late-ada', permissions: [] } as const
      const target = { kind: 'user', id: user_id, name: 'late-ada', organization_id: null } as const
      const own = { actor, now: Date.now(), requestId: 'late', origin }
      await app.storage.change(
        'audit.record',
        [{ ...witnessed, entry: { action: 'authorization.refused', actor: recordedActor(actor) } }],
        own,
      )
      const failed = { action: 'session.created', outcome: 'failure', target } as const
      const nobody = { kind: 'anonymous', id: '', name: '' } as const
      await app.storage.change('audit.record', [{ ...witnessed, entry: { ...failed, actor: nobody } }], own)
      await app.storage.settleJournal()
      await app.runSql(
        `INSERT INTO sign_in_throttles VALUES ('user:${user_id}:username:198.51.100.9', 1, '', '${new Date().toISOString()}')`,
      )
      assert.ok((await app.stored()).includes('late-browser'))
      await round(app, Date.now() + 5 * minuteMs)
      assert.equal((await app.runSql('SELECT finished_at FROM erasures'))[0]?.finished_at, null)
      await round(app, Date.now() + 11 * minuteMs)
      const bytes = await app.stored()
      for (const trace of ['late-ada', 'late-browser', '198.51.100.9']) assert.ok(!bytes.includes(trace), trace)
      assert.equal(await verified(app), undefined)
      await round(app, Date.now() + 12 * minuteMs)
      assert.ok((await app.runSql('SELECT finished_at FROM erasures'))[0]?.finished_at)
      const erased = await app.runSql(`SELECT seq FROM audit_records WHERE action = 'user.erased'`)
      assert.equal(erased.length, 2, 'one that says so again of what came after the first')
    })

    it('is erased even if a release before the journal deleted them', async (t) => {
      const app = await start(t, engine, { env })
      const { user_id } = (await createUser(app, { username: 'left-behind' })) as { user_id: string }
      await app.storage.settleJournal()
      // Like 0.1.0: no event, no record.
      await app.runSql(`DELETE FROM users WHERE user_id = '${user_id}'`)
      assert.ok((await app.runSql('SELECT data FROM events')).some(({ data }) => String(data).includes('left-behind')))
      const response = await purge(app, user_id)
      assert.deepEqual([response.status, response.body.restorable_until], [200, null])
      const reported = await settledSql(app, `SELECT type, data FROM events WHERE owner_id = '${user_id}' ORDER BY seq`)
      assert.deepEqual(
        reported.map(({ type, data }) => [type, data]),
        [
          ['user.created', null],
          ['user.erased', null],
        ],
      )
      assert.ok(
        !(await app.runSql('SELECT what FROM audit_records')).some(({ what }) => String(what).includes('left-behind')),
      )
      assert.equal((await app.call('DELETE', `/users/${user_id}?purge=true`)).status, 404)
    })

    it('can have many stored responses of receivers, which are deleted in batches', async (t) => {
      const app = await start(t, engine)
      const { user_id } = (await createUser(app, { username: 'busy' })) as { user_id: string }
      const now = new Date().toISOString()
      await app.runSql(`INSERT INTO webhook_endpoints (endpoint_id, url, description, active, secret, sealed, cursor, version,
        created_at, updated_at) VALUES ('e', 'https://hooks.example.com/', '', 0, 'x', 0, 0, 1, '${now}', '${now}')`)
      const numbers =
        engine.name === 'SQLite'
          ? '(WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 4500) SELECT n FROM n) AS n'
          : 'generate_series(1, 4500) AS n'
      await app.runSql(`INSERT INTO webhook_deliveries (delivery_id, endpoint_id, event_seq, event_id, order_key, type, status,
        attempt_count, attempts, created_at) SELECT 'd' || n, 'e', n, 'x', '${user_id}', 'user.updated', 'delivered', 1,
        '[{"response_body":"busy-canary"}]', '${now}' FROM ${numbers}`)
      const left = async () => {
        const [row] = await app.runSql(`SELECT count(*) AS n FROM webhook_deliveries WHERE attempts LIKE '%canary%'`)
        return Number(row?.n)
      }
      await app.call('DELETE', `/users/${user_id}`)
      const request = { actor: system, now: Date.now() + 8 * dayMs, requestId: 'test' }
      await app.storage.change('users.begin_erasures', { everyMs: 0 }, request)
      const { result } = await app.storage.change('users.sweep', { user_id }, request)
      assert.deepEqual([await left(), result?.more], [2500, true])
      await round(app, request.now)
      assert.equal(await left(), 0)
    })

    it('can have many records: they are erased in batches, and a crash does not restart it', async (t) => {
      const records = Number(process.env.ROLLBOOK_TEST_RECORDS ?? 3000)
      const app = await start(t, engine)
      const { user_id } = (await createUser(app, { username: 'busy' })) as { user_id: string }
      await app.storage.settleJournal()
      const numbers =
        engine.name === 'SQLite'
          ? `(WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${records}) SELECT n FROM n) AS n`
          : `generate_series(1, ${records}) AS n`
      await app.runSql(`
        INSERT INTO audit_records (seq, record_id, occurred_at, action, outcome, actor_kind, actor_id, target_kind,
          target_id, request_id, who, what, who_digest, what_digest, hash)
        SELECT (SELECT max(seq) FROM audit_records) + n, '', '', 'user.updated', 'success', 'user', '${user_id}', 'user',
          '', '', '{"name":"busy-canary","address":"198.51.100.1"}', '{"name":"somebody"}', '', '', '' FROM ${numbers}`)
      const left = async () => {
        const [row] = await app.runSql(`SELECT count(*) AS n FROM audit_records WHERE who LIKE '%busy-canary%'`)
        return Number(row?.n)
      }
      await app.call('DELETE', `/users/${user_id}`)
      const request = { actor: system, now: Date.now() + 8 * dayMs, requestId: 'test' }
      await app.storage.change('users.begin_erasures', { everyMs: 0 }, request)
      await app.storage.change('users.sweep', { user_id }, request)
      const after = await left()
      assert.ok(after > 0 && after < records, `${after} of ${records}`)
      // A node is lost here; the next round of any node continues.
      const [erasure] = await app.runSql('SELECT actor_seq FROM erasures')
      assert.ok(Number(erasure?.actor_seq) >= records - after)
      const started = performance.now()
      const slow = round(app, request.now)
      // It does not delay others.
      let longest = 0
      while ((await Promise.race([slow.then(() => 'done'), sleep(5)])) !== 'done') {
        const before = performance.now()
        await createUser(app)
        longest = Math.max(longest, performance.now() - before)
      }
      t.diagnostic(
        `${records} records in ${Math.round(performance.now() - started)} ms; a create at most ${Math.round(longest)} ms`,
      )
      assert.equal(await left(), 0)
      const [others] = await app.runSql(`SELECT count(*) AS n FROM audit_records WHERE what = '{"name":"somebody"}'`)
      assert.equal(Number(others?.n), records, 'what was done to others is still told')
    })
  })
}

for (const engine of engines) {
  describe(`an erased user on ${engine.name}`, () => {
    it('is erased as well when the grace is over, and not before', async (t) => {
      const app = await start(t, engine, { env })
      const [ada, bob] = [await live(app, 'a'), await live(app, 'bb')]
      await app.call('DELETE', `/users/${ada.user_id}`)
      const traces = await found(app, ada)
      assert.ok(traces.includes('password hash') && traces.includes('email'), 'it is kept meanwhile')
      await round(app, Date.now() + 7 * dayMs - minuteMs)
      assert.deepEqual(await found(app, ada), traces)
      await round(app, Date.now() + 7 * dayMs + minuteMs)
      assert.deepEqual(await found(app, ada), [])
      assert.deepEqual(await found(app, bob), Object.keys(bob.traces))
      assert.equal((await app.call('POST', `/users/${ada.user_id}/restore`)).status, 404)
      const [record] = await settledSql(
        app,
        `SELECT actor_kind, actor_id, target_id FROM audit_records WHERE action = 'user.erased'`,
      )
      assert.deepEqual(record, { actor_kind: 'system', actor_id: 'system', target_id: ada.user_id })
      assert.equal(await verified(app), undefined)
    })

    it('is in no message and no link, while others are', async (t) => {
      const app = await start(t, engine, { env: mailEnv })
      const invite = async (username: string) => {
        const { user_id } = await createUser(app, { username, email: `${username}@example.com` })
        const invited = await app.call('POST', `/users/${user_id}/invitation`, { body: {} })
        assert.deepEqual([invited.status, invited.body.sent], [200, true], invited.text)
        return user_id
      }
      const [ada, bob] = [await invite('ada'), await invite('bob')]
      await purge(app, ada)
      for (const table of ['mails', 'user_links']) {
        assert.deepEqual(await app.runSql(`SELECT user_id FROM ${table}`), [{ user_id: bob }], table)
      }
    })

    it("is announced to followers of the events, which no longer contain the user's data", async (t) => {
      const app = await start(t, engine, { env })
      const ada = await live(app, 'a')
      const { user_id } = await createUser(app)
      await purge(app, ada.user_id)
      const events = await settledSql(app, `SELECT type, owner_id, data FROM events ORDER BY seq`)
      const theirs = events.filter(({ owner_id }) => owner_id === ada.user_id)
      assert.deepEqual(
        theirs.slice(-3).map(({ type }) => type),
        ['session.ended', 'user.deleted', 'user.erased'],
      )
      assert.ok(theirs.length > 8 && theirs.every(({ data }) => data === null))
      assert.ok(events.some(({ owner_id, data }) => owner_id === user_id && data !== null))
    })

    it('is a pseudonym in the audit, which still verifies and distinguishes erased users', async (t) => {
      const app = await start(t, engine, { env })
      const [ada, bob] = [await live(app, 'a'), await live(app, 'bb')]
      const records = `SELECT action, target_id FROM audit_records WHERE actor_id = '${ada.user_id}' ORDER BY seq`
      const before = await settledSql(app, records)
      assert.ok(before.length >= 5)
      await purge(app, ada.user_id)
      assert.deepEqual(await settledSql(app, records), before)
      const [rest] = await app.runSql(`
        SELECT count(*) AS n FROM audit_records WHERE (actor_id = '${ada.user_id}' AND who IS NOT NULL)
          OR (target_id = '${ada.user_id}' AND (what IS NOT NULL OR (actor_kind = 'anonymous' AND who IS NOT NULL)))`)
      assert.equal(Number(rest?.n), 0)
      // Changes by administrators still show the administrators' names.
      const stored = await app.runSql(`
        SELECT count(*) AS n FROM audit_records
        WHERE target_id = '${ada.user_id}' AND actor_kind = 'api_key' AND who IS NOT NULL`)
      assert.ok(Number(stored[0]?.n) >= 3)
      const erased = await app.runSql(`SELECT target_id, what FROM audit_records WHERE action = 'user.erased'`)
      assert.deepEqual(erased, [{ target_id: ada.user_id, what: null }])
      assert.equal(await verified(app), undefined)
      await purge(app, bob.user_id)
      assert.equal(await verified(app), undefined)
    })

    it('can be the administrator who requests it', async (t) => {
      const app = await start(t, engine, { env })
      await createPerson(app, { role: 'admin' })
      const ada = await createPerson(app, { username: 'ada-of-canary', role: 'admin' })
      const browser = await openBrowser(app, ada.username)
      await fillSearchIndex(app)
      assert.equal((await browser.call('DELETE', `/users/${ada.user_id}?purge=true`)).status, 200)
      assert.ok(!(await app.stored()).includes('ada-of-canary'))
      assert.equal(await verified(app), undefined)
      assert.equal((await browser.call('GET', '/me')).status, 401)
    })

    it('is erased at once without a grace period, and then cannot be restored', async (t) => {
      const app = await start(t, engine, { env: { ...env, ROLLBOOK_DELETION_GRACE_DAYS: '0' } })
      const ada = await live(app, 'a')
      const response = await app.call('DELETE', `/users/${ada.user_id}`)
      assert.deepEqual(response.body, { user_id: ada.user_id, deleted: true, restorable_until: null })
      assert.deepEqual(await found(app, ada), [])
      assert.equal((await app.call('POST', `/users/${ada.user_id}/restore`)).status, 404)
    })

    it('can have been deleted before, and is then purged by anyone with the permission to delete them', async (t) => {
      const app = await start(t, engine, { env })
      const ada = await live(app, 'a')
      await app.call('DELETE', `/users/${ada.user_id}`)
      const { key } = (await app.call('POST', '/keys', { body: { name: 'k', permissions: ['users:write'] } })).body
      const weak = await app.call('DELETE', `/users/${ada.user_id}?purge=true`, { key })
      assert.deepEqual([weak.status, weak.body.code], [403, 'user_outranks_caller'])
      const stale = await app.call('DELETE', `/users/${ada.user_id}?purge=true`, { headers: { 'if-match': '"1"' } })
      assert.equal(stale.body.code, 'precondition_failed')
      const dry = await purge(app, ada.user_id, '&dry_run=true')
      assert.equal(dry.body.deleted, false)
      assert.equal((await app.call('GET', '/deleted-users')).body.length, 1)
      assert.ok((await found(app, ada)).length > 5)
      await purge(app, ada.user_id)
      assert.deepEqual((await app.call('GET', '/deleted-users')).body, [])
      assert.deepEqual(await found(app, ada), [])
      assert.equal((await app.call('DELETE', `/users/${ada.user_id}?purge=true`)).body.code, 'user_not_found')
    })

    it('must be known, and not be the last administrator', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createPerson(app, { role: 'admin' })
      const last = await app.call('DELETE', `/users/${user_id}?purge=true`)
      assert.deepEqual([last.status, last.body.code], [409, 'last_admin'])
      for (const id of ['019a9f3e-0000-7000-8000-000000000000', 'x']) {
        const response = await app.call('DELETE', `/users/${id}?purge=true`)
        assert.deepEqual([response.status, response.body.code], [404, 'user_not_found'])
      }
      await createUser(app, { role: 'admin' })
      const dry = await purge(app, user_id, '&dry_run=true')
      assert.deepEqual([dry.body.deleted, dry.headers['dry-run']], [false, 'true'])
      assert.deepEqual(await app.runSql('SELECT user_id FROM erasures'), [])
      assert.equal((await app.call('GET', `/users/${user_id}`)).status, 200)
    })
  })
}

describe('the files of SQLite', () => {
  const engine = anyEngine

  it('keep no part of an erased name in the search index', async (t) => {
    const app = await start(t, engine)
    // Each of their trigrams is unique.
    const { user_id } = await createUser(app, { username: '龘靐齉', first_name: 'Ξξψ' })
    for (let n = 0; n < 50; n++) await createUser(app)
    const indexed = async () => {
      while (Number((await app.runSql('SELECT count(*) AS n FROM search_pending'))[0]?.n) > 0) await sleep(20)
    }
    await indexed()
    const isThere = async () => (await app.stored()).includes('齉')
    const inIndex = async () =>
      (await app.runSql(`SELECT count(*) AS n FROM users_search_data WHERE instr(block, CAST('靐齉' AS BLOB))`))[0]?.n
    assert.ok(Number(await inIndex()) > 0)
    await purge(app, user_id)
    await round(app)
    assert.equal(await inIndex(), 0)
    assert.equal(await isThere(), false)
    assert.equal((await app.call('GET', '/users?q=user&count=true&limit=1')).headers['total-count'], '50')
  })

  it('contain no erased data as soon as no reader uses an older state', async (t) => {
    const app = await start(t, engine)
    const { user_id } = await createUser(app, { username: 'ada-of-canary' })
    const snapshot = await app.storage.openSnapshot('users.list', planList(scopeOf(system), {}, 'json'), {
      actor: system,
    })
    await purge(app, user_id)
    await round(app)
    assert.ok((await app.stored()).includes('ada-of-canary'), 'the reader still has it')
    assert.deepEqual(await app.runSql('SELECT blanked > scrubbed AS waits FROM erasures'), [{ waits: 1 }])
    snapshot.close()
    await sleep(50)
    await round(app)
    assert.ok(!(await app.stored()).includes('ada-of-canary'))
    assert.deepEqual(await app.runSql('SELECT blanked > scrubbed AS waits FROM erasures'), [{ waits: 0 }])
  })

  it('contain no data of many users who were created, changed and erased among others', async (t) => {
    const app = await start(t, engine, { env: { ROLLBOOK_DELETION_GRACE_DAYS: '0', ROLLBOOK_RATE_LIMIT: '0' } })
    const deleted: unknown[] = []
    const random = () => crypto.randomUUID().replaceAll('-', '')
    await Promise.all(
      Array.from({ length: 600 }, async (_, n) => {
        const kind = n % 3 ? 'stays' : 'vanishes'
        const { user_id } = await createUser(app, {
          username: `${random()}-${kind}`,
          email: `${random()}@${kind}.example`,
        })
        await app.call('PATCH', `/users/${user_id}`, { body: { first_name: `${kind}-${random().repeat(n % 7)}` } })
        if (kind === 'vanishes') deleted.push(user_id)
      }),
    )
    for (const user_id of deleted) assert.equal((await app.call('DELETE', `/users/${user_id}`)).status, 200)
    await round(app)
    const bytes = await app.stored()
    assert.ok(bytes.includes('stays'))
    assert.equal(bytes.indexOf('vanishes'), -1)
    assert.equal((await app.call('GET', '/users?limit=1&count=true')).headers['total-count'], '400')
    assert.deepEqual(await app.runSql('PRAGMA freelist_count'), [{ freelist_count: 0 }], 'it was written anew')
    assert.deepEqual(await app.runSql('PRAGMA integrity_check'), [{ integrity_check: 'ok' }])
  })
})

for (const engine of onlyPostgres) {
  describe(`the job that erases, on two nodes on ${engine.name}`, () => {
    it('runs on one of them', async (t) => {
      const here = await start(t, engine)
      const there = await start(t, engine, { beside: here })
      const users = await Promise.all(Array.from({ length: 5 }, () => createUser(here)))
      for (const { user_id } of users) await here.call('DELETE', `/users/${user_id}`, { key: adminKey })
      const at = Date.now() + 8 * dayMs
      await Promise.all([here, there, here, there].map(({ storage }) => eraseRound(storage, at, minuteMs)))
      const records = await settledSql(here, `SELECT target_id FROM audit_records WHERE action = 'user.erased'`)
      assert.deepEqual(
        records.map(({ target_id }) => target_id).toSorted(),
        users.map(({ user_id }) => user_id).toSorted(),
      )
    })
  })
}
