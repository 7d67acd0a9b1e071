/**
 * What users sign in with besides the password: enrollment, names, removal, and that each code works once. Leaves counting
 * attempts and starting sessions to sign-in/.
 */

import { AppError, memberFault, validationFailed } from '../../core/errors.ts'
import { requiresSecondFactor } from '../../core/second-factor.ts'
import { listOfUser as listGroupsOfUser } from '../../directory/groups/service.ts'
import { notify } from '../../directory/users/notice.ts'
import * as users from '../../directory/users/service.ts'
import { factorsPerUser } from '../../directory/users/totp-form.ts'
import { isMultiFactor } from '../../lib/amr.ts'
import { timestamp } from '../../lib/instant.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import { claimRun } from '../../store/claim-run.ts'
import type { ChangeContext, Context, SignedIn } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import type { Target } from '../../store/journal-entry.ts'
import * as challenges from '../challenges/service.ts'
import { personOf } from '../sessions/person.ts'
import * as sessions from '../sessions/service.ts'
import { displayName, transportsOf } from './passkey-options.ts'
import { type PasskeyUse, type Registered, userHandle } from './passkeys.ts'
import { recoveryCodeHash } from './recovery-codes.ts'
import { type Factor, type Factors, factorNameLength, type PasskeyAccount } from './schema.ts'
import * as store from './store.ts'

export type { FactorRow } from './store.ts'
export { findPasskey, hasFactor, listFactors } from './store.ts'

/** How long an enrollment waits for its first code. */
const pendingMs = 3_600_000

/** The only function that decides what of a row may leave. */
export function toFactor(row: store.FactorRow): Factor {
  const { factor_id, kind, name, created_at, last_used_at } = row
  return {
    factor_id,
    kind,
    name,
    created_at,
    last_used_at,
    passkey: passkeyOf(row),
  }
}

function passkeyOf({ credential_id, rp_id, aaguid, ...row }: store.FactorRow): Factor['passkey'] {
  if (credential_id === null || rp_id === null) return null
  return {
    credential_id,
    rp_id,
    transports: transportsOf(row.transports),
    aaguid: aaguid ?? '',
    backup_eligible: Number(row.backup_eligible) === 1,
    backed_up: Number(row.backed_up) === 1,
  }
}

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
  const user = isUuid(userId) ? await users.findById(ctx.db, userId) : undefined
  if (user === undefined) throw new AppError('user_not_found', `There is no user ${userId}.`)
  const groups = await listGroupsOfUser(ctx, userId)
  const { secondFactor, secondFactorFromMs } = ctx.rules
  const rows = await store.listFactors(ctx.db, userId)
  return {
    user_id: userId,
    required: requiresSecondFactor(secondFactor, { ...user, groups }),
    required_from: secondFactorFromMs > 0 ? timestamp(secondFactorFromMs) : null,
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

type NewTotp = Pick<store.FactorRow, 'factor_id' | 'name' | 'secret' | 'sealed'>

/**
 * Begins the enrollment of one-time codes. A new one replaces an earlier one that was not confirmed. Returns what the user
 * is shown, so that a repeated request shows the same.
 *
 * @throws AppError `reauthentication_required`, `too_many_factors`
 */
export async function addTotp(
  ctx: ChangeContext,
  { shown, ...factor }: NewTotp & { shown: string },
): Promise<{ factor_id: string; shown: string }> {
  const person = await holdOwner(ctx)
  await store.deletePending(ctx.db, person.user_id)
  await store.insertFactor(ctx.db, newRow(ctx, { ...factor, user_id: person.user_id, kind: 'totp' }))
  ctx.record({
    action: 'factor.begun',
    target: targetOf(person),
    details: { ...detailsOf({ ...factor, kind: 'totp' }) },
  })
  return { factor_id: factor.factor_id, shown }
}

/**
 * Activates one-time codes. The first factor of a user ends the sessions that were started without one.
 *
 * @throws AppError `factor_not_found`, `reauthentication_required`
 */
export async function confirmTotp(
  ctx: ChangeContext,
  { factor_id, step }: { factor_id: string; step: number },
): Promise<Factor> {
  const person = await holdOwner(ctx)
  const found = await findOwn(ctx.db, person.user_id, factor_id)
  const now = timestamp(ctx.now)
  if (!(await store.confirmFactor(ctx.db, { factor_id: found.factor_id, step, now }))) {
    throw new AppError('factor_not_found', 'These one-time codes are active already, or were removed.')
  }
  const row = { ...found, confirmed_at: now, last_used_at: now, last_step: step }
  await added(ctx, person, row, ['otp'])
  return toFactor(row)
}

/**
 * Begins to add a passkey, in this session.
 *
 * @throws AppError `reauthentication_required`, `too_many_factors`
 */
export async function beginPasskey(
  ctx: ChangeContext,
  { challenge_id, webauthn }: { challenge_id: string; webauthn: string },
): Promise<{ challenge_id: string; expires_at: string; webauthn: string }> {
  const person = await holdOwner(ctx)
  const { user_id, session_id } = person
  const browser_hash = challenges.browserHash(session_id)
  const begun = await challenges.begin(ctx, { challenge_id, purpose: 'add_passkey', user_id, browser_hash, webauthn })
  ctx.record({ action: 'factor.begun', target: targetOf(person), details: { kind: 'passkey' } })
  return { ...begun, webauthn }
}

/** @throws AppError `validation_failed` */
export function findPasskeyChallenge(
  ctx: { db: Db; now: number },
  presented: challenges.Presented,
): Promise<challenges.ChallengeRow> {
  return challenges.get(ctx, presented).catch(rejectExpired)
}

/** Not 401: the session is valid. */
function rejectExpired(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'challenge_expired') throw error
  const detail = 'These options have expired, were used, or belong to another session. Request new ones.'
  throw validationFailed([memberFault('challenge_id', 'challenge_expired', detail)])
}

