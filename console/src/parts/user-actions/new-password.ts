/** No similar-looking characters. There are 32, so five bits of a byte select each with equal probability. */
const letters = '0123456789abcdefghjkmnpqrstvwxyz'
const groups = 5
const groupLength = 5

/** Generates a password of 125 random bits, in groups that can be read out on the telephone. */
export function generatePassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(groups * groupLength))
  const text = Array.from(bytes, (byte) => letters[byte % letters.length]).join('')
  return Array.from({ length: groups }, (_, i) => text.slice(i * groupLength, (i + 1) * groupLength)).join('-')
}
