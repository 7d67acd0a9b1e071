/**
 * The rules of keys of a user: people create and revoke their own, administrators those of service accounts. Such a key is
 * its owner with fewer permissions, and is deleted with them.
 */

import { AppError } from '../../../core/errors.ts'
import * as users from '../../../directory/users/service.ts'
import { isServiceAccount } from '../../../directory/users/service.ts'
import { isUuid } from '../../../lib/uuidv7.ts'
import { changesOf } from '../../../record/journal/service.ts'
import type { ChangeContext } from '../../../store/context.ts'
import { personOf, refuseEnded } from '../sessions/service.ts'
import { end, issue, recordEnd, recordedMembers, targetOf } from './keys.ts'
import type { CreatePersonalKey, NewApiKey } from './schema.ts'
import * as store from './store.ts'

export { findUsersWithKeys } from './store.ts'

/** Enough for each device and program of a person, and few enough to review. */
const keysPerUser = 50

/** @throws AppError `validation_failed`, `permission_not_grantable`, `too_many_keys`, `credential_invalid` */
export async function create(ctx: ChangeContext, input: CreatePersonalKey): Promise<NewApiKey> {
  const { user_id } = personOf(ctx)
  // Two concurrent requests must not both create the last one, nor a key of a user who is being disabled.
  await users.holdOwnRow(ctx, user_id)
  await refuseEnded(ctx)
  return createFor(ctx, user_id, input)
}

/**
 * Creates a key of a service account, for an administrator who may do all that the account may.
 *
 * @throws AppError `user_not_found`, `user_outranks_caller`, `keys_are_personal`, and as for an own key
 */
export async function createForServiceAccount(
  ctx: ChangeContext,
  { user_id, input }: { user_id: string; input: CreatePersonalKey },
): Promise<NewApiKey> {
  const owner = await users.holdRowForChange(ctx, user_id, 'keys')
  if (!isServiceAccount(owner)) {
    throw new AppError('keys_are_personal', 'This user is a person, who creates keys with POST /me/keys.')
  }
  return createFor(ctx, user_id, input)
}

async function createFor(ctx: ChangeContext, user_id: string, input: CreatePersonalKey): Promise<NewApiKey> {
  await refuseTooMany(ctx, user_id)
  const issued = await issue(ctx, { permissions: [], ...input, user_id })
  const about = await targetOf(ctx, { ...issued, user_id })
  ctx.record({ action: 'key.created', ...about, changes: changesOf(undefined, issued, recordedMembers) })
  return issued
}

async function refuseTooMany(ctx: ChangeContext, userId: string): Promise<void> {
  if ((await store.listKeysOfUser(ctx.db, userId)).length < keysPerUser) return
  throw new AppError('too_many_keys', `A user can have ${keysPerUser} keys. Revoke one that is no longer used.`)
}

/**
 * Revokes a key of this user, whatever its permissions.
 *
 * @throws AppError `key_not_found`
 */
export async function remove(
  ctx: ChangeContext,
  { user_id, key_id }: { user_id: string; key_id: string },
): Promise<{ key_id: string }> {
  const found = isUuid(key_id) ? await store.findKeyForChange(ctx.db, key_id) : undefined
  // Never reveal that another user's key exists.
  if (found?.user_id !== user_id) throw new AppError('key_not_found', 'The user has no key with this id.')
  return end(ctx, found)
}

/** The same for an administrator. @throws AppError `user_not_found`, `user_outranks_caller`, `key_not_found` */
export async function removeOfUser(
  ctx: ChangeContext,
  input: { user_id: string; key_id: string },
): Promise<{ key_id: string }> {
  await users.getForChange(ctx, input.user_id, { part: 'keys' })
  return remove(ctx, input)
}

/** Deletes the keys of a user who is deleted. A restored user creates others. */
export async function removeAll(ctx: ChangeContext, user_id: string): Promise<void> {
  for (const key_id of await store.deleteKeysOfUser(ctx.db, user_id)) recordEnd(ctx, { key_id, user_id })
}
