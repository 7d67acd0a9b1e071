import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { snapshotStream } from './snapshot-stream.ts'

/** Reads a chunk of `bytes` every `everyMs`, on its own clock. Returns how many it read. */
async function read(t: TestContext, { bytes, everyMs, pieces }: Record<'bytes' | 'everyMs' | 'pieces', number>) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  t.mock.method(performance, 'now', () => now)
  let left = pieces
  let closed = false
  const next = async () => (left-- > 0 ? new Uint8Array(bytes) : undefined)
  const snapshot = { total: undefined, next, close: () => (closed = true) }
  const stream = snapshotStream(snapshot, { ageMs: 3_600_000, stallMs: 30_000 })
  const closing = once(stream, 'close').catch((error: Error) => error)
  let taken = 0
  stream.read(0)
  while (!stream.destroyed && taken < pieces) {
    await turn()
    now += everyMs
    t.mock.timers.tick(everyMs)
    if (!stream.destroyed && stream.read() !== null) taken++
  }
  await turn()
  const failure = stream.errored?.message
  stream.destroy()
  await closing
  assert.ok(closed)
  return { taken, failure }
}

describe('a streamed snapshot', () => {
  it('is cut off if its reader reads nothing for too long', async (t) => {
    assert.deepEqual(await read(t, { bytes: 150_000, everyMs: 30_000, pieces: 3 }), {
      taken: 0,
      failure: 'The client stopped reading.',
    })
  })

  it('is cut off if its reader reads one piece after the other just in time', async (t) => {
    const { taken, failure } = await read(t, { bytes: 150_000, everyMs: 29_000, pieces: 100 })
    assert.deepEqual([taken, failure], [1, 'The client stopped reading.'])
  })

  it('is read to the end on a slow connection', async (t) => {
    const { taken, failure } = await read(t, { bytes: 150_000, everyMs: 15_000, pieces: 100 })
    assert.deepEqual([taken, failure], [100, undefined])
  })

  it('gives no credit for what was read quickly before', async (t) => {
    const { failure } = await read(t, { bytes: 10_000_000, everyMs: 31_000, pieces: 2 })
    assert.equal(failure, 'The client stopped reading.')
  })
})
