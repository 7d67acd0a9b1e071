import { PrecisError, usernameKey } from './precis.ts'
import { trimEnds } from './typed-name.ts'

/**
 * Returns the form in which names of groups are compared and kept unique: that of usernames, with single spaces between the
 * words (RFC 8265 §3.2: one or more spaces between userparts), and without blanks at the ends. The caller checks the length.
 *
 * @throws PrecisError if the text is not a valid name
 */
export function groupNameKey(name: string): string {
  try {
    return trimEnds(name)
      .split(/ +/)
      .map((word) => usernameKey(word))
      .join(' ')
  } catch (error) {
    if (!(error instanceof PrecisError)) throw error
    throw new PrecisError(error.message.replace(/\busername\b/, 'name'))
  }
}
