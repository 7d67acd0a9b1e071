import type { Scope } from '../../core/scope.ts'
import { type ListPlan, listed } from '../../directory/named-resources/service.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import { forUpdate, forUpdateInOrder, texts } from '../../store/db/dialect.ts'
import { andWithin, conditionsWithin } from '../../store/db/scope.ts'
import { rawSql, sql } from '../../store/db/sql.ts'
import { defineTable, integer, type RowOf, text } from '../../store/db/table.ts'

const groups = defineTable('user_groups', {
  group_id: text(),
  version: integer(),
  name: text(),
  name_key: text(),
  description: text(''),
  external_id: text(null),
  role: text(null),
  member_count: integer(0),
  /** Those of the members who do not belong to the organization of the group; 0 in a group without one. */
  guest_count: integer(0),
  managed_by: text(null),
  organization_id: text(null),
  created_at: text(),
  updated_at: text(),
})

export type GroupRow = RowOf<typeof groups>

const insertion = groups.insertion('ON CONFLICT DO NOTHING')
const updating = groups.update('group_id', { except: ['created_at', 'member_count', 'guest_count'] })

/** Returns false if the name or external id is taken. */
export async function insertGroup(db: Transaction, row: GroupRow): Promise<boolean> {
  return (await db.run(insertion(row))) > 0
}

/** Returns false, without effect, if the name or external id is taken. Leaves the numbers of members. */
export function updateGroup(db: Transaction, row: GroupRow): Promise<boolean> {
  return db.runUnlessTaken(updating(row))
}

export function findTaken(
  db: Db,
  row: Pick<GroupRow, 'group_id' | 'name_key' | 'external_id'>,
): Promise<Pick<GroupRow, 'name_key' | 'external_id'>[]> {
  return db.all(sql`
    SELECT name_key, external_id FROM user_groups
    WHERE group_id <> ${row.group_id} AND (name_key = ${row.name_key} OR external_id = ${row.external_id})`)
}

export async function deleteGroup(db: Transaction, groupId: string): Promise<void> {
  await db.run(sql`DELETE FROM group_members WHERE group_id = ${groupId}`)
  await db.run(sql`DELETE FROM user_groups WHERE group_id = ${groupId}`)
}

export function findGroup(db: Db, scope: Scope, groupId: string): Promise<GroupRow | undefined> {
  return db.get<GroupRow>(sql`SELECT ${groups.columns} FROM user_groups WHERE group_id = ${groupId}${andWithin(scope)}`)
}

/** The group, held against changes by others until this transaction ends. */
export function findGroupForChange(db: Db, scope: Scope, groupId: string): Promise<GroupRow | undefined> {
  return db.get<GroupRow>(
    sql`SELECT ${groups.columns} FROM user_groups WHERE group_id = ${groupId}${andWithin(scope)} ${forUpdate(db)}`,
  )
}

/** The first group with this role, locked as above. */
export function findGroupWithRole(db: Db, role: string): Promise<GroupRow | undefined> {
  return db.get<GroupRow>(sql`
    SELECT ${groups.columns} FROM user_groups WHERE role = ${role} ORDER BY group_id LIMIT 1 ${forUpdate(db)}`)
}

export async function countGroupsWithRole(db: Db, role: string): Promise<number> {
  return Number((await db.get<{ n: number }>(sql`SELECT count(*) AS n FROM user_groups WHERE role = ${role}`))?.n ?? 0)
}

/** The existing ones among these groups, locked as above. */
export function findGroupsForChange(db: Db, scope: Scope, groupIds: readonly string[]): Promise<GroupRow[]> {
  return db.all<GroupRow>(sql`
    SELECT ${groups.columns} FROM user_groups WHERE group_id IN (SELECT value FROM ${texts(db, groupIds)})${andWithin(scope)}
    ${forUpdateInOrder(db, 'group_id')}`)
}

/** The groups of an organization that have this user as a member, locked as above. */
export function findGroupsOfOrganizationWith(db: Db, organizationId: string, userId: string): Promise<GroupRow[]> {
  return db.all<GroupRow>(sql`
    SELECT ${groups.columns} FROM user_groups
    WHERE organization_id = ${organizationId}
      AND group_id IN (SELECT group_id FROM group_members WHERE user_id = ${userId})
    ${forUpdateInOrder(db, 'group_id')}`)
}

