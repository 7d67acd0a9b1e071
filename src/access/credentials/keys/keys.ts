/**
 * The rules of API keys: no caller creates or takes over more than they have, a key is shown once, a rotated one overlaps.
 * Leaves recognizing a key in a request to access/credentials/authentication/authenticate.ts. Each change runs in a transaction.
 */

import type { Actor, ConnectionOfActor } from '../../../core/actor.ts'
import { system } from '../../../core/actor.ts'
import { AppError, memberFault, validationFailed } from '../../../core/errors.ts'
import { knownPermissions, limitedForms, parsePermission } from '../../../core/permissions.ts'
import { heldByBoth, holds, isOrganizationActive, permissionsOfUser } from '../../../core/rules.ts'
import {
  inScopeOf,
  mayGivePermission,
  refuseNamedOrganization,
  scopeOf,
  withinOrganization,
} from '../../../core/scope.ts'
import { getForMember } from '../../../directory/organizations/service.ts'
import { findConnection, findManager } from '../../../directory/provisioning/service.ts'
import * as users from '../../../directory/users/service.ts'
import { isServiceAccount, notify, refusePersonalKey } from '../../../directory/users/service.ts'
import { apiKeyHash, apiKeyPrefix, makeApiKey } from '../../../lib/api-key.ts'
import { latestInstant, timestamp } from '../../../lib/instant.ts'
import { isSameSet } from '../../../lib/same-set.ts'
import { hasUnseen, unseenRefused } from '../../../lib/unseen.ts'
import { isUuid } from '../../../lib/uuidv7.ts'
import { changesOf } from '../../../record/journal/service.ts'
import { revoke } from '../../../record/revocations/service.ts'
import type { ChangeContext, Context } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import type { AuditEntry, Changes, Placed, PlacedTarget } from '../../../store/journal-entry.ts'
import { byFile, overrideDetails, refuseManagedByFile } from '../../../store/managed-by-file.ts'
import { organizationIn, toPerson } from '../sessions/service.ts'
import type { ApiKey, CreateKey, NewApiKey, UpdateKey } from './schema.ts'
import * as store from './store.ts'

/** RFC 3339 has years of four digits. */

/** The only function that decides which columns of a row may leave. */
export function toApiKey(row: store.KeyRow): ApiKey {
  return {
    key_id: row.key_id,
    prefix: row.prefix,
    name: row.name,
    permissions: permissionsOf(row),
    created_at: row.created_at,
    expires_at: row.expires_at,
    last_used_at: row.last_used_at,
    managed: row.managed === 1,
    ...(row.connection_id !== null && { connection_id: row.connection_id }),
    ...(row.user_id !== null && { user_id: row.user_id }),
    ...(row.organization_id !== null && { organization_id: row.organization_id }),
    ...(row.managed_by === byFile && { managed_by: byFile }),
  }
}

function permissionsOf(row: store.KeyRow): string[] {
  return JSON.parse(row.user_permissions ?? row.permissions) as string[]
}

/** When a key was last used on this node, in epoch milliseconds. It may not be stored yet. */
type LastUseOf = (keyId: string) => number | undefined

export async function list(ctx: Context, lastUseOf: LastUseOf): Promise<ApiKey[]> {
  return toApiKeys(await store.listKeys(ctx.db, scopeOf(ctx.actor)), lastUseOf)
}

export async function listOfUser(ctx: Context, userId: string, lastUseOf: LastUseOf): Promise<ApiKey[]> {
  refusePersonalKey(ctx, userId, ['keys'])
  return toApiKeys(await store.listKeysOfUser(ctx.db, userId), lastUseOf)
}

function toApiKeys(rows: readonly store.KeyRow[], lastUseOf: LastUseOf): ApiKey[] {
  return rows.map((row) => {
    const here = lastUseOf(row.key_id)
    const isLatest = here !== undefined && timestamp(here) > (row.last_used_at ?? '')
    return toApiKey(isLatest ? { ...row, last_used_at: timestamp(here) } : row)
  })
}

/** The caller behind a key, and the time span in which it is valid (epoch milliseconds). */
type KnownActor = { actor: Actor; issuedAtMs: number; endsAtMs: number }

