/** The rows of a list with the names of each user's groups and the roles that follow, which are not part of the stored document. */

import type { Scope } from '../../core/scope.ts'
import type { Db } from '../../store/db/db.ts'
import { texts } from '../../store/db/dialect.ts'
import { andWithin } from '../../store/db/scope.ts'
import { rawSql, type Sql, sql } from '../../store/db/sql.ts'
import type { ListRow } from './sql.ts'

const aggregates = { sqlite: 'json_group_array', postgres: 'json_agg' } as const

/** For everyone: an expression for the document of a row of `users` with these members: the database joins the documents as they are. */
export function documentWithGroups({ engine }: Pick<Db, 'engine'>): Sql {
  const cut = engine === 'sqlite' ? 'substr(document, 1, length(document) - 1)' : 'left(document, -1)'
  return rawSql(`${cut} || ',"groups":' || coalesce((
    SELECT CAST(${aggregates[engine]}(name ORDER BY name_key) AS text)
    FROM group_members JOIN user_groups USING (group_id) WHERE group_members.user_id = users.user_id), '[]')
    || ',"effective_roles":["' || replace(${effectiveRoles}, ' ', '","') || '"]}'`)
}

/** The user's own role, then those of the groups without it, with blanks between them. No name of a role has a blank or a quote. */
const effectiveRoles = `trim(users.role || replace(' ' || users.group_roles || ' ', ' ' || users.role || ' ', ' '))`

/** The same in the same form, of the groups within the scope: those from elsewhere must not show. */
function effectiveRolesWithin({ engine }: Pick<Db, 'engine'>, scope: Scope): Sql {
  const aggregate = rawSql(engine === 'sqlite' ? 'group_concat' : 'string_agg')
  return sql`trim(users.role || ' ' || coalesce((
    SELECT ${aggregate}(held.role, ' ' ORDER BY held.role) FROM (
      SELECT DISTINCT user_groups.role FROM group_members JOIN user_groups USING (group_id)
      WHERE group_members.user_id = users.user_id AND user_groups.role <> users.role${andWithin(scope)}) AS held), ''))`
}

/**
 * The same rows with the members `groups` and `effective_roles`, by one statement. It looks into the index of the memberships user by user: for a
 * join, PostgreSQL reads all memberships for each piece of the list where it has no statistics yet.
 */
export async function withGroups<Row extends Pick<ListRow, 'user_id' | 'document'>>(
  db: Db,
  scope: Scope,
  rows: readonly Row[],
): Promise<Row[]> {
  const aggregate = rawSql(aggregates[db.engine])
  const ids = rows.map(({ user_id }) => user_id)
  const roles = scope.kind === 'everyone' ? rawSql(effectiveRoles) : effectiveRolesWithin(db, scope)
  const found = await db.all<{ user_id: string; names: string | string[] | null; roles: string }>(sql`
    SELECT value AS user_id, (
      SELECT ${aggregate}(name ORDER BY name_key) FROM group_members JOIN user_groups USING (group_id)
      WHERE group_members.user_id = value${andWithin(scope)}) AS names, ${roles} AS roles
    FROM ${texts(db, ids)} JOIN users ON users.user_id = value`)
  const byId = new Map(found.map((one) => [one.user_id, one]))
  return rows.map((row) => {
    const { names, roles } = byId.get(row.user_id) ?? { names: null, roles: '' }
    const groups = typeof names === 'string' ? names : JSON.stringify(names ?? [])
    const list = JSON.stringify(roles === '' ? [] : roles.split(' '))
    return { ...row, document: `${row.document.slice(0, -1)},"groups":${groups},"effective_roles":${list}}` }
  })
}
