import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { version } from '../../src/core/version.ts'
import { type MigratedStore, migrate } from '../../src/store/db/migrate.ts'
import type { Migration } from '../../src/store/db/migrations/migration.ts'
import { migratedStore } from '../../src/store/db/postgres/schema.ts'
import { sql } from '../../src/store/db/sql.ts'
import { openConnection } from '../../src/store/db/sqlite/connection.ts'
import { patiently } from '../../src/store/postgres/patience.ts'
import { runCommand } from '../command-process.ts'
import { makeDirectory, runService, type Service, startService } from '../durability/process.ts'
import { engines } from '../harness.ts'
import { freshSchema } from '../postgres.ts'
import { keptBefore, newestKeptBefore, newestReleasedBefore, type OldRelease, unpackOldRelease } from './releases.ts'

let old: OldRelease
const unpacked = new Map<string | undefined, Promise<OldRelease>>()

/** Its first start compiles its sources, which takes longer than all else here; later ones find them compiled. */
function unpackOnce(release = newestKeptBefore(version)): Promise<OldRelease> {
  const found = unpacked.get(release) ?? unpackOldRelease(release)
  unpacked.set(release, found)
  return found
}

describe('an upgrade from the previous release', () => {
  before(async () => {
    old = await unpackOnce()
  })
  after(async () => {
    for (const release of unpacked.values()) (await release).remove()
  })

  it('is tested with the code of that release, which is stored', (t) => {
    t.diagnostic(old.version === version ? 'There is none yet: it is played by this code.' : `It is ${old.version}.`)
    assert.equal(newestKeptBefore(version), newestReleasedBefore(version), 'npm run keep-release was forgotten')
  })

  for (const release of keptBefore(version)) {
    for (const engine of engines) {
      it(`brings the store of ${release} along, on ${engine.name}`, async (t) => {
        const from = await unpackOnce(release)
        const place = await makePlace(t, engine.name, from)
        const first = await startService(t, place.ofOld())
        const ada = await answerOf(first.call('POST', '/users', { username: 'ada', email: 'ada@example.com' }))
        const { key } = await answerOf(first.call('POST', '/keys', { name: 'reader', permissions: ['users:read'] }))
        await first.end('SIGTERM')
        const second = await startService(t, place.ofThis())
        assert.deepEqual(await answerOf(second.call('GET', '/users?q=ada', undefined, { 'x-api-key': key })), [
          now(ada),
        ])
        const changed = await answerOf(second.call('PATCH', `/users/${ada.user_id}`, { first_name: 'Ada' }))
        assert.equal(changed.first_name, 'Ada')
        await second.end('SIGTERM')
      })
    }
  }

  for (const engine of engines) {
    it(`is no condition for resetting access on its store, on ${engine.name}`, async (t) => {
      const place = await makePlace(t, engine.name)
      const first = await startService(t, place.ofOld())
      const { user_id } = await answerOf(first.call('POST', '/users', { username: 'ada', email: 'ada@example.com' }))
      await first.end('SIGTERM')
      const { directory, env } = place.ofThis()
      const file = join(directory, 'password')
      writeFileSync(file, 'a moth in relay seventy\n')
      const args = ['admin', 'reset', 'ADA@example.com', '--password-file', file, '--promote']
      const finished = await runCommand(args, { ROLLBOOK_DATA_DIR: directory, ...env })
      assert.equal(finished.code, 0, finished.err)
      const second = await startService(t, place.ofThis())
      const ada = await answerOf(second.call('GET', `/users/${user_id}`))
      assert.deepEqual([ada.role, ada.has_password], ['admin', true])
      await second.end('SIGTERM')
    })

    it(`brings the store along, and the way back is open after steps that only add, on ${engine.name}`, async (t) => {
      const place = await makePlace(t, engine.name)
      const first = await startService(t, place.ofOld())
      const ada = await answerOf(first.call('POST', '/users', { username: 'ada', role: 'admin' }))
      const once = { 'idempotency-key': 'grace-once' }
      const grace = await answerOf(first.call('POST', '/users', { username: 'grace', email: 'g@example.com' }, once))
      const { key } = await answerOf(first.call('POST', '/keys', { name: 'reader', permissions: ['users:read'] }))
      await first.end('SIGTERM')

      const second = await startService(t, place.ofThis())
      assert.deepEqual(await answerOf(second.call('GET', '/users', undefined, { 'x-api-key': key })), [
        now(ada),
        now(grace),
      ])
      const replayed = await second.call('POST', '/users', { username: 'grace', email: 'g@example.com' }, once)
      assert.equal(replayed.headers.get('idempotency-replayed'), 'true')
      assert.deepEqual(await replayed.json(), grace)
      const changed = await answerOf(second.call('PATCH', `/users/${grace.user_id}`, { first_name: 'Grace' }))
      assert.equal((await second.call('DELETE', `/users/${ada.user_id}`)).status, 409, 'the last administrator')
      await second.end('SIGTERM')

      await place.migrate([expand])
      const third = await startService(t, place.ofOld())
      assert.deepEqual(await answerOf(third.call('GET', '/users')), [now(ada), changed])
      const bob = await answerOf(third.call('POST', '/users', { username: 'bob' }))
      const renamed = await answerOf(third.call('PATCH', `/users/${bob.user_id}`, { username: 'rob' }))
      assert.deepEqual(await answerOf(third.call('GET', '/users?q=rob')), [now(renamed)])
      assert.equal((await third.call('DELETE', `/users/${bob.user_id}`)).status, 200)
      await third.end('SIGTERM')
    })

    it(`cannot be reversed after a step that removes something: the old release refuses to start, on ${engine.name}`, async (t) => {
      const place = await makePlace(t, engine.name)
      await (await startService(t, place.ofOld())).end('SIGTERM')
      await place.migrate([expand, contract])
      const { code, errors } = await runService(place.ofOld())
      assert.equal(code, 1)
      assert.equal(
        errors.trim(),
        'The store was migrated by a newer release (9999-contract); start that release instead.',
      )
    })
  }

  if (engines.some(({ name }) => name === 'PostgreSQL')) {
    it('lets old and new nodes serve the same users at the same time, and an old one start once more', async (t) => {
      const place = await makePlace(t, 'PostgreSQL')
      let oldNode = await startService(t, place.ofOld())
      const newNode = await startService(t, place.ofThis())
      const list = async (node: Service) => await answerOf(node.call('GET', '/users'))
      const work = async (maker: Service, other: Service, name: string) => {
        const created = await answerOf(maker.call('POST', '/users', { username: name, role: 'admin' }))
        const seen = await other.call('GET', `/users/${created.user_id}`)
        assert.deepEqual(now((await seen.json()) as object), now(created))
        const ifMatch = { 'if-match': seen.headers.get('etag') as string }
        const changed = await answerOf(other.call('PATCH', `/users/${created.user_id}`, { last_name: 'New' }, ifMatch))
        assert.equal((await maker.call('PATCH', `/users/${created.user_id}`, { last_name: 'X' }, ifMatch)).status, 412)
        assert.equal((await other.call('POST', '/users', { username: name.toUpperCase() })).status, 409)
        assert.deepEqual(await answerOf(maker.call('GET', `/users?q=${name}`)), [now(changed)])
        assert.deepEqual(await list(maker), await list(other))

        const once = { 'idempotency-key': name }
        const createdUser = await answerOf(maker.call('POST', '/users', { username: `${name}-kept` }, once))
        const replayed = await other.call('POST', '/users', { username: `${name}-kept` }, once)
        assert.deepEqual(await replayed.json(), createdUser)

        const { key_id, key } = await answerOf(maker.call('POST', '/keys', { name, permissions: ['users:read'] }))
        const read = (node: Service) => node.call('GET', `/users/${created.user_id}`, undefined, { 'x-api-key': key })
        for (const node of [maker, other]) assert.equal((await read(node)).status, 200)
        assert.equal((await maker.call('DELETE', `/keys/${key_id}`)).status, 200)
        assert.equal((await read(maker)).status, 401)
        await sleep(1000)
        assert.equal((await read(other)).status, 401)

        assert.equal((await maker.call('DELETE', `/users/${createdUser.user_id}`)).status, 200)
        assert.equal((await other.call('GET', `/users/${createdUser.user_id}`)).status, 404)
        return changed
      }
      const ada = await work(oldNode, newNode, 'ada')
      const bob = await work(newNode, oldNode, 'bob')
      await oldNode.end('SIGTERM')
      oldNode = await startService(t, place.ofOld())
      assert.deepEqual(await list(oldNode), [now(ada), now(bob)])
      assert.equal((await newNode.call('DELETE', `/users/${ada.user_id}`)).status, 200)
      assert.equal((await oldNode.call('DELETE', `/users/${bob.user_id}`)).status, 409, 'the last administrator')
    })

    it('disturbs no old node with a step that adds something: it handles every request meanwhile', async (t) => {
      const place = await makePlace(t, 'PostgreSQL')
      const node = await startService(t, place.ofOld())
      const { key_id } = await answerOf(node.call('POST', '/keys', { name: 'x', permissions: ['users:read'] }))
      const round = async (caller: number) => {
        const names = { username: `user-${caller}`, external_id: `${caller}` }
        const { user_id } = await answerOf(
          node.call('POST', '/users', names, { 'idempotency-key': `${Math.random()}` }),
        )
        await answerOf(node.call('PATCH', `/users/${user_id}`, { active: false }))
        await answerOf(node.call('GET', `/users/${user_id}`))
        await answerOf(node.call('GET', `/users?q=user-${caller}&sort=-username`))
        await answerOf(node.call('GET', '/users'))
        await answerOf(node.call('GET', '/keys'))
        await answerOf(node.call('DELETE', `/users/${user_id}`))
      }
      let [rounds, going] = [0, true]
      const callers = [1, 2, 3, 4].map(async (caller) => {
        try {
          for (; going; rounds += 1) await round(caller)
        } finally {
          going = false
        }
      })
      const work = Promise.all(callers)
      work.catch(() => {}) // Told below, after the others have ended too.
      // By then each connection has prepared its statements.
      await until(() => !going || rounds >= 20)
      await place.migrate([expand])
      const before = rounds
      await until(() => !going || rounds >= before + 20)
      going = false
      await work
      await answerOf(node.call('POST', `/keys/${key_id}/rotate`))
    })
  }
})

