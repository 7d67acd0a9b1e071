import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { apiKeyHash, apiKeyPrefix, isPlausibleApiKey, makeApiKey } from './api-key.ts'

describe('API keys', () => {
  it('begin with rb_ and have 43 random characters and 6 of checksum', () => {
    for (let i = 0; i < 200; i++) assert.match(makeApiKey(), /^rb_[0-9A-Za-z]{49}$/)
  })

  it('are never created twice', () => {
    const keys = Array.from({ length: 1000 }, makeApiKey)
    assert.equal(new Set(keys).size, keys.length)
  })

  it('contain the CRC32 of what precedes it, in base62', () => {
    const key = makeApiKey()
    const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    const value = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + alphabet.indexOf(digit), 0)
    assert.equal(value, crc32(key.slice(0, -6)))
  })

  it('are plausible as created, and not with one character changed, lost, added or swapped', () => {
    const keys = fc.constantFrom(...Array.from({ length: 20 }, makeApiKey))
    fc.assert(
      fc.property(keys, fc.nat(51), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }), (key, at, other) => {
        assert.ok(isPlausibleApiKey(key))
        // Without its beginning it would be a key of the operator's choice.
        const place = 3 + (at % 49)
        const [start, one, next, rest] = [key.slice(0, place), key[place], key[place + 1] ?? '', key.slice(place + 2)]
        if (one !== other) assert.ok(!isPlausibleApiKey(start + other + next + rest))
        if (one !== next && next !== '') assert.ok(!isPlausibleApiKey(start + next + one + rest))
        assert.ok(!isPlausibleApiKey(start + next + rest))
        assert.ok(!isPlausibleApiKey(start + other + one + next + rest))
      }),
    )
  })

  it("of the operator's choice need 32 characters and no checksum", () => {
    assert.ok(isPlausibleApiKey('x'.repeat(32)))
    assert.ok(isPlausibleApiKey(`RB_${'x'.repeat(49)}`))
    for (const text of ['', 'x', 'x'.repeat(31), 'rb_', `rb_${'x'.repeat(29)}`, `rb_${'0'.repeat(49)}`]) {
      assert.ok(!isPlausibleApiKey(text), text)
    }
  })

  it('are stored as SHA-256 and shown by a beginning that gives little away', () => {
    const key = makeApiKey()
    // FIPS 180-4's example.
    assert.equal(apiKeyHash('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    assert.equal(apiKeyPrefix(key), key.slice(0, 9))
    assert.equal(apiKeyPrefix('correct horse battery staple 0123456789'), '')
  })
})
