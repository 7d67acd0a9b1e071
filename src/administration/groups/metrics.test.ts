import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser, engines, start } from '../../../test/harness.ts'

for (const engine of engines) {
  describe(`the metrics of groups on ${engine.name}`, () => {
    it('count groups and memberships', async (t) => {
      const app = await start(t, engine)
      const users = [await createUser(app), await createUser(app)] as { user_id: string }[]
      for (const name of ['North', 'South']) {
        const { group_id } = (await app.call('POST', '/groups', { body: { name } })).body
        await app.call('POST', `/groups/${group_id}/members`, { body: { add: users.map(({ user_id }) => user_id) } })
      }
      const { text } = await app.call('GET', '/metrics')
      assert.match(text, /^rollbook_groups 2$/m)
      assert.match(text, /^rollbook_group_memberships 4$/m)
    })
  })
}
