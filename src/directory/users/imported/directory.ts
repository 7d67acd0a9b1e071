/** The store as the verdicts of an import see it. */
import { system } from '../../../core/actor.ts'
import { scopeOf } from '../../../core/scope.ts'
import type { ChangeContext, Context } from '../../../store/context.ts'
import { type Entry, findOwnersOfValues } from '../../attributes/service.ts'
import { findOrganizationsNamed, type OrganizationRow } from '../../organizations/service.ts'
import { findManager } from '../../provisioning/service.ts'
import { type FindWithRole, findWithRole, findWithRoleAlone } from '../last-admin.ts'
import type { FindConnection } from '../managed.ts'
import { afterMove } from '../moving.ts'
import { holdPasswordAdmins, type PasswordAdmins } from '../passwordless/passwordless.ts'
import * as store from '../store.ts'
import type { FactorWriter, FindFactorOwners } from './factors.ts'
import type { GroupDirectory } from './groups.ts'

export type KnownOrganization = Pick<OrganizationRow, 'organization_id' | 'name_key'>

/** The state the verdicts are based on: the store, or the store as a dry run would have left it. */
export type Directory = {
  /** Everyone with one of these names, which are unique in the whole service; `State` decides whom a row may match. */
  find(names: store.Names): Promise<store.UserRow[]>
  findFormerIds(userIds: readonly string[]): Promise<Set<string>>
  /** The owners of these unique attribute values, keyed by `valueName`. */
  findOwnersOfValues(entries: readonly Entry[]): Promise<Map<string, string>>
  findWithRole: FindWithRole
  passwordAdmins: PasswordAdmins
  groups: GroupDirectory
  findConnection: FindConnection
  findOrganizations(named: { ids: readonly string[]; name_keys: readonly string[] }): Promise<KnownOrganization[]>
  /** The user after a move, as the rule of the last administrator must see them. */
  afterMove(found: store.UserRow, next: store.UserRow): Promise<store.UserRow>
  findFactorOwners: FindFactorOwners
}

export function directoryOf(
  { db }: Pick<Context, 'db'>,
  groups: GroupDirectory,
  factors: Pick<FactorWriter, 'findOwners'>,
): Directory {
  return {
    groups,
    find: (names) => store.findUsersByNames(db, scopeOf(system), names),
    findFormerIds: (userIds) => store.findFormerIds(db, userIds),
    findOwnersOfValues: (entries) => findOwnersOfValues(db, entries),
    findWithRole: findWithRole(db),
    passwordAdmins: { db, lock: async () => {} },
    findConnection: findManager(db),
    findOrganizations: async (named) => {
      return named.ids.length + named.name_keys.length === 0 ? [] : findOrganizationsNamed(db, named)
    },
    afterMove: (found, next) => afterMove(db, found, next),
    findFactorOwners: (userIds) => factors.findOwners(db, userIds),
  }
}

/** For a change: holds what it reads. */
export function lockedDirectory(
  ctx: Pick<ChangeContext, 'db'>,
  groups: GroupDirectory,
  factors: FactorWriter,
): Directory {
  const { db } = ctx
  return {
    ...directoryOf(ctx, groups, factors),
    find: (names) => store.findUsersByNames(db, scopeOf(system), names, { forChange: true }),
    findWithRole: findWithRoleAlone(db),
    passwordAdmins: { db, lock: () => holdPasswordAdmins(db) },
  }
}