type NewPasskey = Omit<Registered, 'methods'> & Pick<store.FactorRow, 'factor_id' | 'name'>

/**
 * Adds a passkey that was verified. The challenge ends with it.
 *
 * @throws AppError `reauthentication_required`, `too_many_factors`, `validation_failed`
 */
export async function addPasskey(
  ctx: ChangeContext,
  { finishes, passkey, methods }: { finishes: challenges.Presented; passkey: NewPasskey; methods: string[] },
): Promise<Factor> {
  const person = await holdOwner(ctx)
  await challenges.finish(ctx, finishes).catch(rejectExpired)
  const row = await insertPasskey(ctx, person.user_id, passkey)
  await added(ctx, person, row, methods)
  return toFactor(row)
}

/**
 * The holder of a link may add the first factor only: with another one, a mailbox would be enough to get past the second step.
 *
 * @throws AppError `validation_failed`
 */
export async function refuseUnlessFirst(ctx: { db: Db }, user_id: string): Promise<void> {
  if (!(await store.hasFactor(ctx.db, user_id))) return
  const detail = 'You have a second factor already. Choose a password here, and sign in with both.'
  throw validationFailed([memberFault('passkey', 'has_factor', detail)])
}

type FirstPasskey = { user: Person; finishes: challenges.Presented; passkey: NewPasskey; by: string }

/**
 * Adds the first passkey of a user whose row the caller holds. All sessions end, and so does the challenge.
 *
 * @throws AppError `validation_failed`
 */
export async function addFirstPasskey(
  ctx: ChangeContext,
  { user, finishes, passkey, by }: FirstPasskey,
): Promise<void> {
  const { user_id } = user
  await refuseUnlessFirst(ctx, user_id)
  await challenges.finish(ctx, finishes).catch(rejectExpired)
  const row = await insertPasskey(ctx, user_id, passkey)
  const { ended } = await sessions.endAll(ctx, { user_id })
  await challenges.endAll(ctx, user_id)
  ctx.record({
    action: 'factor.added',
    target: targetOf(user),
    details: { ...detailsOf(row), sessions_ended: ended, by },
  })
  await notify(ctx, user_id, { kind: 'factor_added', data: { factor: row.name } })
  emitFactor(ctx, 'factor.added', row)
}

