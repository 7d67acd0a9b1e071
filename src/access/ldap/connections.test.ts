/** Connections to a directory, through the API (test:quick leaves it out: it starts OpenLDAP). */
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { type Engine, engines, type Started, start } from '../../../test/harness.ts'
import { selfSigned } from '../../../test/proxies/certificate.ts'
import { findSlapd, groupBase, people, type Slapd, service, startSlapd } from '../../../test/slapd.ts'

type Body = Record<string, unknown>

const skip = (await findSlapd()) === undefined ? 'no slapd' : false
let slapd: Slapd
before(async () => {
  const started = skip === false ? await startSlapd() : undefined
  if (started) slapd = started
})
after(() => slapd?.stop())

const env = { ROLLBOOK_IDP_ALLOWED_NETWORKS: '127.0.0.1', ROLLBOOK_RATE_LIMIT: '0' }

function settings(changes: Body = {}): Body {
  return {
    kind: 'ldap',
    name: 'Directory',
    servers: [slapd.secureUrl],
    ca_certificate: selfSigned.cert,
    bind_dn: service.dn,
    bind_password: service.password,
    user_base: people,
    group_base: groupBase,
    emails_verified: true,
    provisioning_domains: ['example.com'],
    ...changes,
  }
}

async function company(t: TestContext, engine: Engine, changes: Body = {}) {
  const app = await start(t, engine, { env })
  const made = await app.call('POST', '/connections', { body: settings(changes) })
  assert.equal(made.status, 201, made.text)
  return { app, connection: made.body as { connection_id: string } }
}

function trial(app: Started, { connection_id }: { connection_id: string }, body: Body = {}) {
  return app.call('POST', `/connections/${connection_id}/test`, { body })
}

for (const engine of engines) {
  describe(`connections to a directory on ${engine.name}`, { skip }, () => {
    it('have the defaults of their preset, and never return the password', async (t) => {
      const { app, connection } = await company(t, engine)
      const { body } = await app.call('GET', `/connections/${connection.connection_id}`)
      assert.deepEqual(
        [body.preset, body.subject_attribute, body.group_source, body.has_bind_password, body.redirect_uri],
        ['openldap', 'entryUUID', 'member', true, undefined],
      )
      const active = { preset: 'active_directory', name: 'Active', servers: ['ldaps://dc1.example.com'], bind_dn: null }
      const { bind_password: _, ...withoutPassword } = settings(active)
      const made = await app.call('POST', '/connections', { body: withoutPassword })
      assert.deepEqual(
        [
          made.body.subject_attribute,
          made.body.group_source,
          made.body.username_attribute,
          made.body.has_bind_password,
        ],
        ['objectGUID', 'token_groups', 'sAMAccountName', false],
      )
      const everything = (await app.call('GET', '/connections')).text + (await app.call('GET', '/audit')).text
      assert.doesNotMatch(everything, /service password/)
    })

    it('refuse settings that cannot be right', async (t) => {
      const app = await start(t, engine, { env })
      const wrong: [string, Body, string][] = [
        ['servers', { servers: ['ldap://ldap.example.com'] }, 'tls_required'],
        ['servers', { servers: ['https://ldap.example.com'] }, 'url_malformed'],
        ['servers', { servers: ['ldaps://user:pass@ldap.example.com'] }, 'url_malformed'],
        ['servers', { servers: ['ldaps://ldap.example.com/dc=example'] }, 'url_malformed'],
        ['servers', { servers: ['ldaps://ldap.example.com'], start_tls: true }, 'start_tls_conflict'],
        ['user_filter', { user_filter: '(uid=ada)' }, 'placeholder_missing'],
        ['user_filter', { user_filter: '(uid={username}' }, 'filter_invalid'],
        ['user_filter', { user_filter: '(uid={username}))(|(cn=*' }, 'filter_invalid'],
        ['group_filter', { group_filter: '(objectClass=' }, 'filter_invalid'],
        ['group_filter', { group_filter: '(cn={username})' }, 'placeholder_unknown'],
        ['user_bind_name', { user_bind_name: 'uid=ada' }, 'placeholder_missing'],
        ['user_bind_name', { user_bind_name: '{username}@example.com' }, 'not_both'],
        ['ca_certificate', { ca_certificate: 'nonsense' }, 'certificate_invalid'],
        ['ca_certificate', { ca_certificate: selfSigned.key }, 'certificate_invalid'],
        ['issuer', { issuer: 'https://id.example.com' }, 'member_of_another_kind'],
      ]
      for (const [member, changes, code] of wrong) {
        const { status, body, text } = await app.call('POST', '/connections', { body: settings(changes) })
        assert.equal(status, 422, text)
        const fault = body.errors.find((one: { pointer: string }) => one.pointer.startsWith(`#/${member}`))
        assert.equal(fault?.code, code, text)
      }
    })

    it('are tried before anybody signs in: the server, an entry, and the user that would result', async (t) => {
      const { app, connection } = await company(t, engine, {
        active: false,
        role_claim: 'groups',
        roles: { engineers: 'user' },
      })
      const reached = await trial(app, connection)
      assert.equal(reached.body.outcome, 'reachable', reached.text)
      assert.match(reached.body.detail, /Connected to ldaps:\/\/localhost/)
      const ada = await trial(app, connection, { username: 'ada' })
      assert.equal(ada.body.outcome, 'creates', ada.text)
      assert.equal(ada.body.user.role, 'user')
      assert.match(ada.body.detail, /has the entry uid=ada,ou=people.*1 other servers/)
      const claims = new Map(ada.body.claims.map((one: { claim: string; value: string }) => [one.claim, one.value]))
      assert.match(String(claims.get('groups')), /everyone/)
      const unknown = await trial(app, connection, { username: 'nobody' })
      assert.deepEqual([unknown.body.outcome, unknown.body.reason], ['refused', 'wrong_password'])
      assert.match(unknown.body.detail, /No entry matches/)
    })

    it('say in words what is wrong with a directory', async (t) => {
      const { app, connection } = await company(t, engine)
      const path = `/connections/${connection.connection_id}`
      const detailWith = async (body: Body) => {
        assert.equal((await app.call('PATCH', path, { body })).status, 200)
        const { body: answer } = await trial(app, connection)
        assert.equal(answer.outcome, 'refused')
        return answer.detail as string
      }
      assert.match(await detailWith({ ca_certificate: null }), /SELF_SIGNED.*ca_certificate/)
      assert.match(await detailWith({ ca_certificate: selfSigned.cert, bind_password: 'wrong' }), /refuses bind_dn/)
      const dead = { servers: ['ldaps://127.0.0.1:1'], bind_password: 'x' }
      assert.match(await detailWith(dead), /ECONNREFUSED/)
      const refused = await app.call('PATCH', path, { body: { servers: ['ldaps://evil.example.com'] } })
      assert.equal(refused.body.errors[0].pointer, '#/bind_password', 'it must not be sent to another server')
    })

    it('ask the directory only for callers who may change connections', async (t) => {
      const { app, connection } = await company(t, engine)
      const permissions = ['connections:read', 'users:read']
      const { key } = (await app.call('POST', '/keys', { body: { name: 'reader', permissions } })).body
      const path = `/connections/${connection.connection_id}/test`
      assert.equal((await app.call('POST', path, { key, body: { username: 'ada' } })).status, 403)
      assert.equal((await app.call('POST', path, { key, body: { claims: { sub: 'x' } } })).status, 200)
    })
  })
}
