import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { run } from '../bench/processes.ts'
import { createUser, start } from './harness.ts'

describe('the yardstick of imports', () => {
  it('inserts the rows of the tables as they are today', async (t) => {
    const app = await start(t, { name: 'SQLite' })
    await createUser(app, { username: 'ada' })
    const path = join(app.directory, 'rollbook.db')
    const usersPerSecond = await run([process.execPath, 'bench/bare-import.ts', path, 'users,audit_records,events'])
    assert.ok(Number(usersPerSecond) > 0, usersPerSecond)
  })
})
