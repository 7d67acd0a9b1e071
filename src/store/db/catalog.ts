/** Lists what a store contains, from its engine's catalog. */
import type { Db } from './db.ts'
import { sql } from './sql.ts'

export async function hasTable(db: Db, table: string): Promise<boolean> {
  const found =
    db.engine === 'sqlite'
      ? await db.get(sql`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ${table}`)
      : await db.get(
          sql`SELECT 1 FROM pg_class WHERE relnamespace = current_schema()::text::regnamespace AND relname = ${table}`,
        )
  return found !== undefined
}

export async function hasColumn(db: Db, table: string, column: string): Promise<boolean> {
  const found =
    db.engine === 'sqlite'
      ? await db.get(sql`SELECT 1 FROM pragma_table_info(${table}) WHERE name = ${column}`)
      : await db.get(sql`
          SELECT 1 FROM pg_attribute
          WHERE attrelid = ${table}::text::regclass AND attname = ${column} AND NOT attisdropped`)
  return found !== undefined
}

export async function listTables(db: Db): Promise<{ name: string }[]> {
  return db.engine === 'sqlite'
    ? db.all(sql`SELECT name FROM sqlite_master WHERE type = 'table'`)
    : db.all(sql`
        SELECT relname::text AS name FROM pg_class
        WHERE relnamespace = current_schema()::text::regnamespace AND relkind IN ('r', 'p')`)
}
