/**
 * Power over others, by resource and by what is done to it: each operation that gives, returns or takes it asks the same of
 * the caller. Rank: a caller who may do less. Recency: a session that was confirmed long ago.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { builtInPermissions } from '../../src/core/permissions.ts'
import { type Answer, createUser, engines, type Started, start } from '../harness.ts'
import { type Browser, createPerson, openBrowser } from '../people.ts'

const roles = { auditor: ['audit:read'] }
const env = {
  ROLLBOOK_ROLES: JSON.stringify(roles),
  ROLLBOOK_RATE_LIMIT: '0',
  ROLLBOOK_SECOND_FACTOR: '{"group:Staff":"required"}',
}

/** Everything by its words, but neither what auditors may nor what provisioning keys may. */
const weak = builtInPermissions.filter((permission) => permission !== 'audit:read' && permission !== 'scim:write')

type Attempt = [resource: string, act: string, method: string, path: string, body?: unknown]

const bulk = (resource: string, action: string, body: object): Attempt => [
  resource,
  `bulk ${action}`,
  'POST',
  '/users/bulk',
  { action, ...body },
]

/** Things that have power: a user, a group, a key or a connection of each kind. */
async function things(app: Started) {
  const make = async (path: string, body: object) => {
    const response = await app.call('POST', path, { body })
    assert.equal(response.status, 201, response.text)
    return response.body
  }
  const group = async (body: object, ...members: string[]): Promise<string> => {
    const { group_id } = await make('/groups', body)
    await app.call('POST', `/groups/${group_id}/members`, { body: { add: members } })
    return group_id
  }
  const user = async (username: string, role = 'user'): Promise<string> =>
    ((await createUser(app, { username, role })) as { user_id: string }).user_id
  const [plain, byRole, byGroup] = [await user('plain'), await user('auditor', 'auditor'), await user('by-group')]
  const [disabled, named, idle] = [await user('disabled', 'auditor'), await user('named'), await user('idle')]
  const [deleted, deletedMember, deletedPlain] = [
    await user('deleted', 'auditor'),
    await user('deleted-member'),
    await user('deleted-plain'),
  ]
  const groups = {
    giving: await group({ name: 'Auditing', role: 'auditor' }, byGroup, deletedMember),
    named: await group({ name: 'Auditor' }, named),
    policy: await group({ name: 'Staff' }, plain),
    ordinary: await group({ name: 'Choir' }, plain),
  }
  for (const id of [deleted, deletedMember, deletedPlain]) await app.call('DELETE', `/users/${id}`)
  for (const id of [disabled, named, idle]) await app.call('PATCH', `/users/${id}`, { body: { active: false } })
  const settings = { kind: 'oidc', issuer: 'https://id.example', client_id: 'rollbook' }
  const company = await make('/connections', { name: 'Company', active: false, ...settings })
  const provisioning = await make('/provisioning', { name: 'Okta' })
  const key = await make('/keys', { name: 'audit', permissions: ['audit:read'] })
  return {
    users: { plain, byRole, byGroup, disabled, named, idle, deleted, deletedMember, deletedPlain },
    groups,
    settings,
    company: company.connection_id as string,
    provisioning,
    key: key.key_id as string,
  }
}

type Things = Awaited<ReturnType<typeof things>>

