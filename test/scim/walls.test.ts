/** Two provisioning connections may belong to two companies: what one manages, the other cannot change. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { patchOpUrn, userUrn } from '../../src/scim/protocol/urns.ts'
import { engines, start } from '../harness.ts'
import { type Body, connectTo } from './provider.ts'

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

for (const engine of engines) {
  describe(`connections of two companies on ${engine.name}`, () => {
    it('change only what they manage, or what no connection manages', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_RATE_LIMIT: '0' } })
      await app.call('POST', '/attributes', { body: { name: 'department', type: 'string' } })
      const [ours, theirs] = [await connectTo(app), await connectTo(app)]
      const user = await ours.createUser({ userName: 'ada', password: 'nanoseconds on a string' })
      const group = await ours.createGroup('Engineering', [user.id])
      const own = await theirs.createUser({ userName: 'eve' })
      const look = async () => [
        await app.runSql("SELECT document, password_hash FROM users WHERE username = 'ada'"),
        await app.runSql("SELECT name, version, member_count, managed_by FROM user_groups WHERE name = 'Engineering'"),
      ]
      const before = await look()
      const patch = (...Operations: Body[]) => ({ schemas: [patchOpUrn], Operations })
      const set = (path: string, value: unknown) => patch({ op: 'replace', path, value })
      const attacks: [string, string, unknown?][] = [
        ['PATCH', `/Users/${user.id}`, set('password', 'a moth in relay seventy')],
        ['PATCH', `/Users/${user.id}`, set('userName', 'mine')],
        ['PATCH', `/Users/${user.id}`, set('active', false)],
        ['PATCH', `/Users/${user.id}`, set('preferredLanguage', 'de')],
        ['PATCH', `/Users/${user.id}`, set('nickName', 'mine')],
        ['PATCH', `/Users/${user.id}`, set(`${enterprise}:department`, 'mine')],
        ['PUT', `/Users/${user.id}`, { schemas: [userUrn], userName: 'ada', password: 'a moth in relay seventy' }],
        ['DELETE', `/Users/${user.id}`],
        ['PATCH', `/Groups/${group.id}`, set('displayName', 'mine')],
        ['PATCH', `/Groups/${group.id}`, set('externalId', 'mine')],
        ['PATCH', `/Groups/${group.id}`, set('members', [])],
        ['PATCH', `/Groups/${group.id}`, patch({ op: 'add', path: 'members', value: [{ value: own.id }] })],
        ['PATCH', `/Groups/${group.id}`, patch({ op: 'remove', path: `members[value eq "${user.id}"]` })],
        [
          'PUT',
          `/Groups/${group.id}`,
          { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: 'mine' },
        ],
        ['DELETE', `/Groups/${group.id}`],
      ]
      for (const [method, path, body] of attacks) {
        const response = await theirs.scim(method, path, body)
        assert.equal(response.status, 409, `${method} ${path} ${JSON.stringify(body)} ${response.text}`)
      }
      const bulk = attacks.map(([method, path, data], n) => ({ method, path, data, bulkId: String(n) }))
      const many = await theirs.scim('POST', '/Bulk', {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
        Operations: bulk,
      })
      for (const { status, location } of many.body.Operations) assert.equal(status, '409', location)
      assert.deepEqual(await look(), before)
      // The same attempts by the connection itself work.
      assert.equal(
        (await ours.patch(`/Groups/${group.id}`, { op: 'replace', path: 'displayName', value: 'R&D' })).status < 300,
        true,
      )
      assert.equal(
        (await ours.patch(`/Users/${user.id}`, { op: 'replace', path: 'password', value: 'a moth in relay' })).status,
        200,
      )
    })

    it('adopt a group that no connection manages, and release it when they are deleted', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_RATE_LIMIT: '0' } })
      const [ours, theirs] = [await connectTo(app), await connectTo(app)]
      const { group_id } = (await app.call('POST', '/groups', { body: { name: 'Support' } })).body
      const managedBy = async () => (await app.call('GET', `/groups/${group_id}`)).body.managed_by
      assert.equal(await managedBy(), undefined)
      const { id } = await ours.createUser()
      const adding = { op: 'add', path: 'members', value: [{ value: id }] }
      assert.ok((await ours.patch(`/Groups/${group_id}`, adding)).status < 300)
      assert.equal(await managedBy(), ours.connection_id)
      // Administrators give it a role.
      assert.equal((await app.call('PATCH', `/groups/${group_id}`, { body: { description: 'x' } })).status, 200)
      const renaming = { op: 'replace', path: 'displayName', value: 'Theirs' }
      assert.equal((await theirs.patch(`/Groups/${group_id}`, renaming)).status, 409)
      assert.equal((await app.call('DELETE', `/provisioning/${ours.connection_id}`)).status, 200)
      assert.equal(await managedBy(), undefined)
      assert.ok((await theirs.patch(`/Groups/${group_id}`, renaming)).status < 300)
      assert.equal(await managedBy(), theirs.connection_id)
    })
  })

  describe(`managed users on ${engine.name}`, () => {
    it('are disabled, deleted and invited by others only with override', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_RATE_LIMIT: '0' } })
      const idp = await connectTo(app)
      const { id } = await idp.createUser()
      const attempts: [string, string, unknown?][] = [
        ['PATCH', `/users/${id}`, { active: false }],
        ['POST', `/users/${id}/invitation`, {}],
        ['DELETE', `/users/${id}`],
        ['DELETE', `/users/${id}?purge=true`],
      ]
      const code = async (method: string, path: string, body?: unknown, more = '') =>
        (await app.call(method, `${path}${path.includes('?') ? '&' : '?'}dry_run=true${more}`, { body })).body.code
      for (const [method, path, body] of attempts) {
        assert.equal(await code(method, path, body), 'managed_elsewhere', `${method} ${path}`)
        assert.equal(await code(method, path, body, '&override=true'), undefined, `${method} ${path}`)
      }
      const said = { deactivate: 'Disable', delete: 'Remove', invite: 'Invite' } as const
      for (const action of ['deactivate', 'delete', 'invite'] as const) {
        const bulk = async (more: string) =>
          (await app.call('POST', `/users/bulk?dry_run=true${more}`, { body: { action, user_ids: [id] } })).text
        assert.match(await bulk(''), /"code":"managed_elsewhere"/, action)
        assert.ok((await bulk('')).includes(`manages this user. ${said[action]} the user there.`), action)
        assert.match(await bulk('&override=true'), /"verdict":"changed"/, action)
      }
      assert.equal((await idp.scim('DELETE', `/Users/${id}`)).status, 204)
    })

    it('keep the address of their identity provider, whatever link waits for the one before', async (t) => {
      const env = {
        ROLLBOOK_RATE_LIMIT: '0',
        ROLLBOOK_SMTP_URL: 'smtp://127.0.0.1:1',
        ROLLBOOK_MAIL_FROM: 'a@example.org',
        ROLLBOOK_PUBLIC_URL: 'http://127.0.0.1:8080/auth',
      }
      const app = await start(t, engine, { env })
      const idp = await connectTo(app)
      const created = await app.call('POST', '/users', { body: { username: 'ada', email: 'ada@example.org' } })
      const { user_id } = created.body
      const token_hash = 'x'.repeat(43)
      const now = new Date().toISOString()
      const until = new Date(Date.now() + 3_600_000).toISOString()
      const link_id = '019a9f3e-0000-7000-8000-00000000abcd'
      await app.runSql(`INSERT INTO user_links (link_id, user_id, purpose, email, created_at, expires_at)
        VALUES ('${link_id}', '${user_id}', 'verification', 'old@example.org', '${now}', '${until}')`)
      await app.runSql(
        `INSERT INTO link_tokens (token_hash, link_id, mailed) VALUES ('${token_hash}', '${link_id}', 1)`,
      )
      assert.equal((await idp.patch(`/Users/${user_id}`, { op: 'replace', path: 'nickName', value: 'A' })).status, 200)
      const request = {
        actor: { kind: 'system', id: 'x', name: 'x', permissions: [] },
        now: Date.now(),
        requestId: 'x',
      } as const
      await assert.rejects(app.storage.change('links.confirm_address', { token_hash, user_id }, request), {
        code: 'managed_elsewhere',
      })
      assert.equal((await app.call('GET', `/users/${user_id}`)).body.email, 'ada@example.org')
    })

    it('do not get back in SCIM what was removed here: a value, or the attribute', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_RATE_LIMIT: '0' } })
      for (const name of ['department', 'division']) {
        await app.call('POST', '/attributes', { body: { name, type: 'string' } })
      }
      const idp = await connectTo(app)
      const sent = { department: 'Sales', division: 'North', costCenter: '7' }
      const { id } = await idp.createUser({ schemas: [userUrn, enterprise], [enterprise]: sent })
      const visibleIds = async () => [
        (await idp.scim('GET', `/Users/${id}`)).body[enterprise],
        (await idp.scim('GET', '/Users')).body.Resources[0][enterprise],
      ]
      assert.deepEqual(await visibleIds(), [sent, sent])
      const body = { attributes: { department: null } }
      assert.equal((await app.call('PATCH', `/users/${id}?override=true`, { body })).status, 200)
      assert.deepEqual(await visibleIds(), Array(2).fill({ division: 'North', costCenter: '7' }))
      assert.equal((await app.call('DELETE', '/attributes/division')).status, 200)
      assert.deepEqual(await visibleIds(), Array(2).fill({ costCenter: '7' }))
      await idp.patch(`/Users/${id}`, { op: 'replace', path: 'title', value: 'Eng' })
      assert.deepEqual(await visibleIds(), Array(2).fill({ costCenter: '7' }))
    })
  })
}
