/**
 * Adds factors: one-time codes, which are active with their first code, and passkeys. Leaves checking what an app or a
 * browser sent to totp.ts and passkeys.ts.
 */

import type { SignedIn } from '../../../core/actor.ts'
import { AppError, memberFault, validationFailed } from '../../../core/errors.ts'
import * as users from '../../../directory/users/service.ts'
import { notify, personTarget, userTarget } from '../../../directory/users/service.ts'
import { isMultiFactor } from '../../../lib/amr.ts'
import { timestamp } from '../../../lib/instant.ts'
import { factorsPerUser } from '../../../lib/totp-form.ts'
import { claimRun } from '../../../store/claim-run.ts'
import type { ChangeContext, Context } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import type { Target } from '../../../store/journal-entry.ts'
import * as challenges from '../challenges/service.ts'
import * as sessions from '../sessions/service.ts'
import { personOf } from '../sessions/service.ts'
import { getOfUser, unknownFactor } from './factors.ts'
import { detailsOf, emitFactor } from './journal.ts'
import type { Registered } from './passkeys.ts'
import { newRow, toFactor } from './row.ts'
import type { Factor } from './schema.ts'
import * as store from './store.ts'

/** How long an enrollment waits for its first code. */
const pendingMs = 3_600_000

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
    target: personTarget(person),
    details: detailsOf({ ...factor, kind: 'totp' }),
  })
  return { factor_id: factor.factor_id, shown }
}

/**
 * Returns an enrollment of the caller's that waits for its first code.
 *
 * @throws AppError `factor_not_found`
 */
export async function getPending(ctx: Context, factorId: string): Promise<store.FactorRow> {
  const found = await getOfUser(ctx.db, personOf(ctx).user_id, factorId)
  if (found.kind !== 'totp' || found.confirmed_at !== null) throw unknownFactor()
  return found
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
  const found = await getOfUser(ctx.db, person.user_id, factor_id)
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
  const begun = await challenges.startChallenge(ctx, {
    challenge_id,
    purpose: 'add_passkey',
    user_id,
    browser_hash,
    webauthn,
  })
  ctx.record({ action: 'factor.begun', target: personTarget(person), details: { kind: 'passkey' } })
  return { ...begun, webauthn }
}

/** @throws AppError `validation_failed` */
export function getPasskeyChallenge(
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

type FirstPasskey = {
  user: Parameters<typeof userTarget>[0]
  finishes: challenges.Presented
  passkey: NewPasskey
  by: string
}

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
  const { ended: endedCount } = await sessions.endAll(ctx, { user_id })
  await announce(ctx, userTarget(user), row, { sessions_ended: endedCount, by })
}

/** @throws AppError `validation_failed` if another user has it */
async function insertPasskey(ctx: ChangeContext, user_id: string, passkey: NewPasskey): Promise<store.FactorRow> {
  const now = timestamp(ctx.now)
  const newFactor = { ...passkey, user_id, kind: 'passkey' as const, secret: '' }
  const row = newRow(ctx, { ...newFactor, confirmed_at: now, last_used_at: now })
  if (!(await store.insertFactor(ctx.db, row))) {
    const detail = 'This passkey was added before. Use it, or another device.'
    throw validationFailed([memberFault('passkey', 'already_added', detail)])
  }
  return row
}

/** After a new factor the session counts as authenticated by it, and sessions without one end. */
async function added(
  ctx: ChangeContext,
  person: SignedIn,
  row: store.FactorRow,
  methods: readonly string[],
): Promise<void> {
  const { user_id, session_id } = person
  await sessions.renewAuthentication(ctx, { session_id, methods })
  const { ended: endedCount } = await sessions.endAll(ctx, { user_id, except: session_id })
  await announce(ctx, personTarget(person), row, { sessions_ended: endedCount })
}

/** Records a new factor, tells the user, and ends the challenges that were issued without it. */
async function announce(
  ctx: ChangeContext,
  target: Target,
  row: store.FactorRow,
  details: { sessions_ended: number; by?: string },
): Promise<void> {
  await challenges.endAll(ctx, target.id)
  ctx.record({ action: 'factor.added', target, details: { ...detailsOf(row), ...details } })
  await notify(ctx, target.id, { kind: 'factor_added', data: { factor: row.name } })
  emitFactor(ctx, 'factor.added', row)
}

/**
 * Returns the caller, who may add a factor; their row is locked until the commit. A session without a second factor may add the
 * first one only, or a stolen password would be enough to add the thief's own.
 */
async function holdOwner(ctx: ChangeContext): Promise<SignedIn> {
  const person = personOf(ctx)
  await sessions.refuseEnded(ctx)
  await users.holdOwnRow(ctx, person.user_id)
  const all = await refuseUnproven(ctx.db, person)
  if (all.length >= factorsPerUser) {
    throw new AppError('too_many_factors', `You have ${factorsPerUser} factors. Remove one that you no longer use.`)
  }
  return person
}

/** Returns the factors of a user. @throws AppError `reauthentication_required` if the session has not shown one of them */
export async function refuseUnproven(db: Db, { user_id, amr }: SignedIn): Promise<store.FactorRow[]> {
  const all = await store.listFactors(db, user_id)
  if (all.length === 0 || isMultiFactor(amr)) return all
  const detail = 'Confirm with one of your factors first: POST /sessions/current/reauthentication.'
  throw new AppError('reauthentication_required', detail)
}

/** Deletes enrollments that were not finished, unless a node did so within `everyMs`. */
export async function prune(ctx: ChangeContext, { everyMs }: { everyMs: number }): Promise<number> {
  if (!(await claimRun(ctx, 'factors.prune', everyMs))) return 0
  return store.deletePendingBefore(ctx.db, timestamp(ctx.now - pendingMs))
}
