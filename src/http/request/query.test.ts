import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { encodeQuery, readQuery } from './query.ts'

describe('queries', () => {
  it('keep a plus, except between the words of a form encoder', () => {
    for (const [text, fields] of [
      ['email=a+b@x', { email: 'a+b@x' }],
      ['email=a+b%20c', { email: 'a+b c' }],
      ['q=a+b', { q: 'a b' }],
      ['q=a+b%20c', { q: 'a+b c' }],
      ['filter=a+eq+%22b+c%20d%22+and+e+pr', { filter: 'a eq "b+c d" and e pr' }],
      [String.raw`filter=a+eq+"\"+%20"+or+b+pr`, { filter: String.raw`a eq "\"+ " or b pr` }],
      ['%71=a+b&%46ilter=a+b', { q: 'a b', Filter: 'a b' }],
      ['a=1&a=2&b&=x', { a: ['1', '2'], b: '', '': 'x' }],
    ] as const) {
      assert.deepEqual({ ...readQuery(text) }, fields, text)
    }
  })

  it('are read as they were written', () => {
    const text = fc.string({ unit: 'binary' }).map((one) => one.toWellFormed())
    const names = fc.oneof(text, fc.constantFrom('q', 'filter'))
    fc.assert(
      fc.property(fc.dictionary(names, text, { noNullPrototype: false }), (fields) => {
        assert.deepEqual({ ...readQuery(encodeQuery(fields)) }, { ...fields })
      }),
    )
    assert.equal(encodeQuery({ a: ['1', 'b c+'], b: undefined, c: 0 }), 'a=1&a=b%20c%2B&c=0')
  })
})
