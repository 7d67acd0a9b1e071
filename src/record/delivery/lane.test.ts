import assert from 'node:assert/strict'
import { it } from 'node:test'
import { pino } from 'pino'
import { createLane } from './lane.ts'

it('a backlog goes out at its pace, and the first messages at once', async () => {
  let sent = 0
  const begun = performance.now()
  const lane = createLane<undefined, number, number>({
    name: { endpoint_id: 'a' },
    openAtOnce: 10,
    paceMs: 5,
    advance: async ({ room }) => ({ claims: Array.from({ length: room }, () => 1), hasMore: true, isFull: true }),
    send: async () => ++sent,
    unsent: (claim) => claim,
    isDue: () => true,
    inTurn: async (_caller, work) => work(),
    clock: Date.now,
    log: pino({ level: 'silent' }),
  })
  lane.look(undefined)
  const deadline = begun + 5000
  while (sent < 10) await new Promise(setImmediate)
  assert.ok(performance.now() < deadline)
  while (sent < 60) await new Promise((done) => setTimeout(done, 5))
  lane.stop()
  await lane.whenIdle()
  // Ten at once, and five milliseconds for each of the fifty others.
  assert.ok(performance.now() - begun >= 245, `${performance.now() - begun} ms`)
})
