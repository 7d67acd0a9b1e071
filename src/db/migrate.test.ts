import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { openSqliteStorage } from '../storage/sqlite.ts'
import type { Storage } from '../storage/storage.ts'

function storeIn(t: TestContext): { path: string; faults: Error[]; open(): Promise<Storage> } {
  const faults: Error[] = []
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const open = () =>
    openSqliteStorage({
      directory,
      rules: { roles: {}, keyRotationOverlapSeconds: 0 },
      now: Date.UTC(2026, 10, 20),
      writeQueue: 10,
      maxSnapshots: 1,
      onFault: (error) => faults.push(error),
    })
  return { path: join(directory, 'rollbook.db'), faults, open }
}

describe('migrations', () => {
  it('run once, in their order, and say which they were', async (t) => {
    const { path, open } = storeIn(t)
    const first = await open()
    assert.deepEqual(first.migrated, ['0001-users', '0002-search'])
    await first.close()
    const second = await open()
    assert.deepEqual(second.migrated, [])
    await second.close()
    const database = new DatabaseSync(path, { readOnly: true })
    assert.deepEqual(
      database
        .prepare('SELECT * FROM migrations')
        .all()
        .map((row) => ({ ...row })),
      first.migrated.map((name) => ({ name, applied_at: '2026-11-20T00:00:00.000Z' })),
    )
    assert.equal(database.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
    database.close()
  })

  it('refuse a store of a newer release, and let go of it', async (t) => {
    const { path, faults, open } = storeIn(t)
    await (await open()).close()
    const database = new DatabaseSync(path)
    database.exec("INSERT INTO migrations VALUES ('9999-from-the-future', '2036-01-01T00:00:00.000Z')")
    for (let i = 0; i < 2; i++) await assert.rejects(open(), /newer release \(9999-from-the-future\)/)
    database.exec("DELETE FROM migrations WHERE name = '9999-from-the-future'")
    database.close()
    await (await open()).close()
    assert.deepEqual(faults, [], 'whoever opens it is told, and nobody else')
  })
})
