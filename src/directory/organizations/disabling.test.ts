import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser, engines, start } from '../../../test/harness.ts'
import { mailEnv } from '../../../test/mails/mailing.ts'
import { changeOrganization, createOrganization } from '../../../test/organizations.ts'
import { createPerson } from '../../../test/people.ts'

for (const engine of engines) {
  describe(`a disabled organization on ${engine.name}`, () => {
    it('does not count as inactivity of its users, once it is enabled again', async (t) => {
      const app = await start(t, engine, { env: mailEnv })
      const organization_id = await createOrganization(app)
      const { user_id } = await createUser(app, { username: 'ada', organization_id })
      const other = await createUser(app, { username: 'bob' })
      const inactivity = { '*': { days: 90, notice_days: 14 } }
      const policy = await app.call('PATCH', '/policies', { body: { inactivity } })
      assert.equal(policy.status, 200, policy.text)
      const enabledAt = async (id: unknown) =>
        (await app.runSql(`SELECT enabled_at FROM users WHERE user_id = '${id}'`))[0]?.enabled_at
      const before = [await enabledAt(user_id), await enabledAt(other.user_id)]
      await changeOrganization(app, organization_id, { active: false })
      await changeOrganization(app, organization_id, { active: true })
      const after = await enabledAt(user_id)
      assert.ok(after !== before[0] && Math.abs(Date.parse(String(after)) - Date.now()) < 60_000, `${after}`)
      assert.equal(await enabledAt(other.user_id), before[1])
    })

    it('does not get the last administrator, also in the dry run of an import', async (t) => {
      const app = await start(t, engine)
      const organization_id = await createOrganization(app, { name: 'Closed' })
      await changeOrganization(app, organization_id, { active: false })
      const { user_id } = await createPerson(app, { username: 'boss', role: 'admin' })
      const headers = { 'content-type': 'application/x-ndjson' }
      const body = JSON.stringify({ username: 'boss', organization: 'Closed' })
      for (const query of ['&dry_run=true', '']) {
        const { body: job, text } = await app.call('POST', `/users/import?mode=update${query}`, { headers, body })
        assert.match(text, /"last_admin"/, query)
        assert.equal(job.updated, 0, query)
      }
      const moved = await app.call('PATCH', `/users/${user_id}`, { body: { organization_id } })
      assert.deepEqual([moved.status, moved.body.code], [409, 'last_admin'])
    })
  })
}
