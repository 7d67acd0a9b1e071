import type { Db } from './db/db.ts'
import { containsText } from './db/dialect.ts'
import { joinSql, type Sql } from './db/sql.ts'

/** A user who is erased. Only the id is known of a user whom an earlier release had already deleted. */
export type Erased = { user_id: string; username?: string; email?: string | null; external_id?: string | null }

/**
 * Whether the columns of a row mention the user: the id anywhere, or a name as a whole string of JSON, also percent-encoded,
 * in any case of its letters.
 */
export function mentions(db: Db, { user_id, username, email, external_id }: Erased, columns: readonly string[]): Sql {
  const names = [username, email, external_id].flatMap((name) => (name ? [JSON.stringify(name)] : []))
  const traces = [user_id, ...names, ...names.map(encodeURIComponent)]
  const text = `lower(${columns.map((column) => `coalesce(${column}, '')`).join(" || ' ' || ")})`
  return joinSql(
    traces.map((trace) => containsText(db, text, trace.toLowerCase())),
    ' OR ',
  )
}
