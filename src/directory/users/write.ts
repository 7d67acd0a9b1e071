/** Writes a user, with everything that belongs to it: the search index, revocations, the event. Not the audit record. */

import { AppError } from '../../core/errors.ts'
import { rolesOfGroups } from '../../core/rules.ts'
import { timestamp } from '../../lib/instant.ts'
import { queue } from '../../record/mails/service.ts'
import { revoke } from '../../record/revocations/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import { addEntries, changeEntries, removeEntries } from '../attributes/service.ts'
import * as links from '../links/service.ts'
import { markPending, markPlacePending, type Places, placesFor } from '../search/service.ts'
import { hasExpired } from './access-state.ts'
import { addEnds, changeEnd, removeEnd } from './end-dates/store.ts'
import { emitUser } from './journal.ts'
import { holdOrganizations, leaveOrganization, type Move } from './moving.ts'
import { keepPasswordAdmin, keepPasswordAdminInGroups } from './passwordless/passwordless.ts'
import { type Holder, rolesThrough } from './rights.ts'
import { endsSessions, isMoved } from './rows.ts'
import * as store from './store.ts'

type Arrival = {
  type: 'user.created' | 'user.restored'
  isMade: boolean
  /** From `placesFor`, which a change of several users calls once for all of them. */
  places?: Places | undefined
}

/** @throws AppError `username_taken`, `email_taken`, `external_id_taken`; NoRoom, on SQLite, before anything is written */
export async function insert(
  ctx: ChangeContext,
  row: store.UserRow,
  { type, isMade, places }: Arrival = { type: 'user.created', isMade: true },
): Promise<void> {
  const { user_id } = row
  const place = (places ?? (await placesFor(ctx.db, [{ user_id, isMade }])))?.get(user_id)
  await store.insertUser(ctx.db, row, place)
  await holdOrganizations(ctx, [row])
  await addEntries(ctx, [row])
  await addEnds(ctx.db, [row])
  if (place !== undefined) await markPlacePending(ctx.db, place)
  emitUser(ctx, type, row)
  ctx.announce({ kind: 'users_changed' })
}

/** Several at once, on PostgreSQL. @throws AppError as above; some of them may have been written then */
export async function insertMany(ctx: ChangeContext, rows: readonly store.UserRow[]): Promise<void> {
  if ((await store.insertUsers(ctx.db, rows)) < rows.length) {
    throw new AppError('username_taken', 'Another user has just taken one of these names.')
  }
  await holdOrganizations(ctx, rows)
  await addEntries(ctx, rows)
  await addEnds(ctx.db, rows)
  for (const row of rows) emitUser(ctx, 'user.created', row)
  ctx.announce({ kind: 'users_changed' })
}

/**
 * Writes the next version of a user. A move to another organization ends the sessions and the links, and removes what the former one gave.
 *
 * @throws AppError as above, and `last_password_admin`, `last_admin`
 */
export async function write(
  ctx: ChangeContext,
  found: store.UserRow,
  next: store.UserRow,
  { renewsAddress = false } = {},
): Promise<Move | undefined> {
  if (isMoved(found, next)) await holdOrganizations(ctx, [next])
  await store.updateUser(ctx.db, found, next)
  await keepPasswordAdmin(ctx, found, next)
  await changeEntries(ctx, found, next)
  await changeEnd(ctx.db, found, next)
  if (next.search_text !== found.search_text) await markPending(ctx.db, next.user_id)
  const sessions = next.credentials_version > found.credentials_version ? await endCredentials(ctx, found, next) : 0
  await announceToUser(ctx, found, next, renewsAddress)
  if (next.password_hash !== found.password_hash) await ctx.access.forgetFailures(ctx, next.user_id)
  emitUser(ctx, 'user.updated', next)
  ctx.announce({ kind: 'users_changed' })
  if (!isMoved(found, next)) return undefined
  const left = await leaveOrganization(ctx, found)
  const { user_id, organization_id } = next
  if (organization_id !== null) await ctx.access.joinOrganization(ctx, { user_id, organization_id })
  return { sessions, ...left }
}

/**
 * Deletes a user, with every credential. The caller keeps what can be restored, and writes the event and the record.
 *
 * @throws AppError `last_password_admin`
 */
export async function remove(ctx: ChangeContext, row: store.UserRow): Promise<void> {
  const { user_id, credentials_version } = row
  await markPending(ctx.db, user_id)
  await ctx.access.endSessions(ctx, { user_id })
  await ctx.access.removeKeys(ctx, user_id)
  await removeEntries(ctx, row)
  await removeEnd(ctx.db, row)
  await links.end(ctx, row.user_id, 'deleted')
  await store.deleteUser(ctx.db, user_id)
  await keepPasswordAdmin(ctx, row, undefined)
  await ctx.access.forgetFailures(ctx, user_id)
  revoke(ctx, { kind: 'user', id: user_id, credentials_version: credentials_version + 1 })
  ctx.announce({ kind: 'users_changed' })
}

