/** Which accounts of identity providers belong to which user. Each change runs in a transaction. */

import { holdForChange, isDeleted } from '../../../administration/deleted-users/service.ts'
import { AppError, memberFault, validationFailed } from '../../../core/errors.ts'
import { outside, outsideId, type Scope, scopeOf } from '../../../core/scope.ts'
import * as users from '../../../directory/users/service.ts'
import {
  notify,
  personTarget,
  refusePersonalKey,
  refuseServiceAccount,
  userTarget,
} from '../../../directory/users/service.ts'
import { timestamp } from '../../../lib/instant.ts'
import { isUuid } from '../../../lib/uuidv7.ts'
import type { ChangeContext, Context } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import type { Target } from '../../../store/journal-entry.ts'
import type { Erased } from '../../../store/mentions.ts'
import { endAll, personOf, refuseEnded } from '../../credentials/sessions/service.ts'
import { isElsewhere, isSubject, type Person } from './decide.ts'
import * as store from './identities-store.ts'
import { emitLinked, emitUnlinked } from './journal.ts'
import { refuseLastWay } from './last-way.ts'
import type { Identity } from './schema.ts'
import { deleteFailuresAbout, findConnectionForShare } from './store.ts'

/** @throws AppError `user_not_found` */
export async function listOf({ db, actor }: Pick<Context, 'db' | 'actor'>, userId: string): Promise<Identity[]> {
  const user = isUuid(userId) ? await users.findById(db, scopeOf(actor), userId) : undefined
  // The identities of a deleted user stay until the erasure, and no one else can have these accounts.
  if (user === undefined && !(await isDeleted(db, scopeOf(actor), userId))) {
    throw new AppError('user_not_found', 'There is no user with this id.')
  }
  const found = await store.listIdentitiesOf(db, userId)
  return found.map((identity) => toIdentity(identity, scopeOf(actor)))
}

/** A connection that does not belong to the organization is not named to its administrators. */
function toIdentity(
  { user_id: _, domain: __, organization_id, ...identity }: store.NamedIdentity,
  scope: Scope,
): Identity {
  if (scope.kind === 'everyone' || organization_id === scope.organization_id) return identity
  return { ...identity, connection_id: outsideId, connection_name: outside.connection }
}

