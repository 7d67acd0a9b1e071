/** Lists of a limited caller reveal nothing about groups and users elsewhere: by a filter, a name or a column. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser, engines, start } from '../harness.ts'
import { createOrganization } from '../organizations.ts'

const words = ['users:read', 'users:write', 'groups:read']

for (const engine of engines) {
  describe(`a list of a limited caller on ${engine.name}`, () => {
    it('finds no one by a group of another organization, as by an unknown one', async (t) => {
      const app = await start(t, engine)
      const [acme, globex] = [await createOrganization(app), await createOrganization(app)]
      const { user_id } = await createUser(app, { username: 'ada', organization_id: acme })
      const permissions = words.map((word) => `${word}@organization`)
      const { key } = (await app.call('POST', '/keys', { body: { name: 'acme', permissions, organization_id: acme } }))
        .body
      const groupOf = async (name: string, organization_id: string | null): Promise<string> => {
        const { body } = await app.call('POST', '/groups', { body: { name, organization_id } })
        await app.call('PUT', `/groups/${body.group_id}/members/${user_id}`)
        return body.group_id
      }
      const find = async (group: string, more = '') => {
        const { body, headers } = await app.call('GET', `/users?group=${group}&count=true${more}`, { key })
        return { ids: body.map((user: { user_id: string }) => user.user_id), total: headers['total-count'] }
      }
      const own = await groupOf('Own', acme)
      for (const more of [
        '',
        '&limit=10',
        '&limit=10&sort=username',
        '&q=ada',
        '&username=ada',
        '&limit=10&offset=0',
      ]) {
        assert.deepEqual(await find(own, more), { ids: [user_id], total: '1' }, more)
      }
      for (const group of [await groupOf('Theirs', globex), await groupOf('Of no one', null)]) {
        for (const more of [
          '',
          '&limit=10',
          '&limit=10&sort=username',
          '&q=ada',
          '&username=ada',
          '&limit=10&offset=0',
        ]) {
          assert.deepEqual(await find(group, more), { ids: [], total: '0' }, more)
        }
        const body = { action: 'deactivate', filter: { group } }
        const changed = await app.call('POST', '/users/bulk', { key, body })
        assert.match(changed.text, /"changed":0,"unchanged":0,"refused":0/)
      }
    })

    it('names neither these groups nor their roles, in pages, whole lists and every format', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_ROLES: JSON.stringify({ 'elsewhere-role': ['a:b'] }) } })
      const [acme, globex] = [await createOrganization(app), await createOrganization(app)]
      const { user_id } = await createUser(app, { username: 'ada', organization_id: acme })
      const permissions = words.map((word) => `${word}@organization`)
      const { key } = (await app.call('POST', '/keys', { body: { name: 'acme', permissions, organization_id: acme } }))
        .body
      for (const organization_id of [globex, null]) {
        const name = `elsewhere ${organization_id}`
        const { body } = await app.call('POST', '/groups', { body: { name, role: 'elsewhere-role', organization_id } })
        await app.call('PUT', `/groups/${body.group_id}/members/${user_id}`)
      }
      for (const accept of ['application/json', 'application/x-ndjson', 'text/csv']) {
        for (const more of ['', '&limit=10', '&sort=username', '&username=ada', '&active=true', '&q=ada']) {
          const { status, text } = await app.call('GET', `/users?include=groups${more}`, { key, headers: { accept } })
          assert.deepEqual([status, /ada/.test(text), /elsewhere/.test(text)], [200, true, false], `${accept} ${more}`)
        }
      }
    })

    it('has no column because of someone elsewhere', async (t) => {
      const app = await start(t, engine)
      const [acme, globex] = [await createOrganization(app), await createOrganization(app)]
      const permissions = words.map((word) => `${word}@organization`)
      const { key } = (await app.call('POST', '/keys', { body: { name: 'acme', permissions, organization_id: acme } }))
        .body
      const expires_at = '2099-01-01T00:00:00.000Z'
      const [ada, guest] = [
        await createUser(app, { username: 'ada', organization_id: acme }),
        await createUser(app, { username: 'bob', organization_id: globex, expires_at }),
      ]
      const { group_id } = (await app.call('POST', '/groups', { body: { name: 'Staff', organization_id: acme } })).body
      const join = async (id: unknown, body?: object) =>
        assert.equal((await app.call('PUT', `/groups/${group_id}/members/${id}`, body ? { body } : {})).status, 200)
      await join(ada.user_id)
      await join(guest.user_id, { expires_at })
      const columns = async () => {
        const headers = { accept: 'text/csv' }
        const users = await app.call('GET', '/users', { key, headers })
        const members = await app.call('GET', `/groups/${group_id}/members`, { key, headers })
        return [users.text, members.text].map((text) => text.split('\n', 1)[0]?.match(/\w*expires_at/g) ?? [])
      }
      assert.deepEqual(await columns(), [[], []])
      await join(ada.user_id, { expires_at })
      assert.deepEqual(await columns(), [[], ['membership_expires_at']])
      assert.equal((await app.call('PATCH', `/users/${ada.user_id}`, { body: { expires_at } })).status, 200)
      assert.deepEqual(await columns(), [['expires_at'], ['expires_at', 'membership_expires_at']])
    })
  })
}
