/** Copies of one migrated SQLite store: to create every table, index and trigger takes as long as all else that opens a store. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../src/store/db/migrate.ts'
import { openConnection } from '../src/store/db/sqlite/connection.ts'

let migrated: Promise<Buffer> | undefined

/** Puts a store into the directory, as a first start leaves it there. */
export async function copyStore(directory: string): Promise<void> {
  migrated ??= makeStore()
  writeFileSync(join(directory, 'rollbook.db'), await migrated, { mode: 0o600 })
}

async function makeStore(): Promise<Buffer> {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-migrated-'))
  try {
    const path = join(directory, 'rollbook.db')
    const connection = openConnection({ path })
    await migrate(connection, Date.now())
    connection.close()
    return readFileSync(path)
  } finally {
    rmSync(directory, { recursive: true })
  }
}
