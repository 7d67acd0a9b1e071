import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { emailKey } from '../../lib/email-form.ts'

describe('the key of an email address', () => {
  it('is its own key, so that every spelling finds the same user', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom('Ϊ́', 'ΐ', 'İ', 'ß', 'ﬁ', 'Å'),
        fc.integer({ min: 0, max: 0xffff }).map(String.fromCharCode),
      ),
    })
    fc.assert(
      fc.property(text, (address) => {
        assert.equal(emailKey(emailKey(address)), emailKey(address))
      }),
    )
    assert.equal(emailKey('a\u03aa\u0301x'), emailKey('a\u0390x'))
  })
})
