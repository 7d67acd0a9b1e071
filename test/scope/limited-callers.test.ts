/** Callers whose permission is limited to their organization, as the API lets them in. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { engines, onlyPostgres, type Started, start } from '../harness.ts'
import { startImpersonation } from '../impersonation.ts'
import { createOrganization, moveTo } from '../organizations.ts'
import { browserAfter, createPerson, isSignedIn, openBrowser } from '../people.ts'
import { connectTo } from '../scim/provider.ts'
import { assertWithin } from '../time-limit.ts'

const roles = {
  manager: ['users:read@organization', 'users:write@organization'],
  actor: ['users:read@organization', 'users:impersonate@organization'],
  whole: ['users:read'],
}
const env = { ROLLBOOK_ROLES: JSON.stringify(roles) }
const limited = ['users:read@organization']

type Body = { username?: string; code?: string }

async function usernamesSeenBy(app: Started, headers: Record<string, string>): Promise<string[] | string> {
  const { status, body } = await app.call('GET', '/users?sort=username', { key: null, headers })
  return status === 200 ? body.map(({ username }: Body) => username) : `${status} ${body.code}`
}

async function createKey(app: Started, body: object): Promise<string> {
  const created = await app.call('POST', '/keys', { body: { name: 'limited', permissions: limited, ...body } })
  assert.equal(created.status, 201, created.text)
  return created.body.key
}

for (const engine of engines) {
  describe(`a permission that is limited to an organization on ${engine.name}`, () => {
    it('shows the same users to a session, keys and tokens of the organization', async (t) => {
      const app = await start(t, engine, { env })
      const [acme, globex] = [await createOrganization(app), await createOrganization(app)]
      for (const [username, organization] of [
        ['ada', acme],
        ['bob', globex],
      ] as const) {
        await moveTo(app, (await createPerson(app, { username, role: 'manager' })).user_id, organization)
      }
      await createPerson(app, { username: 'nobodys', role: 'manager' })
      const ada = await openBrowser(app, 'ada')
      const session = { cookie: ada.cookie, 'sec-fetch-site': 'same-origin' }
      const personal = await ada.call('POST', '/me/keys', { body: { name: 'mine', permissions: limited } })
      assert.equal(personal.status, 201, personal.text)
      const key = await createKey(app, { organization_id: acme })
      for (const headers of [session, { 'x-api-key': personal.body.key }, { 'x-api-key': key }]) {
        assert.deepEqual(await usernamesSeenBy(app, headers), ['ada'])
        const { body } = await app.call('POST', '/token', { key: null, headers })
        assert.deepEqual(await usernamesSeenBy(app, { authorization: `Bearer ${body.access_token}` }), ['ada'])
      }
      const whole = await createKey(app, { organization_id: acme, permissions: ['users:read'] })
      assert.equal((await usernamesSeenBy(app, { 'x-api-key': whole })).length, 3)
      const narrow = await app.call('POST', '/token', { key: whole, body: { permissions: limited } })
      assert.equal(narrow.status, 200, narrow.text)
      assert.deepEqual(await usernamesSeenBy(app, { authorization: `Bearer ${narrow.body.access_token}` }), ['ada'])
    })

    it('permits nothing without an organization, and opens no route that is about the whole service', async (t) => {
      const app = await start(t, engine, { env })
      const acme = await createOrganization(app)
      const { user_id } = await createPerson(app, { username: 'ada', role: 'manager' })
      const ada = await openBrowser(app, 'ada')
      const refused = await ada.call('GET', '/users')
      assert.deepEqual([refused.status, refused.body.code], [403, 'permission_denied'])
      assert.match(refused.body.detail, /about your organization only, and you belong to none/)
      await moveTo(app, user_id, acme)
      const moved = await openBrowser(app, 'ada')
      assert.equal((await moved.call('GET', '/users')).status, 200)
      for (const path of ['/attributes', '/metrics', '/webhooks', '/events', '/policies']) {
        assert.equal((await moved.call('GET', path)).status, 403, path)
      }
    })

    it('ends with the move of its holder, at once', async (t) => {
      const app = await start(t, engine, { env })
      const [acme, globex] = [await createOrganization(app), await createOrganization(app)]
      const { user_id } = await createPerson(app, { username: 'ada', role: 'manager' })
      await createPerson(app, { username: 'bob' })
      await moveTo(app, user_id, acme)
      const ada = await openBrowser(app, 'ada')
      const personal = (await ada.call('POST', '/me/keys', { body: { name: 'mine', permissions: limited } })).body.key
      assert.deepEqual(await usernamesSeenBy(app, { 'x-api-key': personal }), ['ada'])
      await moveTo(app, user_id, globex)
      assert.equal((await ada.call('GET', '/users')).status, 401)
      const at = await app.call('GET', `/users?organization=${acme}`, { key: personal })
      assert.deepEqual([at.status, at.body], [200, []])
      await moveTo(app, user_id, null)
      assert.equal(await usernamesSeenBy(app, { 'x-api-key': personal }), '403 permission_denied')
    })

    it('follows the key of a program into another organization', async (t) => {
      const app = await start(t, engine, { env })
      const [acme, globex] = [await createOrganization(app), await createOrganization(app)]
      await moveTo(app, (await createPerson(app, { username: 'ada' })).user_id, acme)
      await moveTo(app, (await createPerson(app, { username: 'bob' })).user_id, globex)
      const { key, key_id } = (
        await app.call('POST', '/keys', {
          body: { name: 'x', permissions: [...limited, 'users:write@organization'], organization_id: acme },
        })
      ).body
      assert.deepEqual(await usernamesSeenBy(app, { 'x-api-key': key }), ['ada'])
      const created = () =>
        app.call('POST', '/users', { key, headers: { 'idempotency-key': 'a' }, body: { username: 'cy' } })
      assert.equal((await created()).status, 201)
      assert.equal((await app.call('PATCH', `/keys/${key_id}`, { body: { organization_id: globex } })).status, 200)
      assert.deepEqual(await usernamesSeenBy(app, { 'x-api-key': key }), ['bob'])
      assert.equal((await created()).body.code, 'username_taken', 'not the stored response about the former one')
      for (const [method, path, body] of [
        ['PATCH', `/keys/${key_id}`, { organization_id: null }],
        ['POST', '/keys', { name: 'x', permissions: limited }],
      ] as const) {
        const refused = await app.call(method, path, { body })
        assert.deepEqual([refused.status, refused.body.errors?.[0].code], [422, 'organization_required'], path)
      }
    })

    it('applies to each part of an import, whose caller may have come to belong elsewhere', async (t) => {
      const app = await start(t, engine)
      const [acme, globex] = [await createOrganization(app), await createOrganization(app)]
      const body = { name: 'x', permissions: ['users:import@organization'], organization_id: acme }
      const { key, key_id } = (await app.call('POST', '/keys', { body })).body
      const bring = (query: string, username: string) =>
        app.call('POST', `/users/import?${query}`, {
          key,
          headers: { 'content-type': 'application/x-ndjson' },
          body: `{"username":"first"}\n{"username":"${username}"}\n`,
        })
      const first = await bring('complete=false', 'second')
      assert.equal(first.status, 200, first.text)
      assert.equal((await app.call('PATCH', `/keys/${key_id}`, { body: { organization_id: globex } })).status, 200)
      const { job_id } = first.body
      const next = await bring(`job_id=${job_id}`, 'third')
      assert.deepEqual([next.status, next.body.code], [404, 'import_not_found'])
      assert.equal((await app.call('GET', '/users?username=third')).body.length, 0)
    })

    it('lets an administrator act as users of the organization, and ends that with the move of either', async (t) => {
      const app = await start(t, engine, { env })
      const [acme, globex] = [await createOrganization(app), await createOrganization(app)]
      const ids: Record<string, string> = {}
      for (const [username, role, organization] of [
        ['boss', 'actor', acme],
        ['ada', 'user', acme],
        ['chief', 'whole', acme],
        ['bob', 'user', globex],
      ] as const) {
        const { user_id } = await createPerson(app, { username, role, email: `${username}@example.com` })
        ids[username] = user_id
        await moveTo(app, user_id, organization)
      }
      const act = async (username: string) => {
        const own = await openBrowser(app, 'boss')
        const response = await startImpersonation(own, ids[username] ?? '')
        return { own, response, acting: response.status === 201 ? browserAfter(app, response) : own }
      }
      for (const [username, code] of [
        ['chief', 'user_outranks_caller'],
        ['bob', 'user_not_found'],
      ] as const) {
        assert.equal((await act(username)).response.body.code, code)
      }
      const { response, acting } = await act('ada')
      assert.equal(response.status, 201, response.text)
      assert.equal((await acting.call('GET', '/me')).body.username, 'ada')
      await moveTo(app, ids.ada ?? '', globex)
      assert.equal(await isSignedIn(acting), false)
      await moveTo(app, ids.ada ?? '', acme)
      const again = await act('ada')
      assert.equal(again.response.status, 201, again.response.text)
      await moveTo(app, ids.boss ?? '', globex)
      assert.equal(await isSignedIn(again.acting), false)
    })

    it('serves SCIM with the users and groups of the connection, and no others', async (t) => {
      const app = await start(t, engine)
      const [acme, globex] = [await createOrganization(app), await createOrganization(app)]
      const { connection_id, key_id } = await connectTo(app, { organization_id: acme })
      const change = { permissions: ['scim:write@organization'] }
      assert.equal((await app.call('PATCH', `/keys/${key_id}`, { body: change })).status, 200)
      const key = await createKey(app, { connection_id, permissions: ['scim:write@organization'] })
      await moveTo(app, (await createPerson(app, { username: 'ada' })).user_id, acme)
      const { user_id } = await createPerson(app, { username: 'bob' })
      await moveTo(app, user_id, globex)
      const scim = (method: string, path: string, body?: object) =>
        app.call(method, `/scim/v2${path}`, { key: null, headers: { authorization: `Bearer ${key}` }, body })
      const listed = await scim('GET', '/Users')
      assert.deepEqual([listed.status, listed.body.totalResults], [200, 1], listed.text)
      for (const method of ['GET', 'DELETE']) assert.equal((await scim(method, `/Users/${user_id}`)).status, 404)
      const filter = encodeURIComponent('userName eq "bob"')
      assert.equal((await scim('GET', `/Users?filter=${filter}`)).body.totalResults, 0)
      const group = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: 'Staff' }
      const member = await scim('POST', '/Groups', { ...group, members: [{ value: user_id }] })
      assert.deepEqual([member.status, member.body.scimType], [400, 'invalidValue'], member.text)
      const created = await scim('POST', '/Groups', group)
      assert.equal(created.status, 201, created.text)
      assert.equal((await app.call('GET', `/groups/${created.body.id}`)).body.organization_id, acme)
    })
  })
}

for (const engine of onlyPostgres) {
  describe(`a permission that is limited to an organization on another node, on ${engine.name}`, () => {
    it('is about the new organization of its holder within a second', async (t) => {
      const app = await start(t, engine, { env })
      const second = await start(t, engine, { env, beside: app })
      const [acme, globex] = [await createOrganization(app), await createOrganization(app)]
      const { user_id } = await createPerson(app, { username: 'ada', role: 'manager' })
      await moveTo(app, user_id, acme)
      await moveTo(app, (await createPerson(app, { username: 'bob' })).user_id, globex)
      const body = { name: 'x', permissions: limited, organization_id: acme }
      const { key, key_id } = (await app.call('POST', '/keys', { body })).body
      const ada = await openBrowser(app, 'ada')
      const personal = (await ada.call('POST', '/me/keys', { body: { name: 'mine', permissions: limited } })).body.key
      const session = { cookie: ada.cookie, 'sec-fetch-site': 'same-origin' }
      for (const headers of [session, { 'x-api-key': key }, { 'x-api-key': personal }]) {
        assert.deepEqual(await usernamesSeenBy(second, headers), ['ada'])
      }
      const token = (await app.call('POST', '/token', { key: null, headers: session })).body.access_token
      // The product of one customer, behind a proxy.
      const forwarded = async () => {
        const path = `/verify/forward-auth?organization=${acme}`
        return (await second.call('GET', path, { key: personal })).status
      }
      assert.deepEqual(await usernamesSeenBy(second, { authorization: `Bearer ${token}` }), ['ada'])
      assert.equal((await second.call('POST', '/introspect', { body: { token } })).body.active, true)
      assert.equal(await forwarded(), 200)
      assert.equal((await app.call('PATCH', `/keys/${key_id}`, { body: { organization_id: globex } })).status, 200)
      await moveTo(app, user_id, globex)
      const seen = async () => [
        await usernamesSeenBy(second, session),
        await usernamesSeenBy(second, { 'x-api-key': key }),
        await usernamesSeenBy(second, { 'x-api-key': personal }),
        await usernamesSeenBy(second, { authorization: `Bearer ${token}` }),
        (await second.call('POST', '/introspect', { body: { token } })).body.active,
        await forwarded(),
      ]
      const moved = ['401 credential_invalid', ['ada', 'bob'], ['ada', 'bob'], '401 credential_invalid', false, 403]
      const begun = performance.now()
      let now = await seen()
      while (!isDeepStrictEqual(now, moved)) {
        assertWithin(1000, begun, `The other node with ${JSON.stringify(now)}`)
        await setTimeout(20)
        now = await seen()
      }
    })
  })
}
