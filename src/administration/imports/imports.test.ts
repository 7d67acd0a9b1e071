import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { newestRecord, recordsOf } from '../../../test/audit-records.ts'
import {
  type Answer,
  adminKey,
  anyEngine,
  createUser,
  engines,
  onlyPostgres,
  type Started,
  start,
} from '../../../test/harness.ts'
import { password, signIn } from '../../../test/people.ts'
import { stallMs } from '../../../test/time-limit.ts'
import { csvLine } from '../../lib/csv-formula.ts'
import { xlsxMediaType } from '../../lib/xlsx-reader.ts'
import { workbookWriter } from '../../lib/xlsx-writer.ts'
import { withWorkbook } from './workbook.ts'

type Row = Record<string, unknown>
type Verdict = {
  row: number
  line?: number | null
  verdict: string
  user_id: string | null
  code?: string
  pointer?: string | null
  detail?: string
}

const ndjson = (rows: readonly Row[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

function send(
  app: Started,
  query: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const sent = { 'content-type': 'application/x-ndjson', ...headers }
  return app.call('POST', `/users/import${query}`, { body, headers: sent })
}

async function bring(app: Started, rows: readonly Row[], query = ''): Promise<Answer['body']> {
  const response = await send(app, query, ndjson(rows))
  assert.equal(response.status, 200, response.text)
  return response.body
}

async function verdictsOf(app: Started, jobId: string, query = ''): Promise<Verdict[]> {
  const { text, status } = await app.call('GET', `/imports/${jobId}/rows${query}`)
  assert.equal(status, 200, text)
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

const users = async (app: Started): Promise<Row[]> => (await app.call('GET', '/users')).body
const find = async (app: Started, username: string): Promise<Row> =>
  (await app.call('GET', `/users?username=${encodeURIComponent(username)}`)).body[0]
const countsOf = ({ created, updated, unchanged, skipped, rejected }: Row) => ({
  created,
  updated,
  unchanged,
  skipped,
  rejected,
})
const none = { created: 0, updated: 0, unchanged: 0, skipped: 0, rejected: 0 }

for (const engine of engines) {
  describe(`an import on ${engine.name}`, () => {
    it('imports each valid row, and gives a reason for each rejected one', async (t) => {
      const app = await start(t, engine)
      await createUser(app, { username: 'taken', email: 'taken@example.com' })
      const lines = [
        '{"username": "Ada", "email": "ada@example.com", "first_name": "Ada", "external_id": "hr-1", "active": false}',
        '{"username": "ada"}',
        '{"username": "other", "email": "TAKEN@example.com"}',
        '{"username": "ada@example.com"}',
        'no json',
        '',
        '{"username": "x y"}',
        '{"username": "with-more", "is_admin": true}',
        '{"username": "bad-role", "role": "emperor"}',
        '{"first_name": "Nobody"}',
        '{"username": "weak", "password": "short"}',
        '[1]',
        '{"username": "early", "created_at": "9999-12-31T23:59:59.999-23:59"}',
        '{"username": "odd", "user_id": "{01a20285-26a2-7534-ad5c-79d75ca4dc0b}"}',
        '{"username": "last", "last_login_at": null}',
      ]
      const { body, status } = await send(app, '', `\uFEFF${lines.join('\r\n')}`)
      assert.equal(status, 200)
      assert.deepEqual(countsOf(body), { ...none, created: 2, rejected: 12 })
      assert.deepEqual([body.state, body.rows_done, body.format, body.dry_run], ['done', 14, 'ndjson', false])
      const verdicts = await verdictsOf(app, body.job_id)
      assert.deepEqual(
        verdicts.map(({ row, verdict, code, pointer }) => [row, code ?? verdict, pointer ?? null]),
        [
          [1, 'created', null],
          [2, 'username_taken', '#/username'],
          [3, 'email_taken', '#/email'],
          [4, 'username_taken', '#/username'],
          [5, 'malformed_json', null],
          [6, 'username_invalid', '#/username'],
          [7, 'unknown_member', '#/is_admin'],
          [8, 'role_unknown', '#/role'],
          [9, 'missing_member', '#/username'],
          [10, 'password_too_short', '#/password'],
          [11, 'wrong_type', '#'],
          [12, 'out_of_range', '#/created_at'],
          [13, 'wrong_format', '#/user_id'],
          [14, 'created', null],
        ],
      )
      const onLines = [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15]
      assert.deepEqual(
        verdicts.map(({ line }) => line),
        onLines,
      )
      assert.match(
        verdicts[6]?.detail ?? '',
        /^There is no member "is_admin"\. Did you mean "role"\? Accepted: username, /,
      )
      assert.deepEqual(
        body.rejects,
        verdicts.filter(({ verdict }) => verdict === 'rejected'),
      )
      assert.deepEqual(await verdictsOf(app, body.job_id, '?verdict=rejected'), body.rejects)
      assert.equal((await verdictsOf(app, body.job_id, '?verdict=created&verdict=updated')).length, 2)
      assert.deepEqual(await verdictsOf(app, body.job_id, '?after_row=4'), verdicts.slice(4))
      const ada = await find(app, 'ada')
      assert.deepEqual([ada.user_id, ada.active, ada.external_id], [verdicts[0]?.user_id, false, 'hr-1'])
      assert.equal((await users(app)).length, 3)
    })

    it('takes the email of a new user as the username if the row has none', async (t) => {
      const app = await start(t, engine)
      const email = 'ada@example.com'
      const long = `${'x'.repeat(120)}@example.com`
      const rows = [{ email }, { email: long }, { email: null }]
      const job = await bring(app, rows)
      assert.deepEqual(countsOf(job), { ...none, created: 1, rejected: 2 })
      assert.deepEqual(
        job.rejects.map(({ code, pointer }: { code: string; pointer: string }) => [code, pointer]),
        [
          ['missing_member', '#/username'],
          ['missing_member', '#/username'],
        ],
      )
      assert.equal((await find(app, email)).email, email)
      assert.deepEqual(countsOf(await bring(app, [{ email }])), { ...none, unchanged: 1 }, 'the file is sent again')
      // By email: the username of an existing user stays, a new one gets the email; a taken name is refused.
      await bring(app, [{ email, username: 'ada' }], '?mode=update&match=email')
      await createUser(app, { username: 'lise@example.com' })
      const more = [{ email, first_name: 'Ada' }, { email: 'grace@example.com' }, { email: 'lise@example.com' }]
      const second = await bring(app, more, '?mode=update&match=email')
      assert.deepEqual(countsOf(second), { ...none, updated: 1, created: 1, rejected: 1 })
      assert.deepEqual(
        [(await find(app, 'ada')).first_name, (await find(app, 'grace@example.com')).email],
        ['Ada', 'grace@example.com'],
      )
    })

    it('is recorded with the name of its file, which may change when the file is sent again', async (t) => {
      const app = await start(t, engine)
      const before = await newestRecord(app)
      const job_id = '019a9f3e-0000-7000-8000-00000000000a'
      const started = await bring(app, [{ username: 'grace' }], `?job_id=${job_id}&file_name=June.csv&complete=false`)
      assert.equal(started.file_name, 'June.csv')
      const job = await bring(app, [{ username: 'alan' }], `?job_id=${job_id}&file_name=June%20(1).csv&from_row=1`)
      assert.deepEqual([job.created, job.file_name], [2, 'June.csv'])
      const records = await recordsOf(app, before)
      const details = { import_id: job_id, file_name: 'June.csv' }
      assert.deepEqual(
        records.map(({ action, target, details }) => [action, target?.name, details]),
        [
          ['user.created', 'grace', details],
          ['user.created', 'alan', details],
          ['import.finished', 'June.csv', { ...countsOf(job), rows_done: 2 }],
        ],
      )
      assert.equal((await app.call('GET', `/imports/${job_id}`)).body.file_name, 'June.csv')
    })

    it('writes an audit record and an event for each user it changes, and one record for itself', async (t) => {
      const app = await start(t, engine)
      await createUser(app, { username: 'ada' })
      const before = await newestRecord(app)
      const job = await bring(
        app,
        [{ username: 'grace' }, { username: 'ada', first_name: 'Ada' }, { username: 'x y' }],
        '?mode=update',
      )
      const records = await recordsOf(app, before)
      const details = { import_id: job.job_id }
      assert.deepEqual(
        records.map(({ action, target, details }) => [action, target?.name, details]),
        [
          ['user.created', 'grace', details],
          ['user.updated', 'ada', details],
          ['import.finished', undefined, { ...countsOf(job), rows_done: 3 }],
        ],
      )
      const { body: events } = await app.call('GET', '/events?limit=100')
      assert.deepEqual(
        events.events.slice(-2).map(({ type, data }: { type: string; data: Row }) => [type, data.username]),
        [
          ['user.created', 'grace'],
          ['user.updated', 'ada'],
        ],
      )
    })

    it('changes nothing the second time, and says so', async (t) => {
      const app = await start(t, engine)
      const rows = [
        { username: 'Ada', email: 'Ada@example.com', password },
        { username: 'grace', role: 'admin', active: false },
        { username: 'lise', external_id: 'x', first_name: 'Lise', last_name: 'Meitner' },
      ]
      assert.deepEqual(countsOf(await bring(app, rows)), { ...none, created: 3 })
      const countEvents = async () => {
        await app.storage.settleJournal()
        return (await app.runSql('SELECT count(*) AS n FROM events'))[0]?.n
      }
      const before = [await users(app), await countEvents()]
      for (const query of ['', '?mode=update', '?on_conflict=skip', '?mode=update&match=user_id']) {
        // Without a matching id they would be new, but their names are taken.
        const expected = query.includes('user_id') ? { rejected: 3 } : { unchanged: 3 }
        assert.deepEqual(countsOf(await bring(app, rows, query)), { ...none, ...expected }, query)
      }
      assert.deepEqual([await users(app), await countEvents()], before)
    })

    it('updates users who are found by the chosen member', async (t) => {
      const app = await start(t, engine)
      await bring(app, [
        { username: 'ada', email: 'ada@example.com', external_id: '1' },
        { username: 'grace', email: 'grace@example.com', external_id: '2' },
      ])
      const byEmail = [{ email: 'ADA@example.com', username: 'ada.lovelace', external_id: null }]
      assert.deepEqual(countsOf(await bring(app, byEmail, '?mode=update&match=email')), { ...none, updated: 1 })
      const ada = await find(app, 'ada.lovelace')
      assert.deepEqual([ada.external_id, ada.email], [null, 'ADA@example.com'])
      // One row takes the name that another gives up, in row order.
      const byId = [
        { external_id: '2', username: 'hopper', email: null },
        { external_id: '3', username: 'grace', email: 'grace@example.com' },
        { external_id: '2', username: 'grace' },
      ]
      const job = await bring(app, byId, '?mode=update&match=external_id')
      assert.deepEqual(countsOf(job), { ...none, updated: 1, created: 1, rejected: 1 })
      assert.equal(job.rejects[0].code, 'username_taken')
      const byUserId = [
        { user_id: ada.user_id, first_name: 'Augusta' },
        { user_id: randomUUID(), first_name: 'Nobody' },
      ]
      const last = await bring(app, byUserId, '?mode=update&match=user_id')
      assert.deepEqual(
        [last.updated, last.rejects[0].code, last.rejects[0].pointer],
        [1, 'missing_member', '#/username'],
      )
      assert.equal((await find(app, 'ada.lovelace')).first_name, 'Augusta')
    })

    it('skips, if requested, existing users who do not match their rows', async (t) => {
      const app = await start(t, engine)
      await createUser(app, { username: 'ada', first_name: 'Ada' })
      const rows = [
        { username: 'ADA', first_name: 'Augusta' },
        { username: 'ada', first_name: 'Ada' },
        { username: 'grace' },
      ]
      const job = await bring(app, rows, '?on_conflict=skip')
      assert.deepEqual(countsOf(job), { ...none, skipped: 1, created: 1, rejected: 0, unchanged: 1 })
      assert.equal((await find(app, 'ada')).first_name, 'Ada')
    })

    it('never both skips and rejects an existing user, and explains the rejection of a row without a user', async (t) => {
      const app = await start(t, engine)
      const ada = await createUser(app, { username: 'ada', email: 'ada@example.com', external_id: 'hr-1' })
      await createUser(app, { username: 'grace', email: 'grace@example.com' })
      const other = '01a20285-26a2-7534-ad5c-79d75ca4dc0b'
      const rows = [
        { username: 'ada', user_id: other },
        { username: 'ada', email: 'grace@example.com' },
        { username: 'ada.l', email: 'ada@example.com' },
        { username: 'ada.m', external_id: 'hr-1' },
        { username: 'ada@example.com' },
        { username: 'ada.n', user_id: ada.user_id },
      ]
      const outcomes = async (query: string) => {
        const { job_id } = await bring(app, rows, query)
        return (await verdictsOf(app, job_id)).map(({ verdict, code }) => code ?? verdict)
      }
      const taken = ['email_taken', 'external_id_taken', 'username_taken', 'user_id_taken']
      assert.deepEqual(await outcomes('?on_conflict=skip&dry_run=true'), ['skipped', 'skipped', ...taken])
      assert.deepEqual(await outcomes('?on_conflict=skip'), ['skipped', 'skipped', ...taken])
      assert.deepEqual(await outcomes(''), ['user_id_taken', 'username_taken', ...taken])
      const { rejects } = await bring(app, rows, '?on_conflict=skip')
      const why = 'No user has this username, so the row is a new user. '
      assert.deepEqual(rejects.map(({ detail }: Verdict) => detail).slice(0, 3), [
        `${why}Another user already has this email address.`,
        `${why}Another user already has this external id.`,
        'This username is the email address of another user.',
      ])
      assert.match((await bring(app, rows.slice(0, 1))).rejects[0].detail, /^A user with this username exists, but has/)
      assert.equal((await users(app)).length, 2)
    })

    it('names the line of each row in CSV, with blank lines, cells of several lines and parts', async (t) => {
      const app = await start(t, engine)
      const csv = { 'content-type': 'text/csv' }
      const linesOf = async (query: string, file: string) => {
        const { body, text, status } = await send(app, query, file, csv)
        assert.equal(status, 200, text)
        assert.deepEqual(
          body.rejects,
          (await verdictsOf(app, body.job_id)).filter(({ verdict }) => verdict === 'rejected'),
        )
        return (await verdictsOf(app, body.job_id)).map(({ line }) => line)
      }
      for (const end of ['\n', '\r\n', '\r']) {
        const file = ['\ufeff', 'username,last_name', 'a b,', '', '', `c d,"x${end}${end}y"`, 'e,f,g', 'h i,'].join(end)
        assert.deepEqual(await linesOf('?dry_run=true', file), [3, 6, 9, 10], JSON.stringify(end))
      }
      const job_id = randomUUID()
      const part = (rows: string, place: string) => linesOf(`?job_id=${job_id}&${place}`, `username,email\n${rows}`)
      await part('a b,\n\n\nc d,', 'from_row=0&from_line=4&complete=false')
      await part('e f,\n', 'from_row=2&complete=false')
      await part('g h,\n', 'from_row=3&count_lines=false&from_line=7&complete=false')
      assert.deepEqual(await part('g h,\n\ni j,\n', 'from_row=3&from_line=20'), [5, 8, null, null, 23])
      const fault = async (query: string, file: string | Buffer) => (await send(app, query, file, csv)).body.detail
      assert.match(await fault('', 'username\r\na b\r\n\r\n"ada\r\n'), /starts on line 4 is never closed/)
      assert.match(await fault('?from_row=0&from_line=10', 'username\na b\n"ada\n'), /starts on line 12 is/)
      const latin = Buffer.from('username,first_name\nada,Zoé\nmary,J\xfcrgen\n', 'latin1')
      assert.match(await fault('', latin), /not UTF-8 \(line 2\)/)
    })

    it('accepts passwords or hashes of other systems, and users who have a password keep it', async (t) => {
      const app = await start(t, engine)
      const hash = '$2b$04$iKybgNtNGpAnPNkHfLIKFOAlevmqPoPFm1rcmPYFXdGqKLbFJz8dW'
      const rows = [
        { username: 'clear', password },
        { username: 'hashed', password_hash: hash },
        { username: 'both', password, password_hash: hash },
        { username: 'unknown', password_hash: 'plain text' },
        { username: 'once', password, must_change_password: true },
      ]
      const job = await bring(app, rows)
      assert.deepEqual(
        job.rejects.map(({ row, code, pointer }: Verdict) => [row, code, pointer]),
        [
          [3, 'not_together', '#/password_hash'],
          [4, 'hash_not_supported', '#/password_hash'],
        ],
      )
      assert.equal((await signIn(app, 'clear')).status, 201)
      assert.equal((await find(app, 'hashed')).has_password, true)
      assert.equal(
        Number((await app.runSql("SELECT must_change_password AS n FROM users WHERE username = 'once'"))[0]?.n),
        1,
      )
      const again = [
        { username: 'clear', password_hash: hash },
        { username: 'clear', password },
        { username: 'clear', password: 'another word of many letters' },
      ]
      const update = await bring(app, again, '?mode=update')
      assert.deepEqual(
        (await verdictsOf(app, update.job_id)).map(({ verdict }) => verdict),
        ['unchanged', 'unchanged', 'unchanged'],
      )
      assert.equal((await signIn(app, 'clear')).status, 201)
      assert.ok(!(await app.call('GET', `/imports/${job.job_id}`)).text.includes(password))
      assert.ok(!(await app.stored()).includes(password))
    })

    it('stores only the hash of a password, and whether it must be changed', async (t) => {
      const app = await start(t, engine)
      await createUser(app, { username: 'without' })
      const row = { username: 'without', password, must_change_password: true }
      const { job_id } = await bring(app, [row], '?mode=update')
      const [stored] = await app.runSql(`SELECT digest FROM imports WHERE job_id = '${job_id}'`)
      const { password: _, ...withoutPassword } = row
      assert.equal(
        stored?.digest,
        createHash('sha256')
          .update(`\n${JSON.stringify(withoutPassword)}`)
          .digest('hex'),
      )
      const [user] = await app.runSql("SELECT must_change_password AS must FROM users WHERE username = 'without'")
      assert.equal(Number(user?.must), 1)
    })

    it('does not reveal whether a password is right, or data of users with more permissions', async (t) => {
      const app = await start(t, engine)
      await createUser(app, { username: 'boss', role: 'admin', email: 'boss@example.com', password })
      const permissions = ['users:import', 'users:read']
      const { key } = (await app.call('POST', '/keys', { body: { name: 'hr', permissions } })).body
      const blind = (await app.call('POST', '/keys', { body: { name: 'blind', permissions: ['users:import'] } })).body
      const guess = await app.call('POST', '/users/import?mode=update&dry_run=true', {
        key: blind.key,
        body: ndjson([{ username: 'boss', email: 'boss@example.com' }]),
        headers: { 'content-type': 'application/x-ndjson' },
      })
      assert.deepEqual([guess.status, guess.body.code], [403, 'permission_denied'])
      const importRows = async (rows: Row[], query: string) => {
        const headers = { 'content-type': 'application/x-ndjson' }
        const { body } = await app.call('POST', `/users/import${query}`, { key, body: ndjson(rows), headers })
        return (await verdictsOf(app, body.job_id)).map(({ verdict, code }) => code ?? verdict)
      }
      const rows = [
        { username: 'boss', password },
        { username: 'boss', password: 'another word of many letters' },
        { username: 'boss', email: 'boss@example.com' },
        { username: 'boss', email: 'other@example.com' },
      ]
      for (const dry of ['', '&dry_run=true']) {
        for (const [query, expectedDetail] of [
          ['?mode=create', 'username_taken'],
          ['?on_conflict=skip', 'skipped'],
          ['?mode=update', 'user_outranks_caller'],
        ] as const) {
          assert.deepEqual(
            await importRows(rows, query + dry),
            [expectedDetail, expectedDetail, expectedDetail, expectedDetail],
            query + dry,
          )
        }
      }
      await createUser(app, { username: 'ada', password })
      const tries = [password, 'another word of many letters'].map((word) => ({ username: 'ada', password: word }))
      assert.deepEqual(await importRows(tries, '?mode=update'), ['unchanged', 'unchanged'])
      assert.equal((await signIn(app, 'ada')).status, 201)
    })

    it('allows only what the caller could create or change directly', async (t) => {
      const roles = '{"clerk": ["users:import", "users:read"], "boss": ["users:import", "users:read", "users:write"]}'
      const app = await start(t, engine, { env: { ROLLBOOK_ROLES: roles } })
      await createUser(app, { username: 'the-boss', role: 'boss' })
      const permissions = ['users:import', 'users:read']
      const { key } = (await app.call('POST', '/keys', { body: { name: 'hr', permissions } })).body
      const rows = [
        { username: 'admin-to-be', role: 'admin' },
        { username: 'clerk', role: 'clerk' },
        { username: 'the-boss', first_name: 'Fool' },
        { username: 'clerk', role: 'boss' },
      ]
      const headers = { 'content-type': 'application/x-ndjson' }
      const { body } = await app.call('POST', '/users/import?mode=update', { key, body: ndjson(rows), headers })
      assert.deepEqual(
        body.rejects.map(({ row, code }: Verdict) => [row, code]),
        [
          [1, 'role_not_grantable'],
          [3, 'user_outranks_caller'],
          [4, 'role_not_grantable'],
        ],
      )
      assert.equal(body.created, 1)
    })

    it('never removes the last administrator, however the rows try', async (t) => {
      const app = await start(t, engine)
      await createUser(app, { username: 'first', role: 'admin' })
      await createUser(app, { username: 'second', role: 'admin' })
      const rows = [
        { username: 'first', role: 'user' },
        { username: 'second', active: false },
        { username: 'third', role: 'admin' },
        { username: 'second', active: false },
        { username: 'third', role: 'user' },
      ]
      for (const query of ['?mode=update&dry_run=true', '?mode=update']) {
        const job = await bring(app, rows, query)
        assert.deepEqual(
          job.rejects.map(({ row, code }: Verdict) => [row, code]),
          [
            [2, 'last_admin'],
            [5, 'last_admin'],
          ],
          query,
        )
      }
    })

    it('predicts the last administrator in a dry run, however far apart the rows are', async (t) => {
      const app = await start(t, engine)
      const boss = await createUser(app, { username: 'boss', role: 'admin', password })
      await createUser(app, { username: 'robot', kind: 'service' })
      await createUser(app, { username: 'deputy', role: 'admin', password })
      await createUser(app, { username: 'keyless', role: 'admin' })
      await createUser(app, { username: 'ann' })
      const filler = Array.from({ length: 1500 }, () => ({ username: 'ann' }))
      const cases: [Row[], Row, string][] = [
        [
          [
            { username: 'robot', role: 'admin' },
            { username: 'keyless', active: false },
            { username: 'deputy', role: 'user' },
          ],
          { username: 'boss', role: 'user' },
          'last_admin',
        ],
        [[{ username: 'deputy', active: false }], { username: 'boss', active: false }, 'last_password_admin'],
        [[{ username: 'deputy', role: 'user' }], { username: 'boss', role: 'user' }, 'last_password_admin'],
      ]
      const oidc = { kind: 'oidc', name: 'Okta', issuer: 'https://id.example', client_id: 'c', client_secret: 's' }
      const refusing = { domains: ['orchard.example'], passwords: 'refused_for_domains' }
      const created = await app.call('POST', '/connections', { body: { ...oidc, ...refusing } })
      assert.equal(created.status, 201, created.text)
      for (const [first, last, code] of cases) {
        const dry = await bring(app, [...first, ...filler, last], '?mode=update&dry_run=true')
        assert.deepEqual([dry.rejects[0]?.code, dry.rejected], [code, 1], JSON.stringify(last))
      }
      const [[first, last, code] = [[], {}, '']] = cases
      const real = await bring(app, [...first, ...filler, last], '?mode=update')
      assert.deepEqual([real.rejects[0]?.code, real.rejected], [code, 1])
      assert.equal((await app.call('GET', `/users/${boss.user_id}`)).body.role, 'admin')
    })

    it('predicts every row in a dry run, and changes nothing', async (t) => {
      const app = await start(t, engine)
      await createUser(app, { username: 'boss', role: 'admin', email: 'boss@example.com' })
      const random = randomOf(42)
      for (let round = 0; round < 6; round++) {
        // More than a batch, with few names, so that rows collide within and across batches.
        const rows = Array.from({ length: 900 }, () => randomRow(random, 60))
        const options = [
          'mode=update',
          'mode=update&match=email',
          'mode=update&match=external_id',
          'mode=create',
          'on_conflict=skip',
          'mode=update',
        ][round]
        const before = [await users(app), await newestRecord(app)]
        const dry = await bring(app, rows, `?${options}&dry_run=true`)
        assert.deepEqual([await users(app), await newestRecord(app)], before)
        const real = await bring(app, rows, `?${options}`)
        const withoutNew = (verdicts: Verdict[], known: Set<unknown>) =>
          verdicts.map((one) => ({ ...one, user_id: known.has(one.user_id) ? one.user_id : null }))
        const known = new Set((before[0] as Row[]).map(({ user_id }) => user_id))
        assert.deepEqual(
          withoutNew(await verdictsOf(app, dry.job_id), known),
          withoutNew(await verdictsOf(app, real.job_id), known),
          `${options}`,
        )
        assert.deepEqual(countsOf(dry), countsOf(real))
      }
    })

    it('reads CSV as the list of users is written, and as spreadsheets write it', async (t) => {
      const app = await start(t, engine)
      await bring(app, [
        { username: '+49170', first_name: '=sum(a1)', last_name: 'O\'Brien, "the" elder', email: 'a@example.com' },
        { username: 'grace', active: false, external_id: '-7' },
      ])
      const listed = await app.call('GET', '/users', { headers: { accept: 'text/csv' } })
      const csv = { 'content-type': 'text/csv; charset=utf-8' }
      assert.deepEqual(countsOf((await send(app, '', listed.text, csv)).body), { ...none, unchanged: 2 })
      const before = await users(app)
      for (const { user_id } of before) await app.call('DELETE', `/users/${user_id}?purge=true`)
      const own = listed.text
        .split('\r\n')
        .map((line) => line.split(',').slice(1).join(','))
        .join('\r\n')
      assert.equal((await send(app, '', `\uFEFF${own}`, csv)).body.created, 2)
      const members = [
        'username',
        'first_name',
        'last_name',
        'email',
        'external_id',
        'active',
        'created_at',
        'updated_at',
      ] as const
      const valuesOf = (all: Row[]) => all.map((user) => members.map((member) => user[member]))
      assert.deepEqual(valuesOf(await users(app)).toSorted(), valuesOf(before).toSorted())

      // As Excel saves the list again, and in another language.
      const excel = listed.text.replaceAll(/\b(?:true|false)\b/g, (word) => word.toUpperCase())
      assert.match(excel, /,FALSE,/)
      assert.deepEqual(countsOf((await send(app, '?mode=update', excel.replaceAll(/^[^,]*,/gm, ''), csv)).body), {
        ...none,
        unchanged: 2,
      })
      const booleans = 'username,active,email_verified,must_change_password,invite\nu1,True,TRUE,False,false \n'
      assert.equal((await send(app, '', booleans, csv)).body.created, 1)
      assert.equal((await users(app)).find(({ username }) => username === 'u1')?.active, true)
      const german = (await send(app, '', 'username,active\nu2,WAHR\n', csv)).body.rejects
      const detail = 'The column active has the value "WAHR". Write true or false.'
      assert.deepEqual(german, [{ ...german[0], row: 1, code: 'wrong_type', pointer: '#/active', detail }])
      await app.call('POST', '/attributes', { body: { name: 'remote', type: 'boolean' } })
      assert.equal((await send(app, '', 'username,attributes.remote\nu3,TRUE\n', csv)).body.created, 1)

      const uneven = 'username,first_name\nada\nlise,Lise,Meitner\nemmy,Emmy\n'
      const { body } = await send(app, '', uneven, csv)
      assert.deepEqual([body.created, body.rejects.map(({ row }: Verdict) => row)], [1, [1, 2]])
      const unknown = await send(app, '', 'username,shoe size\nada,39\n', csv)
      assert.deepEqual([unknown.status, unknown.body.code], [422, 'validation_failed'])
      for (const file of [
        'username,first_name\nada,"Ada\n',
        Buffer.from('username,first_name\nada,J\xfcrgen\n', 'latin1'),
        Buffer.from('\ufeffusername\nada\n', 'utf16le').subarray(0, -1),
        '',
      ]) {
        const refused = await send(app, '', file, csv)
        assert.deepEqual([refused.status, refused.body.code], [400, 'malformed_csv'], `${file}`)
      }
      const quoted = 'username,password\nquoted,A-Secret-Of-17-"x" \nopen,"Another-Secret-"4711\n'
      assert.equal((await send(app, '', quoted, csv)).body.created, 2)
      assert.ok(!app.logLines().some((line) => /Secret/.test(line)))
      const columns = await send(app, '', 'Login,E-Mail,shoe size,role,role\nada,a@example.com,39,user,user\n', csv)
      assert.match(
        columns.body.detail,
        /columns "Login", "E-Mail" and "shoe size"\. Did you mean "username" for "Login", "email" for "E-Mail"\? Accepted: username, password, .*Columns 4 and 5 are both named role/,
      )
      // A first line without member names may contain a password.
      const headless = await send(app, '', 'ada@example.com,hunter2\n', csv)
      assert.match(headless.body.detail, /^The first line of the file names no columns/)
      assert.doesNotMatch(headless.body.detail, /hunter2/)
    })

    it('reads CSV in the separators and encodings of spreadsheets, and Excel files', async (t) => {
      const app = await start(t, engine)
      await app.call('POST', '/attributes', { body: { name: 'joined', type: 'date' } })
      await app.call('POST', '/attributes', { body: { name: 'hired_at', type: 'string' } })
      await app.call('POST', '/attributes', { body: { name: 'seen', type: 'datetime' } })
      const rows = [
        [
          'username',
          'first_name',
          'active',
          'created_at',
          'attributes.joined',
          'attributes.seen',
          'attributes.hired_at',
          'effective_roles',
        ],
        ['jürgen', 'Jürgen; "J"', 'FALSE', '2026-11-01', '2026-11-02', '2026-11-03 10:30', '2026-11-04', 'admin'],
      ]
      const text = (separator: string) => rows.map((cells) => `${csvLine(cells, separator)}\r\n`).join('')
      const writer = workbookWriter({ header: rows[0] as string[], sheetName: 'Users' })
      const day = (clockMs: number, isDay = true) => ({ clockMs, isDay })
      const times = [day(Date.UTC(2026, 10, 1)), day(Date.UTC(2026, 10, 2)), day(Date.UTC(2026, 10, 3, 10, 30), false)]
      const workbook = Buffer.concat([
        writer.add([['jürgen', 'Jürgen; "J"', false, ...times, '2026-11-04', 'admin']]),
        writer.end(),
      ])
      const files: [string, Buffer, string][] = [
        ['semicolons', Buffer.from(text(';')), 'text/csv'],
        ['tabs', Buffer.from(`\ufeff${text('\t')}`), 'text/tab-separated-values'],
        ['UTF-16', Buffer.from(`\ufeff${text('\t')}`, 'utf16le'), 'text/csv'],
        ['UTF-16, the other way', Buffer.from(`\ufeff${text(';')}`, 'utf16le').swap16(), 'text/csv'],
        ['Windows-1252', Buffer.from(`sep=;\r\n${text(';')}`, 'latin1'), 'text/csv; charset=windows-1252'],
        ['Excel', workbook, xlsxMediaType],
      ]
      for (const [what, body, type] of files) {
        const { body: job } = await send(app, '', body, { 'content-type': type })
        assert.deepEqual(countsOf(job), { ...none, created: 1 }, `${what}: ${JSON.stringify(job)}`)
        const user = await find(app, 'jürgen')
        const { first_name, active, role, created_at, attributes } = user
        assert.deepEqual(
          { first_name, active, role, created_at, attributes },
          {
            first_name: 'Jürgen; "J"',
            active: false,
            role: 'user',
            created_at: '2026-11-01T00:00:00.000Z',
            attributes: { joined: '2026-11-02', seen: '2026-11-03T10:30:00.000Z', hired_at: '2026-11-04' },
          },
          what,
        )
        await app.call('DELETE', `/users/${user.user_id}?purge=true`)
      }
      await app.call('POST', '/attributes', { body: { name: 'share', type: 'number' } })
      const decimals = (separator: string) =>
        ['username', 'a', 'b', 'c', 'd']
          .map((name, n) => csvLine([name, ['attributes.share', '-1,5', '0,125', '1,500', '1.5'][n] ?? ''], separator))
          .join('\n')
      for (const [separator, rejected] of [
        [';', 0],
        // It may be a thousand and a half.
        [',', 1],
      ] as const) {
        const { body: job } = await send(app, '', decimals(separator), { 'content-type': 'text/csv' })
        assert.deepEqual([job.created, job.rejected], [4 - rejected, rejected], JSON.stringify(job))
        const shares = (await app.call('GET', '/users?sort=username')).body
        assert.deepEqual(
          shares.map(({ username, attributes }: Row) => [username, (attributes as Row).share]),
          [['a', -1.5], ['b', 0.125], ...(rejected === 0 ? [['c', 1.5]] : []), ['d', 1.5]],
        )
        for (const { user_id } of shares) await app.call('DELETE', `/users/${user_id}?purge=true`)
      }
      const old = await send(app, '', Buffer.from('d0cf11e0a1b11ae1', 'hex'), { 'content-type': xlsxMediaType })
      assert.deepEqual([old.status, old.body.code], [400, 'malformed_spreadsheet'])
      assert.match(old.body.detail, /before 2007/)
      async function* slow() {
        yield workbook.subarray(0, 100)
        // Neither a file that arrives nor a refused one holds another up.
        const during = await send(app, '?dry_run=true', workbook, { 'content-type': xlsxMediaType })
        assert.equal(during.status, 200, during.text)
      }
      let before: Answer | undefined
      await withWorkbook(slow, async () => {
        before = await app.call('GET', '/imports')
        const busy = await send(app, '', workbook, { 'content-type': xlsxMediaType })
        assert.deepEqual([busy.status, busy.body.code, busy.headers['retry-after']], [503, 'overloaded', '5'])
      })
      assert.deepEqual((await app.call('GET', '/imports')).body, before?.body, 'a refused file leaves no import')
      const mislabelled = await send(app, '', workbook, { 'content-type': 'text/csv' })
      assert.match(mislabelled.body.detail, /an Excel file. Send it as application/)
      const unknown = await send(app, '', 'username\n', { 'content-type': 'text/csv; charset=koi8-r' })
      assert.equal(unknown.status, 415)
    })

    it('continues where it stopped when it is sent again, from the whole file or from a part', async (t) => {
      const app = await start(t, engine)
      const rows = Array.from({ length: 1200 }, (_, n) => ({ username: `user-${n}` }))
      const job_id = randomUUID()
      const part = (from: number, to: number, more = '') =>
        send(
          app,
          `?job_id=${job_id}&from_row=${from}&complete=${to === rows.length}${more}`,
          ndjson(rows.slice(from, to)),
        )
      assert.deepEqual(
        [(await part(0, 500)).body.state, (await part(0, 500)).body.rows_done, (await part(400, 700)).body.rows_done],
        ['running', 500, 700],
      )
      const gap = await part(900, 1000)
      assert.deepEqual([gap.status, gap.body.code], [409, 'import_gap'])
      const bad = await send(app, '?job_id=x', '')
      assert.deepEqual([bad.status, bad.body.errors[0].pointer], [422, '?job_id'])
      const other = await part(700, 800, '&mode=update')
      assert.deepEqual([other.status, other.body.code], [409, 'import_mismatch'])
      const whole = await send(app, `?job_id=${job_id}`, ndjson(rows))
      assert.deepEqual([whole.body.state, whole.body.created, whole.body.rows_done], ['done', 1200, 1200])
      // Repeating a finished import gives the same result; further rows are refused.
      assert.equal((await send(app, `?job_id=${job_id}`, ndjson(rows))).body.created, 1200)
      const more = await send(app, `?job_id=${job_id}`, ndjson([...rows, { username: 'one-more' }]))
      assert.deepEqual([more.status, more.body.code], [409, 'import_finished'])
      assert.equal((await users(app)).length, 1200)
      assert.equal((await verdictsOf(app, job_id)).length, 1200)
    })

    it('knows by the rows that are done whether it is the same file', async (t) => {
      const app = await start(t, engine)
      const job_id = randomUUID()
      await send(app, `?job_id=${job_id}&complete=false`, ndjson([{ username: 'ada' }, { username: 'grace' }]))
      const other = await send(
        app,
        `?job_id=${job_id}`,
        ndjson([{ username: 'ada' }, { username: 'lise' }, { username: 'x' }]),
      )
      assert.deepEqual([other.status, other.body.code], [409, 'import_mismatch'])
      const shorter = await send(app, `?job_id=${job_id}`, ndjson([{ username: 'ada' }]))
      assert.deepEqual([shorter.status, shorter.body.code], [409, 'import_mismatch'])
      assert.equal((await send(app, `?job_id=${job_id}`, '')).body.code, 'import_mismatch')
      assert.equal((await users(app)).length, 2)
      const { body } = await send(app, `?job_id=${job_id}`, ndjson([{ username: 'ada' }, { username: 'grace' }]))
      assert.deepEqual([body.state, body.rows_done], ['done', 2])
    })

    it('takes effect once for one Idempotency-Key', async (t) => {
      const app = await start(t, engine)
      const headers = { 'idempotency-key': 'monday' }
      const first = await send(app, '', ndjson([{ username: 'ada' }]), headers)
      const again = await send(app, '', ndjson([{ username: 'ada' }]), headers)
      assert.equal(first.headers['idempotency-replayed'], undefined)
      assert.equal(again.headers['idempotency-replayed'], 'true')
      assert.deepEqual(again.body, first.body)
      for (const rows of [[{ username: 'grace' }], [{ username: 'ada' }, { username: 'grace' }], []]) {
        const other = await send(app, '', ndjson(rows), headers)
        assert.deepEqual([other.status, other.body.code], [422, 'idempotency_mismatch'], JSON.stringify(rows))
      }
      assert.equal((await users(app)).length, 1)
    })

    it('accepts no more rows after it is cancelled, and keeps what it did', async (t) => {
      const app = await start(t, engine)
      const job_id = randomUUID()
      await send(app, `?job_id=${job_id}&complete=false`, ndjson([{ username: 'ada' }]))
      const cancelled = await app.call('POST', `/imports/${job_id}/cancel`)
      assert.deepEqual([cancelled.status, cancelled.body.state], [200, 'cancelled'])
      const more = await send(app, `?job_id=${job_id}&from_row=1`, ndjson([{ username: 'grace' }]))
      assert.deepEqual([more.status, more.body.code], [409, 'import_cancelled'])
      const { body: list } = await app.call('GET', '/imports')
      assert.deepEqual(
        list.map(({ job_id, state }: Row) => [job_id, state]),
        [[job_id, 'cancelled']],
      )
      const unknown = await app.call('POST', `/imports/${randomUUID()}/cancel`)
      assert.deepEqual([unknown.status, unknown.body.code], [404, 'import_not_found'])
      const done = await bring(app, [{ username: 'lise' }])
      const late = await app.call('POST', `/imports/${done.job_id}/cancel`)
      assert.deepEqual([late.status, late.body.code], [409, 'import_finished'])
      assert.equal((await users(app)).length, 2)
    })

    it('keeps ids that are free, and lists and searches stay in the order of ids', async (t) => {
      const app = await start(t, engine)
      const created = await Promise.all([1, 2, 3].map((n) => createUser(app, { username: `lin-made-${n}` })))
      await app.call('DELETE', `/users/${created[1]?.user_id}`)
      const rows = Array.from({ length: 300 }, (_, n) => ({
        username: `lin-${n}`,
        user_id: randomUUID().toUpperCase(),
      }))
      // As another store of Rollbook would have created them, unordered, and older than ours.
      const earlier = Array.from({ length: 200 }, (_, n) => ({
        username: `lin-e-${n}`,
        user_id:
          `0190${(n * 7919) % 65_536}`.padEnd(8, '0').slice(0, 8) +
          `-${String((n * 31) % 10_000).padStart(4, '0')}-7000-8000-${String(n).padStart(12, '0')}`,
      }))
      const used = { username: 'lin-used', user_id: created[0]?.user_id }
      const former = { username: 'lin-former', user_id: created[1]?.user_id }
      const job = await bring(app, [...rows, used, ...earlier, former])
      assert.deepEqual(
        [job.created, job.rejects.map(({ row, code }: Verdict) => [row, code])],
        [
          500,
          [
            [301, 'user_id_taken'],
            [502, 'user_id_taken'],
          ],
        ],
      )
      await createUser(app, { username: 'lin-later' })
      const all = (await users(app)).map(({ user_id }) => user_id as string)
      assert.deepEqual(all, all.toSorted())
      const found: string[] = []
      for (let path: string | undefined = '/users?q=lin&limit=100'; path !== undefined; ) {
        const page: Answer = await app.call('GET', path)
        found.push(...page.body.map(({ user_id }: Row) => user_id))
        path = /<\/auth([^>]+)>/.exec(page.headers.link ?? '')?.[1]
      }
      assert.deepEqual(found, all)
    })

    it('continues after a row that was cut off, and stops a caller who lost the permission', async (t) => {
      const app = await start(t, engine)
      const base = await app.listen()
      const rows = Array.from({ length: 3000 }, (_, n) => ({ username: `user-${n}` }))
      const bytes = ndjson(rows)
      const job_id = randomUUID()
      await sendHalf(`${base}/users/import?job_id=${job_id}`, adminKey, bytes.slice(0, bytes.length / 2), 'cut')
      const state = await until(async () => {
        const { body } = await app.call('GET', `/imports/${job_id}`)
        return body.state === 'interrupted' ? body : undefined
      })
      assert.ok(state.rows_done >= 0 && state.rows_done < 3000)
      assert.equal((await send(app, `?job_id=${job_id}`, bytes)).body.created, 3000)
      assert.equal((await users(app)).length, 3000)

      // The whole file has arrived, and then the client leaves.
      const left = randomUUID()
      const hashed = ndjson(Array.from({ length: 400 }, (_, n) => ({ username: `hashed-${n}`, password })))
      await sendHalf(`${base}/users/import?job_id=${left}`, adminKey, hashed, 'leave')
      const { rows_done } = await until(async () => {
        const { body } = await app.call('GET', `/imports/${left}`)
        return body.state === 'interrupted' ? body : undefined
      })
      assert.ok(rows_done < 400, `${rows_done} rows were imported after the client had left`)

      const { key, key_id } = (await app.call('POST', '/keys', { body: { name: 'x', permissions: ['users:import'] } }))
        .body
      const more = ndjson(Array.from({ length: 6000 }, (_, n) => ({ username: `more-${n}` })))
      const before = (await users(app)).length
      const half = sendHalf(`${base}/users/import`, key, more.slice(0, more.length / 2), 'wait')
      await until(async () => ((await users(app)).length > before ? true : undefined))
      await app.call('DELETE', `/keys/${key_id}`)
      assert.equal(await half.then((rest) => rest(more.slice(more.length / 2))), 401)
    })
  })
}

for (const engine of onlyPostgres) {
  describe(`an import on two nodes, on ${engine.name}`, () => {
    it('runs dry on the node that has its earlier rows, and starts over on another', async (t) => {
      const app = await start(t, engine)
      const beside = await start(t, engine, { beside: app })
      const rows = Array.from({ length: 1200 }, (_, n) => ({ username: `user-${n}` }))
      const query = `?dry_run=true&job_id=${randomUUID()}`
      const part = (node: Started, from: number, to: number) =>
        send(node, `${query}&from_row=${from}&complete=false`, ndjson(rows.slice(from, to)))
      assert.equal((await part(app, 0, 400)).body.created, 400)
      const elsewhere = await part(beside, 400, 800)
      assert.deepEqual([elsewhere.status, elsewhere.body.code], [409, 'import_mismatch'])
      assert.equal((await part(beside, 0, 800)).body.created, 800)
      // This overlay holds the first 400 rows, which were deleted in the meantime.
      assert.deepEqual(countsOf((await send(app, query, ndjson(rows))).body), { ...none, created: 1200 })
    })

    it('is continued by one of two simultaneous requests, and the other is refused', async (t) => {
      const app = await start(t, engine)
      const beside = await start(t, engine, { beside: app })
      const rows = Array.from({ length: 4000 }, (_, n) => ({ username: `user-${n}` }))
      const query = `?job_id=${randomUUID()}`
      const both = await Promise.all([app, beside].map((node) => send(node, query, ndjson(rows))))
      const done = both.filter(({ status }) => status === 200)
      assert.ok(done.length >= 1)
      for (const { status, body } of both) if (status !== 200) assert.equal(body.code, 'import_busy')
      assert.deepEqual([done[0]?.body.state, done[0]?.body.created], ['done', 4000])
      assert.equal((await users(app)).length, 4000)
    })
  })
}

describe('the body of an import', () => {
  it('can be compressed, to a hundredth at most, and must then be complete', async (t) => {
    const app = await start(t, anyEngine)
    const packed = gzipSync(ndjson([{ username: 'ada' }, { username: 'grace' }]))
    const headers = { 'content-encoding': 'gzip' }
    assert.equal((await send(app, '', packed, headers)).body.created, 2)
    const half = await send(app, '', packed.subarray(0, packed.length - 12), headers)
    assert.deepEqual([half.status, half.body.code], [400, 'malformed_request'])
    const bomb = await send(app, '', gzipSync(Buffer.alloc(3_000_000, '\n')), headers)
    assert.deepEqual([bomb.status, bomb.body.code], [413, 'body_too_large'])
    const odd = await send(app, '', packed, { 'content-encoding': 'br' })
    assert.deepEqual([odd.status, odd.body.code], [415, 'unsupported_content_encoding'])
    const json = await send(app, '', '[]', { 'content-type': 'application/json' })
    assert.deepEqual([json.status, json.body.code], [415, 'unsupported_media_type'])
  })

  it('can have rows of 64 KiB; a longer one is rejected, and the next one is read', async (t) => {
    const app = await start(t, anyEngine)
    const long = `{"username": "long", "first_name": "${'x'.repeat(70_000)}"}`
    const { body } = await send(app, '', `${long}\n{"username": "ada"}\n{"username": "grace"}`)
    assert.deepEqual([body.created, body.rejects.map(({ code }: Verdict) => code)], [2, ['row_too_long']])
  })

  it('is not waited for when nothing more arrives', async (t) => {
    const app = await start(t, anyEngine, {
      env: { ROLLBOOK_HEADERS_TIMEOUT_SECONDS: '1', ROLLBOOK_REQUEST_TIMEOUT_SECONDS: '1' },
    })
    const base = await app.listen()
    const silent = sendHalf(`${base}/users/import`, adminKey, '{"username": "lise"}\n', 'status')
    assert.equal(await silent, 408)
    // A client that is refused at once gets no more time than others for the rest of its body, however slowly it arrives.
    for (const [key, query] of [
      ['nobody', ''],
      [adminKey, '?from_row=7'],
    ] as const) {
      assert.ok((await lifeOf(`${base}/users/import${query}`, key)) < 4000 + stallMs)
    }
  })

  it('may arrive more slowly than any other body, as long as it makes progress', async (t) => {
    // Longer than the machine may stall between two rows.
    const env = { ROLLBOOK_HEADERS_TIMEOUT_SECONDS: '6', ROLLBOOK_REQUEST_TIMEOUT_SECONDS: '6' }
    const base = await (await start(t, anyEngine, { env })).listen()
    async function* slowly() {
      for (let n = 0; n < 14; n++) {
        yield Buffer.from(`{"username": "user-${n}"}\n`)
        await sleep(500)
      }
    }
    const headers = { 'x-api-key': adminKey, 'content-type': 'application/x-ndjson' }
    const slow = await fetch(`${base}/users/import`, { method: 'POST', headers, body: slowly(), duplex: 'half' })
    assert.deepEqual([slow.status, ((await slow.json()) as Row).created], [200, 14])
  })
})

/** Sends the beginning of a body; then cuts the connection, waits for the response, or continues on request. */
async function sendHalf(url: string, key: string, text: string, then: 'cut' | 'leave'): Promise<void>
async function sendHalf(url: string, key: string, text: string, then: 'status'): Promise<number>
async function sendHalf(
  url: string,
  key: string,
  text: string,
  then: 'wait',
): Promise<(rest: string) => Promise<number>>
async function sendHalf(
  url: string,
  key: string,
  text: string,
  then: 'cut' | 'leave' | 'status' | 'wait',
): Promise<unknown> {
  const headers = { 'x-api-key': key, 'content-type': 'application/x-ndjson', 'transfer-encoding': 'chunked' }
  const sent = request(url, { method: 'POST', headers, agent: false })
  const status = new Promise<number>((resolve, reject) => {
    sent.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', reject)
  })
  status.catch(() => {})
  await new Promise((resolve) => sent.write(text, resolve))
  if (then === 'status') return status
  if (then === 'wait') {
    return (rest: string) => {
      sent.end(rest)
      return status
    }
  }
  if (then === 'leave') await new Promise<void>((resolve) => sent.end(resolve))
  await sleep(50)
  sent.destroy()
  return undefined
}

/** Returns how long a connection lives on which a body trickles in, in milliseconds. */
async function lifeOf(url: string, key: string): Promise<number> {
  const begun = performance.now()
  const { hostname, port, pathname, search } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.resume()
  const head = ['host: x', `x-api-key: ${key}`, 'content-type: application/x-ndjson', 'content-length: 100000']
  socket.write(`POST ${pathname}${search} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`)
  const trickle = setInterval(() => socket.write(' '), 100)
  const late = setTimeout(() => socket.destroy(), 15_000)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(trickle)
  clearTimeout(late)
  return performance.now() - begun
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 1000; tries++) {
    const found = await look()
    if (found !== undefined) return found
    await sleep(25)
  }
  throw new Error('It did not happen.')
}

/** A small deterministic random number generator (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

function randomRow(random: () => number, names: number): Row {
  const some = () => Math.floor(random() * names)
  const maybe = (chance: number, member: string, value: () => unknown) =>
    random() < chance ? { [member]: value() } : {}
  return {
    username: random() < 0.1 ? `n${some()}@example.com` : `n${some()}`,
    ...maybe(0.4, 'email', () => (random() < 0.1 ? null : `n${some()}@example.com`)),
    ...maybe(0.3, 'external_id', () => `x${some()}`),
    ...maybe(0.3, 'first_name', () => `first ${some() % 3}`),
    ...maybe(0.2, 'role', () => (random() < 0.5 ? 'admin' : 'user')),
    ...maybe(0.2, 'active', () => random() < 0.5),
    ...maybe(0.02, 'unknown', () => 1),
    ...maybe(0.05, 'user_id', () => `01900000-0000-7000-8000-0000000000${String(some() % 90).padStart(2, '0')}`),
  }
}
