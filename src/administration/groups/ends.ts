/**
 * Removes memberships whose end date has come. What they give has ended before, by comparison, for everyone who calls (sessions/person-row.ts):
 * this ends it in lists, counts and views as well, with an event and a record.
 */
import { scopeOf } from '../../core/scope.ts'
import { findUsersByNames, regroup } from '../../directory/users/service.ts'
import { timestamp } from '../../lib/instant.ts'
import type { ChangeContext } from '../../store/context.ts'
import { isTrusted } from '../../store/jobs/clock.ts'
import type { ChangeRequest, Storage } from '../../store/storage/storage.ts'
import { listDue } from './ends-store.ts'
import { announceMembership } from './journal.ts'
import * as store from './store.ts'

/** A larger transaction would delay others. */
const endsAtOnce = 100

/** Removes every membership that has ended, unless the clock has jumped. */
export async function removeEnded(storage: Storage, request: ChangeRequest): Promise<void> {
  while ((await listDue(storage.db, timestamp(request.now), 1)).length > 0) {
    const { result } = await storage.change('groups.remove_ended', undefined, request)
    if (result.removed === 0) return
  }
}

/** Removes some of the memberships that have ended. */
export async function removeEndedMembers(ctx: ChangeContext): Promise<{ removed: number }> {
  if (!(await isTrusted(ctx.db, ctx.now))) return { removed: 0 }
  // One node at a time.
  await ctx.db.lock(['membership ends'])
  const now = timestamp(ctx.now)
  const found = await listDue(ctx.db, now, endsAtOnce)
  // As in every change of a group: first the groups are held, then the users, each in one order.
  const groupIds = [...new Set(found.map(({ group_id }) => group_id))]
  const groups = new Map(
    (await store.findGroupsForChange(ctx.db, scopeOf(ctx.actor), groupIds)).map((group) => [group.group_id, group]),
  )
  const userIds = [...new Set(found.map(({ user_id }) => user_id))].toSorted()
  const names = { user_ids: userIds, username_keys: [], email_keys: [], external_ids: [] }
  const users = new Map(
    (await findUsersByNames(ctx.db, scopeOf(ctx.actor), names, { forChange: true })).map((row) => [row.user_id, row]),
  )
  // Another change may have removed or prolonged some meanwhile.
  const endedMemberships = (await listDue(ctx.db, now, endsAtOnce)).filter(
    ({ group_id, user_id }) => groups.has(group_id) && users.has(user_id),
  )
  for (const [group_id, ends] of [...Map.groupBy(endedMemberships, (end) => end.group_id)].toSorted()) {
    const ids = ends.map(({ user_id }) => user_id)
    await store.deleteMembers(ctx.db, group_id, ids)
    await store.countMembers(ctx.db, { group_id, going: ids, now })
    for (const { user_id, expires_at } of ends) {
      const [group, user] = [groups.get(group_id), users.get(user_id)]
      if (group && user) announceMembership(ctx, 'group.member_removed', { group, user, expires_at })
    }
  }
  await regroup(ctx, [...new Set(endedMemberships.map(({ user_id }) => user_id))].toSorted())
  return { removed: endedMemberships.length }
}