/** The groups with one of these names, and those with one of these ids. */
export function findGroupsByNames(
  db: Db,
  scope: Scope,
  nameKeys: readonly string[],
  groupIds: readonly string[],
): Promise<Pick<GroupRow, 'group_id' | 'name' | 'name_key' | 'role' | 'managed_by' | 'organization_id'>[]> {
  const wanted = sql`name_key IN (SELECT value FROM ${texts(db, nameKeys)})
      OR group_id IN (SELECT value FROM ${texts(db, groupIds)})`
  return db.all(sql`
    SELECT group_id, name, name_key, role, managed_by, organization_id FROM user_groups
    WHERE ${scope.kind === 'everyone' ? wanted : sql`(${wanted})${andWithin(scope)}`}`)
}

/** The groups of a user, by name. */
export function listGroupsOfUser(db: Db, scope: Scope, userId: string): Promise<GroupRow[]> {
  return db.all<GroupRow>(sql`
    SELECT ${groups.columns} FROM user_groups
    WHERE group_id IN (SELECT group_id FROM group_members WHERE user_id = ${userId})${andWithin(scope)} ORDER BY name_key`)
}

export type SortColumn = 'name_key' | 'created_at' | 'member_count'
export type GroupFilters = {
  ids?: readonly string[]
  name_key?: string
  external_id?: string
  role?: string
  /** `none`: those that belong to no organization. */
  organization_id?: string
}
export type GroupList = ListPlan<SortColumn> & { filters: GroupFilters }

export function listGroups(db: Db, scope: Scope, list: GroupList): Promise<GroupRow[]> {
  const { organization_id, ...filters } = list.filters
  const conditions = conditionsWithin(scope, rawSql('organization_id'))
  if (organization_id === 'none') conditions.push(sql`organization_id IS NULL`)
  else if (organization_id !== undefined) conditions.push(sql`organization_id = ${organization_id}`)
  // A limited caller sees how many of the members belong to the organization, and the others apart.
  const isCounted = list.sort.column === 'member_count' && scope.kind !== 'everyone'
  const column = isCounted ? '(member_count - guest_count)' : list.sort.column
  return db.all<GroupRow>(sql`
    SELECT ${groups.columns} FROM user_groups ${listed(db, 'group_id', { ...list, filters }, conditions, column)}`)
}

/** What a search of groups looks at, of all groups. */
export function listSearched(
  db: Db,
  scope: Scope,
): Promise<{ id: string; name: string; external_id: string | null }[]> {
  const [within] = conditionsWithin(scope, rawSql('organization_id'))
  if (within === undefined) return db.all(sql`SELECT group_id AS id, name, external_id FROM user_groups`)
  return db.all(sql`SELECT group_id AS id, name, external_id FROM user_groups WHERE ${within}`)
}

/** Which of these users are members, with the end dates of the memberships. */
export async function findMembers(
  db: Db,
  groupId: string,
  userIds: readonly string[],
): Promise<Map<string, string | null>> {
  const rows = await db.all<{ user_id: string; expires_at: string | null }>(sql`
    SELECT user_id, expires_at FROM group_members LEFT JOIN membership_ends USING (group_id, user_id)
    WHERE group_id = ${groupId} AND user_id IN (SELECT value FROM ${texts(db, userIds)})`)
  return new Map(rows.map(({ user_id, expires_at }) => [user_id, expires_at]))
}

