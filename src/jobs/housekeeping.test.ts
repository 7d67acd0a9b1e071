import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pino from 'pino'
import { engines, start } from '../../test/harness.ts'
import { system } from '../context.ts'
import { startHousekeeping } from './housekeeping.ts'

for (const engine of engines) {
  describe(`housekeeping on ${engine.name}`, () => {
    it('writes down the last use of a key in its next round when it could not in this one', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_WRITE_QUEUE: '1' } })
      const { key_id } = (await app.call('POST', '/keys', { body: { name: 'x', permissions: ['users:read'] } })).body
      const lastUse = async (): Promise<string | null> => {
        const keys: { key_id: string; last_used_at: string | null }[] = (await app.call('GET', '/keys')).body
        return keys.find((key) => key.key_id === key_id)?.last_used_at ?? null
      }
      const uses = [{ key_id, last_used_at: '2026-11-20T09:30:00.000Z' }]
      const request = { actor: system, now: Date.now(), requestId: 'test' }
      const other = app.storage.change('idempotency.prune', { before: '', everyMs: 60_000 }, request)
      const { stop: round } = startHousekeeping({
        storage: app.storage,
        authenticator: { takeUses: () => ({ keys: uses.splice(0), sessions: [] }) },
        tokens: app.tokens,
        log: pino({ enabled: false }),
        idempotencyHours: 24,
        eventsDays: 90,
        auditDays: 400,
      })
      await round() // refused: the queue has one place, which is taken
      await other
      assert.equal(await lastUse(), null)
      await round()
      assert.equal(await lastUse(), '2026-11-20T09:30:00.000Z')

      // A report that comes late does not turn the time back.
      uses.push({ key_id, last_used_at: '2026-11-19T09:30:00.000Z' })
      await round()
      assert.equal(await lastUse(), '2026-11-20T09:30:00.000Z')
    })
  })
}
