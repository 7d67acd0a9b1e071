import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser, engines, type Started, start } from '../../../test/harness.ts'
import { createPerson, openBrowser } from '../../../test/people.ts'
import { system } from '../../core/actor.ts'
import { meantPermission, scopablePermissions } from '../../core/permissions.ts'
import { continueReplacements } from './replacement.ts'
import type { Role } from './schema.ts'

type Body = Record<string, unknown>
const request = { actor: system, now: Date.now(), requestId: 'test' }

async function keyWith(app: Started, ...permissions: string[]): Promise<string> {
  const response = await app.call('POST', '/keys', { body: { name: 'test', permissions } })
  assert.equal(response.status, 201, response.text)
  return response.body.key
}

async function createRole(app: Started, body: Body): Promise<Role> {
  const response = await app.call('POST', '/roles', { body: { permissions: [], ...body } })
  assert.equal(response.status, 201, response.text)
  return response.body
}

const codeOf = ({ status, body }: { status: number; body: Body }) => `${status} ${body.code}`

describe('permissions', () => {
  it('of our own subjects must exist, and others belong to the product', () => {
    assert.equal(meantPermission('users:raed'), 'users:read')
    assert.equal(meantPermission('policies:delete'), 'policies:read, policies:write')
    for (const word of ['users:read', '*', 'users:read@organization', 'reports:raed', 'user:read'])
      assert.equal(meantPermission(word), undefined)
  })
})

