import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { mostDefinitions } from '../../directory/attributes/schema.ts'
import { parseForm } from './forms.ts'

const parse = (text: string) => ({ ...parseForm(Buffer.from(text)) })

describe('forms', () => {
  it('reads what browsers send', () => {
    for (const [text, fields] of [
      ['', {}],
      ['username=ada&password=a+b%2Bc', { username: 'ada', password: 'a b+c' }],
      ['username=%C3%A4da&empty=&bare', { username: 'äda', empty: '', bare: '' }],
      ['a=b=c', { a: 'b=c' }],
      ['=x', { '': 'x' }],
      ['username=äda', { username: 'äda' }],
    ] as const) {
      assert.deepEqual(parse(text), fields)
    }
  })

  it('reads back exactly what URLSearchParams writes', () => {
    const field = fc.tuple(
      fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
      fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
    )
    fc.assert(
      fc.property(fc.uniqueArray(field, { selector: ([name]) => name, maxLength: 8 }), (fields) => {
        const read = parseForm(Buffer.from(new URLSearchParams(fields).toString()))
        assert.deepEqual(Object.entries(read).sort(), Object.entries({ ...Object.fromEntries(fields) }).sort())
      }),
      { numRuns: 500 },
    )
  })

  it('reads a form with a field for each attribute that there can be', () => {
    const text = Array.from({ length: mostDefinitions }, (_, i) => `attributes.a${i}=1`).join('&')
    assert.equal(Object.keys(parse(`first_name=&last_name=&etag=&return_to=&${text}`)).length, mostDefinitions + 4)
  })

  it('refuses a repeated field, however it is spelt', () => {
    for (const text of ['a=1&a=2', 'a=1&a', 'token=1&%74oken=2', 'a+b=1&a%20b=2', '__proto__=1&__proto__=2']) {
      assert.throws(() => parse(text), { code: 'malformed_request', message: /twice/ })
    }
  })

  it('treats names such as __proto__ as names', () => {
    const fields = parseForm(Buffer.from('__proto__=a&constructor=b&toString=c'))
    assert.deepEqual(Object.keys(fields), ['__proto__', 'constructor', 'toString'])
    assert.equal(Object.getPrototypeOf(fields), null)
  })

  it('refuses what cannot be decoded, and a flood of fields', () => {
    for (const text of ['a=%', 'a=%zz', 'a=%ff', 'a=%c0%af', 'a=%ed%a0%80', '%e4=1']) {
      assert.throws(() => parse(text), { code: 'malformed_request', message: /decoded/ })
    }
    assert.throws(() => parseForm(Buffer.from([0x61, 0x3d, 0xff])), { code: 'malformed_request', message: /UTF-8/ })
    assert.throws(() => parse(Array.from({ length: 129 }, (_, i) => `f${i}=1`).join('&')), {
      code: 'malformed_request',
    })
  })
})