/** What needs rank: a caller who may do less is refused. */
function ofRank({ users, groups, settings, company, provisioning, key }: Things): Attempt[] {
  const outranking = [users.byRole, users.byGroup]
  const deleted = [users.deleted, users.deletedMember]
  const { connection_id: connection, key_id } = provisioning
  return [
    ['company', 'create', 'POST', '/connections', { name: 'Other', ...settings }],
    ['company', 'change', 'PATCH', `/connections/${company}`, { position: 3 }],
    ['company', 'switch on', 'PATCH', `/connections/${company}`, { active: true }],
    ['company', 'switch off', 'PATCH', `/connections/${company}`, { active: false }],
    ['company', 'delete', 'DELETE', `/connections/${company}`],
    ['provisioning', 'create', 'POST', '/provisioning', { name: 'Other' }],
    ['provisioning', 'change', 'PATCH', `/provisioning/${connection}`, { name: 'Renamed' }],
    ['provisioning', 'delete', 'DELETE', `/provisioning/${connection}`],
    [
      'key of provisioning',
      'create',
      'POST',
      '/keys',
      { name: 'k', permissions: ['scim:write'], connection_id: connection },
    ],
    ['key of provisioning', 'rotate', 'POST', `/keys/${key_id}/rotate`],
    ['key of provisioning', 'delete', 'DELETE', `/keys/${key_id}`],
    ['key', 'create', 'POST', '/keys', { name: 'k', permissions: ['audit:read'] }],
    ['key', 'rotate', 'POST', `/keys/${key}/rotate`],
    ['key', 'delete', 'DELETE', `/keys/${key}`],
    ['user', 'create', 'POST', '/users', { username: 'new', role: 'auditor' }],
    ['user', 'give a role', 'PATCH', `/users/${users.plain}`, { role: 'auditor' }],
    ['user', 'enable', 'PATCH', `/users/${users.disabled}`, { active: true }],
    ...outranking.flatMap((id): Attempt[] => [
      ['user', 'change', 'PATCH', `/users/${id}`, { first_name: 'New' }],
      ['user', 'demote', 'PATCH', `/users/${id}`, { role: 'user', first_name: 'x' }],
      ['user', 'disable', 'PATCH', `/users/${id}`, { active: false }],
      ['user', 'delete', 'DELETE', `/users/${id}`],
      ['user', 'purge', 'DELETE', `/users/${id}?purge=true`],
    ]),
    ...deleted.flatMap((id): Attempt[] => [
      ['user', 'restore', 'POST', `/users/${id}/restore`],
      ['user', 'purge after deletion', 'DELETE', `/users/${id}?purge=true`],
    ]),
    ...['deactivate', 'activate', 'end_sessions', 'delete', 'invite'].map((action) =>
      bulk('user', action, { user_ids: [users.byRole] }),
    ),
    bulk('user', 'set_role', { user_ids: [users.plain], role: 'auditor' }),
    ...[groups.giving, groups.named].flatMap((id): Attempt[] => [
      ['group', 'change', 'PATCH', `/groups/${id}`, { description: 'x' }],
      ['group', 'rename', 'PATCH', `/groups/${id}`, { name: 'Other' }],
      ['group', 'delete', 'DELETE', `/groups/${id}`],
      ['group', 'add', 'PUT', `/groups/${id}/members/${users.plain}`],
      ['group', 'remove', 'DELETE', `/groups/${id}/members/${users.plain}`],
      ['group', 'change members', 'POST', `/groups/${id}/members`, { add: [users.plain], remove: [] }],
      bulk('group', 'add_to_group', { group_id: id, user_ids: [users.plain] }),
      bulk('group', 'remove_from_group', { group_id: id, user_ids: [users.plain] }),
    ]),
    ['group', 'create with a role', 'POST', '/groups', { name: 'New', role: 'auditor' }],
    ['group', 'create, named like a role', 'POST', '/groups', { name: 'ADMIN' }],
    ['group', 'give a role', 'PATCH', `/groups/${groups.ordinary}`, { role: 'auditor' }],
    ['group', 'name like a role', 'PATCH', `/groups/${groups.ordinary}`, { name: 'admin' }],
  ]
}

/** What gives or returns power, or takes a duty away: a session that was confirmed long ago is refused. */
function ofRecency({ users, groups, settings, company, provisioning, key }: Things): Attempt[] {
  const { connection_id: connection, key_id } = provisioning
  return [
    ['company', 'create', 'POST', '/connections', { name: 'Other', active: false, ...settings }],
    ['company', 'change', 'PATCH', `/connections/${company}`, { position: 3 }],
    ['company', 'delete', 'DELETE', `/connections/${company}`],
    ['provisioning', 'create', 'POST', '/provisioning', { name: 'Other' }],
    ['provisioning', 'change', 'PATCH', `/provisioning/${connection}`, { name: 'Renamed' }],
    ['provisioning', 'delete', 'DELETE', `/provisioning/${connection}`],
    ['key', 'create', 'POST', '/keys', { name: 'k', permissions: ['audit:read'] }],
    ['key', 'rotate', 'POST', `/keys/${key}/rotate`],
    ['key of provisioning', 'rotate', 'POST', `/keys/${key_id}/rotate`],
    ['user', 'create', 'POST', '/users', { username: 'new', role: 'auditor' }],
    ['user', 'give a role', 'PATCH', `/users/${users.plain}`, { role: 'auditor' }],
    ['user', 'enable', 'PATCH', `/users/${users.disabled}`, { active: true }],
    ['user in a group named like a role', 'enable', 'PATCH', `/users/${users.named}`, { active: true }],
    ['user', 'restore', 'POST', `/users/${users.deleted}/restore`],
    ['user in a group', 'restore', 'POST', `/users/${users.deletedMember}/restore`],
    bulk('user', 'activate', { user_ids: [users.disabled] }),
    bulk('user', 'activate', { filter: {} }),
    bulk('user', 'restore', { user_ids: [users.deleted] }),
    bulk('user', 'set_role', { user_ids: [users.plain], role: 'auditor' }),
    bulk('user', 'invite', { user_ids: [users.plain] }),
    ...[groups.giving, groups.named, groups.policy].flatMap((id): Attempt[] => [
      ['group', 'rename', 'PATCH', `/groups/${id}`, { name: 'Other' }],
      ['group', 'delete', 'DELETE', `/groups/${id}`],
      ['group', 'add', 'PUT', `/groups/${id}/members/${users.plain}`],
      ['group', 'remove', 'DELETE', `/groups/${id}/members/${users.plain}`],
      ['group', 'change members', 'POST', `/groups/${id}/members`, { add: [users.plain], remove: [] }],
      bulk('group', 'add_to_group', { group_id: id, user_ids: [users.plain] }),
      bulk('group', 'remove_from_group', { group_id: id, user_ids: [users.plain] }),
    ]),
    ['group', 'take its role', 'PATCH', `/groups/${groups.giving}`, { role: null }],
    ['group', 'create with a role', 'POST', '/groups', { name: 'New', role: 'auditor' }],
    ['group', 'create, named like a role', 'POST', '/groups', { name: 'Admin' }],
    ['group', 'give a role', 'PATCH', `/groups/${groups.ordinary}`, { role: 'auditor' }],
    ['group', 'name like a role', 'PATCH', `/groups/${groups.ordinary}`, { name: 'admin' }],
  ]
}

