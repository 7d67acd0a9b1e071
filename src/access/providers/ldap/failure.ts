/** Why a directory did not do what it was asked for: a word for programs, and a text for the administrator. */

export type LdapReason =
  | 'username_invalid'
  | 'password_invalid'
  | 'unknown_user'
  | 'several_users'
  | 'wrong_password'
  | 'account_disabled'
  | 'account_expired'
  | 'account_locked'
  | 'password_expired'
  | 'password_must_change'
  | 'sign_in_not_permitted'
  | 'subject_missing'
  | 'too_many_groups'
  | 'service_refused'
  | 'search_refused'
  | 'settings_invalid'
  | 'directory_busy'
  | 'directory_unreachable'

export class LdapFailure extends Error {
  readonly reason: LdapReason

  constructor(reason: LdapReason, detail: string, cause?: unknown) {
    super(detail, { cause })
    this.reason = reason
  }
}

/**
 * Reasons that are about the user. Outside they are all one: the response must not reveal which names exist, or which
 * accounts are locked.
 */
const ofTheUser: readonly LdapReason[] = [
  'username_invalid',
  'password_invalid',
  'unknown_user',
  'several_users',
  'wrong_password',
  'account_disabled',
  'account_expired',
  'account_locked',
  'password_expired',
  'password_must_change',
  'sign_in_not_permitted',
]

export function isOfTheUser(error: unknown): error is LdapFailure {
  return error instanceof LdapFailure && ofTheUser.includes(error.reason)
}

/** Whether everyone is affected, not one user or entry. */
export function isOfTheServer(error: unknown): boolean {
  const isOfEntry = error instanceof LdapFailure && /^(subject_missing|too_many_groups)$/.test(error.reason)
  return !isOfTheUser(error) && !isOfEntry
}

/** The result codes of RFC 4511 §A.1 that we tell apart. */
export const resultCodes = {
  operationsError: 1,
  timeLimitExceeded: 3,
  sizeLimitExceeded: 4,
  strongerAuthRequired: 8,
  referral: 10,
  adminLimitExceeded: 11,
  unavailableCriticalExtension: 12,
  confidentialityRequired: 13,
  constraintViolation: 19,
  noSuchObject: 32,
  invalidDnSyntax: 34,
  inappropriateAuthentication: 48,
  invalidCredentials: 49,
  insufficientAccessRights: 50,
  busy: 51,
  unavailable: 52,
  unwillingToPerform: 53,
} as const

/** The result code that an error of the library stands for; undefined if the server sent none. */
export function resultCodeOf(error: unknown): number | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  return typeof code === 'number' ? code : undefined
}

/** The sub-codes that Active Directory adds to error 49, such as `data 533` in the diagnostic message. */
const activeDirectoryCodes: Readonly<Record<string, [LdapReason, string]>> = {
  '525': ['unknown_user', 'The directory does not know this user (data 525).'],
  '52e': ['wrong_password', 'The password is wrong (data 52e).'],
  '530': ['sign_in_not_permitted', 'The user may not sign in at this time (data 530).'],
  '531': ['sign_in_not_permitted', 'The user may not sign in from this computer (data 531).'],
  '532': ['password_expired', 'The password has expired in the directory (data 532).'],
  '533': ['account_disabled', 'The account is disabled in the directory (data 533).'],
  '701': ['account_expired', 'The account has expired in the directory (data 701).'],
  '773': ['password_must_change', 'The user must first change the password in the directory (data 773).'],
  '775': ['account_locked', 'The account is locked in the directory (data 775).'],
}

/** Translates a failed bind with the user's own password. Errors that are not about the user are rethrown. */
export function failureOfUserBind(error: unknown): unknown {
  const code = resultCodeOf(error)
  if (code === resultCodes.invalidCredentials) {
    const data = /\bdata ([0-9a-f]{2,4})\b/i.exec((error as Error).message)?.[1]?.toLowerCase() ?? ''
    const [reason, detail] = activeDirectoryCodes[data] ?? ['wrong_password', 'The password is wrong.']
    return new LdapFailure(reason, detail, error)
  }
  if (code === resultCodes.inappropriateAuthentication || code === resultCodes.noSuchObject) {
    return new LdapFailure('wrong_password', 'The entry has no password to bind with.', error)
  }
  // 389 Directory Server, after too many wrong passwords.
  if (code === resultCodes.constraintViolation) {
    return new LdapFailure('account_locked', 'The account is locked in the directory.', error)
  }
  if (code === resultCodes.unwillingToPerform || code === resultCodes.insufficientAccessRights) {
    return new LdapFailure('sign_in_not_permitted', 'The directory does not let this user bind.', error)
  }
  return error
}
