import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { assertCheap } from '../../test/processor-time.ts'
import { negotiate } from './accept.ts'

const types = ['application/json', 'application/x-ndjson', 'text/csv'] as const
const codings = ['zstd', 'br', 'gzip', 'identity'] as const

describe('negotiate', () => {
  it('chooses the type with the greatest weight, and ours in our order if weights are equal', () => {
    const cases: [string | undefined, string | undefined][] = [
      [undefined, 'application/json'],
      ['', 'application/json'],
      [' , ,', 'application/json'],
      ['*/*', 'application/json'],
      ['text/csv', 'text/csv'],
      ['TEXT/CSV', 'text/csv'],
      ['text/*', 'text/csv'],
      ['text/csv, application/json', 'application/json'],
      ['text/csv, application/json;q=0.9', 'text/csv'],
      ['text/csv;q=0.5, */*;q=0.4', 'text/csv'],
      ['text/csv;q=0.4, */*;q=0.5', 'application/json'],
      ['text/html, application/xhtml+xml, */*;q=0.8', 'application/json'],
      // What Java's URLConnection sends.
      ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', 'application/json'],
      ['application/json;charset=utf-8', 'application/json'],
      ['application/json ; q=0.1 , text/csv ; q=0.2', 'text/csv'],
      ['image/png', undefined],
      ['text/html', undefined],
      ['textcsv', undefined],
    ]
    for (const [header, expected] of cases) assert.equal(negotiate(header, types), expected, header ?? 'no header')
  })

  it('lets the most specific member decide, so that a refusal beats a wider offer', () => {
    const cases: [string, string | undefined][] = [
      ['application/json;q=0, */*', 'application/x-ndjson'],
      ['*/*, application/json;q=0', 'application/x-ndjson'],
      ['application/*;q=0, */*;q=0.1', 'text/csv'],
      ['application/*;q=0, application/x-ndjson;q=0.1', 'application/x-ndjson'],
      ['*/*;q=0', undefined],
      ['application/json;q=0', undefined],
      ['application/json;q=-1', undefined],
      ['application/json;q=x', undefined],
      ['application/json;q=Infinity', undefined],
    ]
    for (const [header, expected] of cases) assert.equal(negotiate(header, types), expected, header)
  })

  it('reads codings in the same way', () => {
    const cases: [string, string | undefined][] = [
      ['gzip', 'gzip'],
      ['gzip, br', 'br'],
      ['gzip, deflate, br, zstd', 'zstd'],
      ['gzip;q=1, *;q=0.5', 'gzip'],
      ['*;q=0', undefined],
      ['identity;q=0, gzip', 'gzip'],
      ['*', 'zstd'],
      ['x-gzip', undefined],
    ]
    for (const [header, expected] of cases) assert.equal(negotiate(header, codings), expected, header)
  })

  it('returns one of the choices or nothing, for any header, and quickly', () => {
    const part = fc.constantFrom('*', '/', ',', ';', 'q=', '0', '1', '.', ' ', ...types, ...codings, '\xff', '"')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const found = negotiate(parts.join(''), types)
        assert.ok(found === undefined || types.includes(found))
      }),
    )
    assertCheap(200, () => negotiate('*/*;q=0.1,'.repeat(1600), types))
  })
})
