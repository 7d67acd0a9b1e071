import type { Db } from './db/db.ts'
import { texts } from './db/dialect.ts'
import { rawSql, type Sql, sql } from './db/sql.ts'

/** A user who is erased. Only the id is known of a user whom an earlier release had already deleted. */
export type Erased = { user_id: string; username?: string; email?: string | null; external_id?: string | null }

/**
 * Whether a row mentions the user: the id anywhere, or a name as a whole string of JSON, also percent-encoded. The
 * columns are those of requests that identity providers sent and of claims, with the name of their table: what SQLite
 * reads JSON with has a column `path` as well.
 */
export function mentions(db: Db, { user_id, username, email, external_id }: Erased, columns: readonly string[]): Sql {
  const names = [username, email, external_id].flatMap((name) => (name ? [JSON.stringify(name)] : []))
  const traces = [user_id, ...names, ...names.map(encodeURIComponent)].map((trace) => trace.toLowerCase())
  const text = rawSql(`lower(${columns.map((column) => `coalesce(${column}, '')`).join(" || ' ' || ")})`)
  const find = rawSql(db.engine === 'sqlite' ? 'instr' : 'strpos')
  return sql`EXISTS (SELECT 1 FROM ${texts(db, traces)} WHERE ${find}(${text}, value) > 0)`
}