/** For an administrator. @throws AppError `user_not_found` */
export function listOfUser(ctx: Context, userId: string): Promise<Identity[]> {
  refusePersonalKey(ctx, userId, ['identities'])
  return listOf(ctx, userId)
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

/** The caller writes the record. @throws AppError `identity_taken` if a concurrent request linked the account */
export async function link(
  ctx: ChangeContext,
  person: Person,
  to: Pick<store.IdentityRow, 'connection_id' | 'user_id' | 'linked_by'>,
): Promise<void> {
  const now = timestamp(ctx.now)
  const { subject, email = null, domain = null } = person
  const row = { identity_id: ctx.newId(), ...to, subject, domain, email, created_at: now, last_used_at: now }
  if (await store.insertIdentity(ctx.db, row)) return emitLinked(ctx, row)
  throw new AppError('identity_taken', 'This account has just been linked. Sign in again.')
}

/** @param email the address that the provider has said, or said last as long as the new one is not that of the user */
export function use(
  ctx: ChangeContext,
  { identity_id, email }: Pick<store.IdentityRow, 'identity_id' | 'email'>,
): Promise<void> {
  return store.useIdentity(ctx.db, { identity_id, email, now: timestamp(ctx.now) })
}

type Linking = { user_id: string; connection_id: string; subject: string }

/**
 * Links an account for an administrator, who vouches that it is the user's. The user is notified.
 *
 * @throws AppError `user_not_found`, `user_outranks_caller`, `user_is_service_account`, `user_required`,
 *   `connection_not_found`, `other_organization`, `identity_taken`, `validation_failed`
 */
export async function linkForUser(ctx: ChangeContext, { user_id, connection_id, subject }: Linking): Promise<Identity> {
  const user = await users.holdRowForChange(ctx, user_id, 'identities')
  refuseServiceAccount(user)
  const connection = await findConnectionForShare(ctx.db, scopeOf(ctx.actor), connection_id)
  if (connection === undefined) throw new AppError('connection_not_found', 'There is no connection with this id.')
  if (isElsewhere(connection, user)) {
    throw new AppError('other_organization', 'The user does not belong to the organization of this connection.')
  }
  if (!isSubject(subject)) {
    throw validationFailed([memberFault('subject', 'subject_invalid', 'No account at a provider has such an id.')])
  }
  const now = timestamp(ctx.now)
  const row = {
    identity_id: ctx.newId(),
    connection_id,
    subject,
    user_id,
    linked_by: 'administrator',
    domain: null,
    email: null,
    created_at: now,
    last_used_at: now,
  } as const
  if (!(await store.insertIdentity(ctx.db, row))) {
    const { user_id: owner } = (await store.findIdentity(ctx.db, connection_id, subject)) ?? {}
    const isLeft = owner !== undefined && (await isDeleted(ctx.db, scopeOf(ctx.actor), owner))
    const whose = owner === user_id ? 'this user' : isLeft ? `the deleted user ${owner}` : 'another user'
    throw new AppError('identity_taken', `This account of the connection is already linked to ${whose}.`)
  }
  const { name: connection_name, kind: connection_kind } = connection
  const { identity_id, linked_by } = row
  const details = { identity_id, connection_id, connection: connection_name, subject, linked_by }
  ctx.record({ action: 'user.identity_linked', target: userTarget(user), details, related: connection })
  emitLinked(ctx, row)
  await notify(ctx, user_id, { kind: 'identity_linked', data: { connection: connection_name } })
  const { user_id: _, domain: __, ...identity } = row
  return { ...identity, connection_name, connection_kind }
}

type Removal = { user_id: string; removed: number }

/**
 * For an administrator, one or all, also of a deleted user: the user's sessions end, too.
 *
 * @throws AppError `user_not_found`, `user_outranks_caller`, `identity_not_found`
 */
export async function removeOfUser(
  ctx: ChangeContext,
  { user_id, identity_id }: { user_id: string; identity_id?: string },
): Promise<Removal> {
  const user = (await isDeleted(ctx.db, scopeOf(ctx.actor), user_id))
    ? await holdForChange(ctx, user_id)
    : await users.getForChange(ctx, user_id, { part: 'identities' })
  const removed = await unlink(ctx, userTarget(user), identity_id)
  if (removed > 0) await endAll(ctx, { user_id })
  return { user_id, removed }
}

/**
 * Removes one or all of the caller's own. The session in which they do it continues.
 *
 * @throws AppError `last_sign_in_way`, `identity_not_found`
 */
export async function removeOwn(
  ctx: ChangeContext,
  { identity_id }: { identity_id?: string | undefined } = {},
): Promise<Removal> {
  await refuseEnded(ctx)
  const person = personOf(ctx)
  const { user_id, session_id } = person
  // Two requests that each remove one must not both leave the other as the last way.
  await users.findRowForChange(ctx.db, scopeOf(ctx.actor), user_id)
  const all = (await store.listIdentitiesOf(ctx.db, user_id)).map((one) => one.identity_id)
  const going = all.filter((id) => identity_id === undefined || id === identity_id)
  if (going.length > 0) await refuseLastWay(ctx, user_id, new Set(going))
  const removed = await unlink(ctx, personTarget(person), identity_id)
  if (removed > 0) await endAll(ctx, { user_id, except: session_id })
  return { user_id, removed }
}

/** @throws AppError `identity_not_found` */
async function unlink(ctx: ChangeContext, target: Target, identityId: string | undefined): Promise<number> {
  const all = await store.listIdentitiesOf(ctx.db, target.id)
  if (identityId === undefined) {
    const removed = await store.deleteIdentitiesOfUser(ctx.db, target.id)
    ctx.record({ action: 'user.identities_removed', target, details: { removed } })
    for (const one of all) emitUnlinked(ctx, one)
    return removed
  }
  const found = all.find(({ identity_id }) => identity_id === identityId)
  if (found === undefined) throw new AppError('identity_not_found', 'The user has no identity with this id.')
  await store.deleteIdentity(ctx.db, identityId)
  const { identity_id, connection_id, connection_name: connection, subject } = found
  ctx.record({
    action: 'user.identity_removed',
    target,
    details: { identity_id, connection_id, connection, subject },
    related: found,
  })
  emitUnlinked(ctx, found)
  return 1
}

/** Removes those of the connections of an organization that a user leaves; the sessions end with it. Returns them. */
export async function removeOfOrganization(
  ctx: ChangeContext,
  user: Pick<users.UserRow, 'user_id' | 'username'> & { organization_id: string },
): Promise<Pick<store.NamedIdentity, 'identity_id' | 'connection_id' | 'connection_name'>[]> {
  const found = await store.listIdentitiesWithin(ctx.db, user.user_id, user.organization_id)
  for (const { identity_id, connection_id, connection_name, subject } of found) {
    await store.deleteIdentity(ctx.db, identity_id)
    const details = { identity_id, connection_id, connection: connection_name, subject }
    ctx.recordFor(ctx, { action: 'user.identity_removed', target: userTarget(user), details, related: user })
    emitUnlinked(ctx, { identity_id, user_id: user.user_id, connection_id })
  }
  return found.map(({ identity_id, connection_id, connection_name }) => ({
    identity_id,
    connection_id,
    connection_name,
  }))
}

/** Deletes those of a user who is erased, and the failed sign-ins that mention the user. */
export async function erase({ db }: ChangeContext, user: Erased): Promise<void> {
  const linked = await store.listIdentitiesOf(db, user.user_id)
  const aliases = linked.flatMap(({ subject, email }) => [subject, ...(email === null ? [] : [email])])
  await store.deleteIdentitiesOfUser(db, user.user_id)
  await deleteFailuresAbout(db, { ...user, aliases: [...aliases, ...(user.aliases ?? [])] })
}

/** The accounts of a connection with this subject, or with this address. */
export function findAccounts(
  db: Db,
  by: { connection_id: string; subject: string | null; email: string | null },
): Promise<Pick<store.IdentityRow, 'subject' | 'user_id'>[]> {
  return store.findAccounts(db, by)
}

export { findUsersWithWays } from './identities-store.ts'
