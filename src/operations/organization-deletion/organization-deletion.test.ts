import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser, engines, everyEngine, type Started, start } from '../../../test/harness.ts'
import { createOrganization } from '../../../test/organizations.ts'
import { createPerson, openBrowser } from '../../../test/people.ts'
import { system } from '../../core/actor.ts'
import { deleteWithUsers } from './deletion.ts'

type Body = Record<string, unknown>

async function created(app: Started, path: string, body: Body) {
  const response = await app.call('POST', path, { body })
  assert.equal(response.status, 201, response.text)
  return response.body
}

/** An organization with two users, a group with a guest, a key, a connection of each kind, and a domain. */
async function createAcme(app: Started) {
  const organization_id = await createOrganization(app, { name: 'Acme' })
  const ada = await createPerson(app, { username: 'ada', email: 'ada@acme.example', organization_id })
  const bob = await createPerson(app, { username: 'bob', organization_id })
  const guest = await createPerson(app, { username: 'guest' })
  const desk = await created(app, '/groups', { name: 'Acme desk', organization_id })
  const shared = await created(app, '/groups', { name: 'Everyone' })
  for (const { user_id } of [ada, guest]) await app.call('PUT', `/groups/${desk.group_id}/members/${user_id}`)
  await app.call('PUT', `/groups/${shared.group_id}/members/${ada.user_id}`)
  const { key_id, key } = await created(app, '/keys', {
    ...{ name: 'of Acme', permissions: ['users:read'], organization_id },
  })
  const company = { kind: 'oidc', name: 'Acme login', issuer: 'https://acme.example', client_id: 'acme' }
  const { connection_id } = await created(app, '/connections', { ...company, organization_id })
  const provisioning = await created(app, '/provisioning', { name: 'Acme Okta', organization_id })
  await app.call('POST', `/organizations/${organization_id}/domains`, {
    body: { domain: 'acme.example', verified: true },
  })
  return { organization_id, ada, bob, guest, desk, shared, key_id, key, connection_id, provisioning }
}

const counts = { group_count: 1, key_count: 1, connection_count: 2, guest_count: 1 }

for (const engine of everyEngine) {
  describe(`the deletion of an organization with its users on ${engine.name}`, () => {
    it('leaves users who can be restored without an organization, and nothing that still works', async (t) => {
      const app = await start(t, engine)
      const acme = await createAcme(app)
      const { organization_id, ada, bob, guest } = acme
      const path = `/organizations/${organization_id}`
      const browser = await openBrowser(app, 'ada')
      const visit = await openBrowser(app, 'guest')
      assert.equal((await app.call('DELETE', path)).body.code, 'organization_not_empty')
      const tried = await app.call('DELETE', `${path}?users=delete&dry_run=true`)
      assert.deepEqual(tried.body, { organization_id, deleted: false, user_count: 2, ...counts })
      assert.equal(tried.headers['dry-run'], 'true')
      assert.equal((await app.call('GET', path)).body.active, true)
      const { status, body } = await app.call('DELETE', `${path}?users=delete`)
      assert.deepEqual([status, body], [200, { organization_id, deleted: true, user_count: 2, ...counts }])

      assert.equal((await browser.call('GET', '/me')).status, 401)
      assert.equal((await app.call('GET', '/users', { key: acme.key })).status, 401)
      assert.equal((await app.call('GET', '/scim/v2/Users', { key: acme.provisioning.key })).status, 401)
      for (const deleted of [
        path,
        `/users/${ada.user_id}`,
        `/groups/${acme.desk.group_id}`,
        `/connections/${acme.connection_id}`,
        `/provisioning/${acme.provisioning.connection_id}`,
      ]) {
        assert.equal((await app.call('GET', deleted)).status, 404, deleted)
      }
      const keys: { key_id: string }[] = (await app.call('GET', '/keys')).body
      assert.equal(
        keys.some(({ key_id }) => key_id === acme.key_id),
        false,
      )
      assert.deepEqual((await visit.call('GET', '/me')).body.groups, [])
      assert.equal((await app.call('GET', `/users/${guest.user_id}`)).status, 200)

      const restored = await app.call('POST', `/users/${ada.user_id}/restore`)
      assert.deepEqual([restored.status, restored.body.organization_id], [200, undefined])
      const groups: Body[] = (await app.call('GET', `/users/${ada.user_id}/groups`)).body
      assert.deepEqual(
        groups.map(({ name }) => name),
        ['Everyone'],
      )
      // The domain is free for another.
      const other = await createOrganization(app)
      const domain = { domain: 'acme.example', verified: true }
      assert.equal((await app.call('POST', `/organizations/${other}/domains`, { body: domain })).status, 201)

      const { body: records } = await app.call('GET', `/audit?target=${organization_id}&sort=-seq&limit=1`)
      const { request_id, action } = records[0]
      assert.equal(action, 'organization.deleted')
      const all: { action: string }[] = (await app.call('GET', `/audit?request_id=${request_id}&sort=seq`)).body
      assert.deepEqual(
        all.map((one) => one.action).filter((one) => one !== 'group.member_removed'),
        [
          'organization.updated',
          'user.deleted',
          'user.deleted',
          'group.deleted',
          'sign_in_connection.deleted',
          'connection.deleted',
          'key.revoked',
          'organization.deleted',
        ],
      )
      const { body: feed } = await app.call('GET', `/events?type=user.deleted&limit=10`)
      assert.deepEqual(
        feed.events.map(({ subject }: { subject: string }) => subject).sort(),
        [ada.user_id, bob.user_id].sort(),
      )
    })

    it('continues where it was cut off, and nobody can come to belong to it meanwhile', async (t) => {
      const app = await start(t, engine)
      const { organization_id } = await createAcme(app)
      const rows = Array.from(
        { length: 450 },
        (_, i) => `${JSON.stringify({ username: `u${i}`, organization: 'Acme' })}\n`,
      )
      const headers = { 'content-type': 'application/x-ndjson' }
      const imported = await app.call('POST', '/users/import', { body: rows.join(''), headers })
      assert.equal(imported.status, 200, imported.text.slice(0, 200))
      const request = async () => ({ actor: system, now: Date.now(), requestId: 'cut' })
      const { storage } = app
      const parts = { storage, organization_id, expected: undefined, override: false, dryRun: false, graceDays: 30 }
      const first = await deleteWithUsers({ ...parts, request, budgetMs: 0 })
      assert.equal(first.deleted, false)
      assert.equal(first.user_count + (first.users_left ?? 0), 452)
      const { active, user_count, group_count } = (await app.call('GET', `/organizations/${organization_id}`)).body
      assert.deepEqual([active, user_count, group_count], [false, first.users_left, 1])
      const { status, body } = await app.call('DELETE', `/organizations/${organization_id}?users=delete`)
      assert.deepEqual([status, body.deleted, body.user_count], [200, true, first.users_left])
      const { headers: found } = await app.call('GET', '/deleted-users?count=true&limit=1')
      assert.equal(found['total-count'], '452')
    })
  })
}

