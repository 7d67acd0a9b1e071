/**
 * What a user signs in with besides the password: the list, names, removal, recovery codes. Leaves adding a factor to
 * enrollment.ts, and using one to use.ts.
 */

import { listOfUser as listGroupsOfUser } from '../../../administration/groups/service.ts'
import type { Person as Caller } from '../../../core/actor.ts'
import { AppError, memberFault, validationFailed } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import { requiresSecondFactor } from '../../../core/second-factor.ts'
import * as users from '../../../directory/users/service.ts'
import {
  isServiceAccount,
  notify,
  personTarget,
  refusePersonalKey,
  userTarget,
} from '../../../directory/users/service.ts'
import { timestamp } from '../../../lib/instant.ts'
import { hasUnseen } from '../../../lib/unseen.ts'
import { isUuid } from '../../../lib/uuidv7.ts'
import type { ChangeContext, Context } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import type { Target } from '../../../store/journal-entry.ts'
import * as challenges from '../challenges/service.ts'
import * as sessions from '../sessions/service.ts'
import { personOf } from '../sessions/service.ts'
import { detailsOf, emitFactor, emitRemoved } from './journal.ts'
import { displayName } from './passkey-options.ts'
import { userHandle } from './passkeys.ts'
import { recoveryCodeHash } from './recovery-codes.ts'
import { toFactor } from './row.ts'
import { type Factor, type Factors, factorNameLength, type PasskeyAccount } from './schema.ts'
import * as store from './store.ts'

export { findOwners, findPasskey, hasFactor, listFactors } from './store.ts'

type Person = { user_id: string; username: string }

/** A domain whose last passkey is gone would have to be named as well, but is no longer known: pages name the first one. */
function accountsOf(
  user: Parameters<typeof displayName>[0] & Person,
  rows: readonly store.FactorRow[],
): PasskeyAccount[] {
  const ids = new Set(rows.flatMap(({ rp_id }) => rp_id ?? []))
  return [...ids].map((rp_id) => ({
    rp_id,
    user_handle: userHandle(user.user_id),
    name: user.username,
    display_name: displayName(user),
    credential_ids: rows.filter((row) => row.rp_id === rp_id).flatMap(({ credential_id }) => credential_id ?? []),
  }))
}

/** @throws AppError `user_not_found` */
export async function listOf(ctx: Context, userId: string): Promise<Factors> {
  const user = isUuid(userId) ? await users.findById(ctx.db, scopeOf(ctx.actor), userId) : undefined
  if (user === undefined) throw new AppError('user_not_found', `There is no user ${userId}.`)
  refusePersonalKey(ctx, user.user_id, ['factors'])
  const groups = await listGroupsOfUser(ctx, userId)
  const { secondFactor, secondFactorFromMs, secondFactorOrganizations } = ctx.rules
  const isByOrganization = secondFactorOrganizations.has(user.organization_id ?? '')
  const isRequired = isByOrganization || requiresSecondFactor(secondFactor, { ...user, groups })
  const rows = await store.listFactors(ctx.db, userId)
  return {
    user_id: userId,
    required: !isServiceAccount(user) && isRequired,
    // An organization requires it at once.
    required_from: secondFactorFromMs > 0 && !isByOrganization ? timestamp(secondFactorFromMs) : null,
    factors: rows.map(toFactor),
    recovery_codes: await store.countRecoveryCodes(ctx.db, userId),
    passkey_accounts: accountsOf(user, rows),
  }
}

/**
 * Returns when this user will have to have a second factor; null if none is required of them, there is one already, or the
 * time has come.
 */
export async function requiredFrom(ctx: Context, userId: string): Promise<string | null> {
  // The usual case costs nothing.
  if (ctx.rules.secondFactorFromMs <= ctx.now) return null
  const { required, required_from, factors } = await listOf(ctx, userId)
  return required && factors.length === 0 ? required_from : null
}

/** Whether the policy or the organization requires a second factor of the person, now or later. */
function isRequired({ rules }: Pick<Context, 'rules'>, person: Caller): boolean {
  const id = person.organization?.organization_id ?? ''
  return rules.secondFactorOrganizations.has(id) || requiresSecondFactor(rules.secondFactor, person)
}

/** @throws AppError `factor_not_found`, `validation_failed` */
export async function rename(
  ctx: ChangeContext,
  { factor_id, name }: { factor_id: string; name: string },
): Promise<Factor> {
  const person = personOf(ctx)
  await sessions.refuseEnded(ctx)
  const found = await getOfUser(ctx.db, person.user_id, factor_id)
  if (found.confirmed_at === null) throw unknownFactor()
  await store.renameFactor(ctx.db, found.factor_id, name)
  const row = { ...found, name }
  const changes = found.name === name ? {} : { name: { before: found.name, after: name } }
  ctx.record({
    action: 'factor.renamed',
    target: personTarget(person),
    changes,
    details: { factor_id: found.factor_id },
  })
  if (found.name !== name) emitFactor(ctx, 'factor.renamed', row)
  return toFactor(row)
}

/**
 * Removes one of the caller's own factors, and ends their other sessions.
 *
 * @throws AppError `factor_not_found`, `last_factor`
 */
