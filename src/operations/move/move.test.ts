import assert from 'node:assert/strict'
import { createHash, randomInt } from 'node:crypto'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Ended, killedBefore, runCommand, startCommand } from '../../../test/command-process.ts'
import { makeDirectory, type Service, startService } from '../../../test/durability/process.ts'
import { codeOf } from '../../../test/factors.ts'
import { type FreshSchema, freshSchema, postgresIsMissing } from '../../../test/postgres.ts'
import { recoveryCodeHash } from '../../access/credentials/factors/recovery-codes.ts'
import { parsePostgresUrl } from '../../lib/postgres-url.ts'
import { migrations } from '../../store/db/migrate.ts'
import { move } from './move.ts'
import { openPostgresSource, openPostgresTarget } from './postgres-store.ts'
import { openSqliteSource, openSqliteTarget } from './sqlite-store.ts'
import { leftOut, leftOutColumns, tables } from './tables.ts'

const skip = postgresIsMissing && 'there is no PostgreSQL'

async function freshDatabase(t: TestContext): Promise<FreshSchema & { env: Record<string, string> }> {
  const database = await freshSchema()
  t.after(() => database.drop())
  return { ...database, env: { ROLLBOOK_DATABASE_URL: database.url, ROLLBOOK_DATABASE_SCHEMA: database.schema } }
}

type Database = Awaited<ReturnType<typeof freshDatabase>>

const url = 'env:ROLLBOOK_DATABASE_URL'
const toPostgres = (directory: string, { env }: Database, more: Record<string, string> = {}, ...options: string[]) =>
  runCommand(['move', '--from', `sqlite:${directory}`, '--to', url, ...options], { ...env, ...more })
const toSqlite = ({ env }: Database, directory: string, more: Record<string, string> = {}, ...options: string[]) =>
  runCommand(['move', '--from', url, '--to', `sqlite:${directory}`, ...options], { ...env, ...more })

function inSqlite<T>(directory: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(directory, 'rollbook.db'))
  try {
    return work(database)
  } finally {
    database.close()
  }
}

async function inPostgres(database: Database, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: database.url, options: `-c search_path=${database.schema}` })
  await client.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

/** A store of this release in which the server wrote only what it needs, with `users` rows inserted directly. */
async function storeWith(t: TestContext, users: number): Promise<string> {
  const directory = join(makeDirectory(t), 'data')
  await (await startService(t, { directory })).end('SIGTERM')
  inSqlite(directory, (database) => addUsers(database, users))
  return directory
}

function addUsers(database: DatabaseSync, users: number): void {
  database.exec(`
    INSERT INTO users (user_id, version, document, username, username_key, email, email_key, external_id, first_name,
      last_name, role, active, password_hash, last_login_at, created_at, updated_at, search_text)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${users})
    SELECT printf('00000000-0000-7000-8000-%012d', n), n, json_object('user_id', n), 'Üser ' || n, 'üser ' || n,
      iif(n % 3, 'u' || n || '@example.com', NULL), iif(n % 3, 'u' || n || '@example.com', NULL), NULL, '', 'O''Neill\\', 'user',
      n % 2, NULL, NULL, '2026-11-20T00:00:00.000Z', '2026-11-20T00:00:00.000Z',
      char(10) || char(10) || 'user ' || n FROM numbers`)
}

const countUsers = (directory: string): number =>
  inSqlite(directory, (store) => Number(store.prepare('SELECT count(*) AS n FROM users').get()?.n))

const isMarked = (directory: string): boolean =>
  existsSync(join(directory, 'rollbook.db')) &&
  inSqlite(directory, (store) => store.prepare("SELECT 1 FROM sqlite_master WHERE name = 'move_under_way'").all())
    .length > 0

/** Starts a server that should refuse to start. */
async function refusedStart(directory: string, env: Record<string, string> = {}): Promise<string> {
  const { child, outcome } = startCommand([], { ROLLBOOK_DATA_DIR: directory, ROLLBOOK_PORT: '0', ...env })
  const patience = setTimeout(() => child.kill(), 60_000)
  const { code, err } = await outcome
  clearTimeout(patience)
  assert.equal(code, 1, 'it refuses to start')
  return err
}