/** A user of an old release, as the store completes them. */
const now = (user: object) => ({ ...user, attributes: {} })

/** What the release after this one might do: it adds to every table that old nodes read and write. */
const expand: Migration = {
  name: '9998-expand',
  get needs() {
    return old.migrations.at(-1)?.name as string
  },
  sqlite: [
    ...['users', 'api_keys', 'idempotency_keys', 'jobs'].map(
      (table) => `ALTER TABLE ${table} ADD COLUMN later TEXT NOT NULL DEFAULT ''`,
    ),
    'CREATE INDEX users_later ON users (later)',
    'CREATE TABLE later (name TEXT PRIMARY KEY)',
  ],
  postgres: [
    `DO $$
     DECLARE name text;
     BEGIN
       FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
         EXECUTE format('ALTER TABLE %I ADD COLUMN later text NOT NULL DEFAULT %L', name, '');
       END LOOP;
     END $$`,
    'CREATE INDEX users_later ON users (later)',
    'CREATE TABLE later (name text PRIMARY KEY)',
  ],
}

/** And the one after that. */
const contract: Migration = {
  name: '9999-contract',
  needs: expand.name,
  sqlite: ['ALTER TABLE api_keys DROP COLUMN last_used_at'],
  postgres: ['ALTER TABLE api_keys DROP COLUMN last_used_at'],
}

