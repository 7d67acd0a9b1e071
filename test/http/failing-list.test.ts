import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { adminKey, createUser, engines, start } from '../harness.ts'

for (const engine of engines.filter(({ name }) => name === 'PostgreSQL')) {
  describe(`a list that fails on ${engine.name}`, () => {
    it('is a problem document that can be read: not labelled as what the list would have been', async (t) => {
      const app = await start(t, engine)
      await createUser(app)
      await app.runSql('ALTER TABLE users RENAME TO users_elsewhere')
      const url = await app.listen()
      for (const path of ['/users', '/users?count=true', '/users?limit=5']) {
        const headers = { 'x-api-key': adminKey, 'accept-encoding': 'gzip' }
        const answer = await fetch(url + path, { headers })
        assert.deepEqual([answer.status, answer.headers.get('content-encoding')], [500, null], path)
        assert.equal(((await answer.json()) as { code: string }).code, 'internal_error')
      }
    })
  })
}
