/** The store as the verdicts of an import see it. */
import { scopeOf } from '../../../core/scope.ts'
import type { ChangeContext, Context } from '../../../store/context.ts'
import { type Entry, findOwnersOfValues } from '../../attributes/service.ts'
import { findManager } from '../../provisioning/service.ts'
import { type FindWithRole, findWithRole, findWithRoleAlone } from '../last-admin.ts'
import type { FindConnection } from '../managed.ts'
import { holdPasswordAdmins, type PasswordAdmins } from '../passwordless/passwordless.ts'
import * as store from '../store.ts'
import type { FactorWriter, FindFactorOwners } from './factors.ts'
import type { GroupDirectory } from './groups.ts'

/** The state the verdicts are based on: the store, or the store as a dry run would have left it. */
export type Directory = {
  find(names: store.Names): Promise<store.UserRow[]>
  findFormerIds(userIds: readonly string[]): Promise<Set<string>>
  /** The owners of these unique attribute values, keyed by `valueName`. */
  findOwnersOfValues(entries: readonly Entry[]): Promise<Map<string, string>>
  findWithRole: FindWithRole
  passwordAdmins: PasswordAdmins
  groups: GroupDirectory
  findConnection: FindConnection
  findFactorOwners: FindFactorOwners
}

export function directoryOf(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  groups: GroupDirectory,
  factors: Pick<FactorWriter, 'findOwners'>,
): Directory {
  const scope = scopeOf(actor)
  return {
    groups,
    find: (names) => store.findUsersByNames(db, scope, names),
    findFormerIds: (userIds) => store.findFormerIds(db, userIds),
    findOwnersOfValues: (entries) => findOwnersOfValues(db, entries),
    findWithRole: findWithRole(db),
    passwordAdmins: { db, lock: async () => {} },
    findConnection: findManager(db),
    findFactorOwners: (userIds) => factors.findOwners(db, userIds),
  }
}

/** For a change: holds what it reads. */
export function lockedDirectory(
  ctx: Pick<ChangeContext, 'db' | 'actor'>,
  groups: GroupDirectory,
  factors: FactorWriter,
): Directory {
  const { db, actor } = ctx
  return {
    ...directoryOf(ctx, groups, factors),
    find: (names) => store.findUsersByNames(db, scopeOf(actor), names, { forChange: true }),
    findWithRole: findWithRoleAlone(db),
    passwordAdmins: { db, lock: () => holdPasswordAdmins(db) },
  }
}