/** Finds the actor by a key's hash or id; the old secret of a rotated key is valid until its overlap ends. */
export async function findActor(
  { db, rules, now }: Pick<Context, 'db' | 'rules' | 'now'>,
  by: { key_hash: string } | { key_id: string },
): Promise<KnownActor | undefined> {
  const row =
    'key_hash' in by
      ? await store.findKeyByHash(db, by.key_hash)
      : await store.findKeyById(db, scopeOf(system), by.key_id)
  if (row === undefined || !isOrganizationActive(rules, row)) return undefined
  const isPrevious = 'key_hash' in by && row.key_hash !== by.key_hash
  const owned = row.user_id === null ? undefined : await ownerOf({ db, rules, now }, row, row.user_id)
  if (row.user_id !== null && owned === undefined) return undefined
  const ends = [row.expires_at, isPrevious ? row.previous_expires_at : null, owned?.access_ends_at ?? null]
  const endsAtMs = Math.min(...ends.map(endOf))
  const actor = owned?.actor ?? (await programOf(db, row))
  return {
    actor: { ...actor, ...(Number.isFinite(endsAtMs) && { endsAtMs }) },
    issuedAtMs: Date.parse(row.created_at),
    endsAtMs,
  }
}

async function programOf(db: Db, row: store.KnownKeyRow): Promise<Actor> {
  const connection = await connectionOf(db, row)
  const organization = organizationIn(row)
  // The identity provider of the customer holds it.
  const isOfCustomer = connection !== undefined && organization !== undefined
  return {
    kind: 'api_key',
    id: row.key_id,
    name: row.name,
    permissions: isOfCustomer ? limitedForms(permissionsOf(row)) : permissionsOf(row),
    ...(connection !== undefined && { connection }),
    ...(organization !== undefined && { organization }),
  }
}

/** The key of a user acts as this user, with what both may do by now, and ends with their access; undefined while they, or their organization, are
 * disabled. */
async function ownerOf(
  { db, rules, now }: Pick<Context, 'db' | 'rules' | 'now'>,
  row: store.KeyRow,
  userId: string,
): Promise<{ actor: Actor; access_ends_at: string | null } | undefined> {
  const found = await store.findOwner(db, userId)
  if (found === undefined || found.active !== 1 || !isOrganizationActive(rules, found)) return undefined
  const owner = await toPerson({ db, now }, found)
  const actor: Actor = {
    kind: 'user',
    id: owner.user_id,
    name: owner.username,
    permissions: heldByBoth(permissionsOf(row), permissionsOfUser(rules.roles, owner)),
    personalKey: { key_id: row.key_id, owner },
  }
  return { actor, access_ends_at: found.access_ends_at }
}

/** A key whose connection is gone has none; revoking it is under way. */
async function connectionOf(db: Db, { connection_id }: store.KeyRow): Promise<ConnectionOfActor | undefined> {
  const found = connection_id === null ? undefined : await findManager(db)(connection_id)
  if (found === undefined) return undefined
  const { connection_id: id, name, profile, end_date_attribute } = found
  return { id, name, profile, ...(end_date_attribute !== null && { end_date_attribute }) }
}

function endOf(expires_at: string | null): number {
  return expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at)
}

/** @throws AppError `validation_failed`, `permission_not_grantable`, `key_outlives_caller` */
export async function create(ctx: ChangeContext, input: CreateKey): Promise<NewApiKey> {
  const issued = await issue(ctx, input)
  const { key: _, ...withoutSecret } = issued
  const target = keyTarget({ organization_id: null, ...issued })
  ctx.record({ action: 'key.created', target, changes: changesOf(undefined, withoutSecret, recordedMembers) })
  return issued
}

/**
 * Changes a key under the rules of its creation. The secret stays.
 *
 * @throws AppError `key_not_found`, `key_is_personal`, `key_expired`, `key_managed_by_configuration`, `user_outranks_caller`,
 *   `managed_elsewhere`, and as for a creation
 */
