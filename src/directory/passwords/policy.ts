import { looksLikeHash } from './hash-form.ts'
import { comparable, substance, substanceBeside } from './substance.ts'

/** The password policy (NIST SP 800-63B-4 §3.1.1). Hashing is in hash.ts. */
export type PasswordFault = {
  code:
    | 'password_too_short'
    | 'password_too_long'
    | 'password_too_common'
    | 'password_contains_context'
    | 'password_malformed'
    | 'password_looks_like_hash'
  detail: string
}

const MIN_CHARACTERS = 15
const MAX_BYTES = 1024

// Two common words with a year are refused, three in a row are not; 15 random digits are worth seven and a half.
const ENOUGH_LETTERS = 5.75

/** The form that is checked and hashed, so that a password typed on another keyboard is the same password. */
export function normalizePassword(password: string): string {
  return password.normalize('NFC')
}

/**
 * Says why a password is refused, without repeating any of it. `context.words` are what a guesser knows of the user and
 * the service: username, email address, names, product name.
 */
export function passwordFault(password: string, context: { words: readonly string[] }): PasswordFault | undefined {
  if (!password.isWellFormed())
    return { code: 'password_malformed', detail: 'The password contains half a character (a lone surrogate).' }
  if (password.includes('\0'))
    return { code: 'password_malformed', detail: 'The password contains the character U+0000.' }

  const normalized = normalizePassword(password)
  // Bytes before characters: a far too long password is not counted character by character.
  if (Buffer.byteLength(normalized) > MAX_BYTES)
    return { code: 'password_too_long', detail: 'The password is longer than 1,024 bytes in UTF-8.' }
  if (looksLikeHash(normalized))
    return {
      code: 'password_looks_like_hash',
      detail:
        'This is a password hash, not a password. To import users with the hashes of another system, send it as ' +
        '`password_hash` in a row of POST /users/import. If it is a password after all, choose another one.',
    }
  if (Array.from(normalized).length < MIN_CHARACTERS)
    return { code: 'password_too_short', detail: `The password has fewer than ${MIN_CHARACTERS} characters.` }

  if (new Set(comparable(normalized)).size <= 4)
    return { code: 'password_too_common', detail: 'The password has too few different characters.' }
  if (substance(normalized) < ENOUGH_LETTERS)
    return {
      code: 'password_too_common',
      detail:
        'The password is one of the first that attackers guess: common words, rows of keys, sequences or repetitions, with ' +
        'little else.',
    }
  const besideContext = substanceBeside(contextWords(context.words), normalized)
  if (besideContext !== undefined && besideContext < ENOUGH_LETTERS)
    return {
      code: 'password_contains_context',
      detail:
        'Without the words that belong to the user or the service (username, email address, names, product), what is left ' +
        'of the password is too easy to guess. Add other words or some random characters.',
    }
  return undefined
}

// A whole word stands for itself and for its parts: ada.lovelace@example.com for ada.lovelace, lovelace and example too.
// Parts under four letters turn up in passwords by chance.
function contextWords(words: readonly string[]): string[] {
  const parts = words.flatMap((word) => [word, ...word.split('@'), ...word.split(/[^\p{L}\p{M}\p{N}]+/u)])
  return [...new Set(parts)].filter((part) => Array.from(part).length >= 4)
}
