import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { CsvFault, type CsvRecord, csvLine, csvReader, guessSeparator } from './csv.ts'

const read = (text: string, separator = ',') => {
  const reader = csvReader(separator)
  return [...reader.add(text), ...reader.end()].map(({ cells }) => cells)
}
const cell = fc.stringMatching(/^[a"; ,\n\r\t|é😀=-]*$/u, { maxLength: 8 })
const separator = fc.constantFrom(',', ';', '\t', '|')
// A record of one empty cell that is not quoted would be a blank line.
const records = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 })

describe('reading CSV', () => {
  const cases: [string, string, string[][]][] = [
    [
      'commas and line feeds',
      'a,b\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a last line without its end',
      'a,b\r\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['line breaks and separators between quotes', '"a,1","b\r\n2"\n', [['a,1', 'b\r\n2']]],
    ['doubled quotes', '"say ""hello""",x', [['say "hello"', 'x']]],
    [
      'empty cells',
      ',\n"",\n',
      [
        ['', ''],
        ['', ''],
      ],
    ],
    ['blank lines, which are none', 'a\n\n\r\nb\n', [['a'], ['b']]],
    [
      'quotes within a cell as they are',
      'a"b,c\n"x"y,2',
      [
        ['a"b', 'c'],
        ['"x"y', '2'],
      ],
    ],
    [
      'old line ends',
      'a,b\rc,d\r',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
  ]
  for (const [what, text, expected] of cases) {
    it(`takes ${what}`, () => assert.deepEqual(read(text), expected))
  }

  it('reads what another program has written, wherever the pieces end', () => {
    fc.assert(
      fc.property(records, separator, fc.array(fc.nat(40)), (rows, delimiter, cuts) => {
        const text = stringify(rows, { delimiter, record_delimiter: 'windows', quoted_match: /[\r\n]/ })
        const reader = csvReader(delimiter)
        const found: CsvRecord[] = []
        let at = 0
        for (const length of cuts) {
          found.push(...reader.add(text.slice(at, at + length)))
          at += length
        }
        found.push(...reader.add(text.slice(at)), ...reader.end())
        assert.deepEqual(
          found.map(({ cells }) => cells),
          rows,
        )
      }),
    )
  })

  it('finds the records that the server would find', () => {
    fc.assert(
      fc.property(records, (rows) => {
        const text = rows.map((row) => `${csvLine(row)}\n`).join('')
        assert.deepEqual(
          read(text),
          parse(text, { relax_column_count: true, skip_empty_lines: true, record_delimiter: '\n' }),
        )
      }),
    )
  })

  it('knows the line on which each record begins, wherever the pieces are cut', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = ['', 'a,b', '1,2', '', '', `3,"x${end}${end}y"`, '5,6', '7,"8', '9"'].join(end)
      for (const size of [1, 2, 3, text.length]) {
        const reader = csvReader(',')
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
        const found = [...pieces.flatMap((piece) => reader.add(piece)), ...reader.end()]
        assert.deepEqual(
          found.map(({ line }) => line),
          [2, 3, 6, 9, 10],
          JSON.stringify([end, size]),
        )
      }
    }
  })

  it('reports after how many records a quote is never closed or a row has no end', () => {
    const fault = (text: string) => {
      try {
        return read(text).length
      } catch (error) {
        assert.ok(error instanceof CsvFault)
        return [error.code, error.recordsBefore, error.line]
      }
    }
    assert.deepEqual(fault('a,b\n1,2\n"3,4\n5,6\n'), ['quote_not_closed', 2, 3])
    assert.deepEqual(fault(`a,b\n"${'x'.repeat(70_000)}",2\n`), ['row_too_long', 1, 2])
  })
})

describe('writing CSV', () => {
  it('writes an empty record as a record', () => {
    assert.equal(csvLine(['']), '""')
    assert.deepEqual(read(`${csvLine([''])}\n`), [['']])
  })
})

describe('guessing a separator', () => {
  const cases: [string, string][] = [
    [',', 'username,email\nada,ada@example.com\n'],
    [';', 'Benutzername;Name\nada;"Lovelace, Ada"\n'],
    ['\t', 'username\temail\nada\ta,b;c\n'],
    ['|', 'username|email\nada|x\n'],
    [',', 'username\nada\n'],
  ]
  for (const [expected, sample] of cases) {
    it(`finds ${JSON.stringify(expected)} in ${JSON.stringify(sample.slice(0, 20))}`, () =>
      assert.equal(guessSeparator(sample), expected))
  }
})
