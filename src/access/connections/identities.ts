/** Which accounts of identity providers belong to which user. Each change runs in a transaction. */
import { AppError } from '../../core/errors.ts'
import * as users from '../../directory/users/service.ts'
import { timestamp } from '../../lib/instant.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import { listFactors } from '../factors/service.ts'
import { personOf } from '../sessions/person.ts'
import { endAll, refuseEnded } from '../sessions/service.ts'
import type { Person } from './decide.ts'
import * as store from './identities-store.ts'
import type { Identity } from './schema.ts'

/** @throws AppError `user_not_found` */
export async function listOf({ db }: Pick<Context, 'db'>, userId: string): Promise<Identity[]> {
  const user = isUuid(userId) ? await users.findById(db, userId) : undefined
  if (user === undefined) throw new AppError('user_not_found', 'There is no user with this id.')
  return (await store.listIdentitiesOf(db, userId)).map(({ user_id: _, domain: __, ...identity }) => identity)
}

const identitiesAtOnce = 1000

/** Every identity of a connection. */
export async function* allOf(db: Db, connectionId: string): AsyncGenerator<store.IdentityRow> {
  for (let after = ''; ; ) {
    const found = await store.listIdentitiesOfConnection(db, connectionId, { after, limit: identitiesAtOnce })
    yield* found
    if (found.length < identitiesAtOnce) return
    after = found.at(-1)?.subject ?? ''
  }
}

/** The caller writes the record. @throws AppError `overloaded` if the account was linked at the same moment */
export async function link(
  ctx: ChangeContext,
  person: Person,
  to: Pick<store.IdentityRow, 'connection_id' | 'user_id' | 'linked_by'>,
): Promise<void> {
  const now = timestamp(ctx.now)
  const { subject, email = null, domain = null } = person
  const row = { identity_id: ctx.newId(), ...to, subject, domain, email, created_at: now, last_used_at: now }
  if (await store.insertIdentity(ctx.db, row)) return
  throw new AppError('overloaded', 'This account has just been linked. Sign in again.')
}

export function use(ctx: ChangeContext, identity: store.IdentityRow, person: Person): Promise<void> {
  return store.useIdentity(ctx.db, {
    identity_id: identity.identity_id,
    email: person.email ?? null,
    now: timestamp(ctx.now),
  })
}

/**
 * For an administrator: the user's sessions end, too.
 *
 * @throws AppError `user_not_found`, `user_outranks_caller`
 */
export async function removeOfUser(
  ctx: ChangeContext,
  { user_id }: { user_id: string },
): Promise<{ user_id: string; removed: number }> {
  const user = await users.getForChange(ctx, user_id, undefined)
  const removed = await store.deleteIdentitiesOfUser(ctx.db, user_id)
  if (removed > 0) await endAll(ctx, { user_id })
  const target = { kind: 'user', id: user_id, name: user.username }
  ctx.record({ action: 'user.identities_removed', target, details: { removed } })
  return { user_id, removed }
}

/**
 * Removes the caller's own. The session in which they do it continues.
 *
 * @throws AppError `last_sign_in_way`
 */
export async function removeOwn(ctx: ChangeContext): Promise<{ user_id: string; removed: number }> {
  await refuseEnded(ctx)
  const { user_id, username, session_id } = personOf(ctx)
  await refuseLastWay(ctx, user_id)
  const removed = await store.deleteIdentitiesOfUser(ctx.db, user_id)
  if (removed > 0) await endAll(ctx, { user_id, except: session_id })
  ctx.record({
    action: 'user.identities_removed',
    target: { kind: 'user', id: user_id, name: username },
    details: { removed },
  })
  return { user_id, removed }
}

async function refuseLastWay({ db }: ChangeContext, userId: string): Promise<void> {
  const user = await users.findById(db, userId)
  if (user === undefined || user.password_hash !== null || (await store.countIdentitiesOf(db, userId)) === 0) return
  if ((await listFactors(db, userId)).some(({ kind }) => kind === 'passkey')) return
  throw new AppError(
    'last_sign_in_way',
    'You have neither a password nor a passkey, so you could not sign in again. Add a passkey first.',
  )
}

/** Deletes those of a user who is erased. */
export async function erase(ctx: ChangeContext, userId: string): Promise<void> {
  await store.deleteIdentitiesOfUser(ctx.db, userId)
}

/** The accounts of a connection with this subject, or with this address. */
export function findAccounts(
  db: Db,
  by: { connection_id: string; subject: string | null; email: string | null },
): Promise<Pick<store.IdentityRow, 'subject' | 'user_id'>[]> {
  return store.findAccounts(db, by)
}
