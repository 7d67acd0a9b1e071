/**
 * Who has which permissions, and why: a row for each user and each source of permissions. The role `user` and groups without a role
 * give none. Rows are read in chunks from one snapshot, so memory stays flat with any number of users.
 */

import { findOwners } from '../../access/credentials/factors/service.ts'
import { countKeysOf } from '../../access/credentials/keys/service.ts'
import { listRolesOfGroups, type RoleOfGroup } from '../../administration/groups/service.ts'
import { matching, type ScopedFilters } from '../../administration/users-list/service.ts'
import { system } from '../../core/actor.ts'
import { permissionsOfRole, type Rules } from '../../core/rules.ts'
import { scopeOf } from '../../core/scope.ts'
import type { User } from '../../directory/users/schema.ts'
import { findDocuments, listWithPermissions } from '../../directory/users/service.ts'
import type { AuditRecord } from '../../record/audit/schema.ts'
import { findLatestAbout } from '../../record/audit/service.ts'
import type { Db } from '../../store/db/db.ts'
import type { AccessSource } from './schema.ts'

export type ReportPlan = { filters: ScopedFilters; roles: Rules['roles'] }

const chunkUsers = 500
/** More changes of one user than this are not searched for the one that gave a role. */
const mostRecords = 200
/** It permits nothing. */
const plainRole = 'user'

/** The rows by `user_id`; of one user the own role first, then the groups by name. */
export async function* rowsOf(db: Db, { filters, roles }: ReportPlan): AsyncGenerator<AccessSource[]> {
  let after: string | undefined
  for (;;) {
    // Most users have no permissions, so those who have some are found first, by an index of their own.
    const ids = await listWithPermissions(db, { after, limit: chunkUsers })
    const matches = await matchingOf(db, filters, ids)
    if (matches.length > 0) yield await rowsOfUsers(db, matches, roles)
    if (ids.length < chunkUsers) return
    after = ids.at(-1)
  }
}

/** Returns which of these users match, in their order. */
async function matchingOf(db: Db, filters: ScopedFilters, ids: readonly string[]): Promise<string[]> {
  if (Object.keys(filters).length === 0) return [...ids]
  const named = filters.user_ids === undefined ? ids : ids.filter((id) => filters.user_ids?.includes(id))
  return named.length === 0 ? [] : matching(db, { filters: { ...filters, user_ids: [...named] }, limit: chunkUsers })
}

/** The rows of these users, in their order. */
async function rowsOfUsers(db: Db, ids: readonly string[], roles: Rules['roles']): Promise<AccessSource[]> {
  const memberships = Map.groupBy(await listRolesOfGroups(db, ids), ({ user_id }) => user_id)
  const users = (await findDocuments(db, ids)).flatMap(({ user_id, document }) => {
    const groups: RoleOfGroup[] = memberships.get(user_id) ?? []
    const user = JSON.parse(document) as User
    return user.role === plainRole && groups.length === 0 ? [] : [{ user, groups }]
  })
  const powerful = users.map(({ user }) => user.user_id)
  const [withFactor, keys] = [await findOwners(db, powerful), await countKeysOf(db, powerful)]
  const rows: AccessSource[] = []
  for (const { user, groups } of users) {
    const latest = { target: user.user_id, limit: mostRecords }
    const records = await findLatestAbout(db, scopeOf(system), latest, { action: grants, outcome: 'success' })
    const facts = { second_factor: withFactor.has(user.user_id), keys: keys.get(user.user_id) ?? 0 }
    const row = (source: Source, grant: AuditRecord | undefined) => ({
      ...factsOf(user),
      ...source,
      permissions: [...permissionsOfRole(roles, source.role)],
      ...grantOf(grant),
      ...(user.expires_at !== undefined && { user_expires_at: user.expires_at }),
      last_login_at: user.last_login_at,
      ...facts,
    })
    if (user.role !== plainRole) {
      const source = {
        row_id: `${user.user_id}.role`,
        source: 'role',
        role: user.role,
        group_id: null,
        group: null,
      } as const
      rows.push(row(source, records.find(gave({ role: user.role }))))
    }
    for (const { group_id, name, role, expires_at } of groups) {
      const source = { row_id: `${user.user_id}.${group_id}`, source: 'group', role, group_id, group: name } as const
      rows.push(row({ ...source, ...(expires_at !== null && { expires_at }) }, records.find(gave({ group_id }))))
    }
  }
  return rows
}

type Source = Pick<AccessSource, 'row_id' | 'source' | 'role' | 'group_id' | 'group' | 'expires_at'>

function factsOf({ user_id, username, email, first_name, last_name, kind = 'person' as never, active }: User) {
  return { user_id, username, email, first_name, last_name, kind: kind as AccessSource['kind'], active }
}

/** The actions that give a role or a membership. */
const grants = ['user.created', 'user.updated', 'user.restored', 'group.member_added']

/** Whether a record is the one that gave the role, or the membership. */
function gave({ role, group_id }: { role?: string; group_id?: string }) {
  return ({ changes, details }: AuditRecord): boolean => {
    if (group_id !== undefined) return details?.group_id === group_id
    const change = (changes as { role?: { before?: unknown; after?: unknown } | string } | null)?.role
    if (typeof change !== 'object') return false
    return change.after === role && change.before !== role
  }
}

function grantOf(record: AuditRecord | undefined): Pick<AccessSource, 'since' | 'granted_by'> {
  if (record === undefined) return { since: null, granted_by: null }
  const { kind, id, name } = record.actor
  return { since: record.occurred_at, granted_by: { kind, id, name } }
}