export async function change(
  ctx: ChangeContext,
  { key_id, input, override }: { key_id: string; input: UpdateKey; override?: boolean },
): Promise<ApiKey> {
  const found = await getForChange(ctx, key_id)
  refuseNamedOrganization(ctx.actor, input)
  if (found.user_id !== null) {
    await refusePersonal(ctx, found.user_id)
    refuseBeyondCaller(ctx, permissionsOf(found), found.user_id)
  }
  const before = toApiKey(found)
  const { name, expires_at, permissions: wanted } = { ...before, ...input }
  const permissions = isSameSet(wanted, before.permissions) ? before.permissions : wanted
  const isOtherEnd = input.expires_at !== undefined && endOf(input.expires_at) !== endOf(found.expires_at)
  if (isOtherEnd && endOf(found.expires_at) <= ctx.now) {
    throw new AppError('key_expired', 'The key has expired. Create another one.')
  }
  checkKey(ctx, { name, permissions, expires_at: isOtherEnd ? expires_at : null })
  refuseBeyondCaller(ctx, permissions, found.user_id)
  if (input.permissions !== undefined || isOtherEnd) {
    refuseOutliving(ctx, expires_at, 'Set expires_at to that time or an earlier one.')
  }
  const organization_id = await changedOrganization(ctx, found, input)
  await refuseWithoutOrganization(ctx, { permissions, organization_id, user_id: found.user_id })
  const row: store.KeyRow = {
    ...found,
    name,
    organization_id,
    expires_at: isOtherEnd && expires_at !== null ? timestamp(Date.parse(expires_at)) : expires_at,
    ...(found.user_id === null
      ? { permissions: JSON.stringify(permissions) }
      : { user_permissions: JSON.stringify(permissions) }),
  }
  const changes = keyChanges(found, row)
  refuseManagedByFile(ctx, 'key', found, { override, changed: Object.keys(changes) })
  const beside = overrideDetails(ctx, found, override)
  const about = await targetOf(ctx, row)
  const target = { ...about.target, former_organization_id: found.organization_id }
  ctx.record({ action: 'key.updated', ...about, target, changes, ...beside })
  if (Object.keys(changes).length === 0) return toApiKey(found)
  await store.updateKey(ctx.db, row)
  revoke(ctx, { kind: 'key_changed', id: key_id })
  emitKey(ctx, 'key.updated', row)
  return toApiKey(row)
}

/** As above; the caller writes the record. */
export async function issue(ctx: ChangeContext, input: CreateKey & { user_id?: string }): Promise<NewApiKey> {
  refuseNamedOrganization(ctx.actor, input)
  // A key of a user belongs where the user does.
  const owned = input.user_id === undefined ? withinOrganization(ctx.actor, input) : input
  const expires_at = input.expires_at ?? null
  checkKey(ctx, { ...input, expires_at })
  refuseBeyondCaller(ctx, input.permissions, input.user_id)
  refuseOutliving(ctx, expires_at, 'Set expires_at to that time or an earlier one.')
  const connection_id = await checkedConnection(ctx, input)
  const organization_id = await checkedOrganization(ctx, { ...owned, connection_id })
  await refuseWithoutOrganization(ctx, { ...input, organization_id })
  const key = makeApiKey()
  const row = newRow(ctx, key, { ...input, connection_id, organization_id })
  if (expires_at !== null) row.expires_at = timestamp(Date.parse(expires_at))
  await store.insertKey(ctx.db, row)
  emitKey(ctx, 'key.created', row)
  await notifyCreator(ctx, row)
  return { ...toApiKey(row), key }
}

type KeyForm = Pick<ApiKey, 'name' | 'permissions' | 'expires_at'>

/** @throws AppError `validation_failed` */
function checkKey(ctx: ChangeContext, { name, permissions, expires_at }: KeyForm): void {
  if (expires_at !== null && Date.parse(expires_at) <= ctx.now) {
    throw validationFailed([memberFault('expires_at', 'not_in_future', 'expires_at must be in the future.')])
  }
  if (expires_at !== null && Date.parse(expires_at) > latestInstant) {
    throw validationFailed([
      memberFault('expires_at', 'out_of_range', 'expires_at must not be after the year 9999 in UTC.'),
    ])
  }
  if (hasUnseen(name)) {
    throw validationFailed([memberFault('name', 'control_character', unseenRefused)])
  }
  const known = knownPermissions(ctx.rules.roles)
  const unknown = permissions.flatMap((permission, i) =>
    known.has(permission)
      ? []
      : [memberFault('permissions', 'permission_unknown', 'This permission does not exist.', i)],
  )
  if (unknown.length > 0) throw validationFailed(unknown)
}

