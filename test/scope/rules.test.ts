/** What a caller who is limited to an organization may create, give and change. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Actor } from '../../src/core/actor.ts'
import { createUser, type Engine, everyEngine, type Started, start } from '../harness.ts'
import { mailEnv } from '../mails/mailing.ts'

const words = ['users:read', 'users:write', 'users:import', 'groups:read', 'groups:write', 'keys:write']

type Command = Parameters<Started['storage']['change']>[0]

async function open(t: TestContext, engine: Engine) {
  const env = { ...mailEnv, ROLLBOOK_ROLES: '{"clerk":["orders:read"],"reader":["users:read"]}' }
  const app = await start(t, engine, { env })
  const limited = JSON.stringify(words.map((word) => `${word}@organization`))
  await app.runSql(`
    INSERT INTO roles (role, version, description, permissions, created_at, updated_at)
    VALUES ('manager', 1, '', '${limited}', '2026-11-30T00:00:00.000Z', '2026-11-30T00:00:00.000Z')`)
  // Publishes the roles.
  assert.equal((await app.call('POST', '/roles', { body: { role: 'plain', permissions: [] } })).status, 201)
  const post = async (path: string, body: object) => {
    const response = await app.call('POST', path, { body })
    assert.ok([200, 201].includes(response.status), response.text)
    return response.body
  }
  const { organization_id: acme } = await post('/organizations', { name: 'Acme' })
  const { organization_id: globex } = await post('/organizations', { name: 'Globex' })
  const user = async (username: string, more: object = {}): Promise<string> =>
    String((await createUser(app, { username, ...more })).user_id)
  const group = async (name: string, more: object = {}): Promise<string> =>
    (await post('/groups', { name, ...more })).group_id
  const join = async (group_id: string, user_id: string) =>
    assert.equal((await app.call('PUT', `/groups/${group_id}/members/${user_id}`)).status, 200)
  const actor: Actor = {
    ...({ kind: 'api_key', id: 'test', name: 'test', limitedTo: acme } as const),
    // A whole permission besides does not make what reaches outside grantable.
    permissions: [...words.map((word) => `${word}@organization`), 'users:read', 'orders:read'],
  }
  const change = async (command: Command, input: unknown) => {
    const request = { actor, now: Date.now(), requestId: 'test' }
    try {
      const { result } = await app.storage.change(command, input as never, request)
      // biome-ignore lint/suspicious/noExplicitAny: the results of a test have many forms.
      return result as any
    } catch (error) {
      return (error as { code?: string }).code ?? String(error)
    }
  }
  const userOf = async (id: string) => (await app.call('GET', `/users/${id}`)).body
  return { app, acme, globex, actor, change, user, group, join, post, userOf }
}

const named = (username: string, more: object = {}) => ({ username, username_key: username, ...more })

for (const engine of everyEngine) {
  describe(`a caller who is limited to an organization, on ${engine.name}`, () => {
    it('creates in the organization, and cannot name one', async (t) => {
      const { app, acme, globex, change, user, group, userOf } = await open(t, engine)
      const created = await change('users.create', named('ada'))
      assert.equal((await userOf(created.user_id)).organization_id, acme)
      const staff = await change('groups.create', { name: 'Staff', name_key: 'staff' })
      assert.equal(staff.group.organization_id, acme)
      for (const organization_id of [acme, globex, null]) {
        assert.equal(await change('users.create', named('eve', { organization_id })), 'permission_denied')
        const input = { organization_id }
        const { user_id } = created
        assert.equal(await change('users.update', { user_id, input, expected: undefined }), 'permission_denied')
        assert.equal(
          await change('groups.create', { name: 'Eve', name_key: 'eve', organization_id }),
          'permission_denied',
        )
        const { group_id } = staff.group
        assert.equal(await change('groups.update', { group_id, input, expected: undefined }), 'permission_denied')
        assert.equal(await change('provisioning.create', { name: 'Okta', organization_id }), 'permission_denied')
        assert.equal(
          await change('keys.create', { name: 'key', permissions: [], organization_id }),
          'permission_denied',
        )
      }
      const key = await change('keys.create', { name: 'key', permissions: [] })
      assert.equal(key.organization_id, acme)
      assert.equal((await app.call('GET', '/users?count=true&limit=1')).headers['total-count'], '1')
      const [outside, hidden] = [await user('bob', { organization_id: globex }), await group('Board')]
      const member = { group_id: staff.group.group_id, user_id: outside, member: true }
      assert.equal(await change('groups.set_member', member), 'user_not_found')
      const stranger = { group_id: hidden, user_id: created.user_id, member: true }
      assert.equal(await change('groups.set_member', stranger), 'group_not_found')
      assert.equal(
        await change('users.update', { user_id: outside, input: { first_name: 'Eve' }, expected: undefined }),
        'user_not_found',
      )
      // Names are unique in the whole service.
      assert.equal(await change('users.create', named('bob')), 'username_taken')
    })

    it('gives no role with a permission that reaches outside, also through a group or a key', async (t) => {
      const { acme, change, group, user, userOf } = await open(t, engine)
      const user_id = await user('ada', { organization_id: acme })
      for (const role of ['reader', 'clerk', 'admin']) {
        const update = { user_id, input: { role }, expected: undefined }
        assert.equal(await change('users.update', update), 'role_not_grantable', role)
        assert.equal(await change('users.create', named('eve', { role })), 'role_not_grantable')
        assert.equal(await change('groups.create', { name: 'Eve', name_key: 'eve', role }), 'role_not_grantable')
        // Products decide by the names of groups as well.
        assert.equal(await change('groups.create', { name: role, name_key: role }), 'role_not_grantable')
        const strong = await group(`Group of ${role}`, { role, organization_id: acme })
        const joining = { group_id: strong, user_id, member: true }
        assert.equal(await change('groups.set_member', joining), 'role_not_grantable')
        const emptied = { group_id: strong, input: { role: null }, expected: undefined }
        assert.equal(await change('groups.update', emptied), 'role_not_grantable')
      }
      for (const permission of ['users:read', 'orders:read', '*']) {
        assert.equal(
          await change('keys.create', { name: 'key', permissions: [permission] }),
          'permission_not_grantable',
        )
      }
      assert.equal((await userOf(user_id)).role, 'user')
      for (const role of ['plain', 'user', 'manager']) {
        assert.equal(typeof (await change('users.update', { user_id, input: { role }, expected: undefined })), 'object')
        assert.equal((await userOf(user_id)).role, role)
      }
    })

    it('cannot change a user of the organization who has more, and does not learn by which group', async (t) => {
      const { app, acme, actor, change, group, join, user } = await open(t, engine)
      const user_id = await user('ada', { organization_id: acme })
      await join(await group('Board', { role: 'admin' }), user_id)
      const request = { actor, now: Date.now(), requestId: 'test' }
      const update = { user_id, input: { active: false }, expected: undefined }
      await assert.rejects(app.storage.change('users.update', update, request), (error: Error & { code: string }) => {
        assert.equal(error.code, 'user_outranks_caller')
        assert.doesNotMatch(error.message, /admin|group|Board/)
        return true
      })
      assert.equal(
        await change('users.delete', { user_id, graceDays: 30, expected: undefined }),
        'user_outranks_caller',
      )
    })

    it('gives with a whole permission nothing that is limited to the organization of another user', async (t) => {
      const { app, acme, globex, user, post } = await open(t, engine)
      const permissions = ['users:write', 'keys:write', 'roles:write', 'audit:read@organization']
      const { key } = await post('/keys', { name: 'support', permissions, organization_id: acme })
      const support = (method: 'PATCH' | 'POST', path: string, body: object) => app.call(method, path, { body, key })
      await post('/roles', { role: 'auditor', permissions: ['audit:read@organization'] })
      const [theirs, auditor] = [
        await user('bob', { organization_id: globex }),
        await user('eve', { organization_id: globex, role: 'auditor' }),
      ]
      const created = { name: 'key', permissions: ['audit:read@organization'], organization_id: globex }
      for (const [method, path, body, code] of [
        ['PATCH', `/users/${theirs}`, { role: 'auditor' }, 'role_not_grantable'],
        ['PATCH', `/users/${auditor}`, { first_name: 'Eve' }, 'user_outranks_caller'],
        ['POST', '/keys', created, 'permission_not_grantable'],
        ['POST', '/roles', { role: 'other', permissions: ['audit:read@organization'] }, 'role_not_grantable'],
      ] as const) {
        const response = await support(method, path, body)
        assert.equal(response.status, 403, path)
        assert.equal(response.body.code, code, path)
      }
      assert.equal((await support('PATCH', `/users/${theirs}`, { first_name: 'Bob' })).status, 200)
    })

    it('leaves the organization its last administrator', async (t) => {
      const { acme, app, change, group, join, user, userOf } = await open(t, engine)
      const user_id = await user('ada', { organization_id: acme, role: 'manager' })
      // Neither of them counts: one is disabled, one ends, one is from elsewhere.
      const disabled = await user('bob', { organization_id: acme, role: 'manager' })
      assert.equal((await app.call('PATCH', `/users/${disabled}`, { body: { active: false } })).status, 200)
      await user('eve', { organization_id: acme, role: 'manager', expires_at: '2099-01-01T00:00:00.000Z' })
      await user('mallory', { role: 'manager' })
      const refused = async () => {
        for (const input of [{ active: false }, { role: 'user' }, { expires_at: '2099-01-01T00:00:00.000Z' }]) {
          assert.equal(
            await change('users.update', { user_id, input, expected: undefined }),
            'last_organization_admin',
            JSON.stringify(input),
          )
        }
        const removal = { user_id, graceDays: 30, expected: undefined }
        assert.equal(await change('users.delete', removal), 'last_organization_admin')
        for (const action of [
          { action: 'deactivate' },
          { action: 'set_role', role: 'user' },
          { action: 'delete', graceDays: 30 },
        ]) {
          const { verdicts } = await change('users.change_many', { action, user_ids: [user_id] })
          assert.equal(verdicts[0].code, 'last_organization_admin', JSON.stringify(action))
        }
      }
      await refused()
      const desk = await group('Desk', { role: 'manager', organization_id: acme })
      const second = await user('grace', { organization_id: acme })
      await join(desk, second)
      const demoted = await change('users.update', { user_id, input: { role: 'user' }, expected: undefined })
      assert.equal(typeof demoted, 'object', demoted)
      for (const member of [
        { group_id: desk, user_id: second, member: false },
        { group_id: desk, user_id: second, member: true, expires_at: '2099-01-01T00:00:00.000Z' },
      ]) {
        assert.equal(await change('groups.set_member', member), 'last_organization_admin')
      }
      assert.equal(await change('groups.delete', { group_id: desk, expected: undefined }), 'last_organization_admin')
      const emptied = { group_id: desk, input: { role: null }, expected: undefined }
      assert.equal(await change('groups.update', emptied), 'last_organization_admin')
      const byOther = await app.call('PATCH', `/users/${second}`, { body: { active: false } })
      assert.equal(byOther.status, 200, 'an administrator of the service may')
      assert.equal((await userOf(second)).active, false)
    })

    it('sees of guests only how many there are, and cannot change what a group gives them', async (t) => {
      const { app, acme, globex, change, group, join, user } = await open(t, engine)
      const [own, guest, moving] = [
        await user('ada', { organization_id: acme }),
        await user('bob', { organization_id: globex }),
        await user('eve'),
      ]
      const staff = await group('Staff', { organization_id: acme, role: 'plain' })
      for (const id of [own, guest, moving]) await join(staff, id)
      const counts = async () => {
        const { member_count, guest_count } = (await app.call('GET', `/groups/${staff}`)).body
        return [member_count, guest_count]
      }
      assert.deepEqual(await counts(), [3, 2])
      const { group: seen } = await change('groups.update', {
        group_id: staff,
        input: { description: 'All' },
        expected: undefined,
      })
      assert.deepEqual([seen.member_count, seen.guest_count], [1, 2])
      assert.equal(
        await change('groups.set_member', { group_id: staff, user_id: guest, member: false }),
        'user_not_found',
      )
      for (const input of [{ role: 'manager' }, { role: null }, { name: 'manager', name_key: 'manager' }]) {
        const update = { group_id: staff, input, expected: undefined }
        assert.equal(await change('groups.update', update), 'role_not_grantable', JSON.stringify(input))
      }
      const move = (id: string, organization_id: string | null) =>
        app.call('PATCH', `/users/${id}`, { body: { organization_id } })
      assert.equal((await move(moving, acme)).status, 200)
      assert.deepEqual(await counts(), [3, 1])
      assert.equal((await move(own, globex)).status, 200)
      assert.deepEqual(await counts(), [2, 1])
      const moved = await app.call('PATCH', `/groups/${staff}`, { body: { organization_id: globex } })
      assert.equal(moved.status, 200, moved.text)
      assert.deepEqual(await counts(), [2, 1])
      assert.equal((await app.call('DELETE', `/users/${moving}`)).status, 200)
      assert.deepEqual(await counts(), [1, 0])
      assert.equal((await app.call('POST', `/users/${moving}/restore`)).status, 200)
      assert.deepEqual(await counts(), [2, 1])
      assert.equal((await app.call('PATCH', `/groups/${staff}`, { body: { organization_id: null } })).status, 200)
      assert.equal((await app.call('GET', `/groups/${staff}`)).body.guest_count, undefined)
      const other = await group('Desk', { organization_id: acme, role: 'plain' })
      await join(other, guest)
      assert.equal(typeof (await change('groups.delete', { group_id: other, expected: undefined })), 'object')
    })
  })
}