/** @throws AppError `validation_failed` if another user has it */
async function insertPasskey(ctx: ChangeContext, user_id: string, passkey: NewPasskey): Promise<store.FactorRow> {
  if ((await store.findPasskey(ctx.db, passkey.credential_id ?? '')) !== undefined) {
    const detail = 'This passkey was added before. Use it, or another device.'
    throw validationFailed([memberFault('passkey', 'already_added', detail)])
  }
  const now = timestamp(ctx.now)
  const given = { ...passkey, user_id, kind: 'passkey' as const, secret: '' }
  const row = newRow(ctx, { ...given, confirmed_at: now, last_used_at: now })
  await store.insertFactor(ctx.db, row)
  return row
}

/** What every new factor brings: the session counts as authenticated by it, and sessions without one end. */
async function added(
  ctx: ChangeContext,
  person: SignedIn,
  row: store.FactorRow,
  methods: readonly string[],
): Promise<void> {
  const { user_id, session_id } = person
  await sessions.renewAuthentication(ctx, { session_id, methods })
  const { ended } = await sessions.endAll(ctx, { user_id, except: session_id })
  await challenges.endAll(ctx, user_id)
  ctx.record({
    action: 'factor.added',
    target: targetOf(person),
    details: { ...detailsOf(row), sessions_ended: ended },
  })
  await notify(ctx, user_id, { kind: 'factor_added', data: { factor: row.name } })
  emitFactor(ctx, 'factor.added', row)
}

/** @throws AppError `factor_not_found`, `validation_failed` */
export async function rename(
  ctx: ChangeContext,
  { factor_id, name }: { factor_id: string; name: string },
): Promise<Factor> {
  const person = personOf(ctx)
  await sessions.refuseEnded(ctx)
  const found = await findOwn(ctx.db, person.user_id, factor_id)
  if (found.confirmed_at === null) throw unknownFactor()
  await store.renameFactor(ctx.db, found.factor_id, name)
  const row = { ...found, name }
  const changes = found.name === name ? {} : { name: { before: found.name, after: name } }
  ctx.record({ action: 'factor.renamed', target: targetOf(person), changes, details: { factor_id: found.factor_id } })
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
  const found = await findOwn(ctx.db, person.user_id, factor_id)
  const all = await store.listFactors(ctx.db, person.user_id)
  if (found.confirmed_at !== null && all.length === 1 && requiresSecondFactor(ctx.rules.secondFactor, person)) {
    const detail = 'Your organization requires a second factor, and this is your only one. Add another one first.'
    throw new AppError('last_factor', detail)
  }
  await removeRow(ctx, person, found)
  await sessions.endAll(ctx, { user_id: person.user_id, except: person.session_id })
  return { user_id: person.user_id, removed: 1 }
}

/** @throws AppError `user_not_found`, `user_outranks_caller`, `factor_not_found` */
export async function removeOfUser(
  ctx: ChangeContext,
  { user_id, factor_id }: { user_id: string; factor_id: string },
): Promise<{ user_id: string; removed: number }> {
  const user = await users.holdRowForChange(ctx, user_id)
  const found = await findOwn(ctx.db, user_id, factor_id)
  await removeRow(ctx, user, found)
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
  const user = await users.holdRowForChange(ctx, user_id)
  const all = await store.listFactors(ctx.db, user_id)
  await store.deleteFactorsOfUser(ctx.db, user_id)
  await store.deleteRecoveryCodes(ctx.db, user_id)
  await sessions.endAll(ctx, { user_id })
  await challenges.endAll(ctx, user_id)
  ctx.record({ action: 'user.factors_reset', target: targetOf(user), details: { removed: all.length } })
  for (const row of all) emitRemoved(ctx, row)
  if (all.length > 0) await notify(ctx, user_id, { kind: 'factors_reset' })
  return { user_id, removed: all.length }
}

