import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pino from 'pino'
import { createUser, everyEngine, start } from '../../test/harness.ts'
import { system } from '../core/actor.ts'
import { startHousekeeping } from './housekeeping.ts'

for (const engine of everyEngine) {
  describe(`housekeeping on ${engine.name}`, () => {
    it('stores the last use of a key in its next round if it failed in this one', async (t) => {
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
        config: app.config,
        storage: app.storage,
        authenticator: { takeUses: () => ({ keys: uses.splice(0), sessions: [] }) },
        tokens: app.tokens,
        log: pino({ enabled: false }),
      })
      await round() // refused: the queue has one place, which is taken
      await other
      assert.equal(await lastUse(), null)
      await round()
      assert.equal(await lastUse(), '2026-11-20T09:30:00.000Z')

      // A late report does not set the time back.
      uses.push({ key_id, last_used_at: '2026-11-19T09:30:00.000Z' })
      await round()
      assert.equal(await lastUse(), '2026-11-20T09:30:00.000Z')
    })

    it('deletes nothing by a clock that has jumped, and waits until it has run on for a day', async (t) => {
      const app = await start(t, engine)
      const startMs = Date.now()
      const day = 86_400_000
      const { user_id } = await createUser(app, { username: 'ada' })
      const deleted = await app.call('DELETE', `/users/${user_id}`)
      assert.equal(deleted.status, 200)
      const lines: string[] = []
      // Each is a restart with one round; nothing in memory says how long ago the previous one was.
      const roundAt = async (now: number, confirmedDate?: string) => {
        const { stop } = startHousekeeping({
          config: app.config,
          storage: app.storage,
          authenticator: { takeUses: () => ({ keys: [], sessions: [] }) },
          tokens: app.tokens,
          log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
          clock: () => now,
          sharedClock: async () => undefined,
          confirmedDate,
        })
        await stop()
      }
      const count = async (table: string) => Number((await app.runSql(`SELECT count(*) AS n FROM ${table}`))[0]?.n)
      const left = async () => [await count('deleted_users'), (await count('audit_records')) > 1]
      const warnings = async () =>
        (await app.call('GET', '/deployment')).body.warnings.map(({ code }: { code: string }) => code)

      await roundAt(startMs)
      assert.ok(!(await warnings()).includes('clock_jumped'))
      for (const ahead of [2000 * day, 2000 * day + 60_000, 2001 * day, 8 * day, 8 * day + 60_000]) {
        await roundAt(startMs + ahead)
        assert.deepEqual(await left(), [1, true], `${ahead / day} days ahead`)
      }
      assert.equal(lines.filter((line) => line.includes('the clock has jumped')).length, 5, 'each start says so')
      assert.ok((await warnings()).includes('clock_jumped'))
      await roundAt(startMs + 60_000)
      assert.ok(!(await warnings()).includes('clock_jumped'), 'the clock was corrected')
      // A long time without power: the clock is right, and continues.
      for (let hour = 0; hour < 24; hour++) {
        await roundAt(startMs + 30 * day + hour * 3_500_000)
        assert.deepEqual(await left(), [1, true], `after ${hour} hours`)
      }
      for (let hour = 24; hour < 26; hour++) await roundAt(startMs + 30 * day + hour * 3_500_000)
      assert.deepEqual(await left(), [0, true])
    })

    it('deletes at once when the operator confirms the date, and not when the clock says another date', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app, { username: 'ada' })
      await app.call('DELETE', `/users/${user_id}`)
      const later = Date.now() + 30 * 86_400_000
      const roundAt = (now: number, confirmedDate: string) =>
        startHousekeeping({
          config: app.config,
          storage: app.storage,
          authenticator: { takeUses: () => ({ keys: [], sessions: [] }) },
          tokens: app.tokens,
          log: pino({ enabled: false }),
          clock: () => now,
          sharedClock: async () => undefined,
          confirmedDate,
        }).stop()
      const count = async () => Number((await app.runSql('SELECT count(*) AS n FROM deleted_users'))[0]?.n)
      const date = new Date(later).toISOString().slice(0, 10)
      await roundAt(later + 2000 * 86_400_000, date)
      assert.equal(await count(), 1)
      await roundAt(later, date)
      assert.equal(await count(), 0)
    })

    it('neither deletes nor replaces signing keys by a clock that has jumped', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_SIGNING_KEY_DAYS: '30' } })
      assert.equal((await app.call('POST', '/signing-keys/rotate')).status, 200)
      const kids = async () => (await app.runSql('SELECT kid FROM signing_keys ORDER BY kid')).map(({ kid }) => kid)
      const before = await kids()
      assert.equal(before.length, 2)
      const startMs = Date.now()
      const roundAt = (now: number, sharedClock: () => Promise<number | undefined>) =>
        startHousekeeping({
          config: app.config,
          storage: app.storage,
          authenticator: { takeUses: () => ({ keys: [], sessions: [] }) },
          tokens: app.tokens,
          log: pino({ enabled: false }),
          clock: () => now,
          sharedClock,
        }).stop()
      const day = 86_400_000
      await roundAt(startMs, async () => undefined)
      await roundAt(startMs + 2000 * day, async () => undefined)
      assert.deepEqual(await kids(), before)
      // Almost an hour later, without a jump: the retired key has expired.
      await roundAt(startMs + 3_000_000, async () => undefined)
      assert.equal((await kids()).length, 1)
    })

    it('makes only the node wait whose clock is wrong', async (t) => {
      const app = await start(t, engine)
      const startMs = Date.now()
      const lines: string[] = []
      const roundAt = (now: number, shared: number) =>
        startHousekeeping({
          config: app.config,
          storage: app.storage,
          authenticator: { takeUses: () => ({ keys: [], sessions: [] }) },
          tokens: app.tokens,
          log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
          clock: () => now,
          sharedClock: async () => shared,
        }).stop()
      const noted = async () =>
        JSON.parse(
          String((await app.runSql("SELECT value FROM journal_state WHERE name = 'housekeeping_clock'"))[0]?.value),
        )
      await roundAt(startMs, startMs)
      for (const wrong of [-400 * 86_400_000, 400 * 86_400_000, -7_200_000]) {
        await roundAt(startMs + wrong, startMs + 1000)
        assert.deepEqual(await noted(), { trusted: new Date(startMs).toISOString() })
        assert.match(String(lines.pop()), /the clock of this node is wrong/)
      }
      await roundAt(startMs + 60_000, startMs + 60_000)
      assert.deepEqual(await noted(), { trusted: new Date(startMs + 60_000).toISOString() })
      assert.deepEqual(lines, [])
    })
  })
}
