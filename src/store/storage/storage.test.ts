import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createUser, everyEngine, type Started, sqlRunner, start } from '../../../test/harness.ts'
import { handlers } from '../../app/handlers.ts'
import { createLog } from '../../app/log.ts'
import { system } from '../../core/actor.ts'
import { openStorage } from '../engines/open.ts'

const request = () => ({ actor: system, now: Date.now(), requestId: 'test' })
const named = (username: string) => ({ username, username_key: username })
const usernames = async (app: Started): Promise<string[]> =>
  ((await app.call('GET', '/users')).body as { username: string }[]).map(({ username }) => username).toSorted()

/** Another transaction holds what changes of users need, so that they wait as for a slow disk. Returns its end. */
async function keepChangesWaiting(app: Started): Promise<() => Promise<void>> {
  if (app.database === undefined) {
    const other = new DatabaseSync(join(app.directory, 'rollbook.db'), { timeout: 5000 })
    other.exec('BEGIN IMMEDIATE')
    return async () => other.close()
  }
  const other = new pg.Client({ connectionString: app.database.adminUrl })
  await other.connect()
  await other.query(`BEGIN; LOCK TABLE ${app.database.schema}.users IN EXCLUSIVE MODE`)
  return () => other.end()
}

for (const engine of everyEngine) {
  describe(`changes on ${engine.name}`, () => {
    it('are not affected by one that fails half-way', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app, { username: 'ada' })
      const results = await Promise.allSettled([
        app.storage.change('users.create', named('before'), request()),
        // Neither engine accepts a text as a number: the statement fails like any bug in a command.
        app.storage.change('users.create', { ...named('faulty'), active: Number.NaN as never }, request()),
        app.storage.change('users.create', named('ada'), request()),
        app.storage.change(
          'users.update',
          { user_id: String(user_id), input: { active: Number.NaN as never }, expected: undefined },
          request(),
        ),
        app.storage.change('users.create', named('after'), request()),
      ])
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled'],
      )
      assert.equal((results[2] as PromiseRejectedResult).reason.code, 'username_taken')
      assert.deepEqual(await usernames(app), ['ada', 'after', 'before'])
    })

    it('can fail any number of times and leave nothing behind: no place taken, no response kept', async (t) => {
      const app = await start(t, engine)
      const responseKey = { scope: 'a', fingerprint: 'f', secret: new Uint8Array(32) }
      const create = (active: boolean) =>
        app.storage.change('users.create', { ...named('ada'), active }, { ...request(), responseKey })
      for (let i = 0; i < 3; i++) {
        const faulty = Array.from({ length: 8 }, () => create(Number.NaN as never))
        assert.ok((await Promise.allSettled(faulty)).every(({ status }) => status === 'rejected'))
      }
      const { result, replayed } = await create(true)
      assert.deepEqual([JSON.parse(result.document).username, replayed], ['ada', false])
      assert.equal((await create(true)).replayed, true)
    })

    it('are not affected by a corrupt stored response', async (t) => {
      const app = await start(t, engine)
      const responseKey = { scope: 'rotten', fingerprint: 'f', secret: new Uint8Array(32) }
      await app.storage.change('users.create', named('ada'), { ...request(), responseKey })
      await app.runSql("UPDATE idempotency_keys SET answer = substr(answer, 2) WHERE scope = 'rotten'")
      const [rotten, sound] = await Promise.allSettled([
        app.storage.change('users.create', named('ada'), { ...request(), responseKey }),
        app.storage.change('users.create', named('eve'), request()),
      ])
      assert.deepEqual([rotten.status, sound.status], ['rejected', 'fulfilled'])
    })

    it('are refused past the limit of the queue, without effect, and welcome again afterwards', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_WRITE_QUEUE: '10' } })
      const send = (i: number) => app.call('POST', '/users', { body: { username: `user-${i}` } })
      const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => send(i)))
      const refused = answers.filter(({ status }) => status !== 201)
      assert.ok(refused.length > 0)
      for (const { status, body, headers } of refused) {
        assert.deepEqual([status, body.code, headers['retry-after']], [503, 'overloaded', '1'])
      }
      assert.equal((await app.call('GET', '/users')).body.length, 50 - refused.length)
      assert.equal((await send(50)).status, 201)
    })

    it('never delay a read, however many there are', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_DATABASE_POOL_SIZE: '4' } })
      const users = await Promise.all(Array.from({ length: 8 }, () => createUser(app)))
      const release = await keepChangesWaiting(app)
      let changed = 0
      const changes = users.map(async ({ user_id }) => {
        const response = await app.call('PATCH', `/users/${user_id}`, { body: { first_name: 'Ada' } })
        changed++
        return response.body.first_name
      })
      await sleep(50)
      for (const path of [
        `/users/${users[0]?.user_id}`,
        '/users?limit=10',
        '/users',
        '/users?q=user&limit=5',
        '/keys',
      ]) {
        assert.equal((await app.call('GET', path)).status, 200)
      }
      assert.equal(changed, 0)
      await release()
      assert.deepEqual(new Set(await Promise.all(changes)), new Set(['Ada']))
    })

    it('all happen before the store closes, if they came first', async (t) => {
      const app = await start(t, engine)
      const dataDir = join(app.directory, 'another')
      const faults: Error[] = []
      const store = await openStorage(handlers, { ...app.config, dataDir }, createLog('silent'), (error) =>
        faults.push(error),
      )
      const changes = Array.from({ length: 100 }, (_, i) => store.change('users.create', named(`user-${i}`), request()))
      await store.close()
      assert.equal((await Promise.all(changes)).length, 100)
      assert.deepEqual(faults, [])
      const [row] = await sqlRunner(dataDir, app.database)('SELECT CAST(count(*) AS integer) AS n FROM users')
      assert.equal(row?.n, 100)
    })
  })
}
