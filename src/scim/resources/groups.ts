/** Reads groups as SCIM resources. */

import * as groups from '../../administration/groups/service.ts'
import type { Scope } from '../../core/scope.ts'
import type { Db } from '../../store/db/db.ts'
import { type GroupMember, groupToScim } from '../mapping/group.ts'
import { ScimError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import { readAttributePath } from '../schemas/attribute-path.ts'
import type { ProjectionRequest } from '../schemas/project.ts'
import { versionOfGroup } from './version.ts'

/** The most members of all groups on one page together. */
const mostMembers = 200_000

/** Without members, if undefined. */
export function groupResource(
  row: groups.GroupRow,
  members: readonly GroupMember[] | undefined,
  base: string,
): JsonObject {
  return groupToScim(row, members, base, versionOfGroup(row.version, members))
}

export async function readGroup(
  db: Db,
  scope: Scope,
  row: groups.GroupRow,
  base: string,
  withMembers: boolean,
): Promise<JsonObject> {
  if (!withMembers) return groupResource(row, undefined, base)
  const members = await groups.listMembersOfGroups(db, scope, [row.group_id], row.member_count + 1000)
  return groupResource(row, members, base)
}

/** @throws ScimError `tooMany` for more members than one response should have */
export async function readGroups(
  db: Db,
  scope: Scope,
  rows: readonly groups.GroupRow[],
  base: string,
  withMembers: boolean,
): Promise<JsonObject[]> {
  if (!withMembers) return rows.map((row) => groupResource(row, undefined, base))
  const ids = rows.map(({ group_id }) => group_id)
  const members = ids.length === 0 ? [] : await groups.listMembersOfGroups(db, scope, ids, mostMembers + 1)
  if (members.length > mostMembers) {
    throw new ScimError(
      'tooMany',
      `The groups of this page have more than ${mostMembers} members. Add excludedAttributes=members, or ask for fewer groups.`,
    )
  }
  const membersOf = Map.groupBy(members, ({ group_id }) => group_id)
  return rows.map((row) => groupResource(row, membersOf.get(row.group_id) ?? [], base))
}

/** Whether a response with these attributes has the members of a group. */
export function showsMembers({ attributes = [], excludedAttributes = [] }: ProjectionRequest): boolean {
  const names = (paths: readonly string[]) => paths.map((path) => readAttributePath(path.trim()))
  const isWhole = (path: ReturnType<typeof readAttributePath>) => path?.name.toLowerCase() === 'members'
  if (attributes.length > 0) return names(attributes).some(isWhole)
  return !names(excludedAttributes).some((path) => isWhole(path) && path?.sub === undefined)
}