export async function removeOwn(
  ctx: ChangeContext,
  { factor_id }: { factor_id: string },
): Promise<{ user_id: string; removed: number }> {
  const person = personOf(ctx)
  await sessions.refuseEnded(ctx)
  await users.holdOwnRow(ctx, person.user_id)
  const found = await getOfUser(ctx.db, person.user_id, factor_id)
  const all = await store.listFactors(ctx.db, person.user_id)
  if (found.confirmed_at !== null && all.length === 1 && isRequired(ctx, person)) {
    const detail = 'Your administrator requires a second factor, and this is your only one. Add another one first.'
    throw new AppError('last_factor', detail)
  }
  await removeRow(ctx, personTarget(person), found)
  await sessions.endAll(ctx, { user_id: person.user_id, except: person.session_id })
  return { user_id: person.user_id, removed: 1 }
}

/** @throws AppError `user_not_found`, `user_outranks_caller`, `factor_not_found` */
export async function removeOfUser(
  ctx: ChangeContext,
  { user_id, factor_id }: { user_id: string; factor_id: string },
): Promise<{ user_id: string; removed: number }> {
  const user = await users.holdRowForChange(ctx, user_id, 'factors')
  const found = await getOfUser(ctx.db, user_id, factor_id)
  await removeRow(ctx, userTarget(user), found)
  await sessions.endAll(ctx, { user_id })
  return { user_id, removed: 1 }
}

/**
 * Removes everything but the password, for a user who has lost it all. The user's sessions end.
 *
 * @throws AppError `user_not_found`, `user_outranks_caller`
 */
export async function reset(
  ctx: ChangeContext,
  { user_id }: { user_id: string },
): Promise<{ user_id: string; removed: number }> {
  const user = await users.holdRowForChange(ctx, user_id, 'factors')
  const all = await store.listFactors(ctx.db, user_id)
  await store.deleteFactorsOfUser(ctx.db, user_id)
  await store.deleteRecoveryCodes(ctx.db, user_id)
  await sessions.endAll(ctx, { user_id })
  await challenges.endAll(ctx, user_id)
  ctx.record({ action: 'user.factors_reset', target: userTarget(user), details: { removed: all.length } })
  for (const row of all) emitRemoved(ctx, row)
  if (all.length > 0) await notify(ctx, user_id, { kind: 'factors_reset' })
  return { user_id, removed: all.length }
}

async function removeRow(ctx: ChangeContext, target: Target, row: store.FactorRow): Promise<void> {
  const { id: user_id } = target
  if (!(await store.deleteFactor(ctx.db, row.factor_id))) throw unknownFactor()
  // Recovery codes stand in for factors: without any there is nothing left to recover.
  if (!(await store.hasFactor(ctx.db, user_id))) await store.deleteRecoveryCodes(ctx.db, user_id)
  await challenges.endAll(ctx, user_id)
  ctx.record({ action: 'factor.removed', target, details: detailsOf(row) })
  if (row.confirmed_at === null) return
  emitRemoved(ctx, row)
  await notify(ctx, user_id, { kind: 'factor_removed', data: { factor: row.name } })
}

/**
 * Replaces the caller's recovery codes.
 *
 * @throws AppError `no_factor`
 */
export async function replaceRecoveryCodes(
  ctx: ChangeContext,
  { codes }: { codes: string[] },
): Promise<{ codes: string[] }> {
  const person = personOf(ctx)
  await sessions.refuseEnded(ctx)
  await users.holdOwnRow(ctx, person.user_id)
  if (!(await store.hasFactor(ctx.db, person.user_id))) {
    throw new AppError('no_factor', 'Recovery codes replace a second factor. Add a factor first.')
  }
  await store.deleteRecoveryCodes(ctx.db, person.user_id)
  const created_at = timestamp(ctx.now)
  for (const code of codes) {
    const code_hash = recoveryCodeHash(person.user_id, code)
    if (code_hash === undefined) throw new Error('A generated recovery code is malformed.')
    await store.insertRecoveryCode(ctx.db, { user_id: person.user_id, code_hash, created_at })
  }
  ctx.record({ action: 'recovery_codes.replaced', target: personTarget(person), details: { codes: codes.length } })
  await notify(ctx, person.user_id, { kind: 'recovery_codes_replaced' })
  return { codes }
}

/** What the user can sign in with as a second step. */
export async function methodsOf(db: Db, userId: string): Promise<string[]> {
  const kinds = new Set((await store.listFactors(db, userId)).map(({ kind }) => kind))
  const codes = await store.countRecoveryCodes(db, userId)
  return [...kinds, ...(codes > 0 ? ['recovery_code'] : [])]
}

/** Deletes what is left of a user who is erased. */
export async function erase(ctx: ChangeContext, userId: string): Promise<void> {
  await store.deleteFactorsOfUser(ctx.db, userId)
  await store.deleteRecoveryCodes(ctx.db, userId)
  await challenges.endAll(ctx, userId)
}

/** @throws AppError `validation_failed` */
export function checkName(name: string): string {
  const trimmed = name.trim().normalize('NFC')
  if (trimmed !== '' && trimmed.length <= factorNameLength && !hasUnseen(trimmed)) return trimmed
  throw validationFailed([
    memberFault(
      'name',
      'bad_name',
      'The name must have visible characters, and no control characters, line breaks or invisible characters.',
    ),
  ])
}

/** @throws AppError `factor_not_found` */
export async function getOfUser(db: Db, userId: string, factorId: string): Promise<store.FactorRow> {
  const found = isUuid(factorId) ? await store.findFactor(db, factorId) : undefined
  // Never reveal that another user's factor exists.
  if (found === undefined || found.user_id !== userId) throw unknownFactor()
  return found
}

export function unknownFactor(): AppError {
  return new AppError('factor_not_found', 'There is no factor with this id.')
}