async function removeRow(ctx: ChangeContext, user: Person, row: store.FactorRow): Promise<void> {
  if (!(await store.deleteFactor(ctx.db, row.factor_id))) throw unknownFactor()
  // Recovery codes stand in for factors: without any there is nothing left to recover.
  if (!(await store.hasFactor(ctx.db, user.user_id))) await store.deleteRecoveryCodes(ctx.db, user.user_id)
  await challenges.endAll(ctx, user.user_id)
  ctx.record({ action: 'factor.removed', target: targetOf(user), details: { ...detailsOf(row) } })
  if (row.confirmed_at === null) return
  emitRemoved(ctx, row)
  await notify(ctx, user.user_id, { kind: 'factor_removed', data: { factor: row.name } })
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
    if (code_hash === undefined) throw new Error('A recovery code of our own making has not its form.')
    await store.insertRecoveryCode(ctx.db, { user_id: person.user_id, code_hash, created_at })
  }
  ctx.record({ action: 'recovery_codes.replaced', target: targetOf(person), details: { codes: codes.length } })
  await notify(ctx, person.user_id, { kind: 'recovery_codes_replaced' })
  return { codes }
}

/** What was shown, and what must still be true when it is used up. */
export type Use =
  | { kind: 'totp'; factor_id: string; step: number }
  | { kind: 'recovery_code'; code_hash: string }
  | PasskeyUse

/**
 * Uses a code up, in the commit that grants something for it: of two requests with the same code, one succeeds.
 *
 * @throws AppError `second_factor_failed`
 */
export async function use(ctx: ChangeContext, user_id: string, used: Use): Promise<void> {
  if (!(await tryUse(ctx, user_id, used))) throw secondFactorFailed()
}

/** Like `use`; returns whether it worked. */
export function tryUse(ctx: ChangeContext, user_id: string, used: Use): Promise<boolean> {
  switch (used.kind) {
    case 'totp':
      return store.advanceStep(ctx.db, { ...used, user_id, now: timestamp(ctx.now) })
    case 'passkey':
      return store.advancePasskey(ctx.db, { ...used, user_id, now: timestamp(ctx.now) })
    case 'recovery_code':
      return useRecoveryCode(ctx, user_id, used.code_hash)
  }
}

async function useRecoveryCode(ctx: ChangeContext, userId: string, codeHash: string): Promise<boolean> {
  if (!(await store.deleteRecoveryCode(ctx.db, userId, codeHash))) return false
  if (ctx.rules.sendsMail) {
    const remaining = String(await store.countRecoveryCodes(ctx.db, userId))
    await notify(ctx, userId, { kind: 'recovery_code_used', data: { remaining } })
  }
  return true
}

export function secondFactorFailed(): AppError {
  const detail = 'The code or passkey is wrong, was used before, or has expired.'
  return new AppError('second_factor_failed', detail)
}

/** What the user can sign in with as a second step. */
export async function methodsOf(db: Db, userId: string): Promise<string[]> {
  const kinds = new Set((await store.listFactors(db, userId)).map(({ kind }) => kind))
  const codes = await store.countRecoveryCodes(db, userId)
  return [...kinds, ...(codes > 0 ? ['recovery_code'] : [])]
}

/** Returns whether the code is one of the user's. `use` decides which of two requests gets it. */
export async function findRecoveryCode(db: Db, userId: string, code: string): Promise<string | undefined> {
  const code_hash = recoveryCodeHash(userId, code)
  return code_hash !== undefined && (await store.hasRecoveryCode(db, userId, code_hash)) ? code_hash : undefined
}

/** Deletes what is left of a user who is erased. */
export async function erase(ctx: ChangeContext, userId: string): Promise<void> {
  await store.deleteFactorsOfUser(ctx.db, userId)
  await store.deleteRecoveryCodes(ctx.db, userId)
  await challenges.endAll(ctx, userId)
}

