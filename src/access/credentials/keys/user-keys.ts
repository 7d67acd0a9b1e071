/**
 * The rules of keys of a user: people create and revoke their own, administrators those of service accounts. Such a key is
 * its owner with fewer permissions, and is deleted with them.
 */

import { AppError } from '../../../core/errors.ts'
import { parsePermission } from '../../../core/permissions.ts'
import { heldByBoth, permissionsOfUser } from '../../../core/rules.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as users from '../../../directory/users/service.ts'
import { isServiceAccount, notify } from '../../../directory/users/service.ts'
import { isUuid } from '../../../lib/uuidv7.ts'
import { changesOf } from '../../../record/journal/service.ts'
import type { ChangeContext } from '../../../store/context.ts'
import { personOf, refuseEnded, toPerson } from '../sessions/service.ts'
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
  const about = await targetOf(ctx, { ...issued, user_id, organization_id: null })
  ctx.record({ action: 'key.created', ...about, changes: changesOf(undefined, issued, recordedMembers) })
  return issued
}

export type KeyOfLogin = NewApiKey & { key: string; expires_at: string; user_id: string; username: string }

type Approved = {
  user_id: string
  /** The version of the user's credentials at the approval. */
  credentials_version: number
  name: string
  permissions: string[]
  expires_at: string
}

/**
 * Creates the key that a user approved in the browser, in their name, with what they may still do. Undefined if the user was
 * disabled or deleted, or has expired since, or their role or password has changed.
 *
 * @throws AppError `too_many_keys`
 */
export async function createByLogin(
  ctx: ChangeContext,
  { user_id, credentials_version, ...approved }: Approved,
): Promise<KeyOfLogin | undefined> {
  const held = await users.findRowForChange(ctx.db, scopeOf(ctx.actor), user_id)
  const row = await store.findOwner(ctx.db, user_id)
  if (held === undefined || row === undefined || !users.hasAccess(held, ctx)) return undefined
  if (held.credentials_version !== credentials_version) return undefined
  const owner = await toPerson(ctx, row)
  const { username } = owner
  const permissions = permissionsOfUser(ctx.rules.roles, owner)
  const actor = { kind: 'user' as const, id: user_id, name: username, permissions }
  const asOwner: ChangeContext = { ...ctx, actor, record: (entry) => ctx.recordFor({ ...ctx, actor }, entry) }
  // What is about an organization permits nothing without one.
  const isUsable = (permission: string) => owner.organization !== undefined || !parsePermission(permission).isLimited
  const input = { ...approved, permissions: heldByBoth(approved.permissions, permissions).filter(isUsable) }
  const { key = '', expires_at: _, ...issued } = await createFor(asOwner, user_id, input)
  await notify(asOwner, user_id, { kind: 'key_created', data: { key: approved.name } })
  return { ...issued, key, expires_at: approved.expires_at, user_id, username }
}

/** Revokes a key whose login was used twice. */
export async function revokeReplayed(
  ctx: ChangeContext,
  { user_id, key_id }: { user_id: string; key_id: string },
): Promise<void> {
  const found = await store.findKeyForChange(ctx.db, scopeOf(ctx.actor), key_id)
  if (found?.user_id === user_id) await end(ctx, found)
}

/** @throws AppError `too_many_keys` */
export async function refuseTooMany(ctx: ChangeContext, userId: string): Promise<void> {
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
  const found = isUuid(key_id) ? await store.findKeyForChange(ctx.db, scopeOf(ctx.actor), key_id) : undefined
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
