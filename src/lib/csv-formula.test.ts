import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { processorMillis } from '../../test/processor-time.ts'
import { csvLine, protectCell, unprotectCell } from './csv-formula.ts'

const cell = fc.string({
  unit: fc.constantFrom(...'=+-@＝＠;,|\t\r\n"\' \u00a0\u2028\u3000\ufeffab1\\'),
  maxLength: 12,
})
const any = fc.oneof(cell, fc.string({ unit: 'binary' }))
const isFormula = /^[ \u00a0\u3000\ufeff]*[=+\-@\t\r＝＋－＠]/

describe('a CSV cell', () => {
  const cases: [text: string, expected: string][] = [
    ['=1', "'=1"],
    ['z;=cmd|x', "z;'=cmd|x"],
    ['z; =1', "z; '=1"],
    ['a\t-1', "a\t'-1"],
    ['a\n@x', "a\n'@x"],
    ['a"=1', `a"'=1`],
    ['\t=1', "'\t'=1"],
    ["'=1", "''=1"],
    ['＝1', "'＝1"],
    // A blank of East Asia, one without width, a byte order mark, a character that is left out.
    ['z;\u3000=1', "z;\u3000'=1"],
    ['\u200b=1', "\u200b'=1"],
    ['\ufeff@x', "\ufeff'@x"],
    ['z;\0+1', "z;\0'+1"],
    ["O'Hara-Smith, A.", "O'Hara-Smith, A."],
    ['a-b+c=d@example.com', 'a-b+c=d@example.com'],
  ]
  for (const [text, expected] of cases) {
    it(`${JSON.stringify(text)} becomes ${JSON.stringify(expected)}`, () => assert.equal(protectCell(text), expected))
  }

  it('is read back unchanged, whatever it contains', () => {
    fc.assert(
      fc.property(any, (text) => assert.equal(unprotectCell(protectCell(text)), text)),
      { numRuns: 5000 },
    )
    const rows = fc.array(fc.array(any, { minLength: 2, maxLength: 2 }), { minLength: 1 })
    fc.assert(
      fc.property(rows, (cells) => {
        const text = cells.map((row) => `${csvLine(row.map(protectCell))}\r\n`).join('')
        const read = parse(text, { record_delimiter: '\r\n' }) as string[][]
        assert.deepEqual(
          read.map((row) => row.map(unprotectCell)),
          cells,
        )
      }),
    )
  })

  it('does not begin with a formula, whichever separator splits it and whether quotes count or not', () => {
    const rows = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1 })
    fc.assert(
      fc.property(rows, (cells) => {
        const text = cells.map((row) => csvLine(row.map(protectCell))).join('\r\n')
        // The ends of lines are ours, so a cell that is nothing but one is no formula.
        for (const separator of [/[;\r\n]+/, /[,\r\n]+/, /[\t\r\n]+/, /[;,|\t\r\n"]+/]) {
          for (const one of text.split(separator)) assert.doesNotMatch(one, isFormula, JSON.stringify(text))
        }
        for (const delimiter of [',', ';', '\t', '|']) {
          const options = { delimiter, relax_quotes: true, relax_column_count: true, skip_records_with_error: true }
          for (const one of (parse(text, options) as string[][]).flat())
            assert.doesNotMatch(one, /^[=+@＝＠-]/, JSON.stringify(text))
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('is checked in time linear in its length', () => {
    const check = (text: string) => void unprotectCell(protectCell(text))
    for (const unit of [' ', '"', "'", ";'", '; ', ";'= "]) {
      const [short, long] = [unit.repeat(5_000), unit.repeat(100_000)] as const
      // The same amount of text each time; quadratic, the long one costs 20 times as much.
      const pieces = () => processorMillis(() => void Array.from({ length: 20 }, () => check(short)))
      const whole = () => processorMillis(() => check(long))
      // Some kernels count in steps of ten milliseconds, and the compiler and the collector run when they like.
      const [separate, together] = [pieces, whole].map((cost) => Math.min(cost(), cost(), cost())) as [number, number]
      assert.ok(together < 8 * Math.max(separate, 20), `${JSON.stringify(unit)}: ${separate} and ${together} ms`)
    }
  })
})
