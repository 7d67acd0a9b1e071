import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createUser, type Engine, engines, type Started, start } from '../../../../test/harness.ts'
import { mailEnv } from '../../../../test/mails/mailing.ts'
import { openBrowser, password } from '../../../../test/people.ts'
import { system } from '../../../core/actor.ts'
import { patchOpUrn, userUrn } from '../../../scim/protocol/urns.ts'

type Body = Record<string, unknown>
type Connection = { connection_id: string; key_id: string; key: string }

async function connect(app: Started, body: Body): Promise<Connection> {
  const response = await app.call('POST', '/provisioning', { body })
  assert.equal(response.status, 201, response.text)
  return response.body
}

/** Sends requests to SCIM as an identity provider does. */
function scimWith(app: Started, key: string | null) {
  return (method: string, path: string, body?: Body) =>
    app.call(method, `/scim/v2${path}`, {
      key: null,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
      },
      ...(body !== undefined && { body }),
    })
}

const patchOf = (...Operations: Body[]) => ({ schemas: [patchOpUrn], Operations })

/** A connection, and a user whom it manages. */
async function managing(t: TestContext, engine: Engine, env: Record<string, string> = {}) {
  const app = await start(t, engine, { env })
  const { connection_id, key } = await connect(app, { name: 'Okta' })
  const scim = scimWith(app, key)
  const { id } = (await scim('POST', '/Users', { schemas: [userUrn], userName: 'ada' })).body
  return { app, scim, connection_id, path: `/users/${id}` }
}

async function until<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (let i = 0; i < 200; i++) {
    const found = await read()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error('It did not happen within five seconds.')
}

