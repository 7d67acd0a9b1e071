import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { fold } from './fold.ts'

describe('folding for search', () => {
  const same: readonly (readonly [string, string, why: string])[] = [
    ['ADA Lovelace', 'ada lovelace', 'case'],
    ['José Núñez', 'jose nunez', 'accents, composed'],
    ['Jose\u0301', 'jose', 'accents, decomposed'],
    ['Straße', 'strasse', 'sharp s'],
    ['STRASSE', 'strasse', 'capitals of sharp s'],
    ['STRAẞE', 'strasse', 'capital sharp s'],
    ['Iğdır', 'igdir', 'dotless i'],
    ['İstanbul', 'istanbul', 'dotted capital I'],
    ['Søren Ærø', 'soren aero', 'Danish letters'],
    ['Œuvre', 'oeuvre', 'ligature oe'],
    ['Łódź Đặng', 'lodz dang', 'strokes'],
    ['Þóra Guðmundsdóttir', 'thora gudmundsdottir', 'Icelandic letters'],
    ['Ａｄａ', 'ada', 'fullwidth'],
    ['ﬁnal', 'final', 'ligature fi'],
    ['ΟΔΥΣΣΕΥΣ', 'οδυσσευσ', 'capitals that end in sigma'],
    ['Οδυσσεύς', 'οδυσσευσ', 'final sigma'],
    ['Ёлкин', 'елкин', 'Cyrillic io'],
    ['می\u200Cخواهم', 'میخواهم', 'zero-width non-joiner'],
    ['soft\u00ADhyphen', 'softhyphen', 'soft hyphen'],
    ['한국', '한국', 'Hangul stays composed'],
    ['line\nbreak\ttab\u0000nul\u0085nel\u2028ls', 'line break tab nul nel ls', 'control characters become spaces'],
    ['non\u00A0breaking', 'non breaking', 'no-break space'],
    ['O’Brien O‘Brien OʼBrien O`Brien O´Brien', "o'brien o'brien o'brien o'brien o'brien", 'apostrophes'],
    ['O`BRIEN', "o'brien", 'a backtick'],
    ['a‐b‑c–d—e−f', 'a-b-c-d-e-f', 'dashes'],
    ['', '', 'nothing'],
    ['\u0301', '', 'an accent alone'],
  ]
  for (const [text, folded, why] of same) {
    it(`folds ${why}`, () => assert.equal(fold(text), folded))
  }

  it('distinguishes what differs in more than accents and case', () => {
    assert.notEqual(fold('anna'), fold('ana'))
    assert.notEqual(fold('王'), fold('玉'))
  })

  it('is stable for each assigned character', () => {
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
      const character = String.fromCodePoint(codePoint)
      if (/[\p{Cn}\p{Co}]/u.test(character)) continue
      const once = fold(character)
      if (fold(once) !== once) assert.fail(`U+${codePoint.toString(16)}`)
    }
  })

  it('is stable for each text, whatever it contains', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => fold(fold(text)) === fold(text)))
    fc.assert(
      fc.property(
        wordOf(['I', '\u0307', 'Σ', 'ß', '\u0345', '\u1100', '\u1161', '\u11A8', '\uD800', '\u200D', '\uDC00']),
        (text) => fold(fold(text)) === fold(text),
      ),
    )
  })

  it('does not see case in ASCII', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => fold(text.toUpperCase()) === fold(text.toLowerCase())),
    )
  })

  it('leaves no capitals, marks or control characters', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !/[\p{Mn}\p{Cc}]|[A-Z]/u.test(fold(text))))
  })
})

function wordOf(units: readonly string[]): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...units)).map((parts) => parts.join(''))
}
