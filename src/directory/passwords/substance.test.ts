import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { assertCheap } from '../../../test/processor-time.ts'
import { substance, substanceBeside } from './substance.ts'

describe('the substance of a password', () => {
  const worths: readonly (readonly [password: string, letters: number, why: string])[] = [
    ['', 0, 'nothing is worth nothing'],
    ['kvxjwzmb', 8, 'a letter that follows from nothing counts one'],
    ['5028', 2, 'a digit counts half'],
    ['#~%(', 2, 'punctuation counts half'],
    ['password', 2.5, 'a common word counts two and a half'],
    ['PASSWORD', 2.5, 'case makes no difference'],
    ['pássẅord', 2.5, 'accents make no difference'],
    ['p4$$w0rd', 2.5, 'signs that look like letters make no difference'],
    ['pass word', 2.5, 'separators make no difference'],
    ['p-a-s-s-w-o-r-d', 2.5, 'not even many of them'],
    ['passwordqz', 4.5, 'what stands beside a word counts'],
    ['passwordpassword', 3.5, 'a repetition counts one'],
    ['kvxkvxkvxkvx', 4, 'so do many repetitions in a row'],
    ['kvx-jwz-kvx', 7, 'so does a repetition further on'],
    ['aaaaaaaaaaaa', 2, 'one letter many times'],
    ['abcdefgh', 1, 'a sequence counts one'],
    ['zyxwvuts', 1, 'so does one downwards'],
    ['acegikmo', 1, 'so does one in steps of two'],
    ['αβγδεζηθ', 1, 'so does one in another script'],
    ['qwertyui', 1, 'a row of keys counts one'],
    ['iuytrewq', 1, 'so does a row read backwards'],
    ['1qaz2wsx', 1, 'so do columns of keys'],
    ['kv54rfvcxj', 5.5, 'a short row counts one and a half'],
    ['йцукенгш', 1, 'so do Russian keys'],
    ['kv2024xj', 4.5, 'a year counts half'],
    ['120245', 3, 'but no year stands inside a number'],
    ['🦊🐻🐼', 6, 'an emoji counts as two letters'],
  ]
  for (const [password, letters, why] of worths) {
    it(`is ${letters} letters of ${JSON.stringify(password)}: ${why}`, () => assert.equal(substance(password), letters))
  }

  it('never exceeds the number of letters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (password) => {
        assert.ok(substance(password) <= password.normalize('NFKC').toLowerCase().length)
      }),
    )
  })

  it('grows by one when three or more letters are doubled', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{3,40}$/), (password) => {
        assert.ok(substance(password + password) <= substance(password) + 1)
      }),
    )
  })

  it('is undefined beside a context that does not appear', () => {
    assert.equal(substanceBeside(['lovelace'], 'kvxjwzmbkvxjwzmb'), undefined)
    assert.equal(substanceBeside([], 'kvxjwzmb'), undefined)
    assert.equal(substanceBeside([''], 'kvxjwzmb'), undefined)
  })

  it('ignores words of the context, however written, and counts the rest as a password', () => {
    assert.equal(substanceBeside(['lovelace'], 'lovelace'), 0)
    assert.equal(substanceBeside(['Lovelace'], 'LOVELACE 5028 #~%('), 4)
    assert.equal(substanceBeside(['ada.lovelace'], 'adalovelace'), 0)
    assert.equal(substanceBeside(['lovelace'], '10v3lac3'.replace('1', 'l')), 0)
    assert.equal(substanceBeside(['lovelace'], 'kvxlovelacejwz'), 6)
    assert.equal(substanceBeside(['lovelace'], 'passlovelaceword'), 2.5, 'a rest in two pieces is judged joined, too')
  })

  it('counts each further kind of separator, because a guesser has to try them', () => {
    assert.equal(substance('p-a-s-s w_o_r.d'), 4)
  })

  it('is found in bounded time for the longest password', () => {
    const passwords = ['a'.repeat(1024), 'ab1!'.repeat(256), 'password'.repeat(128)]
    assertCheap(500, () => {
      for (const password of passwords) substance(password)
    })
  })
})
