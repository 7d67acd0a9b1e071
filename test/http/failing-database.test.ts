import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { adminKey, createUser, onlyPostgres, start } from '../harness.ts'

for (const engine of onlyPostgres) {
  describe(`a request that fails on ${engine.name}`, () => {
    it('returns a readable problem document, not labelled as the list would have been', async (t) => {
      const app = await start(t, engine)
      await createUser(app)
      await app.runSql('ALTER TABLE users RENAME TO users_elsewhere')
      const url = await app.listen()
      for (const path of ['/users', '/users?count=true', '/users?limit=5']) {
        const headers = { 'x-api-key': adminKey, 'accept-encoding': 'gzip' }
        const response = await fetch(url + path, { headers })
        assert.deepEqual([response.status, response.headers.get('content-encoding')], [503, null], path)
        assert.equal(((await response.json()) as { code: string }).code, 'storage_unavailable')
      }
    })

    it('shows no row in the log, even though PostgreSQL has it in its error', async (t) => {
      const app = await start(t, engine)
      await app.runSql('ALTER TABLE users ADD COLUMN careless text NOT NULL')
      const url = await app.listen()
      const response = await fetch(`${url}/users`, {
        method: 'POST',
        headers: { 'x-api-key': adminKey, 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'ada', password: 'the sky above the port was grey' }),
      })
      assert.equal(response.status, 500)
      const lines = app.logLines().join('\n')
      assert.match(lines, /careless/)
      assert.doesNotMatch(lines, /argon2id/)
    })
  })
}