/**
 * A permission that is limited to an organization would permit nothing without one.
 *
 * @throws AppError `validation_failed`
 */
async function refuseWithoutOrganization(
  { db }: ChangeContext,
  key: { permissions: readonly string[]; organization_id: string | null; user_id?: string | null },
): Promise<void> {
  const { permissions, user_id } = key
  if (!permissions.some((permission) => parsePermission(permission).isLimited)) return
  const owner = user_id == null ? key : await store.findOwner(db, user_id)
  if (owner?.organization_id != null) return
  const detail =
    user_id == null
      ? 'This permission is about an organization, and the key belongs to none. Set organization_id.'
      : 'This permission is about an organization, and the owner of the key belongs to none.'
  const faults = permissions.flatMap((permission, i) =>
    parsePermission(permission).isLimited ? [memberFault('permissions', 'organization_required', detail, i)] : [],
  )
  throw validationFailed(faults)
}

/** A thief of a session could create a key, or rotate one for its new secret. */
async function notifyCreator(ctx: ChangeContext, { name }: store.KeyRow): Promise<void> {
  const creator = ctx.actor.signedIn
  if (creator !== undefined) await notify(ctx, creator.user_id, { kind: 'key_created', data: { key: name } })
}

/** @throws AppError `permission_not_grantable`, `validation_failed` */
async function checkedConnection(ctx: ChangeContext, { connection_id }: CreateKey): Promise<string | null> {
  if (connection_id === undefined || connection_id === null) return null
  refuseBeyondCaller(ctx, [inScopeOf(ctx.actor, 'provisioning:write')])
  const id = connection_id.toLowerCase()
  if (isUuid(id) && (await findConnection(ctx.db, scopeOf(ctx.actor), id)) !== undefined) return id
  const detail = 'There is no provisioning connection with this id. GET /provisioning lists them.'
  throw validationFailed([memberFault('connection_id', 'connection_unknown', detail)])
}

/**
 * The key of a connection belongs where the connection does, and that of a user where the user does.
 *
 * @throws AppError `validation_failed`
 */
async function checkedOrganization(
  ctx: ChangeContext,
  { organization_id = null, connection_id, user_id }: Pick<CreateKey, 'organization_id'> & Belonging,
): Promise<string | null> {
  const wanted = organization_id?.toLowerCase() ?? null
  if (user_id != null) {
    if (wanted === null) return null
    throw wrongOrganization('A key of a user belongs to the organization of the user.')
  }
  const connection = connection_id == null ? undefined : await findConnection(ctx.db, scopeOf(ctx.actor), connection_id)
  if (connection !== undefined) {
    if (wanted === null || wanted === connection.organization_id) return connection.organization_id
    throw wrongOrganization('A key of a connection belongs to the organization of the connection.')
  }
  return wanted === null ? null : (await getForMember(ctx.db, wanted)).organization_id
}

type Belonging = { connection_id?: string | null | undefined; user_id?: string | null | undefined }

/** @throws AppError `validation_failed` */
async function changedOrganization(
  ctx: ChangeContext,
  found: store.KeyRow,
  { organization_id }: UpdateKey,
): Promise<string | null> {
  const wanted = organization_id === undefined ? found.organization_id : (organization_id?.toLowerCase() ?? null)
  if (wanted === found.organization_id) return wanted
  if (wanted === null && found.connection_id !== null) {
    throw wrongOrganization('A key of a connection belongs to the organization of the connection.')
  }
  return checkedOrganization(ctx, { ...found, organization_id: wanted })
}

function wrongOrganization(detail: string): AppError {
  return validationFailed([memberFault('organization_id', 'organization_not_allowed', detail)])
}

/** After a change of a connection, which is remembered with its keys. They belong to its organization. */
export async function refreshKeysOf(
  ctx: ChangeContext,
  connectionId: string,
  organizationId: string | null,
): Promise<void> {
  await store.setOrganizationOfKeys(ctx.db, connectionId, organizationId)
  for (const { key_id } of await store.findKeysOfConnection(ctx.db, connectionId)) {
    revoke(ctx, { kind: 'key_changed', id: key_id })
  }
}

