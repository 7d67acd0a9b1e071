/** The groups of imported users: which there are, who may give them, and the writing of memberships with the rows of an import. */

import { AppError } from '../../core/errors.ts'
import { permits, type Scope, scopeOf } from '../../core/scope.ts'
import {
  type GroupDirectory,
  type GroupWriter,
  type KnownGroups,
  type MemberChange,
  regroup,
  type Wanted,
} from '../../directory/users/service.ts'
import { timestamp } from '../../lib/instant.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import * as endsStore from './ends-store.ts'
import { announceMembership } from './journal.ts'
import { refuseManagedGroup, refuseUngrantableGroup } from './rights.ts'
import * as store from './store.ts'

export function groupsForImport({ db, actor }: Pick<Context, 'db' | 'actor'>): GroupDirectory {
  return {
    find: (wanted) => find(db, scopeOf(actor), wanted),
    refuseChange(ctx, group) {
      if (!permits(ctx.actor, 'groups:write')) {
        const detail = 'To change memberships you need the permission groups:write. Otherwise leave out the groups.'
        throw new AppError('permission_denied', detail)
      }
      refuseUngrantableGroup(ctx, group)
      refuseManagedGroup(ctx, group)
    },
  }
}

async function find(db: Db, scope: Scope, { name_keys, user_ids }: Wanted): Promise<KnownGroups> {
  const memberships = await store.findMemberships(db, user_ids)
  const groupIds = [...new Set([...memberships.values()].flat())]
  const ends = Map.groupBy(await endsStore.listEndsOfUsers(db, user_ids), ({ user_id }) => user_id)
  const ending = new Map([...ends].map(([user_id, some]) => [user_id, some.map(({ group_id }) => group_id)]))
  return { groups: await store.findGroupsByNames(db, scope, name_keys, groupIds), memberships, ending }
}

export function groupsForImportedChange(ctx: ChangeContext): GroupWriter {
  let held: ReadonlySet<string> | undefined
  const directory = groupsForImport(ctx)
  return {
    ...directory,
    async lock(wanted) {
      const { groups } = await directory.find(wanted)
      const ids = groups.map(({ group_id }) => group_id)
      held = new Set((await store.findGroupsForChange(ctx.db, scopeOf(ctx.actor), ids)).map(({ group_id }) => group_id))
    },
    async find(wanted) {
      const known = await directory.find(wanted)
      if (held === undefined || known.groups.every(({ group_id }) => held?.has(group_id))) return known
      // Between the look at the users and the hold on them, another change made or joined a group.
      throw new AppError(
        'overloaded',
        'Another request changed the groups of these users at the same moment. Try again.',
      )
    },
    write: (changes, details) => write(ctx, changes, details),
  }
}

type Net = { coming: Set<string>; going: Set<string> }

/** Rows are written once per group, whatever the order of the changes. Each change is recorded. */
async function write(
  ctx: ChangeContext,
  changes: readonly MemberChange[],
  details: Record<string, unknown>,
): Promise<void> {
  const nets = new Map<string, Net>()
  const netOf = (groupId: string): Net => {
    const net = nets.get(groupId) ?? { coming: new Set(), going: new Set() }
    nets.set(groupId, net)
    return net
  }
  for (const { added, removed, isNew: _, ...user } of changes) {
    const { user_id } = user
    for (const group of added) {
      const { coming, going } = netOf(group.group_id)
      if (!going.delete(user_id)) coming.add(user_id)
      announceMembership(ctx, 'group.member_added', { group, user, details })
    }
    for (const group of removed) {
      const { coming, going } = netOf(group.group_id)
      if (!coming.delete(user_id)) going.add(user_id)
      announceMembership(ctx, 'group.member_removed', { group, user, details })
    }
  }
  for (const [groupId, net] of [...nets].sort(([a], [b]) => (a < b ? -1 : 1))) await writeNet(ctx, groupId, net)
  const created = new Set(changes.flatMap(({ user_id, isNew }) => (isNew ? [user_id] : [])))
  await regroup(ctx, [...new Set(changes.map(({ user_id }) => user_id))], (userId) => created.has(userId))
}

async function writeNet(ctx: ChangeContext, group_id: string, { coming, going }: Net): Promise<void> {
  if (coming.size > 0) await store.insertMembers(ctx.db, group_id, [...coming])
  if (going.size > 0) await store.deleteMembers(ctx.db, group_id, [...going])
  if (coming.size + going.size === 0) return
  await store.countMembers(ctx.db, { group_id, coming: [...coming], going: [...going], now: timestamp(ctx.now) })
}
