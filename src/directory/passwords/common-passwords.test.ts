import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { commonPasswordsAt } from './common-passwords.ts'
import { comparable } from './substance.ts'

describe('the list of common passwords', () => {
  it('gives the words that begin with the four letters at a place', () => {
    assert.ok(commonPasswordsAt('mypassword', 2).includes('password'))
    assert.ok(commonPasswordsAt('mypassword', 2).every((word) => word.startsWith('pass')))
    assert.deepEqual(commonPasswordsAt('mypassword', 8), [])
    assert.deepEqual(commonPasswordsAt('', 0), [])
  })

  it('contains words in the form in which passwords are compared, each once', () => {
    const beginnings = ['pass', 'love', 'haru', 'abcd', 'alex', 'chri', 'fußb', 'паро', 'パスワー', 'κωδι']
    const words = beginnings.flatMap((beginning) => commonPasswordsAt(beginning, 0))
    assert.ok(words.length > 20, String(words.length))
    assert.deepEqual(words, words.map(comparable))
    assert.equal(new Set(words).size, words.length)
  })
})
