/** The rows of a list with the names of each user's groups, which are not part of the stored document. */
import type { Db } from '../../store/db/db.ts'
import { texts } from '../../store/db/dialect.ts'
import { rawSql, type Sql, sql } from '../../store/db/sql.ts'
import type { ListRow } from './sql.ts'

const aggregates = { sqlite: 'json_group_array', postgres: 'json_agg' } as const

/** An expression for the document of a row of `users` with the member `groups`: the database joins these as they are. */
export function documentWithGroups({ engine }: Pick<Db, 'engine'>): Sql {
  const cut = engine === 'sqlite' ? 'substr(document, 1, length(document) - 1)' : 'left(document, -1)'
  return rawSql(`${cut} || ',"groups":' || coalesce((
    SELECT CAST(${aggregates[engine]}(name ORDER BY name_key) AS text)
    FROM group_members JOIN user_groups USING (group_id) WHERE group_members.user_id = users.user_id), '[]') || '}'`)
}

/**
 * The same rows with the member `groups`, by one statement. It looks into the index of the memberships user by user: for a
 * join, PostgreSQL reads all memberships for each piece of the list where it has no statistics yet.
 */
export async function withGroups<Row extends Pick<ListRow, 'user_id' | 'document'>>(
  db: Db,
  rows: readonly Row[],
): Promise<Row[]> {
  const aggregate = rawSql(aggregates[db.engine])
  const ids = rows.map(({ user_id }) => user_id)
  const found = await db.all<{ user_id: string; names: string | string[] | null }>(sql`
    SELECT value AS user_id, (
      SELECT ${aggregate}(name ORDER BY name_key) FROM group_members JOIN user_groups USING (group_id)
      WHERE group_members.user_id = value) AS names
    FROM ${texts(db, ids)}`)
  const names = new Map(found.map((one) => [one.user_id, one.names]))
  return rows.map((row) => {
    const groups = names.get(row.user_id) ?? '[]'
    const text = typeof groups === 'string' ? groups : JSON.stringify(groups)
    return { ...row, document: `${row.document.slice(0, -1)},"groups":${text}}` }
  })
}
