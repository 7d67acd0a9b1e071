import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import type { Logger } from 'pino'
import { type Engine, everyEngine, type RunSql, sqlRunner } from '../../../test/harness.ts'
import { freshSchema } from '../../../test/postgres.ts'
import { handlers } from '../../app/handlers.ts'
import { createLog } from '../../app/log.ts'
import { loadConfig } from '../../core/config.ts'
import { openStorage } from '../engines/open.ts'
import type { Storage } from '../storage/storage.ts'
import { type MigratedStore, migrate, migrations } from './migrate.ts'
import type { Migration } from './migrations/migration.ts'
import { migratedStore } from './postgres/schema.ts'
import { sql } from './sql.ts'
import { openConnection } from './sqlite/connection.ts'

type Place = { store: MigratedStore; open(log?: Logger): Promise<Storage>; runSql: RunSql; faults: Error[] }

/** An empty store: a connection to it, and how the service opens it. */
async function emptyStore(t: TestContext, engine: Engine): Promise<Place> {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
  const database = engine.name === 'PostgreSQL' ? await freshSchema() : undefined
  const client =
    database && new pg.Client({ connectionString: database.url, options: `-c search_path=${database.schema}` })
  await client?.connect()
  const path = join(directory, 'rollbook.db')
  const connection = client ? undefined : openConnection({ path })
  t.after(async () => {
    if (connection?.raw.isOpen) connection.close()
    await client?.end()
    await database?.drop()
    rmSync(directory, { recursive: true })
  })
  const config = loadConfig({
    ROLLBOOK_DATA_DIR: directory,
    ...(database && { ROLLBOOK_DATABASE_URL: database.url, ROLLBOOK_DATABASE_SCHEMA: database.schema }),
  })
  const faults: Error[] = []
  return {
    store: connection ?? migratedStore(client as pg.Client, database?.schema as string),
    async open(log = createLog('silent')) {
      // At a first start, the service creates the file itself.
      if (connection?.raw.isOpen && (await connection.get(sql`SELECT 1 FROM sqlite_master`)) === undefined) {
        connection.close()
        rmSync(path)
      }
      return openStorage(handlers, config, log, (error) => faults.push(error))
    },
    runSql: sqlRunner(directory, database),
    faults,
  }
}

const now = Date.UTC(2026, 10, 20)
const names = migrations.map(({ name }) => name)
const last = names.at(-1) as string

/** A migration that creates a table, and anything else. */
function step(name: string, needs: string, ...statements: string[]): Migration {
  const all = [`CREATE TABLE t${name.slice(0, 4)} (x integer)`, ...statements]
  return { name, needs, sqlite: all, postgres: all }
}

const isThere = (runSql: RunSql, table: string): Promise<boolean> =>
  runSql(`SELECT 1 FROM ${table}`).then(
    () => true,
    (error: Error) => {
      assert.match(error.message, /no such table|does not exist/)
      return false
    },
  )

