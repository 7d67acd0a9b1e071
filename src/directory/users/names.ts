/** The names that must be unique, for one user and for the rows of an import. */

import { AppError, memberFault } from '../../core/errors.ts'

export type Names = { username_key: string; email_key: string | null; external_id: string | null }
export type NameColumn = keyof Names

export type NameRule = {
  member: 'username' | 'email' | 'external_id'
  /** No other user may have what is in `own` in this column. */
  own: NameColumn
  others: NameColumn
  detail: string
}

/** The members with a unique index, in the order in which errors are listed. */
export const uniqueNames: readonly NameRule[] = [
  {
    member: 'username',
    own: 'username_key',
    others: 'username_key',
    detail: 'Another user already has this username.',
  },
  {
    member: 'email',
    own: 'email_key',
    others: 'email_key',
    detail: 'Another user already has this email address.',
  },
  {
    member: 'external_id',
    own: 'external_id',
    others: 'external_id',
    detail: 'Another user already has this external id.',
  },
]

type SignInColumn = Exclude<NameColumn, 'external_id'>
export type ConfusableName = NameRule & { own: SignInColumn; others: SignInColumn }

/**
 * A username that equals another user's email address could sign in as that user, or be mistaken for them. No index spans
 * the two columns, so these names are locked while they are looked for: see `lockedNames`.
 */
export const confusableNames: readonly ConfusableName[] = [
  {
    member: 'username',
    own: 'username_key',
    others: 'email_key',
    detail: 'This username is the email address of another user.',
  },
  {
    member: 'email',
    own: 'email_key',
    others: 'username_key',
    detail: 'This email address is the username of another user.',
  },
]

/** Names with an `@`, each of which can be a username or an email address, as names of locks. */
export function lockedNames(keys: readonly (string | null)[]): string[] {
  return keys.filter((key) => key?.includes('@')).map((key) => `name:${key}`)
}

type Broken = Pick<NameRule, 'member' | 'detail'>

/** The first rule decides the code and the detail. */
export function nameTaken(first: Broken, ...others: Broken[]): AppError {
  const errors = [first, ...others].map(({ member, detail }) => memberFault(member, `${member}_taken`, detail))
  return new AppError(`${first.member}_taken`, first.detail, { errors })
}
