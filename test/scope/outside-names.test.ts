/** Who and what from outside an organization its administrators would find in the states of its own users, and requests for access to it. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { outside, outsideId } from '../../src/core/scope.ts'
import { type Engine, engines, type Started, start } from '../harness.ts'
import { mailEnv } from '../mails/mailing.ts'
import { createOrganization } from '../organizations.ts'
import { createPerson, openBrowser } from '../people.ts'

const env = { ...mailEnv, ROLLBOOK_ACCESS_REQUESTS: 'on', ROLLBOOK_RATE_LIMIT: '0' }
const words = [
  'users:read',
  'users:write',
  'mails:read',
  'sessions:read',
  'connections:read',
  'groups:read',
  'groups:write',
  'audit:read',
]

async function open(t: TestContext, engine: Engine) {
  const app = await start(t, engine, { env })
  const acme = await createOrganization(app, { name: 'Acme' })
  const body = { name: 'limited', organization_id: acme, permissions: words.map((word) => `${word}@organization`) }
  const { key } = (await app.call('POST', '/keys', { body })).body
  const { user_id } = await createPerson(app, { username: 'ada', organization_id: acme })
  const read = async (path: string) => {
    const { status, body, text } = await app.call('GET', path, { key })
    assert.equal(status, 200, text)
    return body
  }
  return { app, acme, key, user_id, read }
}

async function insertRequest(app: Started, email: string): Promise<string> {
  const id = randomUUID()
  await app.runSql(`INSERT INTO access_requests (request_id, state, email, email_key, created_at, expires_at, delete_at)
    VALUES ('${id}', 'waiting', '${email}', '${email}', '2026-11-30T00:00:00.000Z', '9999-01-01', '9999-01-01')`)
  return id
}

for (const engine of engines) {
  describe(`what an organization reads of its users on ${engine.name}`, () => {
    it('names nobody from outside: who acts as them, disabled them, and through what they sign in', async (t) => {
      const { app, user_id, read } = await open(t, engine)
      await createPerson(app, { username: 'boss', role: 'admin' })
      const boss = await openBrowser(app, 'boss')
      const acting = await boss.call('POST', `/users/${user_id}/impersonation`, { body: { reason: 'Case 1' } })
      assert.equal(acting.status, 201, acting.text)
      const [session] = await read(`/users/${user_id}/sessions`)
      assert.deepEqual(session.act, { sub: outsideId, username: outside.administrator })

      const oidc = { kind: 'oidc', name: 'Global', issuer: 'https://id.example', client_id: 'rollbook' }
      const { connection_id } = (await app.call('POST', '/connections', { body: oidc })).body
      const linked = await app.call('POST', `/users/${user_id}/identities`, { body: { connection_id, subject: 'a' } })
      assert.equal(linked.status, 201, linked.text)
      const [identity] = await read(`/users/${user_id}/identities`)
      assert.deepEqual([identity.connection_id, identity.connection_name], [outsideId, outside.connection])

      const disabled = await boss.call('PATCH', `/users/${user_id}`, { body: { active: false } })
      assert.equal(disabled.status, 200, disabled.text)
      await app.storage.settleJournal()
      const state = await read(`/users/${user_id}/sign-in`)
      assert.deepEqual(state.disabled.by, { kind: 'user', id: '', name: outside.administrator })
      assert.ok(!JSON.stringify(state).includes('boss'), state.sentence)
    })

    it('names no group or user of the service that an administrator put into the settings of its connection', async (t) => {
      const { app, acme, user_id, read } = await open(t, engine)
      const { user_id: boss } = await createPerson(app, { username: 'boss', role: 'admin' })
      const { group_id } = (await app.call('POST', '/groups', { body: { name: 'Staff' } })).body
      const own = (await app.call('POST', '/groups', { body: { name: 'Acme Staff', organization_id: acme } })).body
      const oidc = { kind: 'oidc', name: 'Acme', issuer: 'https://id.example', client_id: 'rollbook' }
      const mapping = {
        group_claim: 'groups',
        groups: { a: group_id, b: own.group_id },
        password_exceptions: [boss, user_id],
      }
      const created = await app.call('POST', '/connections', { body: { ...oidc, ...mapping, organization_id: acme } })
      assert.equal(created.status, 201, created.text)
      const changed = { body: { groups: { c: group_id } } }
      const path = `/connections/${created.body.connection_id}`
      for (const connection of [await read(path), (await read('/connections'))[0]]) {
        assert.deepEqual(connection.groups, { a: outsideId, b: own.group_id })
        assert.deepEqual(connection.password_exceptions, [user_id])
      }
      assert.equal((await app.call('PATCH', path, changed)).status, 200)
      await app.storage.settleJournal()
      const records = JSON.stringify(await read('/audit'))
      assert.match(records, /sign_in_connection.updated/)
      for (const id of [group_id, boss]) assert.ok(!records.includes(id), records)
    })

    it('is no message about the service to its administrators, who may belong to the organization', async (t) => {
      const { app, acme, read } = await open(t, engine)
      await createPerson(app, { username: 'boss', email: 'boss@acme.example', role: 'admin', organization_id: acme })
      const oidc = { kind: 'oidc', name: 'Elsewhere', issuer: 'https://id.example', client_id: 'x', client_secret: 'y' }
      assert.equal((await app.call('POST', '/connections', { body: oidc })).status, 201)
      const boss = await openBrowser(app, 'boss')
      assert.equal((await boss.call('POST', '/me/keys', { body: { name: 'mine' } })).status, 201)
      await app.storage.settleJournal()
      const kindsIn = (mails: { kind: string }[]) => mails.map(({ kind }) => kind).toSorted()
      assert.deepEqual(kindsIn((await app.call('GET', '/mails')).body), ['connection_changed', 'key_created'])
      assert.deepEqual(kindsIn(await read('/mails')), ['key_created'])
    })

    it('is the requests for access of its proved domains, whose users come to it', async (t) => {
      const { app, acme, key } = await open(t, engine)
      const body = { domain: 'acme.example', verified: true }
      assert.equal((await app.call('POST', `/organizations/${acme}/domains`, { body })).status, 201)
      const [eve, own, other] = [
        await insertRequest(app, 'eve@acme.example'),
        await insertRequest(app, 'grace@acme.example'),
        await insertRequest(app, 'mallory@globex.example'),
      ]
      const decide = (id: string, body: object, by: string | undefined = key) =>
        app.call('POST', `/access-requests/${id}/decision`, { ...(by !== undefined && { key: by }), body })
      const declined = await app.call('POST', `/access-requests/${eve}/decision`, { body: { decision: 'decline' } })
      assert.equal(declined.status, 200, declined.text)
      const listed = (await app.call('GET', '/access-requests', { key })).body as Record<string, unknown>[]
      assert.deepEqual(listed.map(({ email, decided_by }) => [email, decided_by]).toSorted(), [
        ['eve@acme.example', { kind: 'user', id: '', name: outside.administrator }],
        ['grace@acme.example', null],
      ])
      for (const [method, path] of [
        ['GET', `/access-requests/${other}`],
        ['POST', `/access-requests/${other}/decision`],
      ] as const) {
        const sent = method === 'POST' ? { body: { decision: 'approve' } } : {}
        const { status, body: problem } = await app.call(method, path, { key, ...sent })
        assert.deepEqual([status, problem.code], [404, 'access_request_not_found'])
      }
      const group = await app.call('POST', '/groups', { body: { name: 'Global' } })
      const hidden = await decide(own, { decision: 'approve', groups: [group.body.group_id] })
      assert.deepEqual([hidden.status, hidden.body.code], [404, 'group_not_found'])
      const strong = await decide(own, { decision: 'approve', role: 'admin' })
      assert.deepEqual([strong.status, strong.body.code], [403, 'role_not_grantable'])
      const approved = await decide(own, { decision: 'approve' })
      assert.equal(approved.status, 200, approved.text)
      const created = await app.call('GET', `/users/${approved.body.user_id}`)
      assert.equal(created.body.organization_id, acme)
      await app.storage.settleJournal()
      const records = await app.runSql(
        `SELECT action, organization_id FROM audit_records WHERE target_kind = 'access_request' ORDER BY seq`,
      )
      assert.deepEqual(
        records.map(({ action, organization_id }) => [action, organization_id]),
        [
          ['access_request.declined', acme],
          ['access_request.approved', acme],
        ],
      )
    })
  })
}
