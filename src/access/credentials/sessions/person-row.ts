/** The calling user, as read together with a session or a personal key. */

import type { GroupOfUser, OrganizationOfActor, Person } from '../../../core/actor.ts'
import { isPasswordRefused } from '../../../directory/users/service.ts'
import type { Context } from '../../../store/context.ts'
import { fixedSql } from '../../../store/db/sql.ts'

const commonColumns = `users.user_id, username, email, first_name, last_name, role, group_roles, active,
  must_change_password, credentials_version, access_ends_at, users.organization_id,
  (SELECT organizations.name FROM organizations WHERE organizations.organization_id = users.organization_id)
    AS organization_name`
const groupsOfUser = `(SELECT group_id, name, role, membership_ends.expires_at
  FROM group_members JOIN user_groups USING (group_id) LEFT JOIN membership_ends USING (group_id, user_id)
  WHERE group_members.user_id = users.user_id ORDER BY name_key) AS mine`
const groupMembers = `'group_id', mine.group_id, 'name', mine.name, 'role', mine.role, 'expires_at', mine.expires_at`

/** With the groups in the same statement: callers are read often, and most users are in a few groups. */
export const personColumns = {
  sqlite: fixedSql(
    `${commonColumns}, (SELECT json_group_array(json_object(${groupMembers})) FROM ${groupsOfUser}) AS groups`,
  ),
  postgres: fixedSql(
    `${commonColumns}, (SELECT json_agg(json_build_object(${groupMembers}))::text FROM ${groupsOfUser}) AS groups`,
  ),
}

export type PersonRow = Omit<Person, 'groups' | 'must_change_password' | 'organization'> & {
  /** In JSON, by name, each with the end date of the membership; null on PostgreSQL without any. */
  groups: string | null
  active: number
  organization_id: string | null
  /** Null without an organization. */
  organization_name: string | null
  /** The user's `expires_at`: a session has one of its own. */
  access_ends_at: string | null
  must_change_password: number
}

/** The user at this time: groups whose membership has ended are none, although their rows may still be there. */
export async function toPerson({ db, now }: Pick<Context, 'db' | 'now'>, row: PersonRow): Promise<Person> {
  const { user_id, username, email, first_name, last_name, role, credentials_version } = row
  const organization = organizationIn(row)
  const all = JSON.parse(row.groups ?? '[]') as (GroupOfUser & { expires_at: string | null })[]
  const endOf = ({ expires_at }: (typeof all)[number]) =>
    expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at)
  const current = all.filter((group) => endOf(group) > now)
  const roles = new Set(current.flatMap((group) => group.role ?? []))
  const group_roles = current.length === all.length ? row.group_roles : [...roles].sort().join(' ')
  const endsMs = Math.min(...current.map(endOf))
  return {
    user_id,
    username,
    email,
    first_name,
    last_name,
    role,
    group_roles,
    groups: current.map(({ expires_at: _, ...group }) => group),
    ...(organization !== undefined && { organization }),
    ...(Number.isFinite(endsMs) && { groupsEndMs: endsMs }),
    // A password that the user may not use cannot be changed, so it must not hold them.
    must_change_password: row.must_change_password === 1 && !(await isPasswordRefused(db, row)),
    credentials_version,
  }
}

/** The organization of a row that was read with its name. */
export function organizationIn({
  organization_id,
  organization_name,
}: Pick<PersonRow, 'organization_id' | 'organization_name'>): OrganizationOfActor | undefined {
  return organization_id === null ? undefined : { organization_id, name: organization_name ?? '' }
}