for (const engine of engines) {
  describe(`roles on ${engine.name}`, () => {
    it('are the built-in ones, those of the settings in their order, and the stored ones by name', async (t) => {
      const roles = { support: ['users:read', 'users:write'], analyst: ['reports:read'], root: ['*'], guest: [] }
      const app = await start(t, engine, { env: { ROLLBOOK_ROLES: JSON.stringify(roles) } })
      const unstored = { description: '', user_count: 0, group_count: 0, created_at: null, updated_at: null }
      const created = await createRole(app, { role: 'zebra', description: 'Stripes', permissions: ['a:b'] })
      await createRole(app, { role: 'constructor' })
      const { status, body } = await app.call('GET', '/roles')
      assert.equal(status, 200)
      assert.deepEqual(body.slice(0, 6), [
        { role: 'admin', permissions: ['*'], built_in: true, managed_by: null, ...unstored },
        { role: 'user', permissions: [], built_in: true, managed_by: null, ...unstored },
        ...Object.entries(roles).map(([role, permissions]) => {
          return { role, permissions, built_in: false, managed_by: 'settings', ...unstored }
        }),
      ])
      assert.deepEqual(
        body.slice(6).map(({ role }: Role) => role),
        ['constructor', 'zebra'],
      )
      assert.deepEqual(body[7], created)
      assert.equal(created.created_at, created.updated_at)
      for (const [role, code] of [
        ['support', '409 managed_elsewhere'],
        ['admin', '409 role_built_in'],
        ['nothing', '404 role_not_found'],
      ]) {
        assert.equal(codeOf(await app.call('PATCH', `/roles/${role}`, { body: { permissions: [] } })), code)
        assert.equal(codeOf(await app.call('DELETE', `/roles/${role}?override=true`)), code)
        if (role !== 'nothing') {
          assert.equal(codeOf(await app.call('POST', '/roles', { body: { role, permissions: [] } })), '409 role_taken')
        }
      }
    })

    it('are created, changed and deleted with ETag, dry run, audit and events', async (t) => {
      const app = await start(t, engine)
      const since = (await app.call('GET', '/events')).body.cursor
      const dry = await app.call('POST', '/roles?dry_run=true', {
        body: { role: 'helper', permissions: ['users:read'] },
      })
      assert.deepEqual([dry.status, dry.body.role, dry.headers['dry-run']], [200, 'helper', 'true'])
      assert.equal((await app.call('GET', '/roles/helper')).status, 404)
      const headers = { 'idempotency-key': 'one' }
      const sent = { body: { role: 'helper', permissions: ['users:read'] }, headers }
      const first = await app.call('POST', '/roles', sent)
      const again = await app.call('POST', '/roles', sent)
      assert.deepEqual([first.status, again.status, again.headers['idempotency-replayed']], [201, 201, 'true'])
      assert.match(String(first.headers.location), /\/roles\/helper$/)
      const etag = String(first.headers.etag)
      const { user_id } = await createUser(app)
      const bulk = { action: 'set_role', role: 'helper', user_ids: [user_id] }
      assert.equal((await app.call('POST', '/users/bulk', { body: bulk })).status, 200)
      const read = await app.call('GET', '/roles/helper')
      assert.deepEqual([read.body.user_count, read.headers.etag], [1, etag])
      assert.equal((await app.call('GET', '/roles/helper', { headers: { 'if-none-match': etag } })).status, 304)
      const tried = await app.call('PATCH', '/roles/helper?dry_run=true', { body: { permissions: ['groups:read'] } })
      assert.deepEqual([tried.status, tried.body.permissions, tried.headers.etag], [200, ['groups:read'], undefined])
      const changed = await app.call('PATCH', '/roles/helper', {
        body: { permissions: ['users:read', 'reports:read'], description: 'Helps' },
        headers: { 'if-match': etag },
      })
      assert.equal(changed.status, 200, changed.text)
      assert.deepEqual(changed.body.permissions, ['users:read', 'reports:read'])
      const stale = await app.call('PATCH', '/roles/helper', { body: {}, headers: { 'if-match': etag } })
      assert.equal(codeOf(stale), '412 precondition_failed')
      await app.call('POST', '/users/bulk', { body: { action: 'set_role', role: 'user', filter: { role: 'helper' } } })
      assert.deepEqual((await app.call('DELETE', '/roles/helper')).body, {
        ...{ role: 'helper', deleted: true, replaced_by: null, user_count: 0, group_count: 0 },
      })
      const { body: feed } = await app.call('GET', `/events?type=role.*&after=${since}`)
      assert.deepEqual(
        feed.events.map(({ type, data }: { type: string; data: Role }) => [type, data.permissions]),
        [
          ['role.created', ['users:read']],
          ['role.updated', ['users:read', 'reports:read']],
          ['role.deleted', ['users:read', 'reports:read']],
        ],
      )
      await app.storage.settleJournal()
      const { body: records } = await app.call('GET', '/audit?target=helper')
      assert.deepEqual(
        records.map(({ action }: { action: string }) => action),
        ['role.deleted', 'role.updated', 'role.created'],
      )
    })

    it('are refused with every fault, and the nearest word', async (t) => {
      const app = await start(t, engine)
      const { status, body } = await app.call('POST', '/roles', {
        body: { role: 'The Boss', description: 'a\u0000b', permissions: ['users:raed', 'everything', 'reports:raed'] },
      })
      assert.equal(status, 422)
      assert.deepEqual(
        body.errors.map(({ pointer, code }: Body) => [pointer, code]),
        [
          ['#/role', 'role_name_invalid'],
          ['#/description', 'control_character'],
          ['#/permissions/0', 'permission_unknown'],
          ['#/permissions/1', 'permission_invalid'],
        ],
      )
      assert.match(body.errors[2].detail, /Did you mean users:read\?/)
      for (const permissions of [['a:b', 'a:b'], 'users:read', null]) {
        assert.equal((await app.call('POST', '/roles', { body: { role: 'x', permissions } })).status, 422)
      }
    })

    it('hold permissions that are limited to an organization, where one can be', async (t) => {
      const app = await start(t, engine)
      const limited = [...scopablePermissions, '*'].map((word) => `${word}@organization`)
      assert.equal((await app.call('POST', '/roles', { body: { role: 'clerk', permissions: limited } })).status, 201)
      assert.deepEqual((await app.call('GET', '/roles/clerk')).body.permissions, limited)
      const others = ['webhooks:read', 'reports:read', 'users:raed', ''].map((word) => `${word}@organization`)
      for (const [method, path, body] of [
        ['POST', '/roles', { role: 'x', permissions: others }],
        ['PATCH', '/roles/clerk', { permissions: others }],
      ] as const) {
        const response = await app.call(method, path, { body })
        assert.deepEqual(
          [response.status, ...response.body.errors.map(({ code }: Body) => code)],
          [422, ...Array(3).fill('permission_unknown'), 'permission_invalid'],
          path,
        )
        assert.deepEqual(
          response.body.errors.map(({ detail }: Body) => String(detail).replace(/^This permission /, '')),
          [
            ...Array(2).fill('cannot be limited to an organization.'),
            'cannot be limited to an organization. Did you mean users:read?',
            'A permission is * or two words with a colon between, such as users:read.',
          ],
        )
      }
      for (const permission of ['users:read@organization@organization', 'users:read@', 'users:read@ORGANIZATION']) {
        const response = await app.call('POST', '/roles', { body: { role: 'x', permissions: [permission] } })
        assert.deepEqual([response.status, response.body.errors[0].code], [422, 'permission_invalid'], permission)
      }
    })

    it('change for sessions, personal keys, tokens, introspection and forward-auth at once', async (t) => {
      const app = await start(t, engine)
      await createRole(app, { role: 'helper', permissions: ['users:read', 'keys:write'] })
      const person = await createPerson(app, { role: 'helper' })
      const browser = await openBrowser(app, person.username)
      const personal = (await browser.call('POST', '/me/keys', { body: { name: 'k', permissions: ['users:read'] } }))
        .body
      const token = (await browser.call('POST', '/token')).body.access_token
      const bearer = { key: null, headers: { authorization: `Bearer ${token}` } }
      const states = async () => [
        (await browser.call('GET', '/users')).status,
        (await app.call('GET', '/users', { key: personal.key })).status,
        (await app.call('GET', '/users', bearer)).status,
        (await app.call('POST', '/introspect', { body: { token } })).body.active,
        (await app.call('GET', '/verify/nginx?permission=users:read', { key: personal.key })).status,
      ]
      assert.deepEqual(await states(), [200, 200, 200, true, 200])
      const { body: before } = await app.call('GET', '/revocations')
      await app.call('PATCH', '/roles/helper', { body: { permissions: ['groups:read'] } })
      assert.deepEqual(await states(), [403, 403, 401, false, 403])
      assert.deepEqual((await browser.call('GET', '/me')).body.permissions, ['groups:read'])
      const { body: after } = await app.call('GET', `/revocations?after=${before.cursor}`)
      assert.deepEqual(
        after.revocations.map(({ kind, id }: Body) => [kind, id]),
        [['user', person.user_id]],
      )
      await app.call('PATCH', '/roles/helper', { body: { permissions: ['users:read'] } })
      assert.deepEqual((await states()).slice(0, 2), [200, 200])
    })

    it('cannot exceed their author, before or after', async (t) => {
      const app = await start(t, engine)
      await createRole(app, { role: 'strong', permissions: ['users:write'] })
      await createRole(app, { role: 'weak', permissions: ['users:read'] })
      const key = await keyWith(app, 'roles:write', 'users:read')
      const attempts: [string, string, Body | undefined][] = [
        ['POST', '/roles', { role: 'own', permissions: ['*'] }],
        ['POST', '/roles', { role: 'own', permissions: ['reports:read'] }],
        ['PATCH', '/roles/strong', { permissions: [] }],
        ['PATCH', '/roles/strong', { description: 'x' }],
        ['PATCH', '/roles/weak', { permissions: ['users:read', 'users:write'] }],
        ['DELETE', '/roles/strong', undefined],
      ]
      for (const [method, path, body] of attempts) {
        assert.equal(codeOf(await app.call(method as 'POST', path, { body, key })), '403 role_not_grantable', path)
      }
      assert.equal((await app.call('PATCH', '/roles/weak', { body: { permissions: [] }, key })).status, 200)
      assert.equal((await app.call('DELETE', '/roles/weak', { key })).status, 200)
      assert.equal((await app.call('DELETE', '/roles/strong', { key: await keyWith(app, 'users:write') })).status, 403)
    })

    it('keep an administrator, and one who can use a password', async (t) => {
      const app = await start(t, engine)
      await createRole(app, { role: 'root', permissions: ['*'] })
      const { user_id } = await createPerson(app, { role: 'root' })
      const group = (await app.call('POST', '/groups', { body: { name: 'Roots', role: 'root' } })).body
      for (const [method, path, body] of [
        ['PATCH', '/roles/root', { permissions: ['users:read'] }],
        ['PATCH', '/roles/root?dry_run=true', { permissions: [] }],
        ['DELETE', '/roles/root?replace_with=user', undefined],
      ] as const) {
        assert.equal(codeOf(await app.call(method, path, { body })), '409 last_admin', path)
      }
      assert.equal((await app.call('DELETE', '/roles/root?replace_with=admin&dry_run=true')).status, 200)
      const other = await createPerson(app)
      await app.call('PUT', `/groups/${group.group_id}/members/${other.user_id}`)
      assert.equal(codeOf(await app.call('DELETE', '/roles/root?replace_with=user')), '409 last_admin')
      await createPerson(app, { role: 'admin' })
      assert.equal((await app.call('PATCH', '/roles/root', { body: { permissions: ['users:read'] } })).status, 200)
      assert.equal((await app.call('GET', `/users/${user_id}`)).body.role, 'root')
    })

    it('are deleted after their holders have another one, also after a crash, and can be given to none meanwhile', async (t) => {
      const app = await start(t, engine)
      await createRole(app, { role: 'old', permissions: ['users:read', 'reports:read'] })
      await createRole(app, { role: 'new', permissions: ['groups:read'] })
      const person = await createPerson(app, { role: 'old' })
      const browser = await openBrowser(app, person.username)
      const others = await Promise.all(Array.from({ length: 3 }, () => createUser(app, { role: 'old' })))
      const group = (await app.call('POST', '/groups', { body: { name: 'Olds', role: 'old' } })).body
      const deleted = await createUser(app, { role: 'old' })
      await app.call('DELETE', `/users/${deleted.user_id}`)
      const refused = await app.call('DELETE', '/roles/old')
      assert.equal(codeOf(refused), '409 role_in_use')
      assert.deepEqual([refused.body.user_count, refused.body.group_count], [4, 1])
      for (const to of ['old', 'nothing']) {
        assert.equal((await app.call('DELETE', `/roles/old?replace_with=${to}`)).status, 422)
      }
      const expected = undefined
      // As a node does that ends right after the first step.
      await app.storage.change(
        'roles.delete',
        { role: 'old', replace_with: 'new', expected },
        { ...request, actor: admin },
      )
      const { body: during } = await app.call('GET', '/roles/old')
      assert.deepEqual([during.replaced_by, during.permissions], ['new', ['groups:read']])
      assert.deepEqual((await browser.call('GET', '/me')).body.permissions, ['groups:read'])
      const gives: [string, string, Body][] = [
        ['POST', '/users', { username: 'late', role: 'old' }],
        ['PATCH', `/users/${(await createUser(app)).user_id}`, { role: 'old' }],
        ['POST', '/groups', { name: 'Late', role: 'old' }],
      ]
      for (const [method, path, body] of gives) {
        assert.equal((await app.call(method as 'POST', path, { body })).body.errors?.[0].code, 'role_unknown', path)
      }
      for (const method of ['PATCH', 'DELETE'] as const) {
        const body = method === 'PATCH' ? { permissions: [] } : undefined
        assert.equal(codeOf(await app.call(method, '/roles/old', { body })), '409 role_in_use')
      }
      assert.equal(codeOf(await app.call('DELETE', '/roles/new')), '409 role_in_use')
      await continueReplacements(app.storage, Date.now())
      assert.equal((await app.call('GET', '/roles/old')).status, 404)
      for (const { user_id } of [person, ...others]) {
        assert.equal((await app.call('GET', `/users/${user_id}`)).body.role, 'new')
      }
      assert.equal((await app.call('GET', `/groups/${group.group_id}`)).body.role, 'new')
      // The session of a user with the role continues, and shows the role.
      assert.equal((await browser.call('GET', '/me')).body.role, 'new')
      await app.call('POST', `/users/${deleted.user_id}/restore`)
      assert.equal((await app.call('GET', '/roles/old')).body.user_count, 1)
      // A role that is only held permits nothing, and can be replaced.
      const { body: done, status } = await app.call('DELETE', '/roles/old?replace_with=new')
      assert.deepEqual([status, done.deleted, done.user_count], [200, true, 1])
    })

    it('are not deleted while a connection, the policy, or a trusted issuer names them', async (t) => {
      const issuer = 'https://id.example.com'
      const app = await start(t, engine, {
        env: {
          ROLLBOOK_TRUSTED_ISSUERS: JSON.stringify([
            { issuer, audience: 'x', jwks_url: `${issuer}/jwks`, algorithms: ['RS256'], roles: { staff: 'named' } },
          ]),
        },
      })
      await createRole(app, { role: 'named' })
      const connection = { kind: 'oidc', name: 'Acme', issuer: 'https://acme.example', client_id: 'x' }
      const created = await app.call('POST', '/connections', { body: { ...connection, default_role: 'named' } })
      assert.equal(created.status, 201, created.text)
      assert.equal(
        (await app.call('PATCH', '/policies', { body: { second_factor: { named: 'required' } } })).status,
        200,
      )
      const { body } = await app.call('DELETE', '/roles/named?replace_with=user')
      assert.deepEqual(body.named_by, [
        'the connection Acme',
        'the policy second_factor',
        `the trusted issuer ${issuer}`,
      ])
    })

    it('of the settings win over stored ones, and are listed while they are held when they left', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_ROLES: '{"support": ["users:read"]}' } })
      await createUser(app, { role: 'support' })
      await app.runSql(`INSERT INTO roles (role, version, description, permissions, created_at, updated_at)
        VALUES ('support', 1, 'Stored', '["*"]', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`)
      await createRole(app, { role: 'other' })
      const { body } = await app.call('GET', '/roles/support')
      assert.deepEqual([body.permissions, body.managed_by, body.description], [['users:read'], 'settings', ''])
      await app.runSql(`DELETE FROM roles WHERE role = 'support'`)
      await app.runSql(`UPDATE users SET role = 'left' WHERE role = 'support'`)
      const listed = (await app.call('GET', '/roles')).body.find(({ role }: Role) => role === 'left')
      assert.deepEqual([listed.permissions, listed.user_count, listed.managed_by], [[], 1, null])
      const adopted = await app.call('PATCH', '/roles/left', { body: { permissions: ['users:read'] } })
      assert.equal(adopted.status, 200, adopted.text)
      assert.equal((await app.call('GET', '/roles/left')).body.permissions[0], 'users:read')
    })

    it('are 256 at most', async (t) => {
      const app = await start(t, engine)
      const at = '2026-01-01T00:00:00.000Z'
      const rows = Array.from({ length: 255 }, (_, i) => `('role-${i}', 1, '', '[]', '${at}', '${at}')`)
      await app.runSql(
        `INSERT INTO roles (role, version, description, permissions, created_at, updated_at) VALUES ${rows.join(',')}`,
      )
      await createRole(app, { role: 'last' })
      assert.equal(
        codeOf(await app.call('POST', '/roles', { body: { role: 'more', permissions: [] } })),
        '409 too_many_roles',
      )
      await app.call('DELETE', '/roles/role-0')
      await createRole(app, { role: 'more' })
    })

    it('and policies that are not set in the environment are replaced as a whole', async (t) => {
      const app = await start(t, engine)
      const first = await app.call('GET', '/policies')
      const none = {
        second_factor: 'optional',
        inactivity: null,
        managed_by: { second_factor: null, inactivity: null },
        updated_at: null,
      }
      assert.deepEqual(first.body, none)
      const body = { second_factor: { admin: 'required', 'group:Staff': 'required' } }
      const changed = await app.call('PATCH', '/policies', {
        body,
        headers: { 'if-match': String(first.headers.etag) },
      })
      assert.equal(changed.status, 200, changed.text)
      assert.deepEqual(changed.body.second_factor, body.second_factor)
      const person = await createPerson(app, { role: 'admin' })
      const browser = await openBrowser(app, person.username)
      assert.equal((await browser.call('GET', '/users')).body.code, 'factor_required')
      await app.call('PATCH', '/policies', { body: { second_factor: null } })
      assert.equal((await browser.call('GET', '/users')).status, 200)
      for (const second_factor of ['maybe', { nobody: 'required' }, { 'A b': 'required' }]) {
        assert.equal((await app.call('PATCH', '/policies', { body: { second_factor } })).status, 422)
      }
      const fixed = await start(t, engine, { env: { ROLLBOOK_SECOND_FACTOR: 'optional' } })
      assert.equal((await fixed.call('GET', '/policies')).body.managed_by.second_factor, 'settings')
      assert.equal(codeOf(await fixed.call('PATCH', '/policies', { body })), '409 managed_elsewhere')
    })
  })
}

const admin = { kind: 'api_key', id: 'test', name: 'test', permissions: ['*'] } as const
