/** The store's engine, its version and its size. */
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Db } from './db.ts'
import { sql } from './sql.ts'

export type StoreFacts = { version: string; size_bytes: number }

export async function storeFacts(db: Db, dataDir: string): Promise<StoreFacts> {
  if (db.engine === 'sqlite') {
    const found = await db.get<{ version: string }>(sql`SELECT sqlite_version() AS version`)
    const sizes = await Promise.all(
      ['rollbook.db', 'rollbook.db-wal'].map((file) => sizeOf(join(resolve(dataDir), file))),
    )
    return { version: String(found?.version), size_bytes: sizes.reduce((sum, size) => sum + size, 0) }
  }
  const found = await db.get<{ version: string; size: string }>(sql`
    SELECT current_setting('server_version') AS version, (
      SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
      WHERE relnamespace = current_schema()::text::regnamespace AND relkind IN ('r', 'p', 'm')) AS size`)
  // Debian appends its package version to the number.
  return { version: String(found?.version).split(' ', 1)[0] as string, size_bytes: Number(found?.size) }
}

/** Between two starts there may be no log. */
async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}
