import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CsvError, parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { csvLine } from './csv-formula.ts'
import { CsvFault, type CsvRecord, csvReader, guessSeparator, separators } from './csv-records.ts'

type Limits = { longest?: number; mostCells?: number; delimiter?: string }

/** @param size of the pieces in which the text arrives */
function read(text: string, size = text.length, { longest = 1000, mostCells = 100, delimiter }: Limits = {}) {
  const found: CsvRecord[] = []
  const reader = csvReader({ longest, mostCells, delimiter })
  for (let at = 0; at < text.length; at += size) reader.read(text.slice(at, at + size), found)
  reader.end(found)
  return found
}

describe('CSV records', () => {
  it('are read as csv-parse reads them, however the text is cut', () => {
    const parts = fc.constantFrom('a', '"', ',', '\n', ' ', 'é', 'a text of many letters')
    const options = { relax_column_count: true, relax_quotes: true, skip_empty_lines: true }
    const property = fc.property(
      fc.array(parts, { maxLength: 14 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.integer({ min: 1, max: 9 }),
      (texts, end, size) => {
        const text = `h,i\n${texts.join('')}`.replaceAll('\n', end)
        let expected: string[][] | undefined
        try {
          expected = parse(text, options) as string[][]
        } catch (error) {
          assert.ok(error instanceof CsvError)
        }
        if (expected === undefined) assert.throws(() => read(text, size), { code: 'open_quote' })
        else
          assert.deepEqual(
            read(text, size).map(({ cells }) => cells),
            expected,
          )
      },
    )
    fc.assert(property, { numRuns: 1000 })
  })

  it('know the line on which they start', () => {
    for (const end of ['\n', '\r\n', '\r'])
      for (const size of [1, 3, 100]) {
        const text = ['a', '', `"b${end}${end}c"`, 'd', '', 'e'].join(end)
        assert.deepEqual(
          read(text, size).map(({ line }) => line),
          [1, 3, 6, 8],
        )
      }
  })

  it('keep the cells that are wanted, and count the others', () => {
    const [record] = read('a;b;c;d\n', 2, { mostCells: 2, delimiter: ';' })
    assert.deepEqual(record, { cells: ['a', 'b'], count: 4, line: 1 })
  })

  it('are refused as soon as they are too long, also if all their cells are empty', () => {
    for (const filling of [',', '"', '""', 'a', '"a",'])
      for (const size of [1, 7, 100]) {
        const reader = csvReader({ longest: 50, mostCells: 2 })
        const found: CsvRecord[] = []
        const write = () => {
          reader.read('a,b\n"', found)
          for (let written = 0; written < 1000; written += size) reader.read(filling.repeat(size), found)
        }
        assert.throws(write, (error) => error instanceof CsvFault && error.code === 'too_long' && error.line === 2)
        assert.deepEqual(found, [{ cells: ['a', 'b'], count: 2, line: 1 }])
      }
  })

  it('are those that were written, whatever the separator', () => {
    const cell = fc.stringMatching(/^[a"; ,\n\r\t|é😀=-]*$/u, { maxLength: 8 })
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 })
    fc.assert(
      fc.property(rows, fc.constantFrom(...separators), fc.integer({ min: 1, max: 9 }), (cells, delimiter, size) => {
        const text = cells.map((row) => `${csvLine(row, delimiter)}\r\n`).join('')
        assert.deepEqual(
          read(text, size, { delimiter }).map((record) => record.cells),
          cells,
        )
      }),
    )
    assert.equal(csvLine(['']), '""', 'a record of one empty cell is no blank line')
  })
})

describe('the separator of a CSV file', () => {
  const cases: [string, string][] = [
    [',', 'username,email\nada,ada@example.com\n'],
    [';', 'Benutzername;Name\nada;"Lovelace, Ada"\n'],
    ['\t', 'username\temail\nada\ta,b;c\n'],
    ['|', 'username|email\nada|x\n'],
    [',', 'username\nada\n'],
    [';', 'sep=;\r\nusername\r\nada\r\n'],
  ]
  for (const [expected, sample] of cases) {
    it(`is ${JSON.stringify(expected)} in ${JSON.stringify(sample.slice(0, 20))}`, () =>
      assert.equal(guessSeparator(sample), expected))
  }

  it('may be said by a first line, which is no record', () => {
    assert.deepEqual(
      read('sep=;\r\na;b\r\n', 3, { delimiter: ';' }).map(({ cells, line }) => [cells, line]),
      [[['a', 'b'], 2]],
    )
  })
})