/**
 * Refuses to change or delete a connection to callers who may not create one like it: its keys, and what they may do.
 *
 * @throws AppError `permission_not_grantable`
 */
export async function refuseBeyondKeysOf(ctx: ChangeContext, connectionId: string): Promise<void> {
  const rows = await store.findKeysOfConnection(ctx.db, connectionId)
  const words = ['scim:write', ...rows.flatMap(permissionsOf)]
  // A key of an organization's connection changes only what belongs to it, whatever its permission says.
  refuseBeyondCaller(ctx, ctx.actor.limitedTo === undefined ? [...new Set(words)] : limitedForms(words))
}

/** Ends the keys of a connection that goes. The caller writes the record. @returns their ids */
export async function removeKeysOf(ctx: ChangeContext, connectionId: string): Promise<string[]> {
  const rows = await store.findKeysOfConnection(ctx.db, connectionId)
  for (const row of rows) {
    await store.deleteKey(ctx.db, row.key_id)
    recordEnd(ctx, row)
  }
  return rows.map(({ key_id }) => key_id)
}

/**
 * Replaces the secret; the old one is accepted for the configured overlap.
 *
 * @throws AppError `key_not_found`, `key_is_personal`, `key_expired`, `permission_not_grantable`, `key_outlives_caller`
 */
export async function rotate(ctx: ChangeContext, { key_id }: { key_id: string }): Promise<NewApiKey> {
  const found = await getForChange(ctx, key_id)
  if (found.user_id !== null) {
    await refusePersonal(ctx, found.user_id)
    refuseBeyondCaller(ctx, permissionsOf(found), found.user_id)
  }
  if (found.expires_at !== null && Date.parse(found.expires_at) <= ctx.now) {
    throw new AppError(
      'key_expired',
      'The key has expired, and the new one would have expired too. Create another key.',
    )
  }
  refuseOutliving(ctx, found.expires_at, 'Rotate it with a credential that lasts as long as the key.')
  const key = makeApiKey()
  const overlap = ctx.rules.keyRotationOverlapSeconds
  const row = {
    ...found,
    prefix: apiKeyPrefix(key),
    key_hash: apiKeyHash(key),
    previous_hash: overlap > 0 ? found.key_hash : null,
    previous_expires_at: overlap > 0 ? timestamp(ctx.now + overlap * 1000) : null,
  }
  await store.replaceHash(ctx.db, row)
  revoke(ctx, { kind: 'key_changed', id: row.key_id })
  const changes = { ...keyChanges(found, row), key: 'changed' as const }
  ctx.record({ action: 'key.rotated', ...(await targetOf(ctx, row)), changes })
  emitKey(ctx, 'key.rotated', row)
  await notifyCreator(ctx, row)
  return { ...toApiKey(row), key }
}

/** The response contains the secret: its reader could act as the owner. @throws AppError `key_is_personal` */
async function refusePersonal({ db, actor }: ChangeContext, userId: string): Promise<void> {
  const owner = await users.findById(db, scopeOf(actor), userId)
  if (owner !== undefined && isServiceAccount(owner)) return
  throw new AppError('key_is_personal', 'Only its owner can replace this key, with a new one. You can revoke it.')
}

/**
 * @throws AppError `key_not_found`, `permission_not_grantable`, `user_outranks_caller`, `key_managed_by_configuration`,
 *   `managed_elsewhere`
 */
export async function remove(
  ctx: ChangeContext,
  { key_id, override }: { key_id: string; override?: boolean },
): Promise<{ key_id: string }> {
  // A program whose key has leaked may end it.
  const isOwn = ctx.actor.kind === 'api_key' && ctx.actor.id === key_id
  const found = await getForChange(ctx, key_id, { isOwn })
  refuseManagedByFile(ctx, 'key', found, { override: override || isOwn })
  return end(ctx, found, override)
}

/** Revokes a key. The caller has already checked that this is allowed. */
export async function end(ctx: ChangeContext, found: store.KeyRow, override?: boolean): Promise<{ key_id: string }> {
  await store.deleteKey(ctx.db, found.key_id)
  recordEnd(ctx, found)
  const changes = keyChanges(found, undefined)
  const beside = overrideDetails(ctx, found, override)
  ctx.record({ action: 'key.revoked', ...(await targetOf(ctx, found)), changes, ...beside })
  return { key_id: found.key_id }
}

