/** Authentication method references (RFC 8176 §2): how a user was authenticated. */

/**
 * `pwd`: a password. `otp`: a one-time code, of an app, or by email if it is the only method before others. `pop`: a passkey; `user`: its owner was there; `mfa`: two kinds of proof, or a
 * passkey that has verified its owner. `sso`: a connection vouches, which RFC 8176 has no word for.
 */
export type Method = 'pwd' | 'otp' | 'pop' | 'user' | 'mfa' | 'sso'

/** Knowing and having are different kinds of proof; two of the same kind are not a second factor. */
const kindOf: Readonly<Record<string, 'knows' | 'has'>> = { pwd: 'knows', sso: 'knows', otp: 'has', pop: 'has' }

/**
 * Returns the methods together, with `mfa` once they are of two kinds. No sign-in begins with an app's code: an `otp` that comes
 * first was sent by email, which shows only that the user knows how to open a mailbox (NIST SP 800-63B-4 §3.1.3.1).
 */
export function combineMethods(before: readonly string[], added: readonly string[]): string[] {
  const all = new Set([...before, ...added])
  const known = before.map((method, i) => (i === 0 && method === 'otp' ? 'knows' : kindOf[method]))
  const kinds = new Set([...known, ...added.map((method) => kindOf[method])].filter((kind) => kind !== undefined))
  if (kinds.size > 1) all.add('mfa')
  return [...all].toSorted((a, b) => Number(a === 'mfa') - Number(b === 'mfa'))
}

export function isMultiFactor(amr: readonly string[]): boolean {
  return amr.includes('mfa')
}

/** The authentication context class: NIST SP 800-63B's assurance levels, as far as the methods show. */
export function acrOf(amr: readonly string[]): 'aal1' | 'aal2' {
  return isMultiFactor(amr) ? 'aal2' : 'aal1'
}