type Place = {
  ofOld(): Parameters<typeof startService>[1]
  ofThis(): Parameters<typeof startService>[1]
  /** Brings the store to the schema of the old release, and on with these steps. */
  migrate(steps: Migration[]): Promise<void>
}

async function makePlace(t: TestContext, engine: 'SQLite' | 'PostgreSQL', from = old): Promise<Place> {
  const directory = makeDirectory(t)
  const database = engine === 'PostgreSQL' ? await freshSchema() : undefined
  if (database) t.after(() => database.drop())
  const env = database
    ? { ROLLBOOK_DATABASE_URL: database.url, ROLLBOOK_DATABASE_SCHEMA: database.schema }
    : ({} as Record<string, string>)
  const ofThis = { directory, env }
  const ofOld = { directory, env: { ...env, ...from.env }, through: from.through }
  const bring = (store: MigratedStore, steps: Migration[]) => migrateOn(store, steps)
  return {
    ofOld: () => ofOld,
    ofThis: () => ofThis,
    async migrate(steps) {
      if (database === undefined) {
        const connection = openConnection({ path: join(directory, 'rollbook.db') })
        await bring(connection, steps).finally(() => connection.close())
        return
      }
      const client = new pg.Client({
        connectionString: database.url,
        options: `-c search_path=${database.schema}`,
      })
      await client.connect()
      // As at a start: what meets the locks of others is done again.
      await patiently(
        () => bring(migratedStore(client, database.schema), steps),
        () => 0,
      ).finally(() => client.end())
    },
  }
}

/** Beyond whatever the store knows already: this code may be further than the old release. */
async function migrateOn(store: MigratedStore, steps: Migration[]): Promise<void> {
  const known = await store.all<{ name: string }>(sql`SELECT name FROM migrations ORDER BY name`)
  const done = known.map(({ name }) => ({ name, needs: name, sqlite: [], postgres: [] }))
  assert.deepEqual(
    await migrate(store, Date.now(), [...done, ...steps]),
    steps.map(({ name }) => name),
  )
}

// biome-ignore lint/suspicious/noExplicitAny: whatever was answered.
async function answerOf(call: Promise<Response>): Promise<any> {
  const response = await call
  const text = await response.text()
  assert.ok(response.ok, `${response.url} answered ${response.status}: ${text}`)
  return JSON.parse(text)
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!holds()) {
    assert.ok(Date.now() < deadline, 'it took too long')
    await sleep(10)
  }
}
