/**
 * Membership of groups. A change writes only the rows of members who join or leave, never the whole list. The rules are
 * those of a change of the user's role.
 */

import { AppError } from '../../core/errors.ts'
import type { Rules } from '../../core/rules.ts'
import { scopeOf } from '../../core/scope.ts'
import * as users from '../../directory/users/service.ts'
import {
  type FindWithRole,
  findWithRole,
  findWithRoleAlone,
  refuseLosingLastAdmin,
  refuseLosingPasswordAdmin,
  refuseOutranked,
  regroup,
} from '../../directory/users/service.ts'
import { timestamp } from '../../lib/instant.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import { listEndsOfUsers, setEnds } from './ends-store.ts'
import { getForChange, getRow, toGroup } from './groups.ts'
import type { MemberInput } from './input.ts'
import { announceMembership, emitMembership } from './journal.ts'
import { adopterOf, refuseManagedGroup, refuseUngrantableGroup } from './rights.ts'
import type { ChangedMembers, Membership } from './schema.ts'
import * as store from './store.ts'

type Result = ChangedMembers['results'][number]
type Kind = 'add' | 'remove'
/** `expires_at`: the end date of the memberships of `add`, null for none; undefined leaves that of members as it is. */
type Input = MemberInput & { expires_at?: string | null | undefined }

/**
 * Adds and removes members. A user who may not be changed is refused, and the others are changed.
 *
 * @throws AppError `group_not_found`, `role_not_grantable`
 */
export async function changeMembers(
  ctx: ChangeContext,
  { group_id, ...input }: Input & { group_id: string },
): Promise<ChangedMembers> {
  const group = await getForChange(ctx, group_id, undefined)
  const { results, ...changed } = await judge(ctx, group, input)
  const { member_count } = toGroup(scopeOf(ctx.actor), await write(ctx, group, changed))
  return { group_id, member_count, added: changed.added.length, removed: changed.removed.length, results }
}

/**
 * Adds or removes one member, or changes the end date of the membership.
 *
 * @throws AppError `group_not_found`, `user_not_found`, `role_not_grantable`, `user_outranks_caller`, `last_admin`
 */
export async function setMember(
  ctx: ChangeContext,
  { group_id, user_id, member, expires_at }: SetMember,
): Promise<Membership> {
  const group = await getForChange(ctx, group_id, undefined)
  const input = member ? { add: [user_id], remove: [], expires_at } : { add: [], remove: [user_id] }
  const { results, refusals, ...changed } = await judge(ctx, group, input)
  for (const refusal of refusals) throw refusal
  await write(ctx, group, changed)
  const isMember = member && !hasPassed(ctx, expires_at)
  const end = isMember ? (await store.findMembers(ctx.db, group_id, [user_id])).get(user_id) : null
  const isChanged = results.some(({ result }) => result !== 'unchanged')
  return { group_id, user_id, member: isMember, changed: isChanged, ...(end && { expires_at: end }) }
}

type SetMember = { group_id: string; user_id: string; member: boolean; expires_at?: string | null | undefined }

/** How many members are processed per batch. */
const changedTogether = 1000

/**
 * Adds and removes members, all of them or none. To add a member and to remove another user change nothing.
 *
 * @throws AppError `group_not_found`, `user_not_found`, `role_not_grantable`, `user_outranks_caller`, `last_admin`
 */
export async function addAndRemove(
  ctx: ChangeContext,
  { group_id, add, remove }: MemberInput & { group_id: string },
): Promise<store.GroupRow> {
  let group = await getForChange(ctx, group_id, undefined)
  const wanted: [Kind, readonly string[]][] = [
    ['add', add],
    ['remove', remove],
  ]
  for (const [kind, ids] of wanted) {
    for (let from = 0; from < ids.length; from += changedTogether) {
      const some = ids.slice(from, from + changedTogether)
      const input = kind === 'add' ? { add: some, remove: [] } : { add: [], remove: await members(ctx, group_id, some) }
      const { refusals, ...changed } = await judge(ctx, group, input)
      for (const refusal of refusals) throw refusal
      group = await write(ctx, group, changed)
    }
  }
  return group
}

async function members(ctx: ChangeContext, groupId: string, ids: readonly string[]): Promise<string[]> {
  const found = await store.findMembers(ctx.db, groupId, ids)
  return ids.filter((id) => found.has(id))
}

/** The caller, and the handle to read from. */
export type MemberJudge = Pick<Context, 'actor' | 'now'> & {
  db: Db
  rules: Pick<Rules, 'roles' | 'disabledOrganizations'>
}

/**
 * Returns what would become of each user, without changing any.
 *
 * @param alsoGone how many administrators parts of the same change that came before would have removed
 * @throws AppError `group_not_found`, `role_not_grantable`
 */