/** The ids of all members, whose rows are held until this transaction ends. */
export async function holdMembers(db: Transaction, groupId: string): Promise<string[]> {
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT user_id FROM users WHERE user_id IN (SELECT user_id FROM group_members WHERE group_id = ${groupId})
    ${forUpdateInOrder(db, 'user_id')}`)
  return rows.map(({ user_id }) => user_id)
}

type Standing = { role: string; group_roles: string }

/** The distinct combinations of roles held by a group's members within the scope. */
export function listStandings(db: Db, scope: Scope, groupId: string): Promise<Standing[]> {
  return db.all<Standing>(sql`
    SELECT DISTINCT role, group_roles FROM group_members JOIN users USING (user_id)
    WHERE group_id = ${groupId}${andWithin(scope)}`)
}

export type RoleHeld = { user_id: string; role: string; expires_at: string | null }

/** The roles that these users hold through other groups than this one, each with the end date of the membership. */
export function rolesElsewhere(db: Db, groupId: string, userIds: readonly string[]): Promise<RoleHeld[]> {
  return db.all<RoleHeld>(sql`
    SELECT user_id, role, expires_at FROM group_members JOIN user_groups USING (group_id)
      LEFT JOIN membership_ends USING (group_id, user_id)
    WHERE user_id IN (SELECT value FROM ${texts(db, userIds)}) AND group_id <> ${groupId} AND role IS NOT NULL`)
}

export async function insertMembers(db: Transaction, groupId: string, userIds: readonly string[]): Promise<void> {
  await db.run(sql`
    INSERT INTO group_members (group_id, user_id)
    SELECT ${groupId}, value FROM ${texts(db, userIds)} WHERE true ON CONFLICT DO NOTHING`)
}

export async function deleteMembers(db: Transaction, groupId: string, userIds: readonly string[]): Promise<void> {
  await db.run(sql`
    DELETE FROM group_members
    WHERE group_id = ${groupId} AND user_id IN (SELECT value FROM ${texts(db, userIds)})`)
}

type Counted = {
  group_id: string
  /** Who became members, and who are none any more. */
  coming?: readonly string[]
  going?: readonly string[]
  /** False: none of them was a guest. Otherwise it is decided by the organizations they have now. */
  areGuests?: boolean
  now: string
  adopter?: string | null
}

const isGuest = sql`(users.organization_id IS NULL OR users.organization_id <> user_groups.organization_id)`

/** Writes how many have come and gone. Returns the group as it is then. */
export async function countMembers(
  db: Transaction,
  { group_id, coming = [], going = [], areGuests = true, now, adopter = null }: Counted,
): Promise<GroupRow> {
  const guestsAmong = (userIds: readonly string[]) =>
    userIds.length === 0 || !areGuests
      ? sql`0`
      : sql`(SELECT count(*) FROM users WHERE user_id IN (SELECT value FROM ${texts(db, userIds)}) AND ${isGuest})`
  const [row] = await db.returning<GroupRow>(sql`
    UPDATE user_groups
    SET member_count = member_count + ${coming.length - going.length},
      guest_count = CASE WHEN organization_id IS NULL THEN 0
        ELSE guest_count + ${guestsAmong(coming)} - ${guestsAmong(going)} END,
      version = version + 1, updated_at = ${now}, managed_by = coalesce(managed_by, ${adopter})
    WHERE group_id = ${group_id} RETURNING ${groups.columns}`)
  return row as GroupRow
}

/** Writes how many of the members are guests, after the group or one of its members was moved to another organization. */
export async function recountGuests(db: Transaction, groupIds: readonly string[]): Promise<void> {
  await db.run(sql`
    UPDATE user_groups
    SET guest_count = CASE WHEN organization_id IS NULL THEN 0 ELSE (
      SELECT count(*) FROM group_members JOIN users USING (user_id)
      WHERE group_members.group_id = user_groups.group_id AND ${isGuest}) END
    WHERE group_id IN (SELECT value FROM ${texts(db, groupIds)})`)
}

/** One of the members of these groups is a guest no more. */
export async function countGuestLess(db: Transaction, groupIds: readonly string[], now: string): Promise<void> {
  await db.run(sql`
    UPDATE user_groups SET guest_count = guest_count - 1, version = version + 1, updated_at = ${now}
    WHERE group_id IN (SELECT value FROM ${texts(db, groupIds)})`)
}

/** Deletes all memberships of a user. Returns the groups. */
export async function deleteMemberships(db: Transaction, userId: string): Promise<string[]> {
  const rows = await db.returning<{ group_id: string }>(
    sql`DELETE FROM group_members WHERE user_id = ${userId} RETURNING group_id`,
  )
  return rows.map(({ group_id }) => group_id).sort()
}

type GroupOf = { user_id: string; group_id: string; name: string }

/** The groups of these users, by name. */
export function listGroupsOfUsers(db: Db, scope: Scope, userIds: readonly string[]): Promise<GroupOf[]> {
  return db.all<GroupOf>(sql`
    SELECT group_members.user_id, group_id, name FROM group_members JOIN user_groups USING (group_id)
    WHERE group_members.user_id IN (SELECT value FROM ${texts(db, userIds)})${andWithin(scope)} ORDER BY name_key`)
}

/** `expires_at`: when the membership ends. */
export type RoleOfGroup = GroupOf & { role: string; expires_at: string | null }

/** The groups of these users that have a role, by name. */
export function listRolesOfGroups(db: Db, userIds: readonly string[]): Promise<RoleOfGroup[]> {
  return db.all<RoleOfGroup>(sql`
    SELECT user_id, group_id, name, role, expires_at FROM group_members JOIN user_groups USING (group_id)
      LEFT JOIN membership_ends USING (group_id, user_id)
    WHERE user_id IN (SELECT value FROM ${texts(db, userIds)}) AND role IS NOT NULL ORDER BY name_key`)
}

/** The groups of the given users. `pairs` alternates user_id and group_id, in order. */
export type Memberships = { pairs: string; groups: { group_id: string; name: string }[] }

/** The memberships of the users behind one id up to another; the groups by name. */
export async function membershipsBetween(db: Db, after: string, last: string): Promise<Memberships> {
  const [found, groups] = await Promise.all([
    db.get<{ pairs: string | null }>(sql`
      SELECT string_agg(user_id || group_id, '') AS pairs FROM (
        SELECT user_id, group_id FROM group_members WHERE user_id > ${after} AND user_id <= ${last}
        ORDER BY user_id, group_id) AS memberships`),
    db.all<{ group_id: string; name: string }>(sql`
      SELECT group_id, name FROM user_groups
      WHERE group_id IN (SELECT group_id FROM group_members WHERE user_id > ${after} AND user_id <= ${last})
      ORDER BY name_key`),
  ])
  return { pairs: found?.pairs ?? '', groups }
}

/**
 * The ids of the groups of each of these users. Looks into the index user by user: without statistics, as during the first
 * import, PostgreSQL would read all memberships for a join.
 */
export async function findMemberships(db: Db, userIds: readonly string[]): Promise<Map<string, string[]>> {
  if (userIds.length === 0) return new Map()
  const aggregate = rawSql(db.engine === 'sqlite' ? 'json_group_array' : 'json_agg')
  const rows = await db.all<{ user_id: string; ids: string | string[] | null }>(sql`
    SELECT value AS user_id,
      (SELECT ${aggregate}(group_id) FROM group_members WHERE group_members.user_id = value) AS ids
    FROM ${texts(db, userIds)}`)
  return new Map(rows.map(({ user_id, ids }) => [user_id, typeof ids === 'string' ? JSON.parse(ids) : (ids ?? [])]))
}

type MemberOf = { group_id: string; user_id: string; username: string }

/** The members of these groups within the scope, by user_id; `limit` of all of them together. */
export function listMembersOfGroups(
  db: Db,
  scope: Scope,
  groupIds: readonly string[],
  limit: number,
): Promise<MemberOf[]> {
  return db.all<MemberOf>(sql`
    SELECT group_id, group_members.user_id, username FROM group_members JOIN users USING (user_id)
    WHERE group_id IN (SELECT value FROM ${texts(db, groupIds)})${andWithin(scope)} ORDER BY group_id, group_members.user_id LIMIT ${limit}`)
}

/** The ids of the groups that have one of these users as a member. */
export async function findGroupsWithMember(db: Db, userIds: readonly string[]): Promise<string[]> {
  const rows = await db.all<{ group_id: string }>(sql`
    SELECT DISTINCT group_id FROM group_members WHERE user_id IN (SELECT value FROM ${texts(db, userIds)})`)
  return rows.map(({ group_id }) => group_id)
}

/** Adds up what each group counts, which takes no longer with many members. */
export async function countGroups(db: Db): Promise<{ groups: number; memberships: number }> {
  const found = await db.get<{ groups: number; memberships: number }>(
    sql`SELECT count(*) AS groups, coalesce(sum(member_count), 0) AS memberships FROM user_groups`,
  )
  return { groups: Number(found?.groups ?? 0), memberships: Number(found?.memberships ?? 0) }
}
