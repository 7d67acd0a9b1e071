import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../test/cases.ts'
import { jsonFaultPosition } from './json-fault.ts'

describe('the position where a text stops being JSON', () => {
  const faults: readonly (readonly [text: string, position: number])[] = [
    ['', 0],
    ['  ', 2],
    ['{', 1],
    ['[', 1],
    ['{"a"', 4],
    ['{"a":', 5],
    ['{"a":1', 6],
    ['{"a":1,', 7],
    ['"abc', 4],
    ['[1,]', 3],
    ['[,1]', 1],
    ['[1 2]', 3],
    ['{"a" 1}', 5],
    ['{"a":}', 5],
    ['{"a":1,}', 7],
    ['{a:1}', 1],
    ["{'a':1}", 1],
    ['{"a":1]', 6],
    ['[1}', 2],
    ['[}', 1],
    ['{]', 1],
    ['{"a":]', 5],
    ['1 2', 2],
    ['{}{}', 2],
    ['01', 1],
    ['1.', 1],
    ['+1', 0],
    ['.5', 0],
    ['nul', 0],
    ['nulll', 4],
    ['NaN', 0],
    ['"a\nb"', 2],
    ['"\\x"', 1],
    ['"\\u12"', 1],
    ['[1] // comment', 4],
    ['\u00A01', 0],
  ]
  for (const [text, position] of faults) {
    it(`is ${position} in ${JSON.stringify(text)}`, () => assert.equal(jsonFaultPosition(text), position))
  }

  it('does not exist in JSON', () => {
    fc.assert(fc.property(fc.json(), (text) => jsonFaultPosition(text) === undefined))
    fc.assert(fc.property(fc.jsonValue(), (value) => jsonFaultPosition(JSON.stringify(value, null, 2)) === undefined))
  })

  it('exists exactly if JSON.parse fails', () => {
    const nearlyJson = fc.string({ unit: fc.constantFrom(...'{}[]:,"\\u0e+-.1 \nx', 'true', 'null', '"a"', '\\u00e9') })
    const damagedJson = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ...'{}[]:,"\\0e-. x'))
      .map(([text, place, insertion]) => {
        const at = place % (text.length + 1)
        return text.slice(0, at) + insertion + text.slice(at + 1)
      })
    fc.assert(
      fc.property(fc.oneof(nearlyJson, damagedJson), (text) => {
        assert.equal(jsonFaultPosition(text) === undefined, isJson(text))
      }),
      { numRuns: cases(3000) },
    )
  })

  it('is found in long and in deep texts', () => {
    assert.equal(jsonFaultPosition(`"${'a'.repeat(1_000_000)}`), 1_000_001)
    assert.equal(jsonFaultPosition('['.repeat(100_000)), 100_000)
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