export async function judgeMembers(
  ctx: MemberJudge,
  { group_id, ...input }: Input & { group_id: string },
  alsoGone: number,
): Promise<Pick<ChangedMembers, 'results'> & { administratorsGone: number }> {
  const group = await getRow(ctx.db, scopeOf(ctx.actor), group_id)
  refuseUngrantableGroup(ctx, group)
  refuseManagedGroup(ctx, group)
  const { results, administratorsGone } = await judgeBy(ctx, group, input, { find: findWithRole(ctx.db), alsoGone })
  return { results, administratorsGone }
}

function judge(ctx: ChangeContext, group: store.GroupRow, input: Input) {
  return judgeBy(ctx, group, input, { find: findWithRoleAlone(ctx.db), forChange: true })
}

type How = { find: FindWithRole; alsoGone?: number; forChange?: boolean }

async function judgeBy(
  ctx: MemberJudge,
  group: store.GroupRow,
  requested: Input,
  { find, alsoGone = 0, forChange = false }: How,
) {
  const { expires_at } = requested
  // A date in the past ends the membership at once, by the rules of a removal.
  const input = hasPassed(ctx, expires_at) ? { add: [], remove: [...requested.add, ...requested.remove] } : requested
  const ids = [...input.add, ...input.remove].filter(isUuid)
  const names = { user_ids: ids, username_keys: [], email_keys: [], external_ids: [] }
  const rows = new Map(
    (await users.findUsersByNames(ctx.db, scopeOf(ctx.actor), names, { forChange })).map((row) => [row.user_id, row]),
  )
  const members = await store.findMembers(ctx.db, group.group_id, ids)
  // After the users are held: until then another change could give them other roles.
  const losing = expires_at === undefined ? input.remove : ids
  const elsewhere =
    group.role === null || losing.length === 0
      ? undefined
      : Map.groupBy(await store.rolesElsewhere(ctx.db, group.group_id, losing), ({ user_id }) => user_id)
  const results: Result[] = []
  const refusals: AppError[] = []
  const changed: Record<Kind | 'date', users.UserRow[]> = { add: [], remove: [], date: [] }
  const deleted = new Map<string, users.UserRow>()
  for (const kind of ['add', 'remove'] as const) {
    for (const user_id of input[kind]) {
      try {
        const found = rows.get(user_id)
        if (found === undefined) throw new AppError('user_not_found', 'There is no user with this id.')
        refuseOutranked(ctx, found)
        const end = members.get(user_id)
        const isSame = expires_at === undefined || expires_at === end
        if (kind === 'add' ? end !== undefined && isSame : end === undefined) {
          results.push({ user_id, result: 'unchanged' })
          continue
        }
        if (elsewhere !== undefined && end !== undefined) {
          const others = elsewhere.get(user_id) ?? []
          const own = { user_id, role: group.role ?? '', expires_at: expires_at ?? null }
          const next = { ...found, ...rolesThroughAll(kind === 'remove' ? others : [own, ...others]) }
          const isLoss = await refuseLosingLastAdmin(ctx, { found, next, find, pending: deleted, alsoGone })
          // A loss has taken the lock.
          const { db } = ctx
          await refuseLosingPasswordAdmin(ctx, { db, lock: async () => {} }, { found, next, pending: deleted })
          if (isLoss) deleted.set(user_id, next)
        }
        const isDated = kind === 'add' && end !== undefined
        changed[isDated ? 'date' : kind].push(found)
        const result = isDated ? 'changed' : kind === 'add' ? 'added' : 'removed'
        results.push({ user_id, result, ...((isDated || end) && { before: { expires_at: end ?? null } }) })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        refusals.push(error)
        results.push({ user_id, result: 'refused', code: error.code, detail: error.message })
      }
    }
  }
  return {
    results,
    refusals,
    added: changed.add,
    removed: changed.remove,
    dated: changed.date,
    expires_at,
    administratorsGone: deleted.size,
  }
}

/** The roles of a user through these memberships, as the user's row has them. */
function rolesThroughAll(held: readonly store.RoleHeld[]): Pick<users.UserRow, 'group_roles' | 'ending_roles'> {
  const all = new Set(held.map(({ role }) => role))
  const lasting = new Set(held.flatMap(({ role, expires_at }) => (expires_at === null ? [role] : [])))
  const asText = (roles: ReadonlySet<string>) => [...roles].sort().join(' ')
  return { group_roles: asText(all), ending_roles: asText(all.difference(lasting)) }
}

function hasPassed({ now }: Pick<Context, 'now'>, expires_at: string | null | undefined): boolean {
  return typeof expires_at === 'string' && expires_at <= timestamp(now)
}

type Changed = {
  added: readonly users.UserRow[]
  removed: readonly users.UserRow[]
  /** Members whose membership ends at another time than before. */
  dated: readonly users.UserRow[]
  expires_at: string | null | undefined
}