for (const engine of engines) {
  describe(`the deletion of an organization with its users on ${engine.name}`, () => {
    it('is refused before the first change, if anything of it would be refused', async (t) => {
      const app = await start(t, engine)
      const acme = await createAcme(app)
      const { organization_id, ada, bob, desk } = acme
      const path = `/organizations/${organization_id}?users=delete`
      const refused = async (code: string, query = '', request = {}) => {
        for (const dry of ['', '&dry_run=true']) {
          const { status, body } = await app.call('DELETE', `${path}${query}${dry}`, request)
          assert.equal(body.code, code, `${status} ${JSON.stringify(body)}`)
        }
        const { active, user_count, group_count } = (await app.call('GET', `/organizations/${organization_id}`)).body
        assert.deepEqual([active, user_count, group_count], [true, 2, 1], `${code} ${query}`)
      }
      const keyWith = async (...permissions: string[]) =>
        (await created(app, '/keys', { name: permissions.join(' '), permissions })).key
      const all = ['users', 'groups', 'keys', 'connections', 'provisioning'].map((one) => `${one}:write`)
      for (const missing of all) {
        const key = await keyWith('organizations:write', ...all.filter((one) => one !== missing))
        await refused('permission_denied', '', { key })
      }
      // The role of the only administrator comes from a group of the organization.
      const admin = await createPerson(app, { username: 'root' })
      await app.call('PATCH', `/groups/${desk.group_id}`, { body: { role: 'admin' } })
      await app.call('PUT', `/groups/${desk.group_id}/members/${admin.user_id}`)
      await refused('last_admin')
      // The only others belong to it.
      await app.call('PATCH', `/users/${ada.user_id}`, { body: { role: 'admin' } })
      await refused('last_admin')
      const without = await app.call('PATCH', `/groups/${desk.group_id}`, { body: { role: null } })
      assert.equal(without.status, 200)
      await refused('last_admin')
      await app.call('PATCH', `/users/${admin.user_id}`, { body: { role: 'admin' } })
      for (const { user_id } of [ada, admin]) await app.call('DELETE', `/groups/${desk.group_id}/members/${user_id}`)
      // Connections are changed only by who holds everything.
      await refused('role_not_grantable', '', { key: await keyWith('organizations:write', ...all, 'scim:write') })
      await app.call('DELETE', `/connections/${acme.connection_id}`)
      const weak = await keyWith('organizations:write', ...all, 'scim:write', 'users:read')
      await refused('user_outranks_caller', '', { key: weak })
      const own = await openBrowser(app, 'ada')
      const byOwn = await own.call('DELETE', path)
      assert.equal(byOwn.body.code, 'own_account')
      await app.runSql(
        `UPDATE users SET managed_by = '019a9f3e-0000-7000-8000-000000000000' WHERE user_id = '${bob.user_id}'`,
      )
      await refused('managed_elsewhere')
      await app.runSql(
        `UPDATE users SET managed_by = '${acme.provisioning.connection_id}' WHERE user_id = '${bob.user_id}'`,
      )
      const late = await app.call('DELETE', path, { headers: { 'if-match': '"9"' } })
      assert.equal(late.body.code, 'precondition_failed')
      const { body } = await app.call('DELETE', path)
      assert.deepEqual([body.deleted, body.user_count], [true, 2])
    })

    it('of a disabled organization without users deletes the rest', async (t) => {
      const app = await start(t, engine)
      const organization_id = await createOrganization(app, { active: false })
      await created(app, '/groups', { name: 'Left', organization_id })
      await createUser(app)
      const { status, body } = await app.call('DELETE', `/organizations/${organization_id}?users=delete`)
      const none = { user_count: 0, key_count: 0, connection_count: 0, guest_count: 0 }
      assert.deepEqual([status, body], [200, { organization_id, deleted: true, ...none, group_count: 1 }])
      assert.equal((await app.call('DELETE', `/organizations/${organization_id}?users=delete`)).status, 404)
    })
  })
}