/** The record of a user's key is about the user, with whom it is erased. */
export async function targetOf(
  ctx: ChangeContext,
  key: Pick<store.KeyRow, 'key_id' | 'name' | 'user_id' | 'organization_id'>,
): Promise<Pick<AuditEntry, 'details'> & { target: PlacedTarget }> {
  const { key_id, name, user_id } = key
  if (user_id === null) return { target: keyTarget(key) }
  const owner = await users.findById(ctx.db, scopeOf(ctx.actor), user_id)
  const target =
    owner === undefined ? { kind: 'user' as const, id: user_id, organization_id: null } : users.userTarget(owner)
  return { target, details: { key_id, name } }
}

/**
 * Ensures at the start that a key with full access exists: the configured one, or otherwise the given new one if there is
 * no other. A key from an earlier configuration is deleted; a key from the API with the configured secret is replaced.
 * Returns whether the given key was added.
 */
export async function bootstrap(
  ctx: ChangeContext,
  { key, managed }: { key: string; managed: boolean },
): Promise<{ added: boolean }> {
  const key_hash = apiKeyHash(key)
  await ctx.db.lock(['keys.bootstrap']) // Nodes that start at once create one key.
  const deleted = await store.deleteManagedKeysExcept(ctx.db, managed ? key_hash : '')
  for (const key_id of deleted) recordEnd(ctx, { key_id, user_id: null })
  const keys = await store.listKeys(ctx.db, scopeOf(ctx.actor))
  if (managed ? keys.some((row) => row.managed) : keys.some((row) => hasFullAccess(row, ctx.now))) {
    const [first] = deleted
    if (first !== undefined)
      ctx.record({
        action: 'key.revoked',
        target: { kind: 'key', id: first, organization_id: null },
        details: { revoked: deleted },
      })
    return { added: false }
  }
  const replaced = await store.deleteKeyByHash(ctx.db, key_hash)
  for (const key_id of replaced) recordEnd(ctx, { key_id, user_id: null })
  for (const key_id of await store.forgetPreviousHash(ctx.db, key_hash))
    revoke(ctx, { kind: 'key_changed', id: key_id })
  const row = newRow(ctx, key, { name: managed ? 'admin (configuration)' : 'admin', permissions: ['*'] })
  await store.insertKey(ctx.db, { ...row, managed: Number(managed) })
  const revoked = [...deleted, ...replaced]
  const details = revoked.length > 0 ? { details: { revoked } } : {}
  ctx.record({ action: 'key.created', target: keyTarget(row), changes: keyChanges(undefined, row), ...details })
  emitKey(ctx, 'key.created', row)
  return { added: true }
}

function keyTarget({ key_id, name, organization_id }: Pick<store.KeyRow, 'key_id' | 'name'> & Placed): PlacedTarget {
  return { kind: 'key', id: key_id, name, organization_id }
}

export const recordedMembers = [
  'name',
  'prefix',
  'permissions',
  'expires_at',
  'connection_id',
  'organization_id',
] as const

function keyChanges(before: store.KeyRow | undefined, after: store.KeyRow | undefined): Changes {
  return changesOf(before && toApiKey(before), after && toApiKey(after), recordedMembers)
}

/** Its last use does not change a key, and only the API says who may change it. */
function emitKey(ctx: ChangeContext, type: `key.${string}`, row: store.KeyRow): void {
  const { last_used_at: _, managed: __, ...key } = toApiKey(row)
  ctx.emit({ type, subject: row.key_id, owner_id: row.user_id ?? row.key_id, data: JSON.stringify(key) })
}

/** Announces a deleted key. */
export function recordEnd(ctx: ChangeContext, { key_id, user_id }: Pick<store.KeyRow, 'key_id' | 'user_id'>): void {
  revoke(ctx, { kind: 'key', id: key_id })
  const data = JSON.stringify({ key_id, ...(user_id !== null && { user_id }) })
  ctx.emit({ type: 'key.revoked', subject: key_id, owner_id: user_id ?? key_id, data })
}

