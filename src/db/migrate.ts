import { timestamp } from '../context.ts'
import { OperatorError } from '../errors.ts'
import { users } from './migrations/0001-users.ts'
import { search } from './migrations/0002-search.ts'
import { sql } from './sql.ts'
import type { Connection } from './sqlite/connection.ts'

/** Forward only, in this order; a released one is never edited. */
const migrations = [users, search]

/**
 * Brings the schema up to date, each migration in a transaction of its own, and answers the names of those it ran.
 * A store that a newer release has migrated is refused: its rules are not known here.
 */
export async function migrate(connection: Connection, now: number): Promise<string[]> {
  connection.exec(
    'CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) WITHOUT ROWID',
  )
  const applied = new Set(
    (await connection.all<{ name: string }>(sql`SELECT name FROM migrations`)).map((row) => row.name),
  )
  const unknown = [...applied].filter((name) => !migrations.some((migration) => migration.name === name))
  if (unknown.length > 0) {
    throw new OperatorError(
      `The store was migrated by a newer release (${unknown.join(', ')}); start that release instead.`,
    )
  }
  const missing = migrations.filter((migration) => !applied.has(migration.name))
  for (const migration of missing) {
    connection.exec('BEGIN IMMEDIATE')
    for (const statement of migration.statements) connection.exec(statement)
    await connection.run(sql`INSERT INTO migrations (name, applied_at) VALUES (${migration.name}, ${timestamp(now)})`)
    connection.exec('COMMIT')
  }
  return missing.map((migration) => migration.name)
}
