import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { seal, unseal } from './sealing.ts'

const secret = 'a secret of the tests, 32 or more'

describe('sealing', () => {
  it('returns what was sealed, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (plain, label) => {
        assert.equal(unseal(secret, seal(secret, plain, label), label), plain.toWellFormed())
      }),
      { numRuns: 200 },
    )
  })

  it('never returns the same twice, so that equal texts cannot be recognized', () => {
    assert.notEqual(seal(secret, 'the same', 'label'), seal(secret, 'the same', 'label'))
  })

  it('opens with that secret and that label only', () => {
    const sealed = seal(secret, 'text', 'key 1')
    assert.throws(() => unseal(`${secret}.`, sealed, 'key 1'))
    assert.throws(() => unseal(secret, sealed, 'key 2'))
  })

  it('detects one flipped bit anywhere, and every truncation', () => {
    const sealed = Buffer.from(seal(secret, 'text', 'label'), 'base64url')
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      assert.throws(() => unseal(secret, changed.toString('base64url'), 'label'), `bit ${bit}`)
    }
    for (let length = 0; length < sealed.length; length++) {
      assert.throws(() => unseal(secret, sealed.toString('base64url', 0, length), 'label'), `${length} bytes`)
    }
  })
})