const ndjson = { 'content-type': 'application/x-ndjson' }

type Group = { group_id: string; member_count: number }

type Report = Record<string, { rows: number; sha256: string }>

/** The output of the command: each table, its rows and their digest. */
function report({ out }: Ended): Report {
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  return Object.fromEntries(lines.map(([name, rows, sha256]) => [name, { rows: Number(rows), sha256: String(sha256) }]))
}

describe('rollbook move', { skip }, () => {
  it('copies users, groups, passwords, keys and stored responses to PostgreSQL and back, and each side serves them', async (t) => {
    const [here, back] = [join(makeDirectory(t), 'here'), join(makeDirectory(t), 'back')]
    const database = await freshDatabase(t)
    const before = await startService(t, { directory: here })
    const create = (at: Service, username: string) =>
      at.call('POST', '/users', { username, password: 'a long walk by the sea' }, { 'idempotency-key': username })
    const ada = (await (await create(before, 'ada')).json()) as { user_id: string }
    await before.call('POST', '/users', { username: 'Zoë.Ångström', email: 'zoe@example.com', first_name: 'Zoë' })
    const created = await before.call('POST', '/keys', { name: 'reader', permissions: ['users:read'] })
    const { key } = (await created.json()) as { key: string }
    const list = await (await before.call('GET', '/users')).text()
    const group = (await (await before.call('POST', '/groups', { name: 'Zürich', role: 'admin' })).json()) as Group
    await before.call('PUT', `/groups/${group.group_id}/members/${ada.user_id}`)
    const groups = await (await before.call('GET', '/groups')).json()
    await before.end('SIGTERM')

    const looksTheSame = async (service: Service, expected: string) => {
      assert.equal(await (await service.call('GET', '/users', undefined, { 'x-api-key': key })).text(), expected)
      const found = (await (await service.call('GET', '/users?q=angstr')).json()) as { username: string }[]
      assert.deepEqual(
        found.map(({ username }) => username),
        ['Zoë.Ångström'],
      )
      assert.deepEqual(await (await service.call('GET', '/groups')).json(), groups)
      const members = await (await service.call('GET', `/groups/${group.group_id}/members`)).json()
      assert.deepEqual(members, [ada])
      // The only active administrator, by the role of the group.
      const leaving = await service.call('DELETE', `/groups/${group.group_id}/members/${ada.user_id}?dry_run=true`)
      assert.equal(((await leaving.json()) as { code: string }).code, 'last_admin')
      const repeated = await create(service, 'ada')
      assert.deepEqual([repeated.headers.get('idempotency-replayed'), await repeated.json()], ['true', ada])
      assert.equal((await service.call('POST', '/users', { username: 'ADA' })).status, 409)
    }
    const there = await toPostgres(here, database)
    assert.equal(there.code, 0, there.err)
    assert.equal(report(there).users?.rows, 2)
    const hash = inSqlite(here, (source) => source.prepare('SELECT password_hash FROM users ORDER BY user_id').get())
    assert.deepEqual((await inPostgres(database, 'SELECT password_hash FROM users ORDER BY user_id LIMIT 1'))[0], {
      ...hash,
    })
    const middle = await startService(t, { directory: here, env: database.env })
    await looksTheSame(middle, list)
    const bob = (await (await create(middle, 'bob')).json()) as { user_id: string }
    const longer = await (await middle.call('GET', '/users')).text()
    await middle.end('SIGTERM')

    const home = await toSqlite(database, back)
    assert.equal(home.code, 0, home.err)
    assert.equal(report(home).users?.rows, 3)
    const after = await startService(t, { directory: back })
    await looksTheSame(after, longer)
    const eve = (await (await create(after, 'eve')).json()) as { user_id: string }
    assert.ok(eve.user_id > bob.user_id && bob.user_id > ada.user_id)
  })

  it('copies second factors: used codes stay used, and the others work on each side', async (t) => {
    const env = { ROLLBOOK_KEY_ENCRYPTION_SECRET: 'k'.repeat(32) }
    const [here, back] = [join(makeDirectory(t), 'here'), join(makeDirectory(t), 'back')]
    const database = await freshDatabase(t)
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
    const user_id = '01a1f8a3-ee02-7386-8d99-56b674796122'
    const codes = ['A', 'B', 'C'].map((letter) => Array(5).fill(letter.repeat(5)).join('-'))
    const password = 'a long walk by the sea'
    const recovery_code_hashes = codes.map((code) => recoveryCodeHash(user_id, code))
    const row = { user_id, username: 'ada', password, totp_secret: secret, recovery_code_hashes }
    const before = await startService(t, { directory: here, env })
    const { rejects } = (await (await before.call('POST', '/users/import', row, ndjson)).json()) as { rejects: [] }
    assert.deepEqual(rejects, [])
    const enter = async (at: Service, proof: object) => {
      const begun = await at.call('POST', '/sessions', { username: 'ada', password })
      assert.equal(begun.status, 401)
      const cookie = begun.headers.getSetCookie().map((line) => line.split(';', 1)[0])
      const { challenge_id } = (await begun.json()) as { challenge_id: string }
      const { status } = await at.call('POST', '/sessions', { challenge_id, ...proof }, { cookie: cookie.join('; ') })
      return status
    }
    const used = Date.now()
    assert.equal(await enter(before, { code: codeOf(secret, used) }), 201)
    assert.equal(await enter(before, { recovery_code: codes[0] }), 201)
    await before.end('SIGTERM')

    assert.equal((await toPostgres(here, database, env)).code, 0)
    const middle = await startService(t, { directory: here, env: { ...database.env, ...env } })
    assert.equal(await enter(middle, { code: codeOf(secret, used) }), 401)
    assert.equal(await enter(middle, { recovery_code: codes[0] }), 401)
    assert.equal(await enter(middle, { recovery_code: codes[1] }), 201)
    await middle.end('SIGTERM')

    assert.equal((await toSqlite(database, back, env)).code, 0)
    const after = await startService(t, { directory: back, env })
    assert.equal(await enter(after, { recovery_code: codes[1] }), 401)
    assert.equal(await enter(after, { recovery_code: codes[2] }), 201)
    // One step of drift is accepted: this code is newer than the one that was used.
    assert.equal(await enter(after, { code: codeOf(secret, Date.now() + 30_000) }), 201)
  })

  it('copies each table and column of both engines, or says why not', async (t) => {
    const directory = await storeWith(t, 0)
    const database = await freshDatabase(t)
    assert.equal((await toPostgres(directory, database)).code, 0)
    const decided = [...tables.map(({ name }) => name), ...Object.keys(leftOut)]
    const sqlite = inSqlite(directory, (store) =>
      store.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow'").all(),
    )
    const postgres = await inPostgres(
      database,
      `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')`,
    )
    for (const [engine, names] of Object.entries({ sqlite, postgres })) {
      const undecided = names.map(({ name }) => String(name)).filter((name) => !/^sqlite_/.test(name))
      assert.ok(undecided.length >= 6)
      assert.deepEqual(
        undecided.filter((name) => !decided.includes(name)),
        [],
        `list the new table of ${engine} in src/operations/move/tables.ts`,
      )
    }
    for (const { name, key } of tables) {
      const ours = inSqlite(directory, (store) => store.prepare('SELECT name FROM pragma_table_info(?)').all(name))
      const theirs = await inPostgres(
        database,
        `SELECT attname AS name FROM pg_attribute WHERE attrelid = '${name}'::regclass AND attnum > 0`,
      )
      const columns = ours.map((column) => column.name).filter((c) => !leftOutColumns[name]?.includes(String(c)))
      assert.deepEqual(columns.sort(), theirs.map((column) => column.name).sort(), `the columns of ${name}`)
      for (const column of key) assert.ok(columns.includes(column))
    }
  })

  it('reports for each table a digest that anyone can compute from the rows in the order of their keys', async (t) => {
    const directory = await storeWith(t, 3)
    const moved = await toPostgres(directory, await freshDatabase(t))
    const digest = createHash('sha256')
    const rows = inSqlite(directory, (store) => store.prepare('SELECT * FROM users ORDER BY user_id').all())
    for (const { row_id, user_id, ...others } of rows) {
      const columns = [
        user_id,
        ...Object.keys(others)
          .sort()
          .map((name) => others[name]),
      ]
      digest.update(Buffer.from([0, columns.length]))
      for (const value of columns) {
        const bytes = typeof value === 'number' ? Buffer.alloc(4) : Buffer.from(String(value))
        if (typeof value === 'number') bytes.writeInt32BE(value)
        const size = Buffer.alloc(4)
        size.writeInt32BE(value === null ? -1 : bytes.length)
        digest.update(size)
        if (value !== null) digest.update(bytes)
      }
    }
    assert.deepEqual(report(moved).users, { rows: 3, sha256: digest.digest('hex') })
  })

  it('continues after a kill at any moment, in both directions, and ends with the same rows', async (t) => {
    const users = 32_000
    const source = await storeWith(t, users)
    const database = await freshDatabase(t)
    const functions = ['pg Client.prototype.query', 'node:sqlite DatabaseSync.prototype.exec']

    /**
     * Kills the move before one of its steps, then before another one, and so on, each run continuing the last one. Each
     * run of the test picks other steps, because a process per step would take minutes. `counted` returns how many users
     * are there by then.
     */
    async function insist(
      attempt: (env: Record<string, string>) => Promise<Ended>,
      counted: () => Promise<number | undefined>,
    ): Promise<Report> {
      const counts: number[] = []
      const kills: string[] = []
      /** First while the target is created, then between batches of users, then further and further on. */
      const nextKill = (): [n: number, only: string] => {
        if (kills.length < 3) return [1 + randomInt(100), '']
        const done = counts.filter((count) => count === users).length
        return done === 0 ? [2 + randomInt(4), 'COPY.*\\busers\\b'] : [1 + randomInt(24) + 24 * done, '']
      }
      for (let tries = 1; tries < 150; tries++) {
        const [n, only] = nextKill()
        const outcome = await attempt(killedBefore(n, functions, only))
        if (outcome.signal === null) {
          // PostgreSQL notices a kill a little later.
          if (/Another move into/.test(outcome.err)) {
            await sleep(50)
            continue
          }
          assert.equal(outcome.code, 0, `${outcome.err} (killed before its acts ${kills})`)
          const partly = new Set(counts.filter((count) => count > 0 && count < users))
          assert.ok(partly.size >= 2, `killed before its acts ${kills}`)
          return report(outcome)
        }
        const count = await counted()
        kills.push(`${n} ${only} (${count ?? 'no'} users)`)
        if (count !== undefined) counts.push(count)
      }
      throw new Error('The move did not end.')
    }
    const there = await insist(
      (env) => toPostgres(source, database, env),
      async () => {
        const [marked] = await inPostgres(database, "SELECT to_regclass('move_under_way') IS NOT NULL AS yes")
        if (!marked?.yes) return undefined
        return Number((await inPostgres(database, 'SELECT count(*) AS n FROM users'))[0]?.n)
      },
    )
    const back = join(makeDirectory(t), 'back')
    const home = await insist(
      (env) => toSqlite(database, back, env),
      async () => (isMarked(back) ? countUsers(back) : undefined),
    )
    assert.equal(there.users?.rows, users)
    assert.deepEqual(home, there)
    inSqlite(back, (store) => {
      const inOrder = store.prepare('SELECT user_id FROM users ORDER BY row_id').all()
      assert.deepEqual(
        inOrder.map(({ user_id }) => user_id),
        inOrder.map(({ user_id }) => user_id).sort(),
      )
      const found = store.prepare(`SELECT count(*) AS n FROM users_search WHERE users_search MATCH '"use"'`).get()
      assert.equal(found?.n, users, 'the search index is complete')
      assert.equal(store.prepare('SELECT count(*) AS n FROM search_pending').get()?.n, 0)
    })
    assert.ok(!isMarked(back))
  })

  it('does not change an existing store', async (t) => {
    const directory = await storeWith(t, 5)
    const database = await freshDatabase(t)
    await (await startService(t, { directory: makeDirectory(t), env: database.env })).end('SIGTERM')
    const refused = await toPostgres(directory, database)
    assert.deepEqual([refused.code, refused.out], [1, ''])
    assert.match(refused.err, /There is already a store in the schema .*, with 1 rows in api_keys/)
    const again = await toPostgres(directory, database, {}, '--start-over')
    assert.equal(again.code, 1, 'starting over is for what a move has filled')
    assert.equal((await inPostgres(database, 'SELECT 1 FROM api_keys')).length, 1)

    const other = await storeWith(t, 7)
    const home = await toSqlite(database, other)
    assert.equal(home.code, 1)
    assert.match(home.err, /There is already a store in the directory .*, with 7 rows in users/)
    assert.equal(inSqlite(other, (store) => store.prepare('SELECT count(*) AS n FROM users').get())?.n, 7)
  })

  it('refuses a source that a server uses, that is incomplete, or that belongs to another release', async (t) => {
    const database = await freshDatabase(t)
    const directory = await storeWith(t, 1)
    const service = await startService(t, { directory })
    const served = await toPostgres(directory, database)
    assert.equal(served.code, 1)
    assert.match(served.err, new RegExp(`in use by another Rollbook \\(process ${service.pid}\\)`))
    await service.end('SIGTERM')

    const [last] = inSqlite(directory, (store) => store.prepare('SELECT * FROM migrations ORDER BY name DESC').all())
    const cases: [string, RegExp][] = [
      [
        "INSERT INTO migrations (name, applied_at) VALUES ('9999-future', '2036')",
        /belongs to a newer release \(9999-future\)/,
      ],
      [`DELETE FROM migrations WHERE name IN ('9999-future', '${last?.name}')`, /belongs to an older release/],
      ["CREATE TABLE move_under_way AS SELECT 'x' AS source, 'y' AS place, 'z' AS started_at", /is not complete/],
    ]
    for (const [statement, message] of cases) {
      inSqlite(directory, (store) => store.exec(statement))
      const refused = await toPostgres(directory, database)
      assert.equal(refused.code, 1)
      assert.match(refused.err, message)
      assert.doesNotMatch(refused.err, /^\s+at /m)
    }
    const missing = await toPostgres(join(makeDirectory(t), 'nothing'), database)
    assert.match(missing.err, /^There is no store in /)
    const empty = await toSqlite(database, join(makeDirectory(t), 'data'))
    assert.match(empty.err, /^There is no Rollbook store in the schema /)
    assert.deepEqual(await inPostgres(database, 'SELECT 1 FROM pg_tables WHERE schemaname = current_schema()'), [])
  })

  it('locks a partly filled store for servers and other sources, until it is complete or emptied', async (t) => {
    const [source, other] = [await storeWith(t, 5000), await storeWith(t, 10)]
    const database = await freshDatabase(t)
    // The third batch is not written.
    const cut = await toPostgres(source, database, killedBefore(3, ['pg-protocol serialize.copyDone']))
    assert.equal(cut.signal, 'SIGKILL')
    assert.equal((await inPostgres(database, 'SELECT 1 FROM users')).length, 4000)
    assert.match(
      await refusedStart(makeDirectory(t), database.env),
      /This store is not complete: a move from the directory .* into it started at/,
    )
    const wrong = await toPostgres(other, database)
    assert.equal(wrong.code, 1)
    assert.match(wrong.err, /A move from another store \(the directory .*\) into .* has not finished/)
    const anew = await toPostgres(other, database, {}, '--start-over')
    assert.equal(anew.code, 0, anew.err)
    assert.equal(report(anew).users?.rows, 10)

    const half = join(makeDirectory(t), 'half')
    // In the middle of the users, after the rows of the migrations and the mark.
    const broken = await toSqlite(
      database,
      half,
      killedBefore(migrations.length + 3, ['node:sqlite StatementSync.prototype.run']),
    )
    assert.equal(broken.signal, 'SIGKILL')
    assert.deepEqual([isMarked(half), countUsers(half)], [true, 0])
    assert.match(await refusedStart(half), /This store is not complete/)
    const backup = await runCommand(['backup', '--data-dir', half, '--to', join(makeDirectory(t), 'backup.db')])
    assert.match(backup.err, /is not complete: .*rollbook move has not finished/)
    assert.equal((await toSqlite(database, half)).code, 0)
    await (await startService(t, { directory: half })).end('SIGTERM')
  })

  it('detects that the source was changed meanwhile, keeps the target locked, and starts over', async (t) => {
    const database = await freshDatabase(t)
    assert.equal((await toPostgres(await storeWith(t, 3000), database)).code, 0)
    const address = parsePostgresUrl(database.url)
    assert.ok(!('faults' in address))
    const directory = join(makeDirectory(t), 'data')
    const place = { address, schema: database.schema, report: () => {} }
    const attempt = async (startOver: boolean, ...changes: string[]) => {
      const source = await openPostgresSource(place)
      const target = openSqliteTarget(directory, Date.now())
      const options = { now: Date.now(), signal: AbortSignal.timeout(60_000), startOver, onProgress: () => {} }
      // Changed when everything is copied and nothing is compared yet.
      const finish = async () => {
        await inPostgres(database, ...changes)
        await target.finish()
      }
      try {
        return await move(source, { ...target, finish }, options)
      } finally {
        await target.close()
        await source.close()
      }
    }
    const cases: [string, RegExp][] = [
      ["UPDATE users SET last_name = 'x' WHERE user_id LIKE '%2999'", /users differs .* after 2000 equal rows/],
      ['DELETE FROM api_keys', /api_keys differs between the two stores, from the first row/],
    ]
    for (const [change, message] of cases) {
      await assert.rejects(attempt(true, change), message)
      await assert.rejects(attempt(false), message)
      assert.match(await refusedStart(directory), /This store is not complete/)
    }
    const moved = await attempt(true)
    const rows = Object.fromEntries(moved.map((table) => [table.name, table.rows]))
    assert.deepEqual([rows.users, rows.api_keys, rows.idempotency_keys, rows.sessions], [3000, 0, 0, 0])
    // What every store has since its first start: a signing key, and the service's secrets.
    assert.deepEqual([rows.signing_keys, rows.secrets], [1, 2])
  })

  it('warns of a password in an argument, and repeats it nowhere', async (t) => {
    const database = await freshDatabase(t)
    const directory = await storeWith(t, 1)
    const { password } = new URL(database.url)
    const commandLine = ['move', '--from', `sqlite:${directory}`, '--to', database.url, '--schema', database.schema]
    const { code, out, err } = await runCommand(commandLine)
    assert.equal(code, 0)
    assert.match(err, /can see a password in an argument/)
    const file = join(makeDirectory(t), 'url')
    writeFileSync(file, new URL(database.url.replace(password, 'wrong-password')).href)
    chmodSync(file, 0o600)
    const back = join(makeDirectory(t), 'back')
    const refused = await runCommand(['move', '--from', `file:${file}`, '--to', `sqlite:${back}`])
    assert.equal(refused.code, 1)
    assert.match(refused.err, /^The database reports: password authentication failed/)
    for (const text of [out, err, refused.err]) assert.ok(!text.includes(password) && !text.includes('wrong-password'))
  })

  it('needs only a role that owns its schema', async (t) => {
    const database = await freshDatabase(t)
    const source = openSqliteSource(await storeWith(t, 10))
    const address = parsePostgresUrl(database.url)
    assert.ok(!('faults' in address))
    const target = await openPostgresTarget({ address, schema: database.schema, report: () => {} }, Date.now())
    const options = { now: Date.now(), signal: AbortSignal.timeout(60_000), startOver: false, onProgress: () => {} }
    await move(source, target, options)
    await Promise.all([source.close(), target.close()])
    const [right] = await inPostgres(
      database,
      'SELECT rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = current_user',
    )
    assert.deepEqual({ ...right }, { rolsuper: false, rolcreatedb: false, rolcreaterole: false })
  })
})