function hasFullAccess(row: store.KeyRow, now: number): boolean {
  return permissionsOf(row).includes('*') && (row.expires_at === null || Date.parse(row.expires_at) > now)
}

export async function recordUse(ctx: ChangeContext, uses: { key_id: string; last_used_at: string }[]): Promise<void> {
  // In the same order on all nodes, so that two of them never deadlock.
  const inOrder = uses.toSorted((a, b) => (a.key_id < b.key_id ? -1 : 1))
  const earliest = inOrder.map(({ last_used_at }) => last_used_at).toSorted()[0] ?? timestamp(ctx.now)
  const ids = inOrder.map(({ key_id }) => key_id)
  await users.noteUse(ctx, await store.findOwners(ctx.db, ids), earliest)
  for (const { key_id, last_used_at } of inOrder) await store.setLastUsed(ctx.db, key_id, last_used_at)
}

async function getForChange(ctx: Context, keyId: string, { isOwn = false } = {}): Promise<store.KeyRow> {
  const found = isUuid(keyId) ? await store.findKeyForChange(ctx.db, scopeOf(ctx.actor), keyId) : undefined
  if (found === undefined) throw new AppError('key_not_found', 'There is no API key with this id.')
  // Rotating returns the key: otherwise it would be a way to obtain a stronger key.
  if (found.user_id === null) refuseBeyondCaller(ctx, isOwn ? permissionsOf(found) : neededFor(ctx, found))
  else await users.getForChange(ctx, found.user_id, { part: 'keys' })
  if (found.managed) {
    const detail = 'This key comes from ROLLBOOK_ADMIN_KEY. Change that setting and restart the service.'
    throw new AppError('key_managed_by_configuration', detail)
  }
  return found
}

/** What the creation of such a key takes. */
function neededFor({ actor }: Context, row: store.KeyRow): string[] {
  return row.connection_id === null
    ? permissionsOf(row)
    : [...permissionsOf(row), inScopeOf(actor, 'provisioning:write')]
}

/** @param owner the user whose key it is: to their own keys users give whatever they have. */
function refuseBeyondCaller({ actor }: Context, permissions: readonly string[], owner?: string | null): void {
  const isOwn = actor.kind === 'user' && actor.id === owner
  const may = (permission: string) =>
    isOwn ? holds(actor.permissions, permission) : mayGivePermission(actor, permission)
  const beyond = permissions.filter((permission) => !may(permission))
  if (beyond.length === 0) return
  const isHeld = beyond.every((permission) => holds(actor.permissions, permission))
  const list = beyond.join(', ')
  const detail = isHeld
    ? `These permissions reach beyond your organization: ${list}. Limit them to it.`
    : `Your credential lacks these permissions: ${list}.`
  throw new AppError('permission_not_grantable', detail)
}

/** Otherwise a leaked key that is about to expire, or was rotated, could replace itself with a permanent one. */
function refuseOutliving({ actor }: Context, expires_at: string | null, remedy: string): void {
  if (actor.personalKey !== undefined) {
    throw new AppError(
      'key_outlives_caller',
      'The key of a user ends with its owner and cannot create keys. Use an API key of a program, or sign in.',
    )
  }
  if (actor.endsAtMs === undefined || endOf(expires_at) <= actor.endsAtMs) return
  const detail = `Your credential expires at ${timestamp(actor.endsAtMs)}, and the key would last longer. ${remedy}`
  throw new AppError('key_outlives_caller', detail)
}

function newRow(
  ctx: ChangeContext,
  key: string,
  input: {
    name: string
    permissions: string[]
    connection_id?: string | null
    organization_id?: string | null
    user_id?: string
  },
): store.KeyRow {
  const { name, connection_id = null, organization_id = null, user_id = null } = input
  const permissions = JSON.stringify(input.permissions)
  return {
    key_id: ctx.newId(),
    name,
    prefix: apiKeyPrefix(key),
    permissions: user_id === null ? permissions : '[]',
    key_hash: apiKeyHash(key),
    previous_hash: null,
    previous_expires_at: null,
    managed: 0,
    created_at: timestamp(ctx.now),
    expires_at: null,
    last_used_at: null,
    connection_id,
    user_id,
    user_permissions: user_id === null ? null : permissions,
    managed_by: null,
    organization_id,
  }
}
