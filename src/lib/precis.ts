import { oneDomainForm } from './email-form.ts'
import { dualJoining, leftJoining, rightJoining } from './precis-joining.ts'

/** Why a username is refused, as a sentence. Names the character as U+XXXX, never the username. */
export class PrecisError extends Error {
  override readonly name = 'PrecisError'
}

/**
 * Returns the form in which usernames are compared and kept unique: the PRECIS profile UsernameCaseMapped (RFC 8265 §3.3).
 * The caller checks the length.
 *
 * @throws PrecisError if the text is not a valid username
 */
export function usernameKey(username: string): string {
  return oneDomainForm(preparedKey(username))
}

function preparedKey(username: string): string {
  // For visible ASCII every rule but case mapping is a no-op.
  if (/^[!-~]+$/.test(username)) return username.toLowerCase()
  if (username === '') throw new PrecisError('The username is empty.')
  if (!username.isWellFormed()) throw new PrecisError('The username contains half a character (a lone surrogate).')

  // RFC 8264 §7: one rule may trigger another, so apply them until nothing changes, at most three more times.
  let key = enforce(username)
  for (let round = 0; round < 3; round++) {
    const again = enforce(key)
    if (again === key) return key
    key = again
  }
  throw new PrecisError('The username has no stable form.')
}

function enforce(username: string): string {
  // Width mapping: the fullwidth and halfwidth forms an input method leaves behind. Halfwidth Hangul (from U+FFA0) maps
  // to letters that are refused as compatibility forms, so it is left alone and refused itself.
  const narrowed = username.replace(/[\uFF01-\uFF9F]/g, (form) => form.normalize('NFKC'))
  const key = narrowed.toLowerCase().normalize('NFC')
  checkCharacters(key)
  checkContext(key)
  checkDirection(key)
  return key
}

// RFC 8264 §8, IdentifierClass: letters, digits, their marks and the exceptions of §9.6, without titlecase, old Hangul
// jamo, compatibility forms and the invisible (of which checkContext judges the joiners).
const permitted = /^[!-~\p{L}\p{Nd}\p{Mn}\p{Mc}\u00B7\u0375\u05F3\u05F4\u06FD\u06FE\u0F0B\u3007\u30FB\u200C-\u200D]+$/u
const excepted = /[\p{Lt}\u0640\u07FA\u302E\u302F\u3031-\u3035\u303B]/u
const oldHangulJamo = /[\u1100-\u11FF\uA960-\uA97C\uD7B0-\uD7C6\uD7CB-\uD7FB]/
const invisible = /[\p{Default_Ignorable_Code_Point}--[\u200C-\u200D]]/v

function isIdentifier(text: string): boolean {
  return permitted.test(text) && !excepted.test(text) && !oldHangulJamo.test(text) && !invisible.test(text)
}

const isCompatibilityForm = (text: string): boolean => text.normalize('NFKC') !== text

function checkCharacters(key: string): void {
  if (isIdentifier(key) && !isCompatibilityForm(key)) return
  const culprit = Array.from(key).find((character) => !isIdentifier(character) || isCompatibilityForm(character)) ?? key
  throw new PrecisError(`The username must not contain ${kindOf(culprit)} (${codePoint(culprit)}).`)
}

function kindOf(character: string): string {
  if (/\p{Z}/u.test(character)) return 'a space'
  if (/\p{Cc}/u.test(character)) return 'a control character'
  if (/\p{Default_Ignorable_Code_Point}/u.test(character)) return 'an invisible character'
  if (/\p{Cn}/u.test(character)) return 'a character Unicode has not assigned'
  if (isCompatibilityForm(character)) return 'a variant form of other characters'
  if (/\p{P}/u.test(character)) return 'punctuation beyond ASCII'
  if (/\p{S}/u.test(character)) return 'a symbol beyond ASCII'
  return 'this character'
}

