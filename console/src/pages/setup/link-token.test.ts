import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tokenIn } from './link-token.ts'

describe('the token of the one-time link', () => {
  it('is what follows #token=, and nothing else', () => {
    for (const [hash, token] of [
      ['#token=_5DYgWCB61Mxprws8_vIRwIi47wcvQBQdmDAQptnMWc', '_5DYgWCB61Mxprws8_vIRwIi47wcvQBQdmDAQptnMWc'],
      // A terminal that wraps the line adds a space.
      ['#token=abc%20', 'abc'],
      ['#token=', undefined],
      ['#token', undefined],
      ['#other=abc', undefined],
      ['', undefined],
    ] as const) {
      assert.equal(tokenIn(hash), token, hash)
    }
  })
})