for (const engine of everyEngine) {
  describe(`migrations on ${engine.name}`, () => {
    it('run once, in their order, and are said to have run', async (t) => {
      const { store, open, runSql } = await emptyStore(t, engine)
      assert.deepEqual(await migrate(store, now), names)
      assert.deepEqual(await migrate(store, now + 1000), [])
      const next = step('0101-next', last)
      assert.deepEqual(await migrate(store, now + 2000, [...migrations, next]), ['0101-next'])
      assert.deepEqual(await runSql('SELECT name, applied_at, needs FROM migrations ORDER BY name'), [
        ...migrations.map(({ name, needs }) => ({ name, applied_at: '2026-11-20T00:00:00.000Z', needs })),
        { name: '0101-next', applied_at: '2026-11-20T00:00:02.000Z', needs: last },
      ])
      const storage = await open()
      assert.deepEqual(storage.migrated, [])
      await storage.close()
    })

    it('are logged while they run and with their duration, except at a first start', async (t) => {
      const logOf = (lines: string[]) =>
        createLog('info', { write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg) })
      const first: string[] = []
      const fresh = await emptyStore(t, engine)
      await (await fresh.open(logOf(first))).close()
      assert.deepEqual(first, [])

      const { store, open } = await emptyStore(t, engine)
      await migrate(store, now, migrations.slice(0, -2))
      const lines: string[] = []
      await (await open(logOf(lines))).close()
      assert.equal(lines[0], `migrating the store, 1 of 2: ${names.at(-2)}`)
      assert.equal(lines[1], `migrating the store, 2 of 2: ${last}`)
      assert.match(lines[2] as string, /^migrated the store in \d+\.\d s$/)
    })

    it('give domains in names and addresses one form, and leave two users alone who would collide', async (t) => {
      const { store, runSql } = await emptyStore(t, engine)
      const before = migrations.filter(({ name }) => name < '0047')
      await migrate(store, now, before)
      const users = [
        ['ada', 'ada@xn--bcher-kva.example', 'ada@bücher.example'],
        ['bob', 'bob@bücher.example', 'bob@bücher.example'],
        ['bea', 'bob@xn--bcher-kva.example', 'bob@xn--bcher-kva.example'],
        ['cy@xn--bcher-kva.example', 'cy@example.com', 'cy@example.com'],
        ['jö', 'jö@example.com', 'jö@example.com'],
        ['eve', 'eve@faß。example', 'eve@faß.example'],
      ] as const
      for (const [n, [username, email]] of users.entries()) {
        await runSql(`INSERT INTO users (user_id, version, document, username, username_key, email, email_key, first_name, last_name,
            role, active, created_at, updated_at, search_text)
          VALUES ('${n}', 1, '{}', '${username}', '${username}', '${email}', '${email}', '', '', 'user', 1, '', '', '')`)
      }
      await runSql(`INSERT INTO scim_emails (email_key, user_id) VALUES ('a@xn--bcher-kva.example', '0'),
        ('b@xn--bcher-kva.example', '0'), ('b@bücher.example', '0')`)
      await migrate(store, now)
      const rows = await runSql('SELECT username_key, email_key FROM users ORDER BY user_id')
      assert.deepEqual(
        rows,
        users.map(([username, , email_key]) => ({
          username_key: username.replace('xn--bcher-kva', 'bücher'),
          email_key,
        })),
      )
      assert.deepEqual(
        (await runSql('SELECT email_key FROM scim_emails ORDER BY email_key')).map((row) => row.email_key),
        ['a@bücher.example', 'b@bücher.example', 'b@xn--bcher-kva.example'],
      )
    })

    it('change every user, however many there are, and as many deleted ones', async (t) => {
      const { store, runSql } = await emptyStore(t, engine)
      const before = migrations.filter(({ name }) => name < '0016')
      await migrate(store, now, before)
      const insert = (statement: string) =>
        runSql(
          `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1002) INSERT INTO ${statement}`,
        )
      await insert(`users (user_id, version, document, username, username_key, email, email_key, first_name, last_name,
          role, active, created_at, updated_at, search_text)
        SELECT 'u' || i, 1, '{"i":1}', 'u' || i, 'u' || i, '', i || '@xn--bcher-kva.example', '', '', 'user', 1, '', '', 'o’brien' FROM n`)
      await insert(`deleted_users (user_id, deleted_at, restorable_until, document, user_row)
        SELECT 'd' || i, '', '', '{"i":1}', '{"username_key":"d","role":"user","search_text":"o’brien"}' FROM n`)
      await migrate(store, now)
      const isMigrated = `document = '{"i":1,"attributes":{}}' AND search_text = 'o''brien'`
      for (const rows of [`users WHERE email_key LIKE '%@bücher.example'`, `deleted_users WHERE username_key = 'd'`]) {
        assert.deepEqual(await runSql(`SELECT user_id FROM ${rows} AND NOT (${isMigrated})`), [])
        assert.equal((await runSql(`SELECT user_id FROM ${rows}`)).length, 1002)
      }
    })

    it('write the apostrophes and dashes of search texts as they are sought', async (t) => {
      const { store, runSql } = await emptyStore(t, engine)
      await migrate(
        store,
        now,
        migrations.filter(({ name }) => name < '0059'),
      )
      for (const [n, text] of ['o’brien–smith', "o''brien", 'plain'].entries()) {
        await runSql(`INSERT INTO users (user_id, version, document, username, username_key, first_name, last_name,
            role, active, created_at, updated_at, search_text)
          VALUES ('${n}', 1, '{}', 'u${n}', 'u${n}', '', '', 'user', 1, '', '', '${text}')`)
      }
      await migrate(store, now)
      assert.deepEqual(
        (await runSql('SELECT search_text FROM users ORDER BY user_id')).map((row) => row.search_text),
        ["o'brien-smith", "o'brien", 'plain'],
      )
    })

    it('give addresses in attributes one form that users may share, where an earlier step left them', async (t) => {
      const { store, runSql } = await emptyStore(t, engine)
      const until = (name: string) => migrations.filter((one) => one.name < name)
      await migrate(store, now, until('0047'))
      for (const [name, type] of [
        ['home', 'email'],
        ['work', 'email'],
        ['motto', 'string'],
      ]) {
        await runSql(`INSERT INTO attribute_definitions (name, version, definition, created_at, updated_at)
          VALUES ('${name}', 1, '{"type":"${type}"}', '', '')`)
      }
      const [old, form] = ['a@xn--bcher-kva.example', 'a@bücher.example']
      for (const [attribute, key, user, isUnique] of [
        ['home', old, 1, 0],
        ['home', old, 2, 0],
        ['home', form, 3, 0],
        ['work', old, 1, 1],
        ['work', form, 2, 1],
        ['motto', old, 1, 0],
      ]) {
        await runSql(`INSERT INTO attribute_values (attribute, value_key, user_id, is_unique)
          VALUES ('${attribute}', '${key}', '${user}', ${isUnique})`)
      }
      const keys = async (attribute: string) => {
        const rows = await runSql(
          `SELECT value_key FROM attribute_values WHERE attribute = '${attribute}' ORDER BY user_id`,
        )
        return rows.map((row) => row.value_key)
      }
      await migrate(store, now, until('0049'))
      assert.deepEqual(await keys('home'), [old, old, form])
      await migrate(store, now)
      assert.deepEqual(await keys('home'), [form, form, form])
      assert.deepEqual(await keys('work'), [old, form])
      assert.deepEqual(await keys('motto'), [old])
    })

    it('refuse a store of a newer release that this code cannot work with, and release it', async (t) => {
      const { open, runSql, faults } = await emptyStore(t, engine)
      const first = await open()
      assert.deepEqual(first.migrated, names)
      await first.close()
      await runSql(`INSERT INTO migrations (name, applied_at, needs) VALUES
        ('9998-harmless', '2036-01-01T00:00:00.000Z', '${last}'),
        ('9999-from-the-future', '2036-01-01T00:00:00.000Z', '9998-harmless')`)
      for (let i = 0; i < 2; i++) {
        await assert.rejects(open(), {
          name: 'OperatorError',
          message: 'The store was migrated by a newer release (9999-from-the-future); start that release instead.',
        })
      }
      await runSql("DELETE FROM migrations WHERE name = '9999-from-the-future'")
      await (await open()).close()
      assert.deepEqual(faults, [], 'whoever opens it is told, and nobody else')
    })

    it('accept a store of a newer release whose steps need nothing unknown here, and add what it lacks', async (t) => {
      const { store, runSql } = await emptyStore(t, engine)
      const [ours, theirs] = [step('0101-ours', last), step('0102-theirs', last)]
      await migrate(store, now, [...migrations, theirs])
      assert.deepEqual(await migrate(store, now), [])
      assert.deepEqual(await migrate(store, now, [...migrations, ours]), ['0101-ours'])
      assert.deepEqual([await isThere(runSql, 't0101'), await isThere(runSql, 't0102')], [true, true])
    })

    it('are all or nothing: one that fails does not change the store', async (t) => {
      const { store, runSql } = await emptyStore(t, engine)
      const faulty = step('0103-faulty', last, 'INSERT INTO t0103 SELECT 1 FROM nowhere')
      await assert.rejects(migrate(store, now, [...migrations, faulty]))
      for (const table of ['migrations', 'users', 't0103']) assert.equal(await isThere(runSql, table), false, table)

      await migrate(store, now)
      const before = await runSql('SELECT * FROM migrations ORDER BY name')
      await assert.rejects(migrate(store, now + 1000, [...migrations, step('0101-sound', last), faulty]))
      assert.deepEqual(await runSql('SELECT * FROM migrations ORDER BY name'), before)
      for (const table of ['t0101', 't0103']) assert.equal(await isThere(runSql, table), false, table)
      assert.deepEqual(await migrate(store, now + 1000), [])
    })

    it('continue with a store that does not record what its steps need', async (t) => {
      const { store, runSql } = await emptyStore(t, engine)
      const [first, second, ...others] = migrations as [Migration, Migration, ...Migration[]]
      // As release 0.1.0 left it.
      await store.exec('CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL)')
      for (const { name, ...statements } of [first, second]) {
        for (const statement of statements[store.engine]) await store.exec(statement)
        await runSql(`INSERT INTO migrations VALUES ('${name}', '2026-11-01T00:00:00.000Z')`)
      }
      await runSql(`INSERT INTO api_keys (key_id, name, prefix, permissions, key_hash, managed, created_at)
        VALUES ('k', 'old', 'rb_', '[]', 'h', 0, '2026-11-01T00:00:00.000Z')`)
      assert.deepEqual(
        await migrate(store, now),
        others.map(({ name }) => name),
      )
      assert.deepEqual(await runSql('SELECT name FROM api_keys'), [{ name: 'old' }])
      assert.deepEqual(await migrate(store, now), [])
      await runSql(
        "INSERT INTO migrations (name, applied_at) VALUES ('9999-from-the-future', '2036-01-01T00:00:00.000Z')",
      )
      await assert.rejects(migrate(store, now), /newer release \(9999-from-the-future\)/)
    })
  })
}
