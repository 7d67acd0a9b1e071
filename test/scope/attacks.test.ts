/** Flaws of delegated administration that were published elsewhere, as attacks of an administrator of an organization through the API. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { groupUrn, patchOpUrn, userUrn } from '../../src/scim/protocol/urns.ts'
import { anyEngine, createUser, type Started, start } from '../harness.ts'
import { mailEnv } from '../mails/mailing.ts'
import { createOrganization } from '../organizations.ts'
import { createPerson, openBrowser, password } from '../people.ts'

const words = [
  'users:read',
  'users:write',
  'users:import',
  'groups:read',
  'groups:write',
  'keys:read',
  'keys:write',
  'sessions:write',
  'provisioning:read',
  'provisioning:write',
  'scim:write',
]
const roles = { manager: words.map((word) => `${word}@organization`), reader: ['users:read'], clerk: ['orders:read'] }

type Body = Record<string, unknown>

/** A key of an organization with every limited permission, a user there, and one elsewhere. */
async function open(t: TestContext, env: Record<string, string> = {}) {
  const app = await start(t, anyEngine, { env: { ...mailEnv, ROLLBOOK_ROLES: JSON.stringify(roles), ...env } })
  const [acme, globex] = [await createOrganization(app), await createOrganization(app)]
  const body = { name: 'manager', permissions: roles.manager, organization_id: acme }
  const { key } = (await app.call('POST', '/keys', { body })).body
  const call = (method: string, path: string, sent?: Body) =>
    app.call(method, path, { key, ...(sent !== undefined && { body: sent }) })
  const codeOf = async (method: string, path: string, sent?: Body) => {
    const { status, body } = await call(method, path, sent)
    return status < 300 ? 'done' : `${status} ${body.code}`
  }
  const user = async (username: string, more: Body = {}) =>
    String((await createUser(app, { username, organization_id: acme, ...more })).user_id)
  const group = async (name: string, more: Body = {}): Promise<string> => {
    const created = await app.call('POST', '/groups', { body: { name, organization_id: acme, ...more } })
    assert.equal(created.status, 201, created.text)
    return created.body.group_id
  }
  return { app, acme, globex, call, codeOf, user, group }
}

const rowsOf = (text: string): Body[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'row')

/** Imports one row. Returns its verdict and code. */
async function importRow(app: Started, key: string, row: Body) {
  const headers = { 'content-type': 'application/x-ndjson' }
  const sent = await app.call('POST', '/users/import?mode=update', { key, headers, body: `${JSON.stringify(row)}\n` })
  assert.equal(sent.status, 200, sent.text)
  const found = JSON.parse((await app.call('GET', `/imports/${sent.body.job_id}/rows`, { key })).text)
  return found.verdict === 'rejected' ? `rejected ${found.code}` : found.verdict
}

