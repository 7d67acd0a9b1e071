import { AppError } from '../../core/errors.ts'
import type { Scope } from '../../core/scope.ts'
import { timestamp } from '../../lib/instant.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import { forUpdate, forUpdateInOrder, givenRows, texts } from '../../store/db/dialect.ts'
import { andWithin } from '../../store/db/scope.ts'
import { type FixedSql, fixedSql, joinSql, rawSql, type Sql, sql } from '../../store/db/sql.ts'
import { defineTable, integer, type RowOf, text } from '../../store/db/table.ts'
import { readValues } from '../attributes/service.ts'
import { type ConfusableName, type NameColumn, nameTaken, uniqueNames } from './names.ts'
import type { User } from './schema.ts'

/** Every column that both engines have. SQLite also numbers the rows, for its search index: see search/row-order.ts. */
const columns = {
  user_id: text(),
  version: integer(),
  /** The user as the API shows it, in JSON. */
  document: text(),
  username: text(),
  username_key: text(),
  email: text(null),
  email_key: text(null),
  external_id: text(null),
  first_name: text(''),
  last_name: text(''),
  role: text(),
  active: integer(),
  password_hash: text(null),
  last_login_at: text(null),
  created_at: text(),
  updated_at: text(),
  search_text: text(),
  /** 1: the password was set by another person, and serves only to set a new one. */
  must_change_password: integer(0),
  /** Counted up whenever credentials of the user end. */
  credentials_version: integer(0),
  /** The roles of the user's groups, sorted, with spaces between; `src/administration/groups` keeps them current. */
  group_roles: text(''),
  /** Those of `group_roles` that the user has only through memberships with an end date, in the same form. */
  ending_roles: text(''),
  /** The provisioning connection whose identity provider manages the user. */
  managed_by: text(null),
  /** The values of custom attributes: a JSON object, in the order of the names. */
  attributes: text('{}'),
  /** 1: a link that went to the address was used. */
  email_verified: integer(0),
  /** 1: invited, and has not set a password yet. */
  invited: integer(0),
  locale: text(null),
  /** `service` for a service account, which cannot sign in; see service-accounts.ts. */
  kind: text('person'),
  /** The end date: from this instant on the user has no access. See access-state.ts. */
  access_ends_at: text(null),
  /** 1: the event and the record of this end have been written. */
  end_recorded: integer(0),
  /** When the user was last enabled again. Never for most. */
  enabled_at: text(null),
  /** A use of a session or key on the last day with one, in UTC, while there is an inactivity rule. Sessions and keys know more, until they end. */
  access_used_at: text(null),
  /** When the user was told that they will be disabled for inactivity, and from when on; see core/inactivity.ts. */
  inactivity_noticed_at: text(null),
  inactivity_ends_at: text(null),
  /** The organization to which the user belongs. */
  organization_id: text(null),
} as const

const users = defineTable('users', columns)

export type UserRow = RowOf<typeof users>

/** Fills the columns that a new user was not given, or that did not exist when the row was kept. */
export const completeRow = users.complete

