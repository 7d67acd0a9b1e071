import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { type Answer, adminKey, createUser, type Engine, engines, type Started, start } from '../../../test/harness.ts'
import { createPerson, openBrowser, signIn } from '../../../test/people.ts'
import type { AuditRecord } from './schema.ts'

const ndjson = { accept: 'application/x-ndjson' }
const unknownId = '019a9f3e-0000-7000-8000-000000000000'

async function list(app: Started, query = '', path = '/audit'): Promise<AuditRecord[]> {
  const response = await app.call('GET', `${path}?${query}`)
  assert.equal(response.status, 200, response.text)
  return response.body
}

function linesOf({ text }: Answer): AuditRecord[] {
  assert.ok(text === '' || text.endsWith('\n'))
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

const seqsOf = (records: readonly AuditRecord[]) => records.map(({ seq }) => seq)

/** Several users doing several things: some twenty records, at least one of each kind. */
async function startBusy(t: TestContext, engine: Engine) {
  const app = await start(t, engine)
  const ada = await createPerson(app, { username: 'ada' })
  const { user_id: bob } = (await createUser(app, { username: 'bob' })) as { user_id: string }
  for (const first_name of ['B.', 'Bo', 'Bob', 'Bobby']) {
    await app.call('PATCH', `/users/${bob}`, {
      body: { first_name },
      headers: { 'x-request-id': `patch-${first_name}` },
    })
  }
  await signIn(app, 'ada', 'not the password of ada')
  const browser = await openBrowser(app, 'ada')
  await browser.call('PATCH', '/me', { body: { last_name: 'Lovelace' } })
  assert.equal((await browser.call('GET', '/users')).status, 403)
  await app.call('POST', '/keys', { body: { name: 'reader', permissions: ['audit:read'] } })
  await app.call('DELETE', `/users/${bob}`)
  return { app, ada: ada.user_id, bob, everything: await list(app, 'limit=1000&sort=seq') }
}

/** 20,000 records, more than the sockets between us can buffer. */
async function fill(app: Started, { name }: Engine): Promise<void> {
  await app.storage.settleJournal()
  const numbers =
    name === 'SQLite'
      ? 'SELECT 100 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000'
      : 'SELECT n FROM generate_series(100, 20000) AS n'
  const text = `'{"name":"${'x'.repeat(1000)}"}'`
  await app.runSql(`
    WITH RECURSIVE numbers (n) AS (${numbers})
    INSERT INTO audit_records (seq, record_id, occurred_at, action, outcome, actor_kind, actor_id, request_id, who,
      who_digest, what_digest, hash)
    SELECT n, 'x', '2026-11-20T09:30:00.000Z', 'user.updated', 'success', 'user', 'x', 'x', ${text}, 'x', '', 'x'
    FROM numbers`)
}

for (const engine of engines) {
  describe(`the audit on ${engine.name}`, () => {
    it('shows who did what to whom, from where, and the values before', async (t) => {
      const { app, bob } = await startBusy(t, engine)
      const [record] = await list(app, 'request_id=patch-Bobby')
      assert.ok(record)
      const { key_id } = record.actor
      assert.ok(key_id)
      const { seq, record_id, occurred_at, hash, ...rest } = record
      assert.match(record_id, /^[\da-f-]{36}$/)
      assert.ok(Math.abs(Date.parse(occurred_at) - Date.now()) < 60_000)
      assert.match(hash, /^[\da-f]{64}$/)
      assert.deepEqual(rest, {
        action: 'user.updated',
        outcome: 'success',
        code: null,
        actor: { kind: 'api_key', id: key_id, name: 'admin (configuration)', key_id, session_id: null },
        target: { kind: 'user', id: bob, name: 'bob' },
        changes: { first_name: { before: 'Bob', after: 'Bobby' } },
        details: null,
        address: '127.0.0.1',
        user_agent: 'lightMyRequest',
        request_id: 'patch-Bobby',
        erased: false,
      })
    })

    it('is numbered without gaps, newest first, and each page continues where the previous one ended', async (t) => {
      const { app, everything } = await startBusy(t, engine)
      const seqs = seqsOf(everything)
      assert.deepEqual(
        seqs,
        seqs.map((_, i) => i + 1),
      )
      assert.deepEqual(await list(app), everything.toReversed())
      for (const sort of ['seq', '-seq']) {
        const pages: AuditRecord[] = []
        let path: string | undefined = `/audit?limit=3&sort=${sort}&actor_kind=api_key`
        while (path !== undefined) {
          const response = await app.call('GET', path)
          assert.ok(response.body.length <= 3)
          pages.push(...response.body)
          path = /^<\/auth(\/audit\?[^>]+)>; rel="next"$/.exec(response.headers.link ?? '')?.[1]
          // New records do not shift the pages.
          if (sort === '-seq') await createUser(app)
        }
        const expected = everything.filter(({ actor }) => actor.kind === 'api_key')
        assert.deepEqual(
          seqsOf(pages).slice(0, expected.length),
          seqsOf(sort === 'seq' ? expected : expected.toReversed()),
        )
      }
    })

    it('finds by each filter, and by several at once, exactly the records that match', async (t) => {
      const { app, ada, bob, everything } = await startBusy(t, engine)
      const middle = everything[7]?.occurred_at as string
      const cases: [query: string, matches: (record: AuditRecord) => boolean][] = [
        [`actor=${ada}`, ({ actor }) => actor.id === ada],
        [`target=${bob}`, ({ target }) => target?.id === bob],
        [`target=${bob}&actor=${ada}`, () => false],
        ['actor_kind=user', ({ actor }) => actor.kind === 'user'],
        ['actor_kind=anonymous', ({ actor }) => actor.kind === 'anonymous'],
        ['actor_kind=system', ({ actor }) => actor.kind === 'system'],
        ['actor_kind=service', () => false],
        [`actor_kind=api_key&actor=${ada}`, () => false],
        ['action=user.updated', ({ action }) => action === 'user.updated'],
        ['action=user.*', ({ action }) => action.startsWith('user.')],
        [
          'action=user.created&action=session.*&action=user.created',
          ({ action }) => action === 'user.created' || action.startsWith('session.'),
        ],
        ['action=nothing.*', () => false],
        [`action=user.*&target=${bob}`, ({ action, target }) => action.startsWith('user.') && target?.id === bob],
        ['outcome=denied', ({ outcome }) => outcome === 'denied'],
        ['outcome=failure', ({ outcome }) => outcome === 'failure'],
        [
          'changed=first_name',
          ({ action, changes }) => action === 'user.updated' && Object.hasOwn(changes ?? {}, 'first_name'),
        ],
        ['changed=role', () => false],
        [`occurred_after=${middle}`, ({ occurred_at }) => occurred_at > middle],
        [`occurred_before=${middle}`, ({ occurred_at }) => occurred_at < middle],
        ['request_id=patch-Bo', ({ request_id }) => request_id === 'patch-Bo'],
        [`actor=${encodeURIComponent('\0')}`, () => false],
        [`target=${encodeURIComponent("' OR 1=1 --")}`, () => false],
      ]
      for (const [query, matches] of cases) {
        const expected = everything.filter(matches)
        assert.deepEqual(await list(app, `${query}&sort=seq`), expected, query)
        assert.deepEqual(await list(app, query), expected.toReversed(), query)
        assert.deepEqual(linesOf(await app.call('GET', `/audit?${query}`, { headers: ndjson })), expected, query)
      }
      for (const kind of ['anonymous', 'user', 'api_key', 'system']) {
        assert.ok(
          everything.some(({ actor }) => actor.kind === kind),
          kind,
        )
      }
      for (const outcome of ['denied', 'failure']) {
        assert.ok(
          everything.some((record) => record.outcome === outcome),
          outcome,
        )
      }
    })

    it('finds the changes of one member, not values that look like it, nor what was created or deleted', async (t) => {
      const { app, bob } = await startBusy(t, engine)
      await createUser(app, { role: 'admin' })
      const { user_id } = await createUser(app, { username: 'carol', first_name: '"role":{"before":"user"' })
      const change = (body: object) => app.call('PATCH', `/users/${user_id}`, { body })
      await change({ role: 'admin' })
      await change({ last_name: '"role":"changed"' })
      await change({ role: 'user', first_name: '' })
      await change({ password: 'analytical engine no. 1' })
      await app.call('DELETE', `/users/${user_id}`)
      const membersOf = (records: AuditRecord[]) => records.map(({ changes }) => changes?.role)
      const changed = [
        { before: 'admin', after: 'user' },
        { before: 'user', after: 'admin' },
      ]
      assert.deepEqual(membersOf(await list(app, 'changed=role')), changed)
      assert.deepEqual(membersOf(await list(app, 'changed=role', `/users/${user_id}/audit`)), changed)
      assert.deepEqual(membersOf(await list(app, `changed=role&target=${bob}`)), [])
      const [password, ...others] = await list(app, `changed=password&target=${user_id}`)
      assert.equal(password?.changes?.password, 'changed')
      assert.deepEqual(others, [])
    })

    it('finds records far apart that no index locates', async (t) => {
      const app = await start(t, engine)
      await app.storage.settleJournal()
      const seqs = [99_998, 100_000, 100_001, 200_003, 399_999, 400_000]
      const row = (seq: number) =>
        `(${seq}, 'x', '2026-11-20T09:30:00.000Z', 'user.updated', 'denied', 'service', 'x', 'far', '', '', '${'0'.repeat(64)}')`
      await app.runSql(`
        INSERT INTO audit_records (seq, record_id, occurred_at, action, outcome, actor_kind, actor_id, request_id,
          who_digest, what_digest, hash)
        VALUES ${seqs.map(row).join(', ')}`)
      for (const query of ['request_id=far', 'outcome=denied&actor=x', 'actor_kind=service&action=user.*']) {
        assert.deepEqual(seqsOf(await list(app, `${query}&sort=seq`)), seqs)
        assert.deepEqual(seqsOf(await list(app, query)), seqs.toReversed())
        assert.deepEqual(seqsOf(linesOf(await app.call('GET', `/audit?${query}`, { headers: ndjson }))), seqs)
        const pages: number[] = []
        let path: string | undefined = `/audit?limit=1&${query}`
        while (path !== undefined) {
          const { body, headers }: Answer = await app.call('GET', path)
          pages.push(...seqsOf(body))
          path = /^<\/auth(\/audit\?[^>]+)>; rel="next"$/.exec(headers.link ?? '')?.[1]
        }
        assert.deepEqual(pages, seqs.toReversed())
      }
    })

    it('exports everything as NDJSON, oldest first, and as much of it as was asked for', async (t) => {
      const { app, everything } = await startBusy(t, engine)
      const whole = await app.call('GET', '/audit', { headers: ndjson })
      assert.equal(whole.headers['content-type'], 'application/x-ndjson; charset=utf-8')
      assert.deepEqual(linesOf(whole), everything)
      const latest = await app.call('GET', '/audit?sort=-seq', { headers: ndjson })
      assert.deepEqual(linesOf(latest), everything.toReversed())
      const some = await app.call('GET', '/audit?limit=2', { headers: ndjson })
      assert.deepEqual(linesOf(some), everything.slice(0, 2))
      const cursor = /cursor=([\w-]+)/.exec(some.headers.link ?? '')?.[1]
      const rest = await app.call('GET', `/audit?cursor=${cursor}`, { headers: ndjson })
      assert.deepEqual(linesOf(rest), everything.slice(2))
    })

    it('responds to HEAD like GET, without a body', async (t) => {
      const app = await start(t, engine)
      const page = await app.call('GET', '/audit')
      const head = await app.call('HEAD', '/audit')
      assert.deepEqual(
        [head.status, head.text, head.headers['content-length']],
        [200, '', page.headers['content-length']],
      )
      const stream = await app.call('HEAD', '/audit', { headers: ndjson })
      assert.deepEqual([stream.status, stream.text], [200, ''])
      assert.equal(stream.headers['content-type'], 'application/x-ndjson; charset=utf-8')
    })

    it('compresses pages and streams alike', async (t) => {
      const { app, everything } = await startBusy(t, engine)
      const url = await app.listen()
      for (const accept of ['application/json', 'application/x-ndjson']) {
        const headers = { 'x-api-key': adminKey, accept, 'accept-encoding': 'gzip' }
        const response = await fetch(`${url}/audit?sort=seq`, { headers })
        assert.equal(response.headers.get('content-encoding'), 'gzip')
        const text = await response.text()
        assert.equal(accept.endsWith('json') && text.startsWith('['), accept === 'application/json')
        assert.ok(text.includes(everything[0]?.hash as string))
      }
    })

    it('cuts off an export whose credential has ended meanwhile', async (t) => {
      const app = await start(t, engine)
      const url = await app.listen()
      await fill(app, engine)
      const created = await app.call('POST', '/keys', { body: { name: 'auditor', permissions: ['audit:read'] } })
      const response = await fetch(`${url}/audit`, { headers: { 'x-api-key': created.body.key, ...ndjson } })
      const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>
      await reader.read()
      assert.equal((await app.call('DELETE', `/keys/${created.body.key_id}`)).status, 200)
      let size = 0
      const rest = async () => {
        for (let piece = await reader.read(); !piece.done; piece = await reader.read()) size += piece.value.length
      }
      await assert.rejects(rest())
      assert.ok(size < 10_000_000, `${size} bytes came after the key was revoked`)
    })

    it('cuts off an export that cannot be completed, and never ends it as if it were complete', async (t) => {
      const app = await start(t, engine)
      const url = await app.listen()
      await fill(app, engine)
      const read = async (spoil: () => Promise<unknown>) => {
        const response = await fetch(`${url}/audit`, { headers: { 'x-api-key': adminKey, ...ndjson } })
        assert.equal(response.status, 200)
        const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>
        await reader.read()
        await spoil()
        let size = 0
        for (;;) {
          const { done, value } = await reader.read()
          if (done) return size
          size += value.length
        }
      }
      const whole = await read(async () => {})
      assert.ok(whole > 20_000_000)
      const base = JSON.stringify({ seq: 19_000, hash: '' })
      const spoil = () => app.runSql(`INSERT INTO journal_state (name, value) VALUES ('audit_base', '${base}')`)
      await assert.rejects(read(spoil))
      assert.ok(app.logLines().some((line) => line.includes('Retention deleted records')))
    })

    it('offers no format but these two', async (t) => {
      const app = await start(t, engine)
      for (const accept of ['text/csv', 'text/html', 'application/json;q=0']) {
        const { status, body } = await app.call('GET', '/audit', { headers: { accept } })
        assert.deepEqual([status, body.code], [406, 'not_acceptable'], accept)
      }
    })

    it('accepts only its own cursors, for the same order', async (t) => {
      const { app, everything } = await startBusy(t, engine)
      const forge = (text: string) => Buffer.from(text).toString('base64url')
      const [first] = everything
      const forged = [
        '',
        '1',
        'null',
        '[]',
        '["-seq"]',
        '["-seq",null]',
        '["-seq","3"]',
        '["-seq",-1]',
        '["-seq",1.5]',
        '["-seq",1e3]',
        '["-seq",03]',
        '["-seq",9007199254740993]',
        '["-seq",3] ',
        '["-seq",3,4]',
        '["-SEQ",3]',
        '["seq",3]',
        `["-seq","${first?.hash}"]`,
        '["-seq",3]; DROP TABLE audit_records',
      ]
      const cursors = [...forged.map(forge), '!!!', `${forge('["-seq",3]')}=`, `${forge('["-seq",3]')}\n`, '%00']
      for (const cursor of cursors) {
        const { status, body } = await app.call('GET', `/audit?cursor=${encodeURIComponent(cursor)}`)
        assert.deepEqual([status, body.code], [400, 'bad_cursor'], cursor)
      }
      assert.deepEqual(seqsOf(await list(app, `cursor=${forge('["-seq",3]')}`)), [2, 1])
      assert.deepEqual(seqsOf(await list(app, `sort=seq&limit=2&cursor=${forge('["seq",3]')}`)), [4, 5])
    })

    it('reads query parameters that are known, and of their kind', async (t) => {
      const app = await start(t, engine)
      const bad = [
        ...['0', '1001', 'x', '1&limit=2'].map((limit) => `limit=${limit}`),
        ...['user', 'user.', '*', '*.*', 'user.%25', 'USER.created', 'user.*d', "user.x'", ''].map(
          (a) => `action=${a}`,
        ),
        Array(51).fill('action=user.created').join('&'),
        ...['', 'admin', 'user&actor_kind=user'].map((kind) => `actor_kind=${kind}`),
        'outcome=maybe',
        ...['', 'Role', 'role%25', 'a.b', '%22role%22'].map((member) => `changed=${member}`),
        'sort=occurred_at',
        'occurred_after=yesterday',
        'occurred_before=2026-02-30T00:00:00Z',
        'actor=',
        'target=',
        'request_id=',
        'q=ada',
        'dry_run=true',
      ]
      for (const query of bad) {
        const { status, body } = await app.call('GET', `/audit?${query}`)
        assert.deepEqual([status, body.code], [422, 'validation_failed'], query)
      }
      const { status } = await app.call('GET', `/users/${unknownId}/audit?target=${unknownId}`)
      assert.equal(status, 422, 'the user in the path is the target')
    })

    it('shows what was done to a user, even if the user is gone, whatever the case of the id', async (t) => {
      const { app, bob, everything } = await startBusy(t, engine)
      const expected = everything.filter(({ target }) => target?.id === bob)
      assert.ok(expected.length >= 6)
      assert.deepEqual(await list(app, 'sort=seq', `/users/${bob}/audit`), expected)
      assert.deepEqual(await list(app, 'sort=seq', `/users/${bob.toUpperCase()}/audit`), expected)
      const response = await app.call('GET', `/users/${bob}/audit`, { headers: ndjson })
      assert.deepEqual(linesOf(response), expected)
      const page = await app.call('GET', `/users/${bob}/audit?limit=2&action=user.updated`)
      const next = /^<\/auth([^>]+)>; rel="next"$/.exec(page.headers.link ?? '')?.[1] as string
      assert.ok(next.startsWith(`/users/${bob}/audit?`), next)
      assert.equal((await app.call('GET', next)).body.length, 2)
      assert.deepEqual(await list(app, '', `/users/${unknownId}/audit`), [])
      assert.equal((await app.call('GET', '/users/bob/audit')).status, 404)
    })

    it('shows only the id of an erased user, and everything about the others', async (t) => {
      const { app, ada, everything } = await startBusy(t, engine)
      assert.equal((await app.call('DELETE', `/users/${ada}?purge=true`)).status, 200)
      const after = await list(app, 'sort=seq&limit=1000')
      for (const [i, before] of everything.entries()) {
        const now = after[i] as AuditRecord
        const isActor = before.actor.id === ada || (before.actor.kind === 'anonymous' && before.target?.id === ada)
        const isTarget = before.target?.id === ada
        assert.equal(now.erased, isActor || isTarget)
        assert.deepEqual(
          [now.record_id, now.actor.id, now.action, now.hash],
          [before.record_id, before.actor.id, before.action, before.hash],
        )
        if (isActor) assert.deepEqual([now.actor.name, now.address, now.user_agent], [null, null, null])
        else assert.deepEqual([now.actor, now.address], [before.actor, before.address])
        if (isTarget) assert.deepEqual([now.target?.name, now.changes, now.details], [null, null, null])
        else assert.deepEqual([now.target, now.changes, now.details], [before.target, before.changes, before.details])
      }
      assert.ok(after.some(({ action, target }) => action === 'user.erased' && target?.id === ada))
      assert.doesNotMatch(JSON.stringify(after), /Lovelace/)
    })

    it('still shows the records around a damaged one', async (t) => {
      const { app, everything } = await startBusy(t, engine)
      await app.runSql(`UPDATE audit_records SET who = '{"na', what = '[1' WHERE seq = 4`)
      const records = await list(app, 'sort=seq')
      assert.deepEqual(seqsOf(records).slice(0, everything.length), seqsOf(everything))
      assert.equal(records[3]?.actor.name, null)
    })

    it('returns where its chain ends', async (t) => {
      const { app, everything } = await startBusy(t, engine)
      const { status, body } = await app.call('GET', '/audit/checkpoint')
      const { created_at, ...rest } = body
      const last = everything.at(-1)
      assert.deepEqual(
        [status, rest],
        [200, { seq: last?.seq, count: everything.length, hash: last?.hash, base_seq: 0 }],
      )
      assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
    })

    it('requires the permission', async (t) => {
      const app = await start(t, engine)
      const keyWith = async (permission: string): Promise<string> =>
        (await app.call('POST', '/keys', { body: { name: 'x', permissions: [permission] } })).body.key
      const [reader, other] = [await keyWith('audit:read'), await keyWith('users:read')]
      for (const path of ['/audit', `/users/${unknownId}/audit`, '/audit/checkpoint']) {
        assert.equal((await app.call('GET', path, { key: reader })).status, 200)
        assert.equal((await app.call('GET', path, { key: other })).status, 403)
        assert.equal((await app.call('GET', path, { key: null })).status, 401)
      }
      assert.equal((await app.call('GET', '/users', { key: reader })).status, 403)
    })
  })
}
