import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { assertCheap } from '../../test/processor-time.ts'
import { PrecisError, usernameKey } from './precis.ts'

describe('username key', () => {
  const accepted: readonly (readonly [username: string, key: string, why: string])[] = [
    // RFC 8265 §3.5, table 2.
    ['juliet@example.com', 'juliet@example.com', 'an at-sign is allowed'],
    ['fussball', 'fussball', 'German without sharp s'],
    ['fu\u00DFball', 'fu\u00DFball', 'sharp s stays itself'],
    ['\u03C0', '\u03C0', 'a Greek letter'],
    ['\u03A3', '\u03C3', 'capital sigma becomes small sigma'],
    ['\u03C3', '\u03C3', 'small sigma'],
    ['\u03C2', '\u03C2', 'final sigma stays itself'],
    // Mapping rules.
    ['Ada.Lovelace+1815_x-y', 'ada.lovelace+1815_x-y', 'ASCII loses its case only'],
    ['ÄÖÜ', 'äöü', 'case beyond ASCII'],
    ['e\u0301', '\u00E9', 'decomposed becomes composed'],
    ['E\u0301', '\u00E9', 'case and composition together'],
    ['\uFF21\uFF44\uFF41\uFF11', 'ada1', 'fullwidth becomes ASCII'],
    ['\uFF76\uFF9E', '\u30AC', 'halfwidth Katakana with its voicing mark becomes one letter'],
    ['\u212B', '\u00E5', 'the angstrom sign is a letter by normalization'],
    ['\u1E9E', '\u00DF', 'capital sharp s'],
    ['\u0130', 'i\u0307', 'dotted capital I keeps its dot'],
    ['\u{10400}', '\u{10428}', 'case beyond the basic plane'],
    ['Ⴀ', 'ⴀ', 'Georgian'],
    // Exceptions of RFC 8264 §9.6 that are valid.
    ['\u06FD\u06FE', '\u06FD\u06FE', 'Sindhi signs'],
    ['\u0F0B', '\u0F0B', 'the Tibetan tsheg'],
    ['\u3007', '\u3007', 'the ideographic zero'],
    // Contextual rules, RFC 5892 appendix A.
    ['Col\u00B7Laboració', 'col\u00B7laboració', 'a middle dot between l and l, after case mapping'],
    ['\u0375\u03B1', '\u0375\u03B1', 'keraia before Greek'],
    ['\u05D0\u05F3', '\u05D0\u05F3', 'geresh after Hebrew'],
    ['\u05D0\u05F4\u05D1', '\u05D0\u05F4\u05D1', 'gershayim after Hebrew'],
    ['\u30A2\u30FB\u30A4', '\u30A2\u30FB\u30A4', 'a Katakana middle dot among Katakana'],
    ['a\uFF65\u6F22', 'a\u30FB\u6F22', 'a halfwidth Katakana middle dot with Han'],
    ['\u0628\u0660\u0669', '\u0628\u0660\u0669', 'Arabic-Indic digits'],
    ['\u0628\u06F0\u06F9', '\u0628\u06F0\u06F9', 'extended Arabic-Indic digits'],
    ['\u0915\u094D\u200D\u0937', '\u0915\u094D\u200D\u0937', 'a joiner after a virama'],
    ['\u0915\u094D\u200C\u0937', '\u0915\u094D\u200C\u0937', 'a non-joiner after a virama'],
    [
      '\u0646\u0627\u0645\u0647\u200C\u0627\u06CC',
      '\u0646\u0627\u0645\u0647\u200C\u0627\u06CC',
      'a Persian non-joiner',
    ],
    ['\u0628\u0651\u200C\u0651\u0628', '\u0628\u0651\u200C\u0651\u0628', 'a non-joiner between letters with marks'],
    // The Bidi Rule, RFC 5893 §2.
    ['\u05D0\u05D1', '\u05D0\u05D1', 'Hebrew'],
    ['\u05D01', '\u05D01', 'right-to-left ending in a digit'],
    ['\u05D0\u05B0', '\u05D0\u05B0', 'right-to-left ending in a mark'],
    ['\u05D0-\u05D1', '\u05D0-\u05D1', 'right-to-left with a hyphen inside'],
    ['\u06F1', '\u06F1', 'extended Arabic-Indic digits alone count as European'],
    ['\u{1E900}\u{1E901}', '\u{1E922}\u{1E923}', 'Adlam, right-to-left with case'],
    ['1-.', '1-.', 'the Bidi Rule holds only where right-to-left characters are'],
  ]
  for (const [username, key, why] of accepted) {
    it(`accepts ${JSON.stringify(username)}: ${why}`, () => assert.equal(usernameKey(username), key))
  }

  const refused: readonly (readonly [username: string, message: RegExp])[] = [
    // RFC 8265 §3.5, table 3.
    ['foo bar', /a space \(U\+0020\)/],
    ['', /empty/],
    ['henry\u2163', /a variant form of other characters \(U\+2173\)/],
    ['\u265A', /a symbol beyond ASCII \(U\+265A\)/],
    // RFC 8264 §9: what is in no identifier.
    [' ', /a space \(U\+0020\)/],
    ['a\u3000b', /a space \(U\+3000\)/],
    ['a\u0000b', /a control character \(U\+0000\)/],
    ['a\u007F', /a control character \(U\+007F\)/],
    ['a\u00ADb', /an invisible character \(U\+00AD\)/],
    ['a\u200Bb', /an invisible character \(U\+200B\)/],
    ['a\u202Eb', /an invisible character \(U\+202E\)/],
    ['a\uFE0F', /an invisible character \(U\+FE0F\)/],
    ['\u3164', /an invisible character \(U\+3164\)/],
    ['a\u{E0041}', /an invisible character \(U\+E0041\)/],
    ['\uFFFE', /not assigned \(U\+FFFE\)/],
    ['\u0378', /not assigned \(U\+0378\)/],
    ['\uE000', /this character \(U\+E000\)/],
    ['\u1100', /this character \(U\+1100\)/],
    ['\uFFA1\uFFC2', /a variant form of other characters \(U\+FFA1\)/],
    ['\uFB01', /a variant form of other characters \(U\+FB01\)/],
    ['x\u00B2', /a variant form of other characters \(U\+00B2\)/],
    ['\u01C5', /a variant form of other characters \(U\+01C6\)/],
    ['\u{1D400}', /a variant form of other characters \(U\+1D400\)/],
    ['a\u2019b', /punctuation beyond ASCII \(U\+2019\)/],
    ['\u{1F600}', /a symbol beyond ASCII \(U\+1F600\)/],
    ['\u0640', /this character \(U\+0640\)/],
    ['\u07FA', /this character \(U\+07FA\)/],
    ['\u3031', /this character \(U\+3031\)/],
    ['\uD800', /half a character/],
    ['a\uDC00b', /half a character/],
    // Contextual rules, RFC 5892 appendix A.
    ['a\u00B7b', /U\+00B7 only between two l/],
    ['l\u00B7', /U\+00B7 only between two l/],
    ['\u0375a', /U\+0375 only before a Greek letter/],
    ['a\u05F3', /U\+05F3 only after a Hebrew letter/],
    ['\u05F4\u05D0', /U\+05F4 only after a Hebrew letter/],
    ['a\u30FBb', /U\+30FB only beside/],
    ['\u30FB', /U\+30FB only beside/],
    ['\u0628\u0660\u06F0', /U\+0660 only without extended/],
    ['a\u200Db', /joiner in a place where it is not allowed \(U\+200D\)/],
    ['a\u200Cb', /joiner in a place where it is not allowed \(U\+200C\)/],
    ['\u200C', /joiner in a place where it is not allowed \(U\+200C\)/],
    ['\u0628\u200D\u0628', /joiner in a place where it is not allowed \(U\+200D\)/],
    ['\u0627\u200C\u0628', /joiner in a place where it is not allowed \(U\+200C\)/],
    ['\u3099\u200C', /joiner in a place where it is not allowed \(U\+200C\)/],
    ['\u05D0\u05B0\u200D\u05D0', /joiner in a place where it is not allowed \(U\+200D\)/],
    // The Bidi Rule, RFC 5893 §2.
    ['a\u05D0', /must begin with a right-to-left letter/],
    ['1\u05D0', /must begin with a right-to-left letter/],
    ['\u0660', /must begin with a right-to-left letter/],
    ['\u05D0a\u05D0', /mixes right-to-left and left-to-right/],
    ['\u05D0-', /must end with a letter or a digit/],
    ['\u05D0-\u05B0', /must end with a letter or a digit/],
    ['\u05D0\u02B9', /must end with a letter or a digit/],
    ['\u06281\u0660', /may not mix European and Arabic digits/],
    ['\u062A\u06F1\u{10D31}', /may not mix European and Arabic digits/],
  ]
  for (const [username, message] of refused) {
    it(`refuses ${escaped(username)}, saying ${message.source.replaceAll('\\', '')}`, () => {
      assert.throws(() => usernameKey(username), { name: 'PrecisError', message })
    })
  }

  it('is its own key', () => {
    fc.assert(
      fc.property(anyUsername, (username) => {
        const key = keyOrRefusal(username)
        return key === undefined || usernameKey(key) === key
      }),
    )
  })

  it('does not see case in ASCII', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-~]+$/), (name) => {
        assert.equal(usernameKey(name.toUpperCase()), usernameKey(name.toLowerCase()))
      }),
    )
  })

  it('gives ASCII the same key on the fast path as on the slow one', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-~]+$/), (name) => {
        assert.equal(usernameKey(`${name}é`), `${usernameKey(name)}é`)
      }),
    )
  })

  it('does not see whether accents are composed', () => {
    fc.assert(
      fc.property(anyUsername, (username) => {
        assert.equal(keyOrRefusal(username.normalize('NFD')), keyOrRefusal(username.normalize('NFC')))
      }),
    )
  })

  it('judges each assigned character without any other error', () => {
    let count = 0
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
      const character = String.fromCodePoint(codePoint)
      if (/[\p{Cn}\p{Co}]/u.test(character)) continue
      if (keyOrRefusal(character) !== undefined) count++
    }
    // Unicode 17 has some 145,000 such characters; fewer means that a rule refuses whole scripts.
    assert.ok(count > 140_000 && count < 200_000, String(count))
  })

  it('handles a long row of joiners quickly', () => {
    const username = `\u0628${'\u0651\u200C'.repeat(20_000)}`
    assertCheap(1000, () => assert.equal(keyOrRefusal(username), undefined))
  })
})

/** Throws on anything but a refusal, so that a property over it also defends the kind of error. */
function keyOrRefusal(username: string): string | undefined {
  try {
    return usernameKey(username)
  } catch (error) {
    assert.ok(error instanceof PrecisError, String(error))
    return undefined
  }
}

// Mostly characters at which the rules look, since random ones are nearly always unassigned.
const anyUsername = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: fc.constantFrom(...'aAéÉßΣσςİıﬁl·漢アｱ・١۱بא्ְ\u200C\u200D\u0301\u0345-.1ʹ'), maxLength: 8 }),
)

function escaped(text: string): string {
  return `"${text.replace(/[^!-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`
}