/** The one place that decides what of a row may leave. */
export function toUser(row: Omit<UserRow, 'document'>): User {
  // Every change makes this three times, so without copies of objects.
  const user: Omit<User, 'attributes'> & Partial<User> = {
    user_id: row.user_id,
    username: row.username,
    email: row.email,
    external_id: row.external_id,
    first_name: row.first_name,
    last_name: row.last_name,
    role: row.role,
    active: Boolean(row.active),
    has_password: row.password_hash !== null,
    last_login_at: row.last_login_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
  if (row.managed_by !== null) user.managed_by = row.managed_by
  if (row.email_verified === 1) user.email_verified = true
  if (row.invited === 1) user.invited = true
  if (row.locale !== null) user.locale = row.locale
  if (row.kind === 'service') user.kind = 'service'
  if (row.access_ends_at !== null) user.expires_at = row.access_ends_at
  if (row.organization_id !== null) user.organization_id = row.organization_id
  return Object.assign(user, { attributes: readValues(row.attributes) })
}

const insertion = users.insertion('ON CONFLICT DO NOTHING')
const numberedInsertion = users.insertionWith('row_id', 'ON CONFLICT DO NOTHING')

/**
 * @param place Its `row_id` on SQLite, see search/row-order.ts.
 * @throws AppError `username_taken`, `email_taken`, `external_id_taken`
 */
export async function insertUser(db: Transaction, row: UserRow, place: number | undefined): Promise<void> {
  const isInserted = db.shared
    ? await db.shared.write(insertEach, row)
    : (await db.run(place === undefined ? insertion(row) : numberedInsertion(place, row))) > 0
  if (!isInserted) await refuseTaken(db, row)
}

/** Inserts many rows at once, on PostgreSQL. Returns how many found their names free. */
export function insertUsers(db: Transaction, rows: readonly UserRow[]): Promise<number> {
  return db.run(sql`
    INSERT INTO users (${users.columns})
    SELECT ${users.columns} FROM json_to_recordset(${JSON.stringify(rows)}::json) AS row (${users.definitions})
    ON CONFLICT DO NOTHING`)
}

/** Returns whether each of them found its names free. In the order of the names, in which transactions never deadlock. */
async function insertEach(db: Transaction, rows: readonly UserRow[]): Promise<boolean[]> {
  const inOrder = rows.toSorted((a, b) => (a.username_key < b.username_key ? -1 : 1))
  const inserted = await db.returning<Pick<UserRow, 'user_id'>>(sql`
    INSERT INTO users (${users.columns})
    SELECT ${users.columns} FROM json_to_recordset(${JSON.stringify(inOrder)}::json) AS row (${users.definitions})
    ON CONFLICT DO NOTHING RETURNING user_id`)
  const ids = new Set(inserted.map(({ user_id }) => user_id))
  return rows.map(({ user_id }) => ids.has(user_id))
}

const changeable = users.names.filter((column) => column !== 'user_id' && column !== 'created_at')

/**
 * Writes what differs between two states of a row. Only that: SQLite rewrites each index whose column is set, also to
 * the same value, which took a third of the time of a change.
 *
 * @throws AppError `username_taken`, `email_taken`, `external_id_taken`
 */
export async function updateUser(db: Transaction, found: UserRow, next: UserRow): Promise<void> {
  const columns = changeable.filter((column) => next[column] !== found[column])
  const update = updateOf(columns, next)
  // Most changes touch nothing that must be unique, and need no way back.
  const isFree = !columns.some((column) => unique.includes(column))
  if (isFree && db.shared) await db.shared.write(updateEach, { columns, next })
  else if (isFree) await db.run(update)
  else if (!(await db.runUnlessTaken(update))) await refuseTaken(db, next)
}

/** The strings of the statement for each set of columns that is changed: each connection prepares it once. */
const updates = new Map<string, readonly string[]>()
/** Others are composed each time, so that changes of many kinds do not keep a statement each. */
const mostUpdates = 64

function updateOf(columns: readonly (keyof UserRow)[], next: UserRow): Sql {
  const key = columns.join(' ')
  let strings = updates.get(key)
  if (strings === undefined) {
    const places = columns.map((column, n) => `${n === 0 ? 'UPDATE users SET ' : ', '}${column} = `)
    strings = [...places, ' WHERE user_id = ', '']
    if (updates.size < mostUpdates) updates.set(key, strings)
  }
  const update = { strings, values: [...columns.map((column) => next[column]), next.user_id] }
  return updates.has(key) ? update : sql`${update}`
}

type Rewriting = { columns: readonly (keyof UserRow)[]; next: UserRow }

/** Writes these columns of users whose rows the transaction holds: a statement for each set of columns. */
async function updateEach(db: Transaction, changes: readonly Rewriting[]): Promise<boolean[]> {
  const alike = Map.groupBy(changes, ({ columns }) => columns.join(', '))
  await Promise.all(
    alike.values().map(([first, ...others]) => {
      const { columns } = first as Rewriting
      const parameters = ['user_id', ...columns].map((column) => `${column} ${users.typeOf(column as keyof UserRow)}`)
      const rows = [first as Rewriting, ...others].map(({ next }) => [
        ['user_id', next.user_id],
        ...columns.map((column) => [column, next[column]]),
      ])
      const list = JSON.stringify(rows.map((row) => Object.fromEntries(row)))
      return db.run(sql`
        UPDATE users SET ${rawSql(columns.map((column) => `${column} = given.${column}`).join(', '))}
        FROM json_to_recordset(${list}::json) AS given (${rawSql(parameters.join(', '))})
        WHERE users.user_id = given.user_id`)
    }),
  )
  return changes.map(() => true)
}

const unique: readonly string[] = uniqueNames.map(({ others }) => others)

/** Lists everything that is taken: the database names only one, in an order of its own. */
async function refuseTaken(db: Db, row: UserRow): Promise<never> {
  const others = await db.all<Pick<UserRow, NameColumn>>(sql`
    SELECT username_key, email_key, external_id FROM users
    WHERE user_id <> ${row.user_id} AND (username_key = ${row.username_key} OR email_key = ${row.email_key}
      OR external_id = ${row.external_id})`)
  const [first, ...rest] = uniqueNames.filter(
    (rule) => row[rule.own] !== null && others.some((other) => other[rule.others] === row[rule.own]),
  )
  if (first !== undefined) throw nameTaken(first, ...rest)
  throw new AppError('overloaded', 'A user with this name has just been changed. Try again.')
}

export async function deleteUser(db: Transaction, userId: string): Promise<void> {
  await db.run(sql`DELETE FROM users WHERE user_id = ${userId}`)
}

type Document = { user_id: string; document: string; version: number }

/** These users as the API shows them, in the order of their ids. */
export function findDocuments(db: Db, userIds: readonly string[]): Promise<Document[]> {
  return db.all<Document>(sql`
    SELECT user_id, document, version FROM users WHERE user_id IN (SELECT value FROM ${texts(db, userIds)})
    ORDER BY user_id`)
}

export function findUserById(db: Db, scope: Scope, userId: string): Promise<UserRow | undefined> {
  return db.get<UserRow>(sql`SELECT ${users.columns} FROM users WHERE user_id = ${userId}${andWithin(scope)}`)
}

/** The user, held against changes by others until this transaction ends. */
export async function findUserForChange(db: Db, scope: Scope, userId: string): Promise<UserRow | undefined> {
  if (db.shared) {
    // Others share the statement, whatever their scope.
    if (scope.kind !== 'everyone') return db.shared.rerunAlone()
    return (await db.shared.read(holdEach, userId)) ?? db.shared.rerunAlone()
  }
  return db.get<UserRow>(
    sql`SELECT ${users.columns} FROM users WHERE user_id = ${userId}${andWithin(scope)} ${forUpdate(db)}`,
  )
}

/** Holds those of these users whom no other transaction holds: one must not make all of them wait. */
async function holdEach(db: Db, userIds: readonly string[]): Promise<(UserRow | undefined)[]> {
  const rows = await db.all<UserRow>(sql`
    SELECT ${users.columns} FROM users
    WHERE user_id IN (SELECT value FROM json_array_elements_text(${JSON.stringify(userIds)}::json) AS list (value))
    FOR UPDATE SKIP LOCKED`)
  const found = new Map(rows.map((row) => [row.user_id, row]))
  return userIds.map((userId) => found.get(userId))
}

/** For a sign-in: no other user has one of these as the other. */
export function findUserByName(
  db: Db,
  { username_key, email_key }: { username_key: string; email_key: string },
): Promise<UserRow | undefined> {
  return db.get<UserRow>(
    sql`SELECT ${users.columns} FROM users WHERE username_key = ${username_key} OR email_key = ${email_key}`,
  )
}

export function listUsersByNames(
  db: Db,
  keys: readonly { username_key: string; email_key: string }[],
): Promise<UserRow[]> {
  const [names, addresses] = [keys.map((one) => one.username_key), keys.map((one) => one.email_key)]
  return db.all<UserRow>(sql`
    SELECT ${users.columns} FROM users WHERE username_key IN (SELECT value FROM ${texts(db, names)})
    UNION SELECT ${users.columns} FROM users WHERE email_key IN (SELECT value FROM ${texts(db, addresses)})`)
}

export type Standing = Pick<UserRow, 'user_id' | 'username' | 'email' | 'role' | 'active' | 'group_roles'>

/** A user's identity and roles, read from columns that every release has. Without groups in a store from before groups. */
export function findStandingByName(
  db: Db,
  { username_key, email_key }: { username_key: string; email_key: string },
  { hasGroups }: { hasGroups: boolean },
): Promise<Standing | undefined> {
  const groupRoles = rawSql(hasGroups ? 'group_roles' : "'' AS group_roles")
  return db.get<Standing>(sql`
    SELECT user_id, username, email, role, active, ${groupRoles} FROM users
    WHERE username_key = ${username_key} OR email_key = ${email_key}`)
}

/** The user who comes last in the default order. */
export async function findLastId(db: Db): Promise<string | undefined> {
  return (
    (await db.get<{ user_id: string | null }>(sql`SELECT max(user_id) AS user_id FROM users`))?.user_id ?? undefined
  )
}

export function findDocument(
  db: Db,
  scope: Scope,
  userId: string,
): Promise<{ document: string; version: number } | undefined> {
  return db.get(sql`SELECT document, version FROM users WHERE user_id = ${userId}${andWithin(scope)}`)
}

/** The unique members by which users are looked up. */
export type Names = { user_ids: string[]; username_keys: string[]; email_keys: string[]; external_ids: string[] }

/** Returns the users with one of these names. `forChange` locks them until the transaction ends. */
export async function findUsersByNames(
  db: Db,
  scope: Scope,
  names: Names,
  { forChange = false } = {},
): Promise<UserRow[]> {
  const conditions = [
    { column: 'user_id', values: names.user_ids },
    { column: 'username_key', values: names.username_keys },
    { column: 'email_key', values: names.email_keys },
    { column: 'external_id', values: names.external_ids },
  ].filter(({ values }) => values.length > 0)
  const found = new Map<string, UserRow>()
  for (const { column, values } of conditions) {
    const rows = await db.all<UserRow>(sql`
      SELECT ${users.columns} FROM users WHERE ${rawSql(column)} IN (SELECT value FROM ${texts(db, values)})${andWithin(scope)}
      ${forChange ? forUpdateInOrder(db, 'user_id') : rawSql('')}`)
    for (const row of rows) found.set(row.user_id, row)
  }
  return [...found.values()]
}

/** Which of these ids belonged to deleted users: no id is used twice. */
export async function findFormerIds(db: Db, userIds: readonly string[]): Promise<Set<string>> {
  if (userIds.length === 0) return new Set()
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT user_id FROM deleted_users WHERE user_id IN (SELECT value FROM ${texts(db, userIds)})
    UNION SELECT user_id FROM erasures WHERE user_id IN (SELECT value FROM ${texts(db, userIds)})`)
  return new Set(rows.map(({ user_id }) => user_id))
}

/** Whether the organization of a user, if there is one, is not disabled. */
export const ofActiveOrganization = sql`(
  users.organization_id IS NULL
  OR users.organization_id NOT IN (SELECT organization_id FROM organizations WHERE organizations.active = 0))`

/**
 * `now`: also people with an end date that has not come by then, in epoch milliseconds. `within`: only those of this organization. `alsoOf`:
 * also those of this one if it is disabled.
 */
export type WithRole = { now?: number; within?: string | undefined; alsoOf?: string }

/** Active people with one of these roles, of their own or through a group, a few of them. Not those of disabled organizations. */
export async function findSomeWithRole(
  db: Db,
  roles: readonly string[],
  limit: number,
  { now, within, alsoOf = '' }: WithRole = {},
): Promise<string[]> {
  const list = joinSql(
    roles.map((role) => sql`${role}`),
    ', ',
  )
  const hasNoEnd = sql`users.access_ends_at IS NULL`
  const until = now === undefined ? undefined : timestamp(now)
  const isThere = until === undefined ? hasNoEnd : sql`(${hasNoEnd} OR users.access_ends_at > ${until})`
  const isOfAny = sql`(${ofActiveOrganization} OR users.organization_id = ${alsoOf})`
  const isWithin = within === undefined ? isOfAny : sql`users.organization_id = ${within}`
  const own = await db.all<{ user_id: string }>(sql`
    SELECT user_id FROM users
    WHERE role IN (${list}) AND active = 1 AND kind = 'person' AND ${isWithin} AND ${isThere}
    LIMIT ${limit}`)
  if (own.length === limit) return own.map(({ user_id }) => user_id)
  const others = await db.all<{ user_id: string }>(sql`
    SELECT DISTINCT user_id FROM user_groups JOIN group_members USING (group_id) JOIN users USING (user_id)
    WHERE user_groups.role IN (${list}) AND users.role NOT IN (${list}) AND active = 1 AND kind = 'person' AND ${isThere}
      AND ${isWithin} AND NOT EXISTS (${endOfMembership(until)})
    LIMIT ${limit - own.length}`)
  return [...own, ...others].map(({ user_id }) => user_id)
}

/** The ids of users who hold more than the role `user`, of their own or through groups, after this one. Index: users_with_permissions. */
export async function listWithPermissions(
  db: Db,
  { after = '', limit }: { after?: string | undefined; limit: number },
): Promise<string[]> {
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT user_id FROM users WHERE (role <> 'user' OR group_roles <> '') AND user_id > ${after}
    ORDER BY user_id LIMIT ${limit}`)
  return rows.map(({ user_id }) => user_id)
}