async function write(
  ctx: ChangeContext,
  group: store.GroupRow,
  { added, removed, dated, expires_at }: Changed,
): Promise<store.GroupRow> {
  if (added.length + removed.length + dated.length === 0) return group
  const { group_id } = group
  const [coming, going, staying] = [idsOf(added), idsOf(removed), idsOf(dated)]
  if (coming.length > 0) await store.insertMembers(ctx.db, group_id, coming)
  if (going.length > 0) await store.deleteMembers(ctx.db, group_id, going)
  if (expires_at !== undefined) {
    const user_ids = expires_at === null ? staying : [...coming, ...staying]
    await setEnds(ctx.db, { group_id, user_ids, expires_at })
  }
  await regroup(ctx, [...coming, ...going, ...staying])
  for (const user of added) {
    announceMembership(ctx, 'group.member_added', { group, user, ...(expires_at && { expires_at }) })
  }
  for (const user of dated) {
    announceMembership(ctx, 'group.member_updated', { group, user, expires_at: expires_at ?? null })
  }
  for (const user of removed) {
    announceMembership(ctx, 'group.member_removed', { group, user })
  }
  if (coming.length + going.length === 0) return group
  return store.countMembers(ctx.db, { group_id, coming, going, now: timestamp(ctx.now), adopter: adopterOf(ctx) })
}

function idsOf(rows: readonly users.UserRow[]): string[] {
  return rows.map(({ user_id }) => user_id)
}

type Moved = Pick<users.UserRow, 'user_id' | 'username'> & { organization_id: string }

/** Takes a user who has moved out of the groups of their former organization. Returns the groups. */
export async function leaveGroupsOfOrganization(
  ctx: ChangeContext,
  user: Moved,
): Promise<Pick<store.GroupRow, 'group_id' | 'name'>[]> {
  const groups = await store.findGroupsOfOrganizationWith(ctx.db, user.organization_id, user.user_id)
  if (groups.length === 0) return []
  for (const { group_id } of groups) {
    await store.deleteMembers(ctx.db, group_id, [user.user_id])
    // The user would be a guest by now, and was none.
    await store.countMembers(ctx.db, { group_id, going: [user.user_id], areGuests: false, now: timestamp(ctx.now) })
  }
  await regroup(ctx, [user.user_id])
  for (const group of groups) announceMembership(ctx, 'group.member_removed', { group, user })
  return groups.map(({ group_id, name }) => ({ group_id, name }))
}

/** Counts a user who has moved into an organization as a member of those of its groups in which they were a guest. */
export async function joinOrganization(
  ctx: ChangeContext,
  { organization_id, user_id }: Omit<Moved, 'username'>,
): Promise<void> {
  const groups = await store.findGroupsOfOrganizationWith(ctx.db, organization_id, user_id)
  if (groups.length === 0) return
  const ids = groups.map(({ group_id }) => group_id)
  await store.countGuestLess(ctx.db, ids, timestamp(ctx.now))
}

/** The end dates of memberships, by `group_id`. */
export type EndsByGroup = Readonly<Record<string, string>>

/** Takes a user who is being deleted out of every group. Returns the groups, and when the memberships would have ended. */
export async function leaveAll(ctx: ChangeContext, userId: string): Promise<{ groupIds: string[]; ends: EndsByGroup }> {
  const ends = await listEndsOfUsers(ctx.db, [userId])
  const ids = await store.deleteMemberships(ctx.db, userId)
  for (const group_id of ids) {
    await store.countMembers(ctx.db, { group_id, going: [userId], now: timestamp(ctx.now) })
    emitMembership(ctx, 'group.member_removed', { group_id, user_id: userId })
  }
  return { groupIds: ids, ends: Object.fromEntries(ends.map(({ group_id, expires_at }) => [group_id, expires_at])) }
}

/** Puts a restored user back into these groups, which the caller holds. */
export async function rejoin(
  ctx: ChangeContext,
  userId: string,
  { groups, ends }: { groups: readonly store.GroupRow[]; ends: EndsByGroup },
): Promise<void> {
  if (groups.length === 0) return
  for (const { group_id } of groups) {
    await store.insertMembers(ctx.db, group_id, [userId])
    const expires_at = ends[group_id]
    if (expires_at !== undefined) await setEnds(ctx.db, { group_id, user_ids: [userId], expires_at })
    await store.countMembers(ctx.db, { group_id, coming: [userId], now: timestamp(ctx.now) })
    emitMembership(ctx, 'group.member_added', { group_id, user_id: userId, expires_at })
  }
  await regroup(ctx, [userId])
}

/** Those of these groups that still exist and that the caller may know, held until this change ends. */
export function holdGroups({ db, actor }: ChangeContext, groupIds: readonly string[]): Promise<store.GroupRow[]> {
  return store.findGroupsForChange(db, scopeOf(actor), groupIds)
}
