import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { system } from '../../src/core/actor.ts'
import type { Started } from '../harness.ts'
import { skip, twoNodes } from './nodes.ts'

const minute = 60_000

describe('background work of nodes', { skip }, () => {
  it('is shared', async (t) => {
    const [a, b] = await twoNodes(t)
    const start = Date.now()
    const request = (now: number) => ({ actor: system, now, requestId: 'test' })

    const prune = (node: Started, now: number) => {
      const before = new Date(now - 24 * 60 * minute).toISOString()
      return node.storage.change('idempotency.prune', { before, everyMs: minute }, request(now))
    }

    await t.test('and done once, by the first node', async () => {
      for (let round = 0; round < 5; round++) {
        const now = start + round * minute
        const old = new Date(now - 25 * 60 * minute).toISOString()
        await a.runSql(`INSERT INTO idempotency_keys VALUES ('old ${round}', '', '', '${old}')`)
        const pruned = await Promise.all([prune(a, now), prune(b, now + 5), prune(a, now + 10), prune(b, now + 15)])
        assert.deepEqual(pruned.map(({ result }) => result).sort(), [0, 0, 0, 1])
        const [job] = await a.runSql("SELECT last_run_at FROM jobs WHERE name = 'idempotency.prune'")
        const ranAt = Date.parse(job?.last_run_at as string)
        assert.ok(ranAt >= now && ranAt <= now + 15)
      }
    })

    await t.test('and the last use of a key never goes back, whichever node stores it', async () => {
      const keys = await Promise.all(
        Array.from({ length: 8 }, async (_, i) => {
          const { body } = await a.call('POST', '/keys', { body: { name: `key ${i}`, permissions: ['keys:read'] } })
          return body.key_id as string
        }),
      )
      const at = (ms: number) => new Date(start + ms).toISOString()
      const uses = (ms: number, ids: string[]) => ids.map((key_id) => ({ key_id, last_used_at: at(ms) }))
      const record = (node: Started, ms: number, ids: string[]) =>
        node.storage.change('keys.record_use', uses(ms, ids), request(start + ms))
      // In opposite orders, so that they get into each other's way.
      for (let round = 0; round < 2; round++) {
        await Promise.all([record(a, round * 10 + 1, keys), record(b, round * 10 + 5, keys.toReversed())])
        await record(a, round * 10, keys)
        for (const key_id of keys) {
          const [row] = await a.runSql(`SELECT last_used_at FROM api_keys WHERE key_id = '${key_id}'`)
          assert.equal(row?.last_used_at, at(round * 10 + 5))
        }
      }
    })
  })
})