for (const engine of engines) {
  describe(`provisioning connections on ${engine.name}`, () => {
    it('are created with a key for SCIM, listed, changed and deleted', async (t) => {
      const app = await start(t, engine)
      const created = await app.call('POST', '/provisioning', { body: { name: 'Okta', profile: 'okta' } })
      assert.equal(created.status, 201, created.text)
      const { key, key_id, ...connection } = created.body
      const path = `/provisioning/${connection.connection_id}`
      assert.equal(created.headers.location, `/auth${path}`)
      assert.match(connection.scim_url, /\/auth\/scim\/v2$/)
      assert.deepEqual([connection.profile, connection.user_count, connection.last_used_at], ['okta', 0, null])
      const keys = (await app.call('GET', '/keys')).body as (Connection & { permissions: string[] })[]
      const own = keys.find((one) => one.key_id === key_id)
      assert.deepEqual([own?.permissions, own?.connection_id], [['scim:write'], connection.connection_id])
      assert.equal((await scimWith(app, key)('GET', '/Users')).status, 200)

      const read = await app.call('GET', path)
      assert.ok(Date.parse(read.body.last_used_at) <= Date.now(), 'the use shows at once')
      assert.deepEqual({ ...read.body, last_used_at: null }, connection)
      assert.equal(read.headers.etag, created.headers.etag)
      const again = await app.call('POST', '/provisioning', { body: { name: 'OKTA ' } })
      assert.deepEqual([again.status, again.body.code], [409, 'connection_name_taken'])
      const stale = { body: { name: 'New' }, headers: { 'if-match': '"9"' } }
      assert.equal((await app.call('PATCH', path, stale)).status, 412)
      const renamed = await app.call('PATCH', path, { body: { name: ' Okta (EU) ' } })
      assert.deepEqual([renamed.status, renamed.body.name], [200, 'Okta (EU)'])
      assert.notEqual(renamed.headers.etag, created.headers.etag)
      assert.deepEqual(
        (await app.call('GET', '/provisioning')).body.map(({ name }: { name: string }) => name),
        ['Okta (EU)'],
      )

      const dry = await app.call('DELETE', `${path}?dry_run=true`)
      assert.deepEqual(dry.body, { connection_id: connection.connection_id, deleted: false, released: 0 })
      assert.equal((await app.call('DELETE', path)).status, 200)
      assert.equal((await scimWith(app, key)('GET', '/Users')).status, 401)
      assert.equal((await app.call('GET', path)).body.code, 'connection_not_found')
    })

    it('give the permission to use SCIM, which no other key has', async (t) => {
      const app = await start(t, engine)
      const { connection_id } = await connect(app, { name: 'idp' })
      const createKey = (body: Body) => app.call('POST', '/keys', { body: { name: 'k', ...body } })
      const { key } = (await createKey({ permissions: ['scim:write'] })).body
      const refused = await scimWith(app, key)('GET', '/Users')
      assert.deepEqual([refused.status, refused.body.schemas], [403, ['urn:ietf:params:scim:api:messages:2.0:Error']])
      assert.match(refused.body.detail, /provisioning connection/)
      const unknown = '019a9f3e-0000-7000-8000-000000000000'
      const nowhere = await createKey({ permissions: ['scim:write'], connection_id: unknown })
      assert.equal(nowhere.body.errors[0].code, 'connection_unknown')
      const second = (await createKey({ permissions: ['scim:write'], connection_id })).body
      assert.equal((await scimWith(app, second.key)('GET', '/Users')).status, 200)
      const reader = (await createKey({ permissions: ['users:read'], connection_id })).body
      assert.equal((await scimWith(app, reader.key)('GET', '/Users')).status, 403)
      const { key: strong } = (await createKey({ permissions: ['keys:write', 'scim:write'] })).body
      const stolen = { key: strong, body: { name: 'x', permissions: ['scim:write'], connection_id } }
      assert.equal((await app.call('POST', '/keys', stolen)).body.code, 'permission_not_grantable')
    })

    it('accept the habits of their profile from the next request on', async (t) => {
      const app = await start(t, engine)
      const { connection_id, key } = await connect(app, { name: 'idp' })
      const scim = scimWith(app, key)
      const { id } = (await scim('POST', '/Users', { schemas: [userUrn], userName: 'ada' })).body
      const habit = patchOf({ op: 'Replace', path: 'active', value: 'False' })
      assert.equal((await scim('PATCH', `/Users/${id}`, habit)).status, 400)
      await app.call('PATCH', `/provisioning/${connection_id}`, { body: { profile: 'entra' } })
      const accepted = await scim('PATCH', `/Users/${id}`, habit)
      assert.deepEqual([accepted.status, accepted.body.active], [200, false])
    })
  })

  describe(`users of provisioning connections on ${engine.name}`, () => {
    it('are changed by their identity provider alone, unless the caller overrides it', async (t) => {
      const { app, path, connection_id } = await managing(t, engine)
      assert.equal((await app.call('GET', path)).body.managed_by, connection_id)
      const said = {
        first_name: 'Okta manages this user. Change first_name there.',
        username: 'Okta manages this user. Change username there.',
        active: 'Okta manages this user. Disable the user there.',
        email: 'Okta manages this user. Change email there.',
      }
      for (const body of [
        { first_name: 'Ada' },
        { username: 'countess' },
        { active: false },
        { email: 'a@b.example' },
      ]) {
        const refused = await app.call('PATCH', path, { body })
        assert.deepEqual([refused.status, refused.body.code], [409, 'managed_elsewhere'])
        assert.equal(refused.body.errors[0].pointer, `#/${Object.keys(body)[0]}`)
        const [member] = Object.keys(body)
        assert.equal(refused.body.detail, said[member as keyof typeof said])
        assert.equal(refused.body.errors[0].detail, 'Okta manages this member; override=true changes it anyway.')
      }
      // Not what identity providers say of people, and nothing new.
      assert.equal((await app.call('PATCH', path, { body: { role: 'admin' } })).status, 200)
      assert.equal((await app.call('PATCH', path, { body: { username: 'ada', active: true } })).status, 200)
      const changed = await app.call('PATCH', `${path}?override=true`, { body: { first_name: 'Ada' } })
      assert.deepEqual([changed.status, changed.body.first_name], [200, 'Ada'])
      const [record] = (await app.call('GET', `${path}/audit?limit=1`)).body
      assert.deepEqual(record.details, { override: true })
    })

    it('cannot change their own, nor have another address confirmed where email is set up', async (t) => {
      for (const env of [{}, mailEnv]) {
        const { app, path } = await managing(t, engine, env)
        await app.call('POST', `${path}/password`, { body: { password } })
        const { call } = await openBrowser(app, 'ada')
        for (const body of [{ first_name: 'Ada' }, { email: 'a@b.example', current_password: password }]) {
          const refused = await call('PATCH', '/me', { body })
          assert.deepEqual([refused.status, refused.body.code], [409, 'managed_elsewhere'], refused.text)
          assert.doesNotMatch(refused.text, /override/)
        }
        assert.deepEqual(await app.runSql('SELECT * FROM user_links'), [])
      }
    })

    it('have attributes of the enterprise extension that others change only with override, if they have a value', async (t) => {
      const { app, scim, path } = await managing(t, engine)
      for (const name of ['department', 'division', 'size']) {
        const created = await app.call('POST', '/attributes', { body: { name, label: name, type: 'string' } })
        assert.equal(created.status, 201, created.text)
      }
      const urn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
      const filled = await scim('PATCH', path.replace('/users', '/Users'), {
        ...patchOf({ op: 'replace', path: `${urn}:department`, value: 'Sales' }),
      })
      assert.equal(filled.status, 200, filled.text)
      const set = (attributes: Body, query = '') => app.call('PATCH', `${path}${query}`, { body: { attributes } })
      for (const department of ['Support', null]) {
        const refused = await set({ department })
        assert.deepEqual([refused.status, refused.body.code], [409, 'managed_elsewhere'])
        assert.equal(refused.body.errors[0].pointer, '#/attributes/department')
      }
      const imported = await app.call('POST', '/users/import?mode=update', {
        headers: { 'content-type': 'application/x-ndjson' },
        body: '{"username": "ada", "attributes": {"department": "Support"}}\n',
      })
      assert.match(imported.text, /"managed_elsewhere"/)
      // What the identity provider has not said is free.
      assert.equal((await set({ department: 'Sales', division: 'North', size: 'M' })).status, 200)
      const overridden = await set({ department: 'Support' }, '?override=true')
      assert.deepEqual([overridden.status, overridden.body.attributes.department], [200, 'Support'])
    })

    it('are refused to bulk changes, imports and other connections as well', async (t) => {
      const { app, path } = await managing(t, engine)
      const id = path.slice('/users/'.length)
      const body = { action: 'deactivate', filter: { username: 'ada' } }
      const bulk = await app.call('POST', '/users/bulk', { body })
      assert.match(bulk.text, /"managed_elsewhere"/)
      const imported = await app.call('POST', '/users/import?mode=update', {
        headers: { 'content-type': 'application/x-ndjson' },
        body: '{"username": "ada", "first_name": "Augusta"}\n',
      })
      assert.match(imported.text, /"managed_elsewhere"/)
      const other = scimWith(app, (await connect(app, { name: 'Entra' })).key)
      for (const [method, patch] of [
        ['PATCH', patchOf({ op: 'replace', path: 'title', value: 'Countess' })],
        ['PATCH', patchOf({ op: 'replace', path: 'active', value: false })],
        ['DELETE', undefined],
      ] as const) {
        const refused = await other(method, `/Users/${id}`, patch)
        assert.equal(refused.status, 409, refused.text)
        assert.match(
          refused.body.detail,
          /^Okta manages this user\. (Change \w+|Disable the user|Remove the user) there\.$/,
        )
      }
      const { active, first_name } = (await app.call('GET', path)).body
      assert.deepEqual([active, first_name], [true, ''])
    })

    it('are taken over by the first change if unmanaged, and found by their connection', async (t) => {
      const { app, scim, connection_id, path } = await managing(t, engine)
      const { user_id } = await createUser(app, { username: 'grace' })
      assert.equal((await app.call('GET', `/users/${user_id}`)).body.managed_by, undefined)
      await scim('PATCH', `/Users/${user_id}`, patchOf({ op: 'replace', path: 'name.givenName', value: 'Grace' }))
      await createUser(app, { username: 'nobodys' })
      const found = (await app.call('GET', `/users?managed_by=${connection_id}&count=true&limit=10`)) as {
        body: { user_id: string }[]
        headers: Record<string, string | undefined>
      }
      assert.deepEqual(
        found.body.map((user) => user.user_id),
        [path.slice('/users/'.length), user_id],
      )
      assert.equal(found.headers['total-count'], '2')
      assert.equal((await app.call('GET', `/provisioning/${connection_id}`)).body.user_count, 2)
      assert.deepEqual((await app.call('GET', `/users?managed_by=${user_id}`)).body, [])
      const sorted = await app.call('GET', `/users?managed_by=${connection_id}&sort=username&q=gr&limit=10`)
      assert.deepEqual(
        sorted.body.map((user: { username: string }) => user.username),
        ['grace'],
      )
    })

    it('are free when the connection is deleted, and no longer say that it manages them', async (t) => {
      const { app, connection_id, path } = await managing(t, engine)
      const deleted = await app.call('DELETE', `/provisioning/${connection_id}`)
      assert.deepEqual(deleted.body, { connection_id, deleted: true, released: 1 })
      assert.equal((await app.call('PATCH', path, { body: { first_name: 'Ada' } })).status, 200)
      const request = { actor: system, now: Date.now(), requestId: 't' }
      assert.equal((await app.storage.change('provisioning.release_users', undefined, request)).result, true)
      assert.equal((await app.storage.change('provisioning.release_users', undefined, request)).result, false)
      assert.equal('managed_by' in (await app.call('GET', path)).body, false)
      await connect(app, { name: 'Okta' })
    })

    it('come back from a deletion without a connection that is gone', async (t) => {
      const { app, connection_id, path } = await managing(t, engine)
      assert.equal((await app.call('DELETE', `${path}?override=true`)).status, 200)
      await app.call('DELETE', `/provisioning/${connection_id}`)
      const restored = await app.call('POST', `${path}/restore`)
      assert.deepEqual([restored.status, 'managed_by' in restored.body], [200, false])
    })
  })

  describe(`rejected requests on ${engine.name}`, () => {
    it('are listed with what was sent, why it was rejected and what to change, without passwords', async (t) => {
      const { app, scim, connection_id, path } = await managing(t, engine)
      const id = path.slice('/users/'.length)
      const password = 'a secret of some length'
      await scim('PATCH', `/Users/${id}?attributes=id`, patchOf({ op: 'replace', path: 'nonsense', value: 1 }))
      await scim('POST', '/Users', { schemas: [userUrn], userName: 'ada', password, x: 1 })
      await scim('PATCH', `/Users/${id}`, patchOf({ op: 'set', path: 'password', value: password }))
      await scim('GET', `/Users/${connection_id}`)
      const list = () => app.call('GET', `/provisioning/${connection_id}/rejected-requests`)
      const rows = await until(async () => {
        const { body } = await list()
        return body.length === 3 ? (body as Body[]) : undefined
      })
      const [last, second, first] = rows as [Body, Body, Body]
      assert.deepEqual(
        [first.method, first.path, first.status, first.scim_type],
        ['PATCH', `/Users/${id}?attributes=id`, 400, 'invalidPath'],
      )
      assert.match(String(first.body), /nonsense/)
      assert.match(String(first.advice), /mapping/)
      assert.deepEqual([second.method, second.path], ['POST', '/Users'])
      assert.match(String(last.body), /"\[removed\]"/)
      assert.ok(!JSON.stringify(rows).includes(password))
      assert.equal((await app.call('GET', `/provisioning/${connection_id}/rejected-requests?limit=1`)).body.length, 1)
      await app.call('DELETE', `/provisioning/${connection_id}`)
      assert.equal((await list()).status, 404)
    })
  })
}