/** The end of a membership in `group_members`, of which there is at most one; `until`: only if it has come by then. */
function endOfMembership(until?: string): Sql {
  return sql`SELECT 1 FROM membership_ends
    WHERE membership_ends.group_id = group_members.group_id AND membership_ends.user_id = group_members.user_id
      AND ${until === undefined ? sql`1 = 1` : sql`membership_ends.expires_at <= ${until}`}`
}

/** Writes the roles of these users' groups into the users. The caller holds the users. */
export async function refreshGroupRoles(db: Transaction, userIds: readonly string[]): Promise<void> {
  const ids = texts(db, userIds)
  const held = rolesOfMemberships(db, '', '')
  await db.run(sql`
    UPDATE users SET group_roles = ${held} WHERE user_id IN (SELECT value FROM ${ids}) AND group_roles <> ${held}`)
  const ending = rolesOfMemberships(
    db,
    `LEFT JOIN membership_ends ON membership_ends.group_id = group_members.group_id
       AND membership_ends.user_id = group_members.user_id`,
    'HAVING count(*) = count(membership_ends.expires_at)',
  )
  // Hardly anyone has an end: the others are found by an index.
  await db.run(sql`
    UPDATE users SET ending_roles = ${ending}
    WHERE user_id IN (SELECT value FROM ${ids})
      AND (ending_roles <> '' OR EXISTS (SELECT 1 FROM membership_ends WHERE membership_ends.user_id = users.user_id))
      AND ending_roles <> ${ending}`)
}

