/** Audit records and events for changes of groups. */

import { userTarget } from '../../directory/users/service.ts'
import { changesOf } from '../../record/journal/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { Changes, Placed, PlacedTarget } from '../../store/journal-entry.ts'
import type { GroupRow } from './store.ts'

type Named = Pick<GroupRow, 'group_id' | 'name'> & Placed
type Person = { user_id: string; username: string } & Placed

export function groupTarget({ group_id, name, organization_id }: Named): PlacedTarget {
  return { kind: 'group', id: group_id, name, organization_id }
}

export function groupChanges(before: GroupRow | undefined, after: GroupRow | undefined): Changes {
  return changesOf(before, after, ['name', 'description', 'external_id', 'role', 'organization_id'])
}

/** Without the number of members: each of them is an event of its own. */
export function emitGroup(ctx: ChangeContext, type: 'group.created' | 'group.updated', row: GroupRow): void {
  const { group_id, name, description, external_id, role, organization_id, created_at, updated_at } = row
  const owner = organization_id === null ? {} : { organization_id }
  const data = JSON.stringify({ group_id, name, description, external_id, role, ...owner, created_at, updated_at })
  ctx.emit({ type, subject: group_id, owner_id: group_id, data })
}

export function emitDeleted(ctx: ChangeContext, { group_id }: Named): void {
  ctx.emit({ type: 'group.deleted', subject: group_id, owner_id: group_id, data: JSON.stringify({ group_id }) })
}

/** In the history of the user, with which it is erased. Its subject is the membership, so that one compacts the other. */
export function emitMembership(
  ctx: ChangeContext,
  type: 'group.member_added' | 'group.member_removed',
  { group_id, user_id, expires_at }: { group_id: string; user_id: string; expires_at?: string | null | undefined },
): void {
  const data = JSON.stringify({ group_id, user_id, expires_at })
  ctx.emit({ type, subject: `${group_id}:${user_id}`, owner_id: user_id, data })
}

type MembershipAction = 'group.member_added' | 'group.member_updated' | 'group.member_removed'

/** `expires_at`: the end date, if there is one, or was one. */
type Membership = { group: Named; user: Person; expires_at?: string | null; details?: Record<string, unknown> }

/** Announces a change of a membership, with an audit record about the user, whose permissions it concerns. */
export function announceMembership(
  ctx: ChangeContext,
  action: MembershipAction,
  { group, user, expires_at, details = {} }: Membership,
): void {
  const { group_id, name } = group
  // Another end date is the same event as a new membership: it replaces what followers have, also those that do not know of dates.
  const type = action === 'group.member_updated' ? 'group.member_added' : action
  emitMembership(ctx, type, { group_id, user_id: user.user_id, expires_at })
  const end = expires_at === undefined ? {} : { expires_at }
  const about = { group_id, group: name, ...end, ...details }
  ctx.recordFor(ctx, { action, target: userTarget(user), details: about, related: group })
}
