/** SCIM's changes and reads for the store. Their code is loaded on first use, because many services do not use SCIM. */
import type { ChangeContext } from '../store/context.ts'
import type { Db } from '../store/db/db.ts'
import type { CommandHandlers, QueryHandlers } from '../store/storage/registry.ts'
import type * as changedGroups from './changes/groups.ts'
import type * as removal from './changes/removal.ts'
import type * as changedUsers from './changes/users.ts'
import type { GroupAsked } from './lists/group.ts'
import { isQuick, keyOf } from './lists/quick.ts'
import type { UsersAsked } from './lists/users.ts'

type Input<Change extends (ctx: ChangeContext, input: never) => unknown> = Parameters<Change>[1]

const users = () => import('./changes/users.ts')
const groups = () => import('./changes/groups.ts')
const removals = () => import('./changes/removal.ts')

export const scimCommands = {
  'scim.create_user': async (ctx: ChangeContext, input: Input<typeof changedUsers.createUser>) =>
    (await users()).createUser(ctx, input),
  'scim.replace_user': async (ctx: ChangeContext, input: Input<typeof changedUsers.replaceUser>) =>
    (await users()).replaceUser(ctx, input),
  'scim.patch_user': async (ctx: ChangeContext, input: Input<typeof changedUsers.patchUser>) =>
    (await users()).patchUser(ctx, input),
  'scim.delete_user': async (ctx: ChangeContext, input: Input<typeof removal.deleteUser>) =>
    (await removals()).deleteUser(ctx, input),
  'scim.create_group': async (ctx: ChangeContext, input: Input<typeof changedGroups.createGroup>) =>
    (await groups()).createGroup(ctx, input),
  'scim.replace_group': async (ctx: ChangeContext, input: Input<typeof changedGroups.replaceGroup>) =>
    (await groups()).replaceGroup(ctx, input),
  'scim.patch_group': async (ctx: ChangeContext, input: Input<typeof changedGroups.patchGroup>) =>
    (await groups()).patchGroup(ctx, input),
  'scim.delete_group': async (ctx: ChangeContext, input: Input<typeof removal.deleteGroup>) =>
    (await removals()).deleteGroup(ctx, input),
} satisfies CommandHandlers

const find = async (db: Db, query: UsersAsked) => (await import('./lists/find.ts')).find(db, query)

export const scimQueries = {
  /** Users that an index finds, and groups. */
  'scim.find': { run: find, isQuick, isBounded: true, sameAs: keyOf },
  /** Lists that may need a scan of all users. */
  'scim.search': { run: find, isQuick: () => false, isBounded: false },
  'scim.group': {
    run: async (db: Db, query: GroupAsked) => (await import('./lists/group.ts')).findGroup(db, query),
    isQuick: () => false,
    isBounded: true,
  },
} satisfies QueryHandlers