/** The roles that a row of `users` has through groups, sorted, with spaces between. */
function rolesOfMemberships({ engine }: Pick<Db, 'engine'>, join: string, having: string): Sql {
  const aggregate = engine === 'sqlite' ? 'group_concat' : 'string_agg'
  return rawSql(`coalesce((
    SELECT ${aggregate}(role, ' ' ORDER BY role) FROM (
      SELECT user_groups.role FROM group_members JOIN user_groups USING (group_id) ${join}
      WHERE group_members.user_id = users.user_id AND user_groups.role IS NOT NULL
      GROUP BY user_groups.role ${having}) AS held), '')`)
}

/** The parts of a group that give something to its members. */
export type Giver = { name: string; name_key: string; role: string | null }

/** The roles of these users, their own and those of their groups. */
export function findStandings(
  db: Db,
  userIds: readonly string[],
): Promise<Pick<UserRow, 'user_id' | 'role' | 'group_roles'>[]> {
  return db.all(sql`
    SELECT user_id, role, group_roles FROM users WHERE user_id IN (SELECT value FROM ${texts(db, userIds)})
    ORDER BY user_id`)
}

/** What the groups of a user give. */
export function findGivers(db: Db, userId: string): Promise<Giver[]> {
  return db.all<Giver>(sql`
    SELECT name, name_key, role FROM user_groups
    WHERE group_id IN (SELECT group_id FROM group_members WHERE user_id = ${userId})`)
}