describe('an administrator of an organization', () => {
  it('would have become administrator through a group whose role is stronger', async (t) => {
    const { acme, app, codeOf, group, user } = await open(t)
    const id = await user('ada')
    for (const role of ['admin', 'reader', 'clerk']) {
      const strong = await group(`of ${role}`, { role })
      assert.equal(await codeOf('PUT', `/groups/${strong}/members/${id}`), '403 role_not_grantable')
      assert.equal(await codeOf('POST', `/groups/${strong}/members`, { add: [id] }), '403 role_not_grantable')
      const joining = { action: 'add_to_group', group_id: strong, user_ids: [id] }
      assert.equal(await codeOf('POST', '/users/bulk', joining), '403 role_not_grantable')
      assert.equal(await codeOf('POST', '/groups', { name: 'Mine', role }), '403 role_not_grantable')
    }
    const foreign = await group('Everyone', { organization_id: null })
    assert.equal(await codeOf('PUT', `/groups/${foreign}/members/${id}`), '404 group_not_found')
    assert.equal((await app.call('GET', `/users/${id}/groups`)).body.length, 0)
    assert.equal((await app.call('GET', `/groups?organization=${acme}&name=Mine`)).body.length, 0)
  })

  it('would have granted a role through an invitation', async (t) => {
    const { app, call, codeOf } = await open(t)
    const invited = { username: 'eve', email: 'eve@acme.example', invite: 'true' }
    for (const role of ['admin', 'reader', 'clerk']) {
      assert.equal(await codeOf('POST', '/users', { ...invited, role }), '403 role_not_grantable')
    }
    const created = await call('POST', '/users', { ...invited, role: 'manager' })
    assert.equal(created.status, 201, created.text)
    assert.deepEqual((await app.call('GET', '/users?role=admin')).body, [])
  })

  it('would have changed users by import, bulk, SCIM or restore whom PATCH refuses', async (t) => {
    const { acme, app, call, codeOf, globex, user } = await open(t)
    const [strong, outside, own] = [
      await user('root', { role: 'reader', external_id: 'x-1' }),
      await user('bob', { organization_id: globex }),
      await user('ada'),
    ]
    const weak = ['users:read', 'users:write', 'users:import', 'scim:write'].map((word) => `${word}@organization`)
    const body = { name: 'weak', permissions: weak, organization_id: acme }
    const { key } = (await app.call('POST', '/keys', { body })).body
    assert.equal(await codeOf('PATCH', `/users/${strong}`, { first_name: 'Eve' }), '403 user_outranks_caller')
    assert.equal(await codeOf('PATCH', `/users/${outside}`, { first_name: 'Eve' }), '404 user_not_found')
    assert.equal(await importRow(app, key, { username: 'root', first_name: 'Eve' }), 'rejected user_outranks_caller')
    assert.equal(await importRow(app, key, { username: 'bob', first_name: 'Eve' }), 'rejected username_taken')
    assert.equal(await importRow(app, key, { username: 'ada', role: 'reader' }), 'rejected role_not_grantable')
    for (const member of [{ organization_id: globex }, { organization: 'Organization 2' }, { organization_id: null }]) {
      assert.equal(await importRow(app, key, { username: 'ada', ...member }), 'rejected permission_denied')
    }
    assert.equal(await importRow(app, key, { username: 'new' }), 'created')
    assert.equal((await app.call('GET', '/users?q=new')).body[0].organization_id, acme)
    for (const change of [{ action: 'deactivate' }, { action: 'set_role', role: 'reader' }, { action: 'delete' }]) {
      const { text } = await call('POST', '/users/bulk', { ...change, user_ids: [strong, outside] })
      assert.deepEqual(
        rowsOf(text).map(({ code }) => code),
        ['user_outranks_caller', 'user_not_found'],
      )
    }
    for (const organization_id of [acme, globex, null]) {
      const move = { action: 'set_organization', organization_id, user_ids: [own] }
      assert.equal(await codeOf('POST', '/users/bulk', move), '403 permission_denied')
      assert.equal(await codeOf('PATCH', `/users/${own}`, { organization_id }), '403 permission_denied')
      if (organization_id === null) continue
      assert.equal(await codeOf('POST', '/users', { username: 'eve', organization_id }), '403 permission_denied')
    }
    assert.equal((await app.call('DELETE', `/users/${strong}`)).status, 200)
    assert.equal(await codeOf('POST', `/users/${strong}/restore`), '403 user_outranks_caller')
    assert.equal((await app.call('DELETE', `/users/${outside}`)).status, 200)
    assert.equal(await codeOf('POST', `/users/${outside}/restore`), '404 user_not_found')
    const [ada] = (await app.call('GET', '/users?username=ada')).body
    assert.deepEqual([ada.role, ada.first_name, ada.organization_id], ['user', '', acme])
  })

  it('would have reached others through a provisioning connection of their own', async (t) => {
    const { acme, app, call, codeOf, globex, group, user } = await open(t)
    const outside = await user('bob', { organization_id: globex })
    const strong = await group('Strong', { role: 'reader' })
    const created = await call('POST', '/provisioning', { name: 'Own' })
    assert.equal(created.status, 201, created.text)
    assert.equal(created.body.organization_id, acme)
    const headers = { authorization: `Bearer ${created.body.key}`, 'content-type': 'application/scim+json' }
    const scim = (method: string, path: string, body?: Body) =>
      app.call(method, `/scim/v2${path}`, { key: null, headers, ...(body !== undefined && { body }) })
    const eve = await scim('POST', '/Users', { schemas: [userUrn], userName: 'eve' })
    assert.equal(eve.status, 201, eve.text)
    assert.equal((await app.call('GET', `/users/${eve.body.id}`)).body.organization_id, acme)
    assert.equal((await scim('POST', '/Users', { schemas: [userUrn], userName: 'bob' })).status, 409)
    assert.equal((await scim('PUT', `/Users/${outside}`, { schemas: [userUrn], userName: 'bob' })).status, 404)
    assert.equal((await scim('DELETE', `/Users/${outside}`)).status, 404)
    assert.equal((await scim('GET', '/Users')).body.totalResults, 1)
    const members = [{ value: outside }]
    assert.equal((await scim('POST', '/Groups', { schemas: [groupUrn], displayName: 'Mine', members })).status, 400)
    assert.equal((await scim('POST', '/Groups', { schemas: [groupUrn], displayName: 'reader' })).status, 403)
    const joining = { schemas: [groupUrn], displayName: 'Strong', members: [{ value: eve.body.id }] }
    assert.equal((await scim('PUT', `/Groups/${strong}`, joining)).status, 403)
    const keys = (await app.call('GET', '/keys')).body as { connection_id?: string; permissions: string[] }[]
    const own = keys.find(({ connection_id }) => connection_id === created.body.connection_id)
    assert.deepEqual(own?.permissions, ['scim:write@organization'])
    for (const permission of ['scim:write', 'users:read', '*']) {
      const key = { name: 'strong', permissions: [permission], connection_id: created.body.connection_id }
      assert.equal(await codeOf('POST', '/keys', key), '403 permission_not_grantable')
    }
  })

  it('would have learned of roles, groups and guests that are not theirs', async (t) => {
    const { app, call, codeOf, globex, group, user } = await open(t)
    const [own, guest] = [await user('ada'), await user('bob', { organization_id: globex })]
    const [staff, foreign] = [await group('Staff'), await group('Board', { organization_id: globex, role: 'reader' })]
    for (const [group_id, user_id] of [
      [staff, own],
      [staff, guest],
      [foreign, own],
    ]) {
      assert.equal((await app.call('PUT', `/groups/${group_id}/members/${user_id}`)).status, 200)
    }
    const listed = (await call('GET', '/roles')).body.map(({ role }: { role: string }) => role)
    assert.deepEqual(listed, ['user', 'manager'])
    for (const role of ['admin', 'reader', 'clerk', 'unknown']) {
      assert.equal(await codeOf('GET', `/roles/${role}`), '404 role_not_found')
    }
    const [ada] = (await call('GET', '/users?include=groups&username=ada')).body
    assert.deepEqual([ada.groups, ada.effective_roles], [['Staff'], ['user']])
    const [seen] = (await call('GET', '/groups?sort=-member_count')).body
    assert.deepEqual([seen.name, seen.member_count, seen.guest_count], ['Staff', 1, 1])
    assert.equal((await call('GET', `/groups/${staff}/members`)).body.length, 1)
    assert.equal(await codeOf('DELETE', `/groups/${staff}/members/${guest}`), '404 user_not_found')
    const changed = (await call('POST', `/groups/${staff}/members`, { remove: [guest] })).body
    assert.deepEqual([changed.member_count, changed.results[0].code], [1, 'user_not_found'])
    assert.equal(await codeOf('PATCH', `/groups/${staff}`, { role: 'manager' }), '403 role_not_grantable')
    assert.equal(await codeOf('PATCH', `/groups/${staff}`, { description: 'All of us' }), 'done')
    assert.equal((await app.call('DELETE', `/groups/${foreign}`)).status, 200)
    assert.equal(await codeOf('DELETE', `/groups/${staff}`), 'done')
    const refused = await call('POST', '/users', { username: 'eve', role: 'unknown' })
    assert.doesNotMatch(refused.text, /reader|clerk/)
  })

  it('would have left the organization without an administrator, also by deleting their own account', async (t) => {
    const { acme, app, codeOf, user } = await open(t, { ROLLBOOK_ACCOUNT_DELETION: 'on' })
    const { user_id } = await createPerson(app, { username: 'ada', role: 'manager', organization_id: acme })
    const ada = await openBrowser(app, 'ada')
    for (const own of [{ active: false }, { role: 'user' }]) {
      assert.equal(await codeOf('PATCH', `/users/${user_id}`, own), '409 last_organization_admin')
    }
    assert.equal(await codeOf('DELETE', `/users/${user_id}`), '409 last_organization_admin')
    const deleteOwn = () => ada.call('DELETE', '/me')
    const refused = await deleteOwn()
    assert.deepEqual([refused.status, refused.body.code], [409, 'last_organization_admin'])
    const key = { name: 'import', permissions: roles.manager, organization_id: acme }
    const imported = await importRow(app, (await app.call('POST', '/keys', { body: key })).body.key, {
      username: 'ada',
      active: false,
    })
    assert.equal(imported, 'rejected last_organization_admin')
    await user('grace', { role: 'manager', password })
    assert.equal((await deleteOwn()).status, 200)
  })

  it('would have left it without one by SCIM', async (t) => {
    const { app, call, group, user } = await open(t)
    const { connection_id } = (await call('POST', '/provisioning', { name: 'Own' })).body
    // The first key of the connection cannot change administrators at all.
    const strong = await call('POST', '/keys', { name: 'SCIM', permissions: roles.manager, connection_id })
    assert.equal(strong.status, 201, strong.text)
    const headers = { authorization: `Bearer ${strong.body.key}`, 'content-type': 'application/scim+json' }
    const codeOf = async (method: string, path: string, body?: Body) => {
      const request = { key: null, headers, ...(body !== undefined && { body }) }
      const { status, body: problem } = await app.call(method, `/scim/v2${path}`, request)
      return status < 300 ? 'done' : `${status} ${/last active administrator of the organization/.exec(problem.detail)}`
    }
    const patch = (...Operations: Body[]) => ({ schemas: [patchOpUrn], Operations })
    const refused = '409 last active administrator of the organization'
    const ada = await user('ada', { role: 'manager' })
    const disabling = patch({ op: 'replace', path: 'active', value: false })
    assert.equal(await codeOf('PATCH', `/Users/${ada}`, disabling), refused)
    assert.equal(await codeOf('PUT', `/Users/${ada}`, { schemas: [userUrn], userName: 'ada', active: false }), refused)
    assert.equal(await codeOf('DELETE', `/Users/${ada}`), refused)
    const managers = await group('Managers', { role: 'manager' })
    const grace = await user('grace')
    assert.equal((await app.call('PUT', `/groups/${managers}/members/${grace}`)).status, 200)
    assert.equal((await app.call('PATCH', `/users/${ada}`, { body: { role: 'user' } })).status, 200)
    const leaving = patch({ op: 'remove', path: `members[value eq "${grace}"]` })
    assert.equal(await codeOf('PATCH', `/Groups/${managers}`, leaving), refused)
    const empty = { schemas: [groupUrn], displayName: 'Managers', members: [] }
    assert.equal(await codeOf('PUT', `/Groups/${managers}`, empty), refused)
    assert.equal(await codeOf('DELETE', `/Groups/${managers}`), refused)
    assert.equal((await app.call('GET', `/groups/${managers}`)).body.member_count, 1)
  })

  it('would have undone a bulk change for users who belong elsewhere by now', async (t) => {
    const { app, call, globex, user } = await open(t)
    const [stays, moves] = [await user('ada'), await user('bob')]
    const user_ids = [stays, moves]
    const resultOf = async (action: string) => {
      const { text } = await call('POST', '/users/bulk', { action, user_ids })
      return rowsOf(text).map(({ verdict, code }) => code ?? verdict)
    }
    assert.deepEqual(await resultOf('deactivate'), ['changed', 'changed'])
    const moved = await app.call('PATCH', `/users/${moves}`, { body: { organization_id: globex } })
    assert.equal(moved.status, 200, moved.text)
    assert.deepEqual(await resultOf('activate'), ['changed', 'user_not_found'])
    assert.equal((await app.call('GET', `/users/${moves}`)).body.active, false)
    assert.equal((await app.call('DELETE', `/users/${moves}`)).status, 200)
    assert.deepEqual(await resultOf('delete'), ['changed', 'user_not_found'])
    const [restored, elsewhere] = await resultOf('restore')
    assert.deepEqual([restored, elsewhere], ['changed', 'user_not_found'])
    assert.equal((await app.call('GET', `/users/${moves}`)).status, 404)
  })

  it('would have reached further with override=true', async (t) => {
    const { app, acme, call, codeOf, globex, group, user } = await open(t)
    const scimOf = async (organization_id: string | null) => {
      const { body } = await app.call('POST', '/provisioning', {
        body: { name: `SCIM ${organization_id}`, organization_id },
      })
      return body.connection_id as string
    }
    const [service, own] = [await scimOf(null), await scimOf(acme)]
    const [ada, bob, eve] = [await user('ada'), await user('bob'), await user('eve', { organization_id: globex })]
    const manage = (id: string, by: string) =>
      app.runSql(`UPDATE users SET managed_by = '${by}' WHERE user_id = '${id}'`)
    for (const [id, by] of [
      [ada, service],
      [bob, own],
      [eve, service],
    ] as const) {
      await manage(id, by)
    }
    const renamed = { first_name: 'Mine' }
    const [outside, inside] = [
      await call('PATCH', `/users/${ada}`, renamed),
      await call('PATCH', `/users/${bob}`, renamed),
    ]
    assert.deepEqual([outside.status, outside.body.code], [409, 'managed_elsewhere'])
    assert.match(outside.body.detail, /^A connection of the service manages this user\./)
    assert.doesNotMatch(outside.text, /SCIM/)
    assert.match(inside.body.detail, new RegExp(`^SCIM ${acme} manages`))
    assert.equal(await codeOf('PATCH', `/users/${ada}?override=true`, renamed), 'done')
    assert.equal(await codeOf('PATCH', `/users/${eve}?override=true`, renamed), '404 user_not_found')
    assert.equal(await codeOf('PATCH', `/users/${ada}?override=true`, { role: 'reader' }), '403 role_not_grantable')
    assert.equal(
      await codeOf('PATCH', `/users/${ada}?override=true`, { organization_id: null }),
      '403 permission_denied',
    )
    // A configuration file manages these; what the caller may not change stays refused.
    const [staff, strong] = [await group('Staff'), await group('Strong', { role: 'reader' })]
    const foreign = await group('Foreign', { organization_id: globex })
    await app.runSql(`UPDATE user_groups SET managed_by = 'file'`)
    const described = { description: 'Mine' }
    assert.equal(await codeOf('PATCH', `/groups/${staff}`, described), '409 managed_elsewhere')
    assert.equal(await codeOf('PATCH', `/groups/${staff}?override=true`, described), 'done')
    assert.equal(await codeOf('PATCH', `/groups/${strong}?override=true`, described), '403 role_not_grantable')
    assert.equal(await codeOf('DELETE', `/groups/${strong}?override=true`), '403 role_not_grantable')
    assert.equal(await codeOf('DELETE', `/groups/${foreign}?override=true`), '404 group_not_found')
  })
})
