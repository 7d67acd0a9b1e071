import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { joinNames, splitNames } from './name-list.ts'

describe('names in a cell', () => {
  for (const [cell, names] of [
    ['', []],
    ['Support', ['Support']],
    [' Support ; North of the river;', ['Support', 'North of the river']],
    ['"a;b";c', ['a;b', 'c']],
    ['"said ""yes"""; d', ['said "yes"', 'd']],
    ['5" pipes;x', ['5" pipes', 'x']],
    ['"never closed;x', ['"never closed', 'x']],
    ['"a"b;c', ['"a"b', 'c']],
    ['CORP\\admins;;', ['CORP\\admins']],
  ] as const) {
    it(`are read from ${JSON.stringify(cell)}`, () => {
      assert.deepEqual(splitNames(cell), names)
    })
  }

  it('are the same after they were written, whatever they contain', () => {
    const name = fc.stringMatching(/^[a;" ]{1,6}$/).filter((text) => text.trim() === text)
    fc.assert(
      fc.property(fc.array(name), (names) => {
        assert.deepEqual(splitNames(joinNames(names)), names)
      }),
    )
  })
})
