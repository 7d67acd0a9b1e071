import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createUser, type Started, start } from '../../../test/harness.ts'

/** Counts the transactions in the write-ahead log: the frame that ends one has the size of the database. */
function commitsIn(app: Started): number {
  const log = readFileSync(join(app.directory, 'rollbook.db-wal'))
  const [headerBytes, frameHeaderBytes, pageBytes] = [32, 24, log.readUInt32BE(8)]
  let commits = 0
  for (let at = headerBytes; at + frameHeaderBytes <= log.length; at += frameHeaderBytes + pageBytes) {
    if (log.readUInt32BE(at + 4) > 0) commits++
  }
  return commits
}

describe('concurrent changes on SQLite', () => {
  const engine = { name: 'SQLite' } as const

  it('share a commit, while each that comes alone has its own', async (t) => {
    const app = await start(t, engine)
    const before = commitsIn(app)
    for (let i = 0; i < 20; i++) await createUser(app)
    const alone = commitsIn(app) - before
    await Promise.all(Array.from({ length: 200 }, () => createUser(app)))
    const together = commitsIn(app) - before - alone
    assert.ok(alone >= 20, `20 changes one after the other made ${alone} commits`)
    // Some belong to the search index, which follows in separate commits.
    assert.ok(together <= 40, `200 changes at once made ${together} commits`)
  })

  it('continue after users were deleted whom the search index knew', async (t) => {
    const app = await start(t, engine)
    const users = await Promise.all(Array.from({ length: 50 }, () => createUser(app)))
    const indexed = async () => {
      while ((await app.runSql('SELECT count(*) AS n FROM search_pending'))[0]?.n !== 0) await sleep(20)
    }
    await indexed()
    for (const { user_id } of users.slice(10)) await app.call('DELETE', `/users/${user_id}`)
    await indexed()
    for (const { user_id } of users.slice(0, 10)) {
      assert.equal((await app.call('PATCH', `/users/${user_id}`, { body: { first_name: 'Ada' } })).status, 200)
    }
    assert.equal((await app.call('GET', '/users?q=ada&count=true&limit=1')).headers['total-count'], '10')
  })
})
