import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { readCsv } from '../../administration/imports/rows.ts'
import { csvRecords, lines, type Row } from './rows.ts'

/** Yields the text in chunks of this size, as from a file or a pipe. */
async function read(rowsOf: (input: AsyncIterable<Uint8Array>) => AsyncIterable<Row[]>, text: string, size: number) {
  const bytes = Buffer.from(text)
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const found: string[] = []
  for await (const rows of rowsOf(pieces())) found.push(...rows.map(String))
  return found
}

describe('the rows of a file', () => {
  it('are its lines that are not blank, for every line ending and every split into chunks', async () => {
    for (let size = 1; size < 20; size++) {
      assert.deepEqual(await read(lines, '{"a":"é"}\r\n\n  \n{"b":2}\n\n{"c":3}', size), [
        '{"a":"é"}',
        '{"b":2}',
        '{"c":3}',
      ])
      assert.deepEqual(await read(lines, '', size), [])
    }
  })

  it('are the records of CSV, whose quotes may contain commas, quotes and line breaks', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r', ' ') })
    const table = fc.array(fc.tuple(fc.constant('x'), cell, cell), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 9 }), async (cells, size) => {
        const text = stringify(cells, { quoted_string: true, record_delimiter: '\r\n' })
        const found = await read(csvRecords, text, size)
        assert.deepEqual(
          found.map((record) => parse(record)[0]),
          cells,
        )
      }),
    )
  })

  it('are those that the server reads, also with a stray quote in a cell or one that is never closed', async () => {
    for (let size = 1; size < 20; size++) {
      assert.deepEqual(await read(csvRecords, 'x,5" pipe\r\ny,é\n\nz,"a\nb', size), ['x,5" pipe', 'y,é', 'z,"a\nb'])
    }
  })

  it('start on the lines that the server counts, with any line break in cells', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', ',', '\n', '\r', '\r\n') })
    const table = fc.array(fc.tuple(fc.constant('x'), cell, fc.nat(2)), { minLength: 1, maxLength: 8 })
    const arguments_ = [table, fc.constantFrom('\n', '\r\n'), fc.integer({ min: 1, max: 9 })] as const
    await fc.assert(
      fc.asyncProperty(...arguments_, async (rows, end, size) => {
        const records = rows.map(([name, text, blank]) => `${end.repeat(blank)}${name},"${text}"${end}`)
        const bytes = Buffer.from(`username,first_name${end}${records.join('')}`)
        async function* pieces() {
          for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
        }
        const here: unknown[] = []
        for await (const some of csvRecords(pieces())) here.push(...some.map(({ line }) => line))
        const there: unknown[] = []
        for await (const some of readCsv(pieces())) there.push(...some.map(({ line }) => line))
        assert.deepEqual(here.slice(1), there)
        let line = 2
        const expected = rows.map(([, text, blank]) => {
          const opening = line + blank
          line = opening + text.split(/\r\n|\n|\r/).length
          return opening
        })
        assert.deepEqual(there, expected)
      }),
    )
  })

  it('are refused if a quote is not closed, before they fill the memory', async () => {
    const text = `username\n"ada\n${'grace\n'.repeat(300_000)}`
    await assert.rejects(read(csvRecords, text, 65_536), /Row 2 of the input is longer than 1 MiB/)
  })
})
