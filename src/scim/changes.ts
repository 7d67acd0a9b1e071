/** SCIM's changes. Their code is loaded on first use, because many services do not use SCIM. */
import type { ChangeContext } from '../store/context.ts'
import type { ChangeTraits, CommandHandlers } from '../store/storage/registry.ts'
import type * as changedGroups from './writes/groups.ts'
import type * as removal from './writes/removal.ts'
import type * as changedUsers from './writes/users.ts'

type Input<Change extends (ctx: ChangeContext, input: never) => unknown> = Parameters<Change>[1]

const users = () => import('./writes/users.ts')
const groups = () => import('./writes/groups.ts')
const removals = () => import('./writes/removal.ts')

export const changes = {
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

export const traits = {
  'scim.create_user': { besideJournal: true },
  'scim.replace_user': { besideJournal: true },
  'scim.patch_user': { besideJournal: true },
  'scim.patch_group': { besideJournal: true },
} satisfies ChangeTraits<typeof changes>