/** What gives no power, and must not ask every ten minutes. */
function ordinary({ users, groups }: Things): Attempt[] {
  const id = groups.ordinary
  return [
    ['user', 'create', 'POST', '/users', { username: 'new' }],
    ['user', 'change', 'PATCH', `/users/${users.byRole}`, { first_name: 'New' }],
    ['user', 'enable', 'PATCH', `/users/${users.idle}`, { active: true }],
    ['user', 'enable who is enabled', 'PATCH', `/users/${users.byRole}`, { active: true }],
    ['user', 'disable', 'PATCH', `/users/${users.byRole}`, { active: false }],
    ['user', 'restore', 'POST', `/users/${users.deletedPlain}/restore`],
    bulk('user', 'activate', { user_ids: [users.idle, users.byRole] }),
    bulk('user', 'restore', { user_ids: [users.deletedPlain] }),
    ['group', 'create', 'POST', '/groups', { name: 'Other' }],
    ['group', 'rename', 'PATCH', `/groups/${id}`, { name: 'Other' }],
    ['group', 'describe', 'PATCH', `/groups/${groups.giving}`, { description: 'x', role: 'auditor' }],
    ['group', 'add', 'PUT', `/groups/${id}/members/${users.plain}`],
    ['group', 'delete', 'DELETE', `/groups/${id}`],
    bulk('group', 'add_to_group', { group_id: id, user_ids: [users.plain] }),
  ]
}

type Call = Browser['call'] | Started['call']

async function attempt(call: Call, [, , method, path, body]: Attempt, how: object = {}): Promise<[number, string]> {
  const url = `${path}${path.includes('?') ? '&' : '?'}dry_run=true`
  return outcome(await call(method, url, { ...(body !== undefined && { body }), ...how }))
}

/** The status and the code; of a bulk change, what a change of the one user would return. */
function outcome({ status, body, text }: Answer): [number, string] {
  if (status !== 200 || typeof body === 'object') return [status, body.code ?? '']
  const row = text.split('\n').find((line) => line.includes('"type":"row"'))
  const { verdict, code } = JSON.parse(row ?? '{}')
  return verdict === 'refused' ? [403, code] : [status, '']
}

const rankCodes = ['role_not_grantable', 'permission_not_grantable', 'user_outranks_caller']