type HeldRole = { role: string; expires_at: string | null }

/** The roles of a user by groups that do not belong to this organization, each with the end date of the membership. */
export function rolesOutside(db: Db, userId: string, organizationId: string): Promise<HeldRole[]> {
  return db.all<HeldRole>(sql`
    SELECT role, expires_at FROM group_members JOIN user_groups USING (group_id)
      LEFT JOIN membership_ends USING (group_id, user_id)
    WHERE user_id = ${userId} AND role IS NOT NULL
      AND (user_groups.organization_id IS NULL OR user_groups.organization_id <> ${organizationId})`)
}

/** The next users who have this role themselves, held until this transaction ends. */
export function findUsersWithRole(db: Db, role: string, limit: number): Promise<UserRow[]> {
  return db.all<UserRow>(sql`
    SELECT ${users.columns} FROM users WHERE role = ${role} ORDER BY user_id LIMIT ${limit} ${forUpdate(db)}`)
}

export async function countUsersWithRole(db: Db, role: string): Promise<number> {
  return Number((await db.get<{ n: number }>(sql`SELECT count(*) AS n FROM users WHERE role = ${role}`))?.n ?? 0)
}

/** Voids the access tokens of these users. Returns their new versions. */
export function raiseCredentialsVersions(
  db: Transaction,
  userIds: readonly string[],
): Promise<Pick<UserRow, 'user_id' | 'credentials_version'>[]> {
  return db.returning(sql`
    UPDATE users SET credentials_version = credentials_version + 1
    WHERE user_id IN (SELECT value FROM ${texts(db, userIds)})
    RETURNING user_id, credentials_version`)
}

