/** Recovery codes: for users whose phone is gone. Each works once. */
import { hash, randomInt } from 'node:crypto'

const recoveryCodeCount = 10
/** Crockford's base32: no letters that people mistake for digits. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 125 bits: more than the 112 above which OWASP ASVS 6.5.2 accepts a plain hash. */
const [groups, groupLength] = [5, 5]

/** Returns new codes, each in groups of five characters. */
export function makeRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, () =>
    Array.from({ length: groups }, () =>
      Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join(''),
    ).join('-'),
  )
}

/** Returns the hash to look for; undefined if this cannot be a code. */
export function recoveryCodeHash(userId: string, code: string): string | undefined {
  const plain = code
    .toUpperCase()
    .replaceAll(/[\s-]/g, '')
    // As Crockford reads what people write.
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  if (plain.length !== groups * groupLength || [...plain].some((one) => !alphabet.includes(one))) return undefined
  return hash('sha256', `rollbook recovery code 1\n${userId}\n${plain}`, 'base64url')
}
