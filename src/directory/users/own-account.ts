/**
 * What operations for administrators may not do to the caller's own account. Otherwise a personal key that was found would
 * become its owner, and a session would get past the current password, the last factor and the confirmation of an address.
 */

import { personBehind } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import type { Context } from '../../store/context.ts'
import type { UserRow } from './store.ts'

/** A part of an account; `row`: what of the user's row changes is judged when that is known. */
export type AccountPart =
  | 'row'
  | 'password'
  | 'email'
  | 'username'
  | 'role'
  | 'active'
  | 'factors'
  | 'sessions'
  | 'identities'
  | 'keys'
  | 'links'
  | 'lock'
  | 'deletion'

/** The parts for which the operation on oneself asks more than the one for administrators. */
const ownWays: Partial<Record<AccountPart, string>> = {
  password: 'Change your own password with POST /me/password.',
  email: 'Change your own email address with PATCH /me.',
  factors: 'Remove your own factors with DELETE /me/factors/{factor_id}.',
  identities:
    'Link your own accounts by signing in with them, and unlink them with DELETE /me/identities/{identity_id}.',
  links: 'A link would change your own password without the current one. Use POST /me/password.',
  lock: 'You cannot reset your own failed attempts. Wait until POST /me/password accepts others, or ask another administrator.',
}

/**
 * Asked by every change of a user's account that an administrator makes, and by nothing that users do to themselves.
 *
 * @throws AppError `user_required` for a personal key, `own_account` for a session
 */
export function refuseOwnAccount(ctx: Pick<Context, 'actor'>, userId: string, parts: readonly AccountPart[]): void {
  refusePersonalKey(ctx, userId, parts)
  if (ctx.actor.signedIn?.user_id !== userId) return
  const way = parts.map((part) => ownWays[part]).find((text) => text !== undefined)
  if (way !== undefined) throw new AppError('own_account', `This is your own account. ${way}`)
}

/** For lists that users read of themselves in a session only. @throws AppError `user_required` */
export function refusePersonalKey(
  { actor }: Pick<Context, 'actor'>,
  userId: string,
  parts: readonly AccountPart[],
): void {
  const part = parts.find((one) => one !== 'row')
  if (part === undefined || actor.personalKey === undefined || personBehind(actor)?.user_id !== userId) return
  const detail = `A personal key has no access to its owner's ${names[part]}. Sign in, or use an API key of a program.`
  throw new AppError('user_required', detail)
}

const names: Record<Exclude<AccountPart, 'row'>, string> = {
  password: 'password',
  email: 'email address',
  username: 'username',
  role: 'role',
  active: 'account',
  factors: 'factors',
  sessions: 'sessions',
  identities: 'linked accounts',
  keys: 'keys',
  links: 'links',
  lock: 'failed attempts',
  deletion: 'account',
}

/** The parts that differ. A different role ends the sessions, so it is one of them. */
export function changedParts(found: UserRow, next: UserRow): AccountPart[] {
  const differs = (...columns: (keyof UserRow)[]) => columns.some((column) => found[column] !== next[column])
  return [
    ...(differs('password_hash', 'must_change_password') ? (['password'] as const) : []),
    ...(differs('email', 'email_verified') ? (['email'] as const) : []),
    ...(differs('username') ? (['username'] as const) : []),
    ...(differs('role') ? (['role'] as const) : []),
    ...(differs('active', 'access_ends_at', 'organization_id') ? (['active'] as const) : []),
  ]
}
