import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { migrate } from '../src/store/db/migrate.ts'
import { type Connection, openConnection } from '../src/store/db/sqlite/connection.ts'

/** Makes an empty store on SQLite, migrated and open, which the end of the test closes and removes. */
export async function makeMigratedFile(t: TestContext): Promise<{ db: Connection; path: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
  const path = join(directory, 'rollbook.db')
  const db = openConnection({ path })
  t.after(() => {
    db.close()
    rmSync(directory, { recursive: true })
  })
  await migrate(db, Date.now())
  return { db, path }
}
