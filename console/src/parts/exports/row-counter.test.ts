import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { type ExportFormat, rowCounter } from './row-counter.ts'

const written: Record<ExportFormat, (users: readonly object[]) => string> = {
  csv: (users) =>
    stringify([...users], {
      header: true,
      columns: ['username', 'first_name'],
      record_delimiter: 'windows',
      quoted_match: /[\r\n]/,
    }),
  ndjson: (users) => users.map((user) => `${JSON.stringify(user)}\n`).join(''),
  json: (users) => JSON.stringify(users),
}
const users = fc.array(
  fc.record({ username: fc.stringMatching(/^[a-z{}[\]"\\,]+$/), first_name: fc.stringMatching(/^[A-Z"\\\n{}]*$/) }),
  { maxLength: 20 },
)

describe('counting the users of an export', () => {
  for (const format of ['csv', 'ndjson', 'json'] as const) {
    it(`finds each of them in ${format}, wherever the pieces are cut`, () => {
      fc.assert(
        fc.property(users, fc.integer({ min: 1, max: 50 }), (rows, size) => {
          const bytes = new TextEncoder().encode(written[format](rows))
          const counter = rowCounter(format)
          for (let at = 0; at < bytes.length; at += size) counter.add(bytes.subarray(at, at + size))
          assert.deepEqual([counter.rows, counter.isWhole], [rows.length, true])
        }),
      )
    })
  }

  it('notices an end in the middle of a row', () => {
    for (const format of ['csv', 'ndjson', 'json'] as const) {
      const bytes = new TextEncoder().encode(written[format]([{ username: 'ada', first_name: 'Ada' }]))
      const counter = rowCounter(format)
      counter.add(bytes.subarray(0, bytes.length - 3))
      assert.equal(counter.isWhole, false)
    }
  })
})
