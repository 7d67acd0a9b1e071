import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser, everyEngine, type Started, start } from '../../../test/harness.ts'
import { openForReading } from '../../cli/audit/read-store.ts'
import { system } from '../../core/actor.ts'
import { pruneAudit } from './retention.ts'
import type { AuditRecord } from './schema.ts'
import { verifyStore } from './verify-store.ts'

const dayMs = 24 * 3_600_000
const startAt = Date.UTC(2026, 10, 20, 9, 30)

function pruneOn({ storage }: Started, now: number, days = 400): Promise<void> {
  return pruneAudit(storage, days, { actor: system, now, requestId: 'test' })
}

async function list({ call }: Started): Promise<AuditRecord[]> {
  return (await call('GET', '/audit?sort=seq&limit=1000')).body
}

async function verify({ config, storage }: Started) {
  await storage.settleJournal()
  const { db, close } = await openForReading(config)
  const verdict = await verifyStore(db)
  await close()
  return verdict
}

for (const engine of everyEngine) {
  describe(`retention of the audit on ${engine.name}`, () => {
    it('deletes old records, records that, and the rest can still be verified', async (t) => {
      let now = startAt
      const app = await start(t, engine, { clock: () => now })
      for (let i = 0; i < 5; i++) await createUser(app)
      now += 399 * dayMs
      for (let i = 0; i < 3; i++) await createUser(app)
      const before = await list(app)
      await pruneOn(app, now)
      assert.deepEqual(await list(app), before, 'nothing is old enough')

      now += 2 * dayMs
      await pruneOn(app, now)
      const after = await list(app)
      const old = before.filter(({ occurred_at }) => Date.parse(occurred_at) < now - 400 * dayMs)
      assert.equal(old.length, before.length - 3)
      const last = old.at(-1) as AuditRecord
      assert.deepEqual(after.slice(0, -1), before.slice(old.length))
      const { action, actor, details, outcome } = after.at(-1) as AuditRecord
      assert.deepEqual([action, actor.kind, outcome], ['audit.pruned', 'system', 'success'])
      assert.deepEqual(details, {
        seq: last.seq,
        hash: last.hash,
        records: old.length,
        occurred_before: new Date(now - 400 * dayMs).toISOString(),
      })
      const { fault, base, records } = await verify(app)
      assert.deepEqual([fault, base, records], [undefined, { seq: last.seq, hash: last.hash }, 4])
      const checkpoint = (await app.call('GET', '/audit/checkpoint')).body
      assert.deepEqual([checkpoint.base_seq, checkpoint.count, checkpoint.seq], [last.seq, 4, before.length + 1])
    })

    it('runs once a day on any number of nodes, and does nothing if everything is to be kept', async (t) => {
      let now = startAt
      const app = await start(t, engine, { clock: () => now })
      now += 10 * dayMs
      await pruneOn(app, now, 0)
      assert.equal((await list(app))[0]?.seq, 1)
      await Promise.all([pruneOn(app, now, 5), pruneOn(app, now, 5)])
      const [first] = await list(app)
      assert.equal(first?.action, 'audit.pruned')
      now += dayMs / 2
      await pruneOn(app, now + 10 * dayMs - dayMs / 2 - 1, 0)
      assert.equal((await list(app)).length, 1)
      assert.equal((await verify(app)).fault, undefined)
    })

    it('keeps the last record of an idle store, and continues with its numbers', async (t) => {
      let now = startAt
      const app = await start(t, engine, { clock: () => now })
      await createUser(app)
      const [newest] = (await list(app)).toReversed()
      for (let i = 0; i < 3; i++) {
        now += 500 * dayMs
        await pruneOn(app, now)
        const records = await list(app)
        assert.deepEqual(
          records.map(({ seq, action }) => [seq, action]),
          [[(newest?.seq ?? 0) + i + 1, 'audit.pruned']],
        )
        assert.equal((await verify(app)).fault, undefined)
      }
    })

    it('continues an interrupted run, and until then the chain is valid too', async (t) => {
      let now = startAt
      const app = await start(t, engine, { clock: () => now })
      for (let i = 0; i < 5; i++) await createUser(app)
      now += 401 * dayMs
      const request = { actor: system, now, requestId: 'test' }
      const before = new Date(now - 400 * dayMs).toISOString()
      await app.storage.change('audit.announce_pruning', { last: 4, before }, request)
      // The power fails here: announced, but not done.
      assert.equal((await verify(app)).fault, undefined)
      assert.equal((await list(app))[0]?.seq, 1)
      // On another day it need not be announced again.
      await app.storage.settleJournal()
      const nextDay = { ...request, now: now + dayMs }
      await app.storage.change('audit.announce_pruning', { last: 4, before }, nextDay)
      await pruneOn(app, now)
      const records = await list(app)
      assert.equal(records[0]?.seq, 5)
      assert.equal(records.filter(({ action }) => action === 'audit.pruned').length, 1)
      assert.equal((await verify(app)).fault, undefined)
    })

    it('deletes no more than was recorded, even if that record is changed', async (t) => {
      let now = startAt
      const app = await start(t, engine, { clock: () => now })
      for (let i = 0; i < 5; i++) await createUser(app)
      now += 401 * dayMs
      await pruneOn(app, now)
      const [pruned] = await list(app)
      const head = (pruned?.seq ?? 0) + 1
      await createUser(app)
      assert.equal((await list(app)).at(-1)?.seq, head)
      for (const seq of [head, head - 1, 1000]) {
        const what = JSON.stringify({ details: { seq, hash: 'x' } })
        await app.runSql(`UPDATE audit_records SET what = '${what}' WHERE seq = ${pruned?.seq}`)
        await app.storage.change('audit.prune', undefined, { actor: system, now, requestId: 'test' })
        assert.equal((await list(app)).length, 2)
      }
      assert.match(String((await verify(app)).fault?.detail), /`what`\) was changed/)
    })
  })
}
