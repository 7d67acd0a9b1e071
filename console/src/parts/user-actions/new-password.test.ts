import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { passwordFault } from '../../../../src/directory/passwords/policy.ts'
import { generatePassword } from './new-password.ts'

describe('a password that is generated', () => {
  it('is accepted by the service, and different each time', () => {
    const passwords = Array.from({ length: 2000 }, generatePassword)
    for (const password of passwords) {
      assert.match(password, /^[0-9a-hjkmnp-tv-z]{5}(-[0-9a-hjkmnp-tv-z]{5}){4}$/)
      assert.equal(passwordFault(password, { words: ['ada.lovelace', 'rollbook'] }), undefined)
    }
    assert.equal(new Set(passwords).size, passwords.length)
  })

  it('uses each of its letters about as often as the others', () => {
    const counts = new Map<string, number>()
    for (const letter of Array.from({ length: 2000 }, generatePassword).join('').replaceAll('-', '')) {
      counts.set(letter, (counts.get(letter) ?? 0) + 1)
    }
    assert.equal(counts.size, 32)
    // 1,562 are expected of each; a standard deviation is 39.
    for (const [letter, count] of counts) assert.ok(count > 1250 && count < 1875, `${letter}: ${count}`)
  })
})
