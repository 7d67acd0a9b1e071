import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { recordsOf } from '../../../test/audit-records.ts'
import { everyEngine, type Started, start } from '../../../test/harness.ts'
import { AppError } from '../../core/errors.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { anonymous, createRecorder, type Witnessed } from './recorder.ts'

const refused = () => new AppError('credential_missing', 'Sign in.')

function witnessed(requestId: string): Witnessed {
  const entry = {
    action: 'authorization.refused',
    outcome: 'denied',
    code: 'credential_missing',
    actor: anonymous,
  } as const
  return { entry, origin: { address: '192.0.2.7', user_agent: 'nobody' }, now: Date.UTC(2026, 10, 20), requestId }
}

/** The application's storage, and the number of its changes. */
function counting({ storage }: Started): { changes(): number; storage: Pick<Storage, 'change'> } {
  let changes = 0
  const change: Storage['change'] = (...parameters) => {
    changes++
    return storage.change(...parameters)
  }
  return { changes: () => changes, storage: { change } }
}

const requestIds = async (app: Started) => (await recordsOf(app)).map(({ request_id }) => request_id)

for (const engine of everyEngine) {
  describe(`the recorder on ${engine.name}`, () => {
    it('writes many records in few changes, each once, and in the order in which they came', async (t) => {
      const app = await start(t, engine)
      const { changes, storage } = counting(app)
      const { record } = createRecorder(storage)
      const before = await requestIds(app)
      const ids = Array.from({ length: 500 }, (_, n) => `request-${n}`)
      await Promise.all(ids.map((id) => record(refused(), witnessed(id))))
      assert.deepEqual(await requestIds(app), [...before, ...ids])
      assert.ok(changes() <= 7, `${changes()} changes`)
    })

    it('has written a record when it reports so', async (t) => {
      const app = await start(t, engine)
      const { record } = createRecorder(app.storage)
      for (let n = 0; n < 3; n++) {
        await record(refused(), witnessed(`request-${n}`))
        assert.equal((await requestIds(app)).at(-1), `request-${n}`)
      }
    })

    it('writes one record for an error that several callers pass on, and they all wait for it', async (t) => {
      const app = await start(t, engine)
      const { record } = createRecorder(app.storage)
      const before = await requestIds(app)
      const error = refused()
      await Promise.all([record(error, witnessed('inner')), record(error, witnessed('outer'))])
      await record(error, witnessed('later'))
      assert.deepEqual(await requestIds(app), [...before, 'inner'])
    })

    it('refuses more than may wait, and loses nothing it accepted', async (t) => {
      const app = await start(t, engine)
      const { record } = createRecorder(app.storage, 10)
      const before = await requestIds(app)
      const ids = Array.from({ length: 30 }, (_, n) => `request-${n}`)
      const ends = await Promise.allSettled(ids.map((id) => record(refused(), witnessed(id))))
      const taken = ids.filter((_, n) => ends[n]?.status === 'fulfilled')
      // The first was in progress at once; ten waited.
      assert.deepEqual(taken, ids.slice(0, 11))
      for (const end of ends) if (end.status === 'rejected') assert.equal(end.reason.code, 'overloaded')
      assert.deepEqual(await requestIds(app), [...before, ...taken])
      await record(refused(), witnessed('afterwards'))
      assert.equal((await requestIds(app)).at(-1), 'afterwards')
    })

    it('reports to all waiting callers when the storage fails, and continues when it is back', async (t) => {
      const app = await start(t, engine)
      const { changes, storage } = counting(app)
      const { record } = createRecorder(storage)
      const table = engine.name === 'SQLite' ? 'audit_records' : 'journal_pending'
      await app.runSql(`ALTER TABLE ${table} RENAME TO elsewhere`)
      const ends = await Promise.allSettled(
        Array.from({ length: 300 }, (_, n) => record(refused(), witnessed(`lost-${n}`))),
      )
      for (const end of ends) assert.equal(end.status === 'rejected' && end.reason.code, 'storage_unavailable')
      assert.equal(changes(), 1)
      await app.runSql(`ALTER TABLE elsewhere RENAME TO ${table}`)
      await record(refused(), witnessed('afterwards'))
      const found = await requestIds(app)
      assert.equal(found.at(-1), 'afterwards')
      assert.ok(!found.some((id) => id.startsWith('lost')))
    })
  })
}