/** Whether another user has this name in the other column, and not also in the same one: that is left to the unique index. */
export async function isConfusable(
  db: Db,
  { own, others }: ConfusableName,
  key: string,
  userId: string,
): Promise<boolean> {
  if (db.shared) return db.shared.read(areConfusable[own], { key, user_id: userId })
  const found = sql`
    SELECT 1 FROM users
    WHERE ${nameColumns[others]} = ${key} AND COALESCE(${nameColumns[own]}, '') <> ${key} AND user_id <> ${userId}`
  return (await db.get(found)) !== undefined
}

const nameColumns: Readonly<Record<ConfusableName['own'], FixedSql>> = {
  username_key: fixedSql('username_key'),
  email_key: fixedSql('email_key'),
}

type Named = { key: string; user_id: string }
type AreConfusable = (db: Db, pairs: readonly Named[]) => Promise<boolean[]>

const areConfusable: Readonly<Record<ConfusableName['own'], AreConfusable>> = {
  username_key: areConfusableWith('username_key', 'email_key'),
  email_key: areConfusableWith('email_key', 'username_key'),
}

function areConfusableWith(own: ConfusableName['own'], others: ConfusableName['own']): AreConfusable {
  return async (db, pairs) => {
    const rows = await db.all<Named>(sql`
      SELECT given.key, given.user_id FROM ${givenNames(db, pairs)}
      WHERE EXISTS (
        SELECT 1 FROM users
        WHERE ${nameColumns[others]} = given.key AND COALESCE(${nameColumns[own]}, '') <> given.key
          AND users.user_id <> given.user_id)`)
    return pairs.map(({ key, user_id }) => rows.some((row) => row.key === key && row.user_id === user_id))
  }
}

const givenNames = givenRows<Named>({ key: 'text', user_id: 'text' })

export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.get(sql`SELECT 1 FROM users LIMIT 1`)) !== undefined
}

type Password = { password_hash: string; must_change_password: number }

/** The passwords of those of these users who have one. */
export async function findPasswords(db: Db, userIds: readonly string[]): Promise<Map<string, Password>> {
  if (userIds.length === 0) return new Map()
  const list = joinSql(
    userIds.map((id) => sql`${id}`),
    ', ',
  )
  const rows = await db.all<Password & { user_id: string }>(sql`
    SELECT user_id, password_hash, must_change_password FROM users
    WHERE user_id IN (${list}) AND password_hash IS NOT NULL`)
  return new Map(rows.map((row) => [row.user_id, row]))
}

/** The next users of an organization, by id. */
export async function listIdsOfOrganization(
  db: Db,
  organizationId: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT user_id FROM users WHERE organization_id = ${organizationId} AND user_id > ${after}
    ORDER BY user_id LIMIT ${limit}`)
  return rows.map(({ user_id }) => user_id)
}

/** The time in which an organization was disabled is no inactivity of its users. */
export async function setEnabledAt(db: Transaction, organizationId: string, enabledAt: string): Promise<void> {
  await db.run(sql`
    UPDATE users SET enabled_at = ${enabledAt} WHERE organization_id = ${organizationId} AND active = 1`)
}
