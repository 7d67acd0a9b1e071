import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { anyEngine, createUser, start } from '../../../test/harness.ts'
import { skip, waitUntil } from '../../../test/nodes/nodes.ts'
import { createLog } from '../../app/log.ts'
import { listEventsAfter } from '../../record/events/store.ts'
import { type EventRow, findNewestEvent } from '../../record/journal/rows.ts'
import { createSharedReader, type SharedReader } from './shared-reader.ts'

const log = createLog('silent')
const sqlite = anyEngine

describe('a reader that several clients share', () => {
  it('reads again when news arrives at any moment of a read', async (t) => {
    const { storage } = await start(t, sqlite)
    const rows: { seq: number }[] = []
    const reader = createSharedReader(
      { storage, log },
      {
        name: 'the numbers',
        readAfter: async (seq) => rows.slice(seq),
        findNewestSeq: async () => rows.length,
        isNews: () => false,
      },
    )
    reader.attach({ onRows() {}, lose: () => assert.fail('nothing was lost') }, 0)
    for (let steps = 0; steps < 40; steps++) {
      const news = () => {
        rows.push({ seq: rows.length + 1 })
        void reader.readNews()
      }
      news()
      for (let step = 0; step < steps; step++) await null
      news()
      await nextTurn()
      assert.equal(reader.cursor(), rows.length, `news after ${steps} steps`)
    }
  })

  it('does not take rows that arrive during the check for a loss for a loss', { skip }, async (t) => {
    const app = await start(t, { name: 'PostgreSQL' })
    const { storage } = app
    await createUser(app)
    await storage.settleJournal()
    let hasChecked = false
    const reader: SharedReader<EventRow> = createSharedReader(
      { storage, log },
      {
        name: 'the events',
        readAfter: (seq, limit) => listEventsAfter(storage.db, seq, limit),
        async findNewestSeq(): Promise<number> {
          const newest = await findNewestEvent(storage.db)
          await createUser(app)
          await storage.settleJournal()
          await reader.readNews()
          assert.ok((reader.cursor() ?? 0) > newest)
          hasChecked = true
          return newest
        },
        isNews: () => false,
      },
    )
    let losses = 0
    reader.attach({ onRows() {}, lose: () => losses++ }, await findNewestEvent(storage.db))
    // Counted without a row, as by a node of 0.1.0 or after a reconnect: the node no longer knows what was revoked.
    await app.runSql('UPDATE revocations SET count = count + 1')
    await waitUntil('it has checked', 10_000, async () => hasChecked)
    await nextTurn()
    assert.equal(losses, 0)
  })
})
