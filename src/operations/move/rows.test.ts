import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { batchOf, type Column, type Kind, RowWriter, readRows, type Value } from './rows.ts'

const values: Record<Kind, fc.Arbitrary<Value>> = {
  text: fc.string({ unit: 'binary', maxLength: 300 }),
  int4: fc.integer(),
  int8: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  bytea: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
}

const tableWithRows = fc
  .array(fc.constantFrom<Kind>('text', 'int4', 'int8', 'bytea'), { minLength: 1, maxLength: 8 })
  .chain((kinds) =>
    fc.record({
      columns: fc.constant(kinds.map((kind, i): Column => ({ name: `c${i}`, kind }))),
      rows: fc.array(fc.tuple(...kinds.map((kind) => fc.option(values[kind]))) as fc.Arbitrary<Value[]>),
    }),
  )

describe('rows as bytes', () => {
  it('are the same rows again', () => {
    fc.assert(
      fc.property(tableWithRows, ({ columns, rows }) => {
        const writer = new RowWriter()
        for (const row of rows) writer.write(columns, row)
        const bytes = writer.drain()
        assert.deepEqual([...readRows(columns, bytes)], rows)
        const batch = batchOf(columns, 1, bytes)
        assert.equal(batch.rows, rows.length)
        assert.deepEqual(batch.last, rows.at(-1)?.slice(0, 1))
      }),
    )
  })

  it('are what PostgreSQL writes: a count of values, then the length and the bytes of each', () => {
    const writer = new RowWriter()
    const kinds: Kind[] = ['text', 'int4', 'int8', 'bytea', 'text']
    const columns = kinds.map((kind, i) => ({ name: `c${i}`, kind }))
    writer.write(columns, ['é', 258, -1n, Buffer.from([0, 255]), null])
    assert.equal(
      writer.drain().toString('hex'),
      '0005 00000002c3a9 0000000400000102 00000008ffffffffffffffff 0000000200ff ffffffff'.replaceAll(' ', ''),
    )
  })

  it('stay as they are while the next ones are collected', () => {
    const writer = new RowWriter()
    const columns: Column[] = [{ name: 'text', kind: 'text' }]
    const texts = ['a', 'b'.repeat(3_000_000), 'c']
    const taken = texts.slice(0, 2).map((text) => {
      writer.write(columns, [text])
      return writer.drain()
    })
    assert.deepEqual(
      taken.map((bytes) => [...readRows(columns, bytes)]),
      texts.slice(0, 2).map((text) => [[text]]),
    )
    writer.write(columns, [texts[2] as string])
    assert.deepEqual([...readRows(columns, taken[1] as Buffer)], [[texts[1]]])
  })
})
