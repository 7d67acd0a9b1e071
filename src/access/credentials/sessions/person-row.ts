/** The calling user, as read together with a session or a personal key. */

import type { GroupOfUser, Person } from '../../../core/actor.ts'
import { isPasswordRefused } from '../../../directory/users/service.ts'
import type { Db } from '../../../store/db/db.ts'
import { fixedSql } from '../../../store/db/sql.ts'

const commonColumns = `users.user_id, username, email, first_name, last_name, role, group_roles, active,
  must_change_password, credentials_version, users.expires_at AS access_ends_at`
const groupsOfUser = `(SELECT group_id, name, role FROM group_members JOIN user_groups USING (group_id)
  WHERE group_members.user_id = users.user_id ORDER BY name_key) AS mine`
const groupMembers = `'group_id', mine.group_id, 'name', mine.name, 'role', mine.role`

/** With the groups in the same statement: callers are read often, and most users are in a few groups. */
export const personColumns = {
  sqlite: fixedSql(
    `${commonColumns}, (SELECT json_group_array(json_object(${groupMembers})) FROM ${groupsOfUser}) AS groups`,
  ),
  postgres: fixedSql(
    `${commonColumns}, (SELECT json_agg(json_build_object(${groupMembers}))::text FROM ${groupsOfUser}) AS groups`,
  ),
}

export type PersonRow = Omit<Person, 'groups' | 'must_change_password'> & {
  /** In JSON, by name; null on PostgreSQL without any. */
  groups: string | null
  active: number
  /** The user's `expires_at`: a session has one of its own. */
  access_ends_at: string | null
  must_change_password: number
}

export async function toPerson(db: Db, row: PersonRow): Promise<Person> {
  const { user_id, username, email, first_name, last_name, role, group_roles, credentials_version } = row
  return {
    user_id,
    username,
    email,
    first_name,
    last_name,
    role,
    group_roles,
    groups: JSON.parse(row.groups ?? '[]') as GroupOfUser[],
    // A password that the user may not use cannot be changed, so it must not hold them.
    must_change_password: row.must_change_password === 1 && !(await isPasswordRefused(db, row)),
    credentials_version,
  }
}