// RFC 5892 appendix A: characters that are legitimate in some words and deceptive in all others.
function checkContext(key: string): void {
  if (/[\u200C-\u200D]/.test(key)) checkJoiners(Array.from(key))
  const misplaced = (culprit: string, rule: string): never => {
    throw new PrecisError(`The username may contain ${codePoint(culprit)} only ${rule}.`)
  }
  if (/(?<!l)\u00B7|\u00B7(?!l)/.test(key)) misplaced('\u00B7', 'between two l')
  if (/\u0375(?!\p{Script=Greek})/u.test(key)) misplaced('\u0375', 'before a Greek letter')
  const hebrewMark = /(?<!\p{Script=Hebrew})[\u05F3\u05F4]/u.exec(key)?.[0]
  if (hebrewMark) misplaced(hebrewMark, 'after a Hebrew letter')
  if (key.includes('\u30FB') && !/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(key))
    misplaced('\u30FB', 'beside Hiragana, Katakana or Han')
  const arabicIndicDigit = /[\u0660-\u0669]/.exec(key)?.[0]
  if (arabicIndicDigit && /[\u06F0-\u06F9]/.test(key))
    misplaced(arabicIndicDigit, 'without extended Arabic-Indic digits')
}

function checkJoiners(characters: readonly string[]): void {
  for (const [index, joiner] of characters.entries()) {
    if (!/[\u200C-\u200D]/.test(joiner) || isVirama(characters[index - 1])) continue
    const joins =
      joiner === '\u200C' &&
      joinsAfterwards.test(neighbour(characters, index, -1)) &&
      joinsBefore.test(neighbour(characters, index, 1))
    if (!joins)
      throw new PrecisError(
        `The username contains an invisible joiner in a place where it is not allowed (${codePoint(joiner)}).`,
      )
  }
}

const joinsAfterwards = new RegExp(`[${leftJoining}${dualJoining}]`, 'u')
const joinsBefore = new RegExp(`[${rightJoining}${dualJoining}]`, 'u')
// Joining_Type T, limited to the characters that an identifier may contain.
const transparent = /[\p{Mn}\u{1E94B}]/u

function neighbour(characters: readonly string[], index: number, step: 1 | -1): string {
  let at = index + step
  while (transparent.test(characters[at] ?? '')) at += step
  return characters[at] ?? ''
}

// A virama is a mark whose canonical combining class is 9, which JavaScript does not expose. But normalization sorts
// marks by that class, so a virama is what moves behind U+3099 (class 8) and before U+05B0 (class 10).
function isVirama(mark: string | undefined): boolean {
  if (mark === undefined || mark === '\u3099' || mark === '\u05B0') return false
  return `${mark}\u3099`.normalize('NFD') === `\u3099${mark}` && `\u05B0${mark}`.normalize('NFD') === `${mark}\u05B0`
}

// Bidi_Class of the characters an identifier may contain, reduced to what the Bidi Rule distinguishes. The ranges are those
// that Unicode reserves for right-to-left scripts, so letters assigned later are classified correctly.
const mark = /^[[\p{Mn}\u{1171E}]--[\u0CBF\u0CC6\u{11A07}\u{11A08}\u{11C3F}]]$/v
const europeanDigit = /^[0-9\u06F0-\u06F9]$/
const arabicDigit = /^[\u0660-\u0669\u{10D30}-\u{10D39}]$/u
const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u
const neutral =
  /^[!-/:-@[-`{-~\u00B7\u02B9\u02BA\u02C6-\u02CF\u02EC\u0375\u200C-\u200D\u2E2F\u30FB\uA67F\uA717-\uA71F\uA788]$/

type Direction = 'right' | 'left' | 'mark' | 'europeanDigit' | 'arabicDigit' | 'neutral'

function directionOf(character: string): Direction {
  if (mark.test(character)) return 'mark'
  if (europeanDigit.test(character)) return 'europeanDigit'
  if (arabicDigit.test(character)) return 'arabicDigit'
  if (rightToLeft.test(character)) return 'right'
  return neutral.test(character) ? 'neutral' : 'left'
}

// RFC 5893 §2. Without it, two different usernames could look the same on a page.
function checkDirection(key: string): void {
  if (!rightToLeft.test(key)) return
  const directions = Array.from(key, directionOf)
  if (!directions.some((direction) => direction === 'right' || direction === 'arabicDigit')) return
  if (directions[0] !== 'right')
    throw new PrecisError('A username with right-to-left characters must begin with a right-to-left letter.')
  if (directions.includes('left')) throw new PrecisError('The username mixes right-to-left and left-to-right letters.')
  if (directions.includes('europeanDigit') && directions.includes('arabicDigit'))
    throw new PrecisError('A right-to-left username may not mix European and Arabic digits.')
  const last = directions.findLast((direction) => direction !== 'mark')
  if (last === 'neutral') throw new PrecisError('A right-to-left username must end with a letter or a digit.')
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