/** Deletes enrollments that were not finished, unless a node did so within `everyMs`. */
export async function prune(ctx: ChangeContext, { everyMs }: { everyMs: number }): Promise<number> {
  if (!(await claimRun(ctx, 'factors.prune', everyMs))) return 0
  return store.deletePendingBefore(ctx.db, timestamp(ctx.now - pendingMs))
}

export async function sealAll(
  ctx: ChangeContext,
  rows: readonly { factor_id: string; before: string; after: string }[],
): Promise<void> {
  for (const row of rows) await store.setSealed(ctx.db, row)
}

/** The secret behind an enrollment of the caller's that waits for its first code. */
export async function findPending(ctx: Context, factorId: string): Promise<store.FactorRow> {
  const found = await findOwn(ctx.db, personOf(ctx).user_id, factorId)
  if (found.kind !== 'totp' || found.confirmed_at !== null) throw unknownFactor()
  return found
}

/** @throws AppError `validation_failed` */
export function checkName(name: string): string {
  const trimmed = name.trim().normalize('NFC')
  if (trimmed !== '' && trimmed.length <= factorNameLength && !/\p{Cc}/u.test(trimmed)) return trimmed
  throw validationFailed([
    memberFault('name', 'bad_name', 'The name must have visible characters, and no control characters.'),
  ])
}

/**
 * The caller, who may add a factor: their row is locked until the commit. A session without a second factor may add the
 * first one only, or a stolen password would be enough to add the thief's own.
 */
async function holdOwner(ctx: ChangeContext): Promise<SignedIn> {
  const person = personOf(ctx)
  await sessions.refuseEnded(ctx)
  await users.holdOwnRow(ctx, person.user_id)
  const all = await store.listFactors(ctx.db, person.user_id)
  if (all.length > 0 && !isMultiFactor(person.amr)) {
    const detail = 'Confirm with one of your factors first: POST /sessions/current/reauthentication.'
    throw new AppError('reauthentication_required', detail)
  }
  if (all.length >= factorsPerUser) {
    throw new AppError('too_many_factors', `You have ${factorsPerUser} factors. Remove one that you no longer use.`)
  }
  return person
}

async function findOwn(db: Db, userId: string, factorId: string): Promise<store.FactorRow> {
  const found = isUuid(factorId) ? await store.findFactor(db, factorId) : undefined
  // Never reveal that another user's factor exists.
  if (found === undefined || found.user_id !== userId) throw unknownFactor()
  return found
}

function unknownFactor(): AppError {
  return new AppError('factor_not_found', 'There is no factor with this id.')
}

type Person = { user_id: string; username: string }

export function targetOf({ user_id, username }: Person): Target {
  return { kind: 'user', id: user_id, name: username }
}

export function detailsOf({ factor_id, kind, name }: Pick<store.FactorRow, 'factor_id' | 'kind' | 'name'>) {
  return { factor_id, kind, name }
}

/** In the history of the user, with which it is erased. */
export function emitFactor(ctx: ChangeContext, type: 'factor.added' | 'factor.renamed', row: store.FactorRow): void {
  const { factor_id, user_id, kind, name, created_at } = row
  const data = JSON.stringify({ factor_id, user_id, kind, name, created_at })
  ctx.emit({ type, subject: factor_id, owner_id: user_id, data })
}

function emitRemoved(ctx: ChangeContext, { factor_id, user_id }: store.FactorRow): void {
  const data = JSON.stringify({ factor_id, user_id })
  ctx.emit({ type: 'factor.removed', subject: factor_id, owner_id: user_id, data })
}

type Given = Partial<store.FactorRow> & Pick<store.FactorRow, 'factor_id' | 'user_id' | 'kind' | 'name' | 'secret'>

export function newRow(ctx: ChangeContext, given: Given): store.FactorRow {
  return {
    sealed: 0,
    last_step: 0,
    confirmed_at: null,
    last_used_at: null,
    credential_id: null,
    public_key: null,
    sign_count: 0,
    transports: '',
    rp_id: null,
    aaguid: null,
    backup_eligible: 0,
    backed_up: 0,
    ...given,
    created_at: timestamp(ctx.now),
  }
}
