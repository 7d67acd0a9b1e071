import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser, engines, type Started, start } from '../../../test/harness.ts'

const roles = { support: ['users:read', 'users:write'], auditor: ['users:read', 'audit:read'], root: ['*'], guest: [] }
const env = { ROLLBOOK_ROLES: JSON.stringify(roles) }

async function keyWith(app: Started, ...permissions: string[]): Promise<string> {
  const response = await app.call('POST', '/keys', { body: { name: 'test', permissions } })
  assert.equal(response.status, 201, response.text)
  return response.body.key
}

const admins = async (app: Started): Promise<Record<string, unknown>[]> =>
  (await app.call('GET', '/users?role=admin&active=true')).body

for (const engine of engines) {
  describe(`who may change whom on ${engine.name}`, () => {
    it('no caller grants a role with permissions they lack', async (t) => {
      const app = await start(t, engine, { env })
      const key = await keyWith(app, 'users:read', 'users:write')
      const user = await createUser(app)
      for (const role of ['admin', 'root', 'auditor']) {
        const created = await app.call('POST', '/users', { key, body: { username: role, role } })
        assert.deepEqual([created.status, created.body.code], [403, 'role_not_grantable'])
        const changed = await app.call('PATCH', `/users/${user.user_id}`, { key, body: { role } })
        assert.deepEqual([changed.status, changed.body.code], [403, 'role_not_grantable'])
      }
      assert.deepEqual((await app.call('GET', '/users')).body, [user])
      for (const role of ['support', 'guest', 'user']) {
        assert.equal((await app.call('POST', '/users', { key, body: { username: role, role } })).body.role, role)
        assert.equal((await app.call('PATCH', `/users/${user.user_id}`, { key, body: { role } })).body.role, role)
      }
    })

    it('no caller changes or deletes a user with permissions they lack', async (t) => {
      const app = await start(t, engine, { env })
      const key = await keyWith(app, 'users:read', 'users:write')
      for (const role of ['admin', 'root', 'auditor']) {
        const user = await createUser(app, { role })
        const path = `/users/${user.user_id}`
        const attempts = [{ password: 'the sky above the port was grey' }, { role: 'user' }, { active: false }, {}]
        for (const body of attempts) {
          const response = await app.call('PATCH', path, { key, body })
          assert.deepEqual([response.status, response.body.code], [403, 'user_outranks_caller'])
        }
        assert.equal((await app.call('DELETE', path, { key })).body.code, 'user_outranks_caller')
        assert.deepEqual((await app.call('GET', path)).body, user)
      }
      const peer = await createUser(app, { role: 'support' })
      assert.equal((await app.call('DELETE', `/users/${peer.user_id}`, { key })).status, 200)
    })

    it('a role that is no longer configured has no permissions, whatever its name', async (t) => {
      const app = await start(t, engine, { env })
      const key = await keyWith(app, 'users:read', 'users:write')
      for (const role of ['former', 'constructor', '__proto__']) {
        const { user_id } = await createUser(app)
        await app.runSql(`UPDATE users SET role = '${role}' WHERE user_id = '${user_id}'`)
        const response = await app.call('PATCH', `/users/${user_id}`, { key, body: { first_name: 'Ada' } })
        assert.deepEqual([response.status, response.body.role], [200, role])
        assert.equal((await app.call('DELETE', `/users/${user_id}`, { key })).status, 200)
      }
    })

    it('reading is not writing', async (t) => {
      const app = await start(t, engine)
      const key = await keyWith(app, 'users:read')
      const user = await createUser(app)
      const path = `/users/${user.user_id}`
      const attempts = [
        app.call('POST', '/users', { key, body: { username: 'ada' } }),
        app.call('POST', '/users?dry_run=true', { key, body: { username: 'ada' } }),
        app.call('PATCH', path, { key, body: { first_name: 'x' } }),
        app.call('DELETE', path, { key }),
      ]
      for (const { status, body } of await Promise.all(attempts)) {
        assert.deepEqual([status, body.code], [403, 'permission_denied'])
      }
      assert.deepEqual((await app.call('GET', '/users', { key })).body, [user])
    })
  })

  describe(`the last active administrator on ${engine.name}`, () => {
    const losses = [
      ['be deleted', 'DELETE', undefined],
      ['be disabled', 'PATCH', { active: false }],
      ['be demoted', 'PATCH', { role: 'user' }],
      [
        'be demoted and disabled together with other changes',
        'PATCH',
        { role: 'support', active: false, first_name: '' },
      ],
    ] as const
    for (const [what, method, body] of losses) {
      it(`can not ${what} unless there is another`, async (t) => {
        const app = await start(t, engine, { env })
        const last = await createUser(app, { role: 'admin' })
        const disabled = await createUser(app, { role: 'admin' })
        await app.call('PATCH', `/users/${disabled.user_id}`, { body: { active: false } })
        await createUser(app, { role: 'support' })
        const lose = () => app.call(method, `/users/${last.user_id}`, body && { body })
        const refused = await lose()
        assert.deepEqual([refused.status, refused.body.code], [409, 'last_admin'])
        assert.deepEqual((await app.call('GET', `/users/${last.user_id}`)).body, last)
        await app.call('PATCH', `/users/${disabled.user_id}`, { body: { active: true } })
        assert.equal((await lose()).status, 200)
      })
    }

    it('can change in every other way, and to another administering role', async (t) => {
      const app = await start(t, engine, { env })
      const { user_id } = await createUser(app, { role: 'admin' })
      for (const body of [{ first_name: 'Ada' }, { active: true }, { role: 'admin' }, { role: 'root' }]) {
        assert.equal((await app.call('PATCH', `/users/${user_id}`, { body })).status, 200)
      }
      assert.equal((await app.call('DELETE', `/users/${user_id}`)).body.code, 'last_admin')
    })

    it('is protected when 32 remove each other at once: exactly one is left', async (t) => {
      const app = await start(t, engine, { env })
      const users = await Promise.all(Array.from({ length: 32 }, () => createUser(app, { role: 'admin' })))
      const answers = await Promise.all(
        users.map(({ user_id }, i) => {
          if (i % 3 === 0) return app.call('DELETE', `/users/${user_id}`)
          return app.call('PATCH', `/users/${user_id}`, { body: i % 3 === 1 ? { active: false } : { role: 'user' } })
        }),
      )
      assert.equal(answers.filter(({ status }) => status === 200).length, 31)
      assert.deepEqual(
        answers.filter(({ status }) => status !== 200).map(({ body }) => body.code),
        ['last_admin'],
      )
      assert.equal((await admins(app)).length, 1)
    })
  })
}
