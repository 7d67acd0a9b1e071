/**
 * Membership of groups. A change writes only the rows of members who join or leave, never the whole list. The rules are
 * those of a change of the user's role.
 */

import { AppError } from '../../core/errors.ts'
import type { Rules } from '../../core/rules.ts'
import { timestamp } from '../../lib/instant.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import * as users from '../users/service.ts'
import {
  type FindWithRole,
  findWithRole,
  findWithRoleAlone,
  refuseLosingLastAdmin,
  refuseLosingPasswordAdmin,
  refuseOutranked,
  regroup,
} from '../users/service.ts'
import { getForChange, getRow } from './groups.ts'
import type { MemberInput } from './input.ts'
import { announceMembership, emitMembership } from './journal.ts'
import { adopterOf, refuseManagedGroup, refuseUngrantableGroup } from './rights.ts'
import type { ChangedMembers, Membership } from './schema.ts'
import * as store from './store.ts'

type Result = ChangedMembers['results'][number]
type Kind = 'add' | 'remove'

/**
 * Adds and removes members. A user who may not be changed is refused, and the others are changed.
 *
 * @throws AppError `group_not_found`, `role_not_grantable`
 */
export async function changeMembers(
  ctx: ChangeContext,
  { group_id, add, remove }: MemberInput & { group_id: string },
): Promise<ChangedMembers> {
  const group = await getForChange(ctx, group_id, undefined)
  const { results, added, removed } = await judge(ctx, group, { add, remove })
  const { member_count } = await write(ctx, group, { added, removed })
  return { group_id, member_count, added: added.length, removed: removed.length, results }
}

/**
 * Adds or removes one member.
 *
 * @throws AppError `group_not_found`, `user_not_found`, `role_not_grantable`, `user_outranks_caller`, `last_admin`
 */
export async function setMember(
  ctx: ChangeContext,
  { group_id, user_id, member }: { group_id: string; user_id: string; member: boolean },
): Promise<Membership> {
  const group = await getForChange(ctx, group_id, undefined)
  const input = member ? { add: [user_id], remove: [] } : { add: [], remove: [user_id] }
  const { refusals, added, removed } = await judge(ctx, group, input)
  for (const refusal of refusals) throw refusal
  await write(ctx, group, { added, removed })
  return { group_id, user_id, member, changed: added.length + removed.length > 0 }
}

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
      const { refusals, added, removed } = await judge(ctx, group, input)
      for (const refusal of refusals) throw refusal
      group = await write(ctx, group, { added, removed })
    }
  }
  return group
}

async function members(ctx: ChangeContext, groupId: string, ids: readonly string[]): Promise<string[]> {
  const found = await store.findMembers(ctx.db, groupId, ids)
  return ids.filter((id) => found.has(id))
}

/** The caller, and the handle to read from. */
export type MemberJudge = Pick<Context, 'actor'> & { db: Db; rules: Pick<Rules, 'roles'> }

/**
 * Returns what would become of each user, without changing any.
 *
 * @param alsoGone how many administrators parts of the same change that came before would have removed
 * @throws AppError `group_not_found`, `role_not_grantable`
 */
export async function judgeMembers(
  ctx: MemberJudge,
  { group_id, ...input }: MemberInput & { group_id: string },
  alsoGone: number,
): Promise<Pick<ChangedMembers, 'results'> & { administratorsGone: number }> {
  const group = await getRow(ctx.db, group_id)
  refuseUngrantableGroup(ctx, group)
  refuseManagedGroup(ctx, group)
  const { results, administratorsGone } = await judgeBy(ctx, group, input, { find: findWithRole(ctx.db), alsoGone })
  return { results, administratorsGone }
}

function judge(ctx: ChangeContext, group: store.GroupRow, input: MemberInput) {
  return judgeBy(ctx, group, input, { find: findWithRoleAlone(ctx.db), forChange: true })
}

type How = { find: FindWithRole; alsoGone?: number; forChange?: boolean }

