/**
 * Decides what a proof is worth: a session, the second factor first, or a refusal. Every way to sign in is decided here,
 * inside the commit that starts the session (finish.ts), by what the store holds at that moment. The first row that fits counts:
 *
 *     proof                                  user, connection, browser                          outcome
 *     -------------------------------------  -------------------------------------------------  --------------------
 *  1  any                                    deleted, disabled, expired, a service account, or  refused
 *                                            one of an organization that is disabled
 *  2  any                                    got other credentials since they were checked      refused
 *  3  password, now or in the step before    a connection refuses this user's passwords, and    refused
 *                                            this is not the link for the first administrator
 *  4  email code, now or in the step before  a connection signs this user in, the address that got     refused
 *                                            it is not the user's, or such codes are switched off
 *  5  company, now or in the step before     the account is another's or nobody's, or the       refused
 *                                            connection or its organization was disabled or deleted
 *  6  two factors: password and code,        any                                                session
 *     password and passkey, company and
 *     code, company and passkey, email
 *     code and app's code, email code and
 *     passkey, a company that vouches for
 *     two, or a passkey that verified its
 *     user
 *  7  one factor                             has no second factor                               session
 *  8  password just set by a link            has one, whether or not the browser is trusted     second factor
 *  9  password                               has one, and trusts this browser                   session, as trusted
 * 10  one factor                             has one                                            second factor
 *
 * A session may begin with a duty, which is all that it may do (`dutyOf` repeats this at every request). Again the first row counts:
 *
 *     session                                user, policy                                       duty
 *     -------------------------------------  -------------------------------------------------  --------------------
 * 11  one factor, not as trusted             the policy, or the organization, requires a        add_factor
 *                                            second factor by now
 * 12  any                                    must change a password that they may use           change_password
 * 13  any                                    any                                                none
 *
 * A password, a passkey alone, a company, a code by email (decisions/0214), and the link for the first administrator are the first steps; codes of apps, recovery codes and
 * passkeys are the second. A link in a message proves nothing alone: the session begins with the password that the user sets with
 * it, and with the code that the page asks for (decisions/0208). A link that adds a passkey, and one that confirms an address, start
 * no session. A confirmation adds to a session that there is (reauthentication/), and acting as a user proves nothing new
 * (sessions/impersonation.ts).
 */
import type { Duty } from '../../../core/actor.ts'
import type { Rules } from '../../../core/rules.ts'
import { hasAccess, hasSameCredentials, isServiceAccount, type UserRow } from '../../../directory/users/service.ts'
import { isMultiFactor } from '../../../lib/amr.ts'

/** What the steps of a sign-in have proved together. */
export type Proof = {
  user_id: string
  /** The methods so far, RFC 8176. */
  amr: readonly string[]
  /** The user's credentials when the first step was checked. */
  credentials_version: number
  /** The hash that the password matched. */
  verified_hash?: string
  /** The address that got the code by email, as it is compared. */
  email_key?: string
  /** The password was set with a link in this commit: who reads the user's mail has it. */
  isSetByLink?: true
}

/** What the store holds when the proof is decided. */
export type Facts = {
  /** Epoch milliseconds. */
  now: number
  rules: Pick<Rules, 'disabledOrganizations'>
  user:
    | Pick<
        UserRow,
        'active' | 'organization_id' | 'access_ends_at' | 'kind' | 'password_hash' | 'credentials_version' | 'email_key'
      >
    | undefined
  /** A connection refuses the user's passwords. */
  isPasswordRefused: boolean
  /** No code by email lets this user in: a connection does, or such codes are switched off. */
  isEmailCodeRefused: boolean
  /** The company's account is not, or no longer, this user's. False without a company. */
  isAccountLost: boolean
  hasFactor: boolean
  /** The id under which the user trusts this browser. */
  trustedBrowser: string | undefined
  /** The policy requires a second factor of this user by now. */
  isFactorRequired: boolean
  mustChangePassword: boolean
}

export type Decision =
  | { outcome: 'refused' }
  | { outcome: 'second_factor' }
  /** `trusted`: the browser that stands in for the second factor. */
  | { outcome: 'session'; trusted: string | undefined; duty: Duty | undefined }

export function decide(proof: Proof, facts: Facts): Decision {
  const { user } = facts
  if (user === undefined || !hasAccess(user, facts) || isServiceAccount(user)) return { outcome: 'refused' }
  if (!hasSameCredentials(user, proof)) return { outcome: 'refused' }
  if (proof.amr.includes('pwd') && facts.isPasswordRefused) return { outcome: 'refused' }
  const isByEmail = proof.email_key !== undefined
  if (isByEmail && (facts.isEmailCodeRefused || user.email_key !== proof.email_key)) return { outcome: 'refused' }
  if (facts.isAccountLost) return { outcome: 'refused' }
  if (isMultiFactor(proof.amr) || !facts.hasFactor) return session(proof, facts, undefined)
  const trusted = proof.amr.includes('sso') || isByEmail || proof.isSetByLink ? undefined : facts.trustedBrowser
  return trusted === undefined ? { outcome: 'second_factor' } : session(proof, facts, trusted)
}

function session(proof: Proof, facts: Facts, trusted: string | undefined): Decision {
  const lacksFactor = facts.isFactorRequired && !isMultiFactor(proof.amr) && trusted === undefined
  const duty = lacksFactor ? 'add_factor' : facts.mustChangePassword ? 'change_password' : undefined
  return { outcome: 'session', trusted, duty }
}
