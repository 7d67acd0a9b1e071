import type { Scope } from '../../core/scope.ts'
import { containsAll, type Search } from '../../directory/search/service.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import { containsText, skipLocked, texts } from '../../store/db/dialect.ts'
import { andWithin, conditionsWithin } from '../../store/db/scope.ts'
import { joinSql, rawSql, type Sql, sql } from '../../store/db/sql.ts'
import { defineTable, type RowOf, text } from '../../store/db/table.ts'
import type { Erased } from '../../store/mentions.ts'

const deletedUsers = defineTable('deleted_users', {
  user_id: text(),
  deleted_at: text(),
  restorable_until: text(),
  /** The user as the API showed it, in JSON. */
  document: text(),
  /** The other columns of the user's row, in JSON. */
  user_row: text(),
  /** The groups of the user, as an array of ids in JSON. */
  group_ids: text('[]'),
  /** The end dates of those memberships that have one: an object by id in JSON. */
  group_ends: text('{}'),
  // Copied from the user's row, for filtering and sorting.
  username_key: text(),
  email_key: text(null),
  role: text(),
  search_text: text(),
  organization_id: text(null),
})

/** A deleted user who can be restored. */
type DeletedUserRow = RowOf<typeof deletedUsers>

const insertion = deletedUsers.insertion()

export async function insertDeletedUser(db: Transaction, row: DeletedUserRow): Promise<void> {
  await db.run(insertion(row))
}

export function findDeletedUser(
  db: Db,
  scope: Scope,
  userId: string,
): Promise<Pick<DeletedUserRow, 'role' | 'group_ids' | 'group_ends' | 'document' | 'organization_id'> | undefined> {
  return db.get(
    sql`SELECT role, group_ids, group_ends, document, organization_id FROM deleted_users WHERE user_id = ${userId}${andWithin(scope)}`,
  )
}

/** Deletes the row and returns it: of concurrent callers, one gets it. */
export async function takeDeletedUser(
  db: Transaction,
  scope: Scope,
  userId: string,
): Promise<DeletedUserRow | undefined> {
  const [row] = await db.returning<DeletedUserRow>(sql`
    DELETE FROM deleted_users WHERE user_id = ${userId}${andWithin(scope)} RETURNING ${deletedUsers.columns}`)
  return row
}

/** The same for some whose grace period is over; skips users who are being restored or purged right now. */
export async function takeOverdue(db: Transaction, now: string, limit: number): Promise<Erased[]> {
  const rows = await db.returning<Pick<DeletedUserRow, 'document'>>(sql`
    DELETE FROM deleted_users WHERE user_id IN (
      SELECT user_id FROM deleted_users WHERE restorable_until <= ${now}
      ORDER BY restorable_until LIMIT ${limit} ${skipLocked(db)})
    RETURNING document`)
  return rows.map(({ document }) => JSON.parse(document) as Erased)
}

/** Returns the former usernames of some users. */
export async function findFormerNames(db: Db, scope: Scope, userIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.all<{ user_id: string; document: string }>(sql`
    SELECT user_id, document FROM deleted_users WHERE user_id IN (SELECT value FROM ${texts(db, userIds)})${andWithin(scope)}`)
  return new Map(
    rows.map(({ user_id, document }) => [user_id, (JSON.parse(document) as { username: string }).username]),
  )
}

export type DeletedFilters = {
  contains?: Search
  username_key?: string
  email_key?: string
  role?: string
  deleted_after?: string
  deleted_before?: string
}
export type Sort = { column: 'deleted_at' | 'username_key'; descending: boolean }
/** The last row of the page before. */
export type Position = { value: string; user_id: string }
export type DeletedPlan = {
  now: string
  filters: DeletedFilters
  sort: Sort
  after: Position | undefined
  limit: number
}
type ListedRow = Pick<DeletedUserRow, 'user_id' | 'deleted_at' | 'restorable_until' | 'document'> & {
  sort_value: string
}

/** Returns users who can still be restored. */
export function listDeletedUsers(
  db: Db,
  scope: Scope,
  { now, filters, sort, after, limit }: DeletedPlan,
): Promise<ListedRow[]> {
  const column = rawSql(sort.column)
  const direction = rawSql(sort.descending ? 'DESC' : 'ASC')
  const behind = rawSql(sort.descending ? '<' : '>')
  const place = after ? sql`AND (${column}, user_id) ${behind} (${after.value}, ${after.user_id})` : rawSql('')
  // The ids first: they come from an index alone.
  return db.all(sql`
    SELECT user_id, deleted_at, restorable_until, document, ${column} AS sort_value FROM deleted_users
    WHERE user_id IN (
      SELECT user_id FROM deleted_users WHERE ${conditions(db, scope, now, filters)} ${place}
      ORDER BY ${column} ${direction}, user_id ${direction} LIMIT ${limit})
    ORDER BY ${column} ${direction}, user_id ${direction}`)
}

export async function countDeletedUsers(db: Db, scope: Scope, now: string, filters: DeletedFilters): Promise<number> {
  const found = await db.get<{ n: number }>(
    sql`SELECT count(*) AS n FROM deleted_users WHERE ${conditions(db, scope, now, filters)}`,
  )
  return Number(found?.n)
}

function conditions(db: Db, scope: Scope, now: string, filters: DeletedFilters): Sql {
  const { contains, username_key, email_key, role, deleted_after, deleted_before } = filters
  const wanted = [
    sql`restorable_until > ${now}`,
    ...conditionsWithin(scope, rawSql('organization_id')),
    contains && containsAll(contains.clauses, (part) => containsText(db, 'search_text', part)),
    username_key === undefined ? undefined : sql`username_key = ${username_key}`,
    email_key === undefined ? undefined : sql`email_key = ${email_key}`,
    role === undefined ? undefined : sql`role = ${role}`,
    deleted_after === undefined ? undefined : sql`deleted_at > ${deleted_after}`,
    deleted_before === undefined ? undefined : sql`deleted_at < ${deleted_before}`,
  ]
  return joinSql(
    wanted.filter((one) => one !== undefined),
    ' AND ',
  )
}