async function judgeBy(
  ctx: MemberJudge,
  group: store.GroupRow,
  input: MemberInput,
  { find, alsoGone = 0, forChange = false }: How,
) {
  const ids = [...input.add, ...input.remove].filter(isUuid)
  const names = { user_ids: ids, username_keys: [], email_keys: [], external_ids: [] }
  const rows = new Map((await users.findUsersByNames(ctx.db, names, { forChange })).map((row) => [row.user_id, row]))
  const members = await store.findMembers(ctx.db, group.group_id, ids)
  // After the users are held: until then another change could give them other roles.
  const elsewhere =
    group.role === null || input.remove.length === 0
      ? undefined
      : await store.rolesElsewhere(ctx.db, group.group_id, input.remove)
  const results: Result[] = []
  const refusals: AppError[] = []
  const changed: Record<Kind, users.UserRow[]> = { add: [], remove: [] }
  const deleted = new Map<string, users.UserRow>()
  for (const kind of ['add', 'remove'] as const) {
    for (const user_id of input[kind]) {
      try {
        const found = rows.get(user_id)
        if (found === undefined) throw new AppError('user_not_found', 'There is no user with this id.')
        refuseOutranked(ctx, found)
        if (members.has(user_id) === (kind === 'add')) {
          results.push({ user_id, result: 'unchanged' })
          continue
        }
        if (elsewhere !== undefined && kind === 'remove') {
          const group_roles = [...(elsewhere.get(user_id) ?? [])].sort().join(' ')
          const next = { ...found, group_roles }
          const isLoss = await refuseLosingLastAdmin(ctx, { found, next, find, pending: deleted, alsoGone })
          // A loss has taken the lock.
          const { db } = ctx
          await refuseLosingPasswordAdmin(ctx, { db, lock: async () => {} }, { found, next, pending: deleted })
          if (isLoss) deleted.set(user_id, next)
        }
        changed[kind].push(found)
        results.push({ user_id, result: kind === 'add' ? 'added' : 'removed' })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        refusals.push(error)
        results.push({ user_id, result: 'refused', code: error.code, detail: error.message })
      }
    }
  }
  return { results, refusals, added: changed.add, removed: changed.remove, administratorsGone: deleted.size }
}

type Changed = { added: readonly users.UserRow[]; removed: readonly users.UserRow[] }

async function write(ctx: ChangeContext, group: store.GroupRow, { added, removed }: Changed): Promise<store.GroupRow> {
  if (added.length + removed.length === 0) return group
  const { group_id } = group
  const [coming, going] = [idsOf(added), idsOf(removed)]
  if (coming.length > 0) await store.insertMembers(ctx.db, group_id, coming)
  if (going.length > 0) await store.deleteMembers(ctx.db, group_id, going)
  await regroup(ctx, [...coming, ...going])
  for (const user of added) {
    announceMembership(ctx, 'group.member_added', { group, user })
  }
  for (const user of removed) {
    announceMembership(ctx, 'group.member_removed', { group, user })
  }
  const by = coming.length - going.length
  return store.countMembers(ctx.db, { group_id, by, now: timestamp(ctx.now), adopter: adopterOf(ctx) })
}

function idsOf(rows: readonly users.UserRow[]): string[] {
  return rows.map(({ user_id }) => user_id)
}

/** Takes a user who is being deleted out of every group. Returns the groups. */
export async function leaveAll(ctx: ChangeContext, userId: string): Promise<string[]> {
  const ids = await store.deleteMemberships(ctx.db, userId)
  for (const group_id of ids) {
    await store.countMembers(ctx.db, { group_id, by: -1, now: timestamp(ctx.now) })
    emitMembership(ctx, 'group.member_removed', { group_id, user_id: userId })
  }
  return ids
}

/** Puts a restored user back into these groups, which the caller holds. */
export async function rejoin(ctx: ChangeContext, userId: string, groups: readonly store.GroupRow[]): Promise<void> {
  if (groups.length === 0) return
  for (const { group_id } of groups) {
    await store.insertMembers(ctx.db, group_id, [userId])
    await store.countMembers(ctx.db, { group_id, by: 1, now: timestamp(ctx.now) })
    emitMembership(ctx, 'group.member_added', { group_id, user_id: userId })
  }
  await regroup(ctx, [userId])
}

/** Those of these groups that still exist, held until this change ends. */
export function holdGroups(ctx: ChangeContext, groupIds: readonly string[]): Promise<store.GroupRow[]> {
  return store.findGroupsForChange(ctx.db, groupIds)
}
