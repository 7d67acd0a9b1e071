/** Maps groups between SCIM and Rollbook. SCIM has no role or description of a group. */
import type { Json, JsonObject } from '../protocol/json.ts'
import { groupUrn } from '../protocol/urns.ts'
import { metaOf } from './meta.ts'

interface GroupMembers {
  readonly name: string
  readonly external_id: string | null
}

/** Maps everything but the members, which are separate rows. */
export function groupFromScim({ displayName, externalId }: JsonObject): GroupMembers {
  return { name: textOr(displayName), external_id: textOr(externalId) || null }
}

interface StoredGroup {
  readonly group_id: string
  readonly name: string
  readonly external_id: string | null
  readonly created_at: string
  readonly updated_at: string
}

export interface GroupMember {
  readonly user_id: string
  readonly username: string
}

/**
 * @param members undefined if the response leaves them out
 * @param base the address of the SCIM endpoint, without a slash at its end
 */
export function groupToScim(
  group: StoredGroup,
  members: readonly GroupMember[] | undefined,
  base: string,
  version: string,
): JsonObject {
  const { group_id, name, external_id } = group
  return {
    schemas: [groupUrn],
    id: group_id,
    ...(external_id !== null && { externalId: external_id }),
    displayName: name,
    ...(members !== undefined && { members: members.map((one) => memberReference(one, base)) }),
    meta: metaOf('Group', `${base}/Groups/${group_id}`, group, version),
  }
}

function memberReference({ user_id, username }: GroupMember, base: string): JsonObject {
  return { value: user_id, $ref: `${base}/Users/${user_id}`, type: 'User', display: username }
}

function textOr(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