/** Ends links that belong to the former state, and notifies the user: at the former address, unless it may be another person's. */
async function announceToUser(
  ctx: ChangeContext,
  found: store.UserRow,
  next: store.UserRow,
  renewsAddress: boolean,
): Promise<void> {
  const time = timestamp(ctx.now)
  const isPassword = next.password_hash !== found.password_hash
  const isEmail = next.email_key !== found.email_key
  const isDisabled = next.active !== found.active && next.active === 0
  const isEnded = next.access_ends_at !== found.access_ends_at && hasExpired(next, ctx.now)
  // A caller who could make a link for the user then may not become who the user is now.
  const isRaised = next.role !== found.role && next.role !== 'user'
  const reasons: [boolean, links.EndReason][] = [
    [isPassword, 'password_changed'],
    [isEmail, 'email_changed'],
    [isDisabled || isEnded, 'disabled'],
    // Administrators of the former organization may have made it.
    [isMoved(found, next), 'organization_changed'],
    [isRaised, 'role_changed'],
  ]
  const reason = reasons.find(([is]) => is)?.[1]
  if (reason === undefined) return
  await links.end(ctx, next.user_id, reason)
  if (isPassword && found.password_hash !== null)
    await queue(ctx, { kind: 'password_changed', to: found, data: { time } })
  if (!isEmail) return
  const data = { time, email: next.email ?? '-' }
  if (renewsAddress) await queue(ctx, { kind: 'email_renewed', to: next, data })
  else await queue(ctx, { kind: 'email_changed', to: found, data })
}

/** Returns how many sessions ended. */
async function endCredentials(ctx: ChangeContext, found: store.UserRow, next: store.UserRow): Promise<number> {
  // Users who change their own password stay signed in here; a thief's session elsewhere ends.
  const isOnlyPassword =
    next.active === found.active &&
    next.role === found.role &&
    next.access_ends_at === found.access_ends_at &&
    !isMoved(found, next)
  const own = ctx.actor.signedIn?.user_id === next.user_id ? ctx.actor.signedIn.session_id : undefined
  let sessions = 0
  if (endsSessions(ctx, found, next)) {
    const except = isOnlyPassword && own !== undefined && { except: own }
    sessions = (await ctx.access.endSessions(ctx, { user_id: next.user_id, ...except })).ended
  }
  revoke(ctx, { kind: 'user', id: next.user_id, credentials_version: next.credentials_version })
  return sessions
}

/** How many users one statement refreshes. */
const refreshedAtOnce = 5000

/**
 * After a change of the groups of these users, whose rows the caller holds: they have other roles or groups from now on.
 * Their sessions and personal keys continue with the new permissions. Access tokens, which contain the old ones, become invalid,
 * and links of users who have another role end.
 *
 * @param isNew whether the user was created by the same change, which may have made a link
 * @throws AppError `last_password_admin`
 */
export async function regroup(
  ctx: ChangeContext,
  userIds: readonly string[],
  isNew: (userId: string) => boolean = () => false,
): Promise<void> {
  for (let from = 0; from < userIds.length; from += refreshedAtOnce) {
    const some = userIds.slice(from, from + refreshedAtOnce)
    const linked = (await links.findUsersWithLinks(ctx.db, some)).filter((id) => !isNew(id))
    const before = linked.length === 0 ? [] : await store.findStandings(ctx.db, linked)
    await store.refreshGroupRoles(ctx.db, some)
    for (const standing of before) await endLinksIfRaised(ctx, standing)
    const signedIn = await ctx.access.findUsersWithSessions(ctx.db, some)
    // They may have lost the permission to impersonate.
    await ctx.access.endImpersonations(ctx, [...signedIn])
    const known = [...signedIn.union(await ctx.access.findUsersWithKeys(ctx.db, some))]
    if (known.length === 0) continue
    for (const { user_id, credentials_version } of await store.raiseCredentialsVersions(ctx.db, known)) {
      revoke(ctx, { kind: 'user', id: user_id, credentials_version })
    }
  }
  if (userIds.length === 0) return
  await keepPasswordAdminInGroups(ctx)
  ctx.announce({ kind: 'users_changed' })
}

/** A group that is named like a role counts whenever groups change: what the user had before is not known of it. */
async function endLinksIfRaised(ctx: ChangeContext, before: Pick<store.UserRow, 'user_id'> & Holder): Promise<void> {
  const had = ['user', before.role, ...rolesOfGroups(before.group_roles)]
  const givers = await store.findGivers(ctx.db, before.user_id)
  if (givers.flatMap((giver) => rolesThrough(ctx, giver)).every((role) => had.includes(role))) return
  await links.end(ctx, before.user_id, 'role_changed')
}