for (const engine of engines) {
  describe(`power over others on ${engine.name}`, () => {
    it('needs rank and a recent confirmation, whatever is done to what gives it', async (t) => {
      const app = await start(t, engine, { env })
      const all = await things(app)
      await createPerson(app, { username: 'chief', role: 'admin' })
      const fresh = await openBrowser(app, 'chief')
      const stale = await openBrowser(app, 'chief')
      const anHourAgo = new Date(Date.now() - 3_600_000).toISOString()
      await app.runSql(`UPDATE sessions SET auth_time = '${anHourAgo}' WHERE session_id = '${stale.session_id}'`)
      const { key } = (await app.call('POST', '/keys', { body: { name: 'weak', permissions: weak } })).body

      for (const one of ofRank(all)) {
        const what = one.slice(0, 4).join(' ')
        const [status, code] = await attempt(app.call, one, { key })
        assert.ok(status === 403 && rankCodes.includes(code), `${what}: ${status} ${code}`)
        assert.ok(
          (await attempt(app.call, one))[0] < 300,
          `${what} fails for everyone: ${await attempt(app.call, one)}`,
        )
      }
      for (const one of ofRecency(all)) {
        const what = one.slice(0, 4).join(' ')
        assert.deepEqual(await attempt(stale.call, one), [403, 'reauthentication_required'], what)
        // A group that the policy names keeps its name.
        assert.ok(['', 'group_in_policy'].includes((await attempt(fresh.call, one))[1]), what)
      }
      for (const one of ordinary(all)) {
        assert.deepEqual((await attempt(stale.call, one))[1], '', one.slice(0, 4).join(' '))
      }
    })

    it('ends the links of a user who gains it: a weaker caller may hold one', async (t) => {
      const app = await start(t, engine, { env })
      const { key } = (await app.call('POST', '/keys', { body: { name: 'weak', permissions: weak } })).body
      const group = async (body: object): Promise<string> => (await app.call('POST', '/groups', { body })).body.group_id
      const [giving, named, later, renamed, ordinary] = [
        await group({ name: 'Auditing', role: 'auditor' }),
        await group({ name: 'Admin' }),
        await group({ name: 'Later' }),
        await group({ name: 'Renamed' }),
        await group({ name: 'Choir' }),
      ]
      const join = (id: string) => (user_id: string) => app.call('PUT', `/groups/${id}/members/${user_id}`)
      const importing = (row: object) => (user_id: string) =>
        app.call('POST', '/users/import?mode=update&match=user_id', {
          headers: { 'content-type': 'application/x-ndjson' },
          body: `${JSON.stringify({ user_id, ...row })}\n`,
        })
      const manyAt = (body: object) => (user_id: string) =>
        app.call('POST', '/users/bulk', { body: { ...body, user_ids: [user_id] } })
      const gains: Record<string, (user_id: string) => Promise<Answer>> = {
        role: (user_id) => app.call('PATCH', `/users/${user_id}`, { body: { role: 'auditor' } }),
        'bulk role': manyAt({ action: 'set_role', role: 'auditor' }),
        group: join(giving),
        'bulk group': manyAt({ action: 'add_to_group', group_id: giving }),
        'group named like a role': join(named),
        async 'role of the group'(user_id) {
          await join(later)(user_id)
          return app.call('PATCH', `/groups/${later}`, { body: { role: 'auditor' } })
        },
        async 'name of the group'(user_id) {
          await join(renamed)(user_id)
          return app.call('PATCH', `/groups/${renamed}`, { body: { name: 'Auditor' } })
        },
        'imported role': importing({ role: 'auditor' }),
        'imported group': importing({ groups: ['Auditing'] }),
      }
      const others: typeof gains = {
        name: (user_id) => app.call('PATCH', `/users/${user_id}`, { body: { first_name: 'New' } }),
        'ordinary group': join(ordinary),
      }
      for (const [how, change] of Object.entries({ ...gains, ...others })) {
        const { user_id } = (await createUser(app, { username: how.replaceAll(' ', '-') })) as { user_id: string }
        const { body } = await app.call('POST', `/users/${user_id}/invitation`, { key, body: { return_url: true } })
        const path = new URL(body.url).pathname.replace(/^\/auth/, '')
        const page = async () => (await app.call('GET', path, { key: null })).status
        assert.equal(await page(), 200, how)
        const changed = await change(user_id)
        assert.ok(changed.status < 300, `${how}: ${changed.text}`)
        assert.equal(await page(), how in gains ? 410 : 200, `${how}: ${changed.text}`)
      }
      const arrival = { username: 'arrival', email: 'arrival@example.org', invite: true, groups: ['Auditing'] }
      const created = await app.call('POST', '/users/import', {
        headers: { 'content-type': 'application/x-ndjson' },
        body: `${JSON.stringify(arrival)}\n`,
      })
      assert.ok(created.status < 300, created.text)
      const left = await app.runSql(
        "SELECT count(*) AS live FROM user_links JOIN users USING (user_id) WHERE username = 'arrival' AND ended_at IS NULL",
      )
      assert.equal(Number(left[0]?.live), 1)
    })

    it('is left to a key over itself: it may be ended by the program that has it', async (t) => {
      const app = await start(t, engine, { env })
      const { key, connection_id } = (await app.call('POST', '/provisioning', { body: { name: 'Okta' } })).body
      assert.equal((await app.call('POST', '/revoke', { key, body: { token: key } })).status, 200)
      assert.equal((await app.call('GET', '/scim/v2/Users', { key })).status, 401)
      assert.equal((await app.call('GET', `/provisioning/${connection_id}`)).status, 200)
    })
  })
}
