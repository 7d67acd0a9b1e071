/** Connections that an organization sets up itself: its users and domains, and none with more permissions than its administrators. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { hasDomains, listButtons } from '../../src/access/providers/connections/service.ts'
import { directoryFor } from '../../src/access/sign-in/company-sign-in/password-entry.ts'
import type { Actor } from '../../src/core/actor.ts'
import { company, failures, type Jar, me, password, signIn, verify } from '../company.ts'
import { anyEngine, createUser, type Engine, everyEngine, start } from '../harness.ts'
import { startIdentityProvider } from '../identity-provider.ts'
import { createOrganization } from '../organizations.ts'

const permissions = ['connections:read', 'connections:write', 'users:read', 'users:write'].map(
  (word) => `${word}@organization`,
)

/** A connection of an organization, made by an administrator of the service, and a user who may sign in through it. */
async function open(t: TestContext, engine: Engine) {
  const lies = { claims: { email: 'ada@example.com', email_verified: true } }
  const { app, idp, connection } = await company(t, engine, { lies, body: {} })
  const post = async (path: string, body: object) => {
    const response = await app.call('POST', path, { body })
    assert.ok([200, 201].includes(response.status), response.text)
    return response.body
  }
  await createUser(app, { username: 'root', role: 'admin', password })
  const { organization_id } = await post('/organizations', { name: 'Acme' })
  const path = `/connections/${connection.connection_id}`
  const patched = await app.call('PATCH', path, { body: { organization_id, trusted_domains: ['example.com'] } })
  assert.equal(patched.status, 200, patched.text)
  await post(`/organizations/${organization_id}/domains`, { domain: 'example.com', verified: true })
  const actor: Actor = {
    ...({ kind: 'api_key', id: 'test', name: 'test', permissions } as const),
    limitedTo: organization_id,
  }
  const change = async (command: 'sign_in_connections.create' | 'sign_in_connections.update', input: object) => {
    try {
      const request = { actor, now: Date.now(), requestId: 'test' }
      // biome-ignore lint/suspicious/noExplicitAny: the results of a test have many forms.
      return (await app.storage.change(command, { secrets: {}, ...input } as never, request)).result as any
    } catch (error) {
      const { code, errors = [] } = error as { code: string; errors?: { code: string }[] }
      return [code, ...errors.map((one) => one.code)].join(' ')
    }
  }
  const edit = (input: object, secrets: object = {}) =>
    change('sign_in_connections.update', { connection_id: connection.connection_id, input, secrets })
  const draft = (input: object) =>
    change('sign_in_connections.create', {
      connection_id: '019a9f3e-0000-7000-8000-0000000000aa',
      input: { kind: 'oidc', name: 'Own', active: false, ...input },
    })
  const ada = async (more: object = {}) => {
    const { user_id } = await createUser(app, { username: 'ada', email: 'ada@example.com', organization_id, ...more })
    await verify(app, String(user_id))
    return String(user_id)
  }
  const comeAs = async (): Promise<string | undefined> => {
    const jar: Jar = new Map()
    await signIn(app, idp, connection, jar)
    return (await me(app, jar)).body.username
  }
  return { app, idp, connection, organization_id, path, edit, draft, ada, comeAs }
}

for (const engine of everyEngine) {
  describe(`a connection that an organization sets up itself, on ${engine.name}`, () => {
    it('has only domains that the organization has proved, and loses those that it no longer has', async (t) => {
      const { app, organization_id, draft } = await open(t, engine)
      for (const member of ['domains', 'trusted_domains', 'provisioning_domains']) {
        const refused = await draft({ [member]: ['example.com', 'globex.example'] })
        assert.equal(refused, 'validation_failed domain_not_verified', member)
      }
      const lists = {
        domains: ['example.com'],
        trusted_domains: ['example.com'],
        provisioning_domains: ['example.com'],
      }
      const created = await draft({ ...lists, passwords: 'refused_for_domains' })
      assert.equal(created.connection?.organization_id, organization_id, JSON.stringify(created))
      const path = `/connections/${created.connection.connection_id}`
      assert.equal((await app.call('DELETE', `/organizations/${organization_id}/domains/example.com`)).status, 200)
      const { domains, trusted_domains, provisioning_domains, passwords } = (await app.call('GET', path)).body
      assert.deepEqual([domains, trusted_domains, provisioning_domains, passwords], [[], [], [], 'allowed'])
    })

    it('gives no role or group that its administrator could not give', async (t) => {
      const { app, organization_id, path, draft } = await open(t, engine)
      const group = async (body: object) => (await app.call('POST', '/groups', { body })).body.group_id
      const strong = await group({ name: 'Strong', role: 'admin', organization_id })
      const foreign = await group({ name: 'Foreign' })
      for (const [mapping, refused] of [
        [{ role_claim: 'role', roles: { boss: 'admin' } }, 'role_not_grantable'],
        [{ group_claim: 'groups', groups: { all: foreign } }, 'validation_failed group_unknown'],
        [{ group_claim: 'groups', groups: { all: strong } }, 'role_not_grantable'],
      ] as const) {
        assert.equal(await draft(mapping), refused)
      }
      assert.equal(await draft({ organization_id }), 'permission_denied')
      // One that gives them already can be neither changed nor deleted.
      const body = { name: 'limited', permissions, organization_id }
      const { key } = (await app.call('POST', '/keys', { body })).body
      for (const mapping of [
        { role_claim: 'role', roles: { boss: 'admin' } },
        { group_claim: 'groups', groups: { all: foreign } },
      ]) {
        const none = { role_claim: null, roles: {}, group_claim: null, groups: {} }
        assert.equal((await app.call('PATCH', path, { body: { ...none, ...mapping } })).status, 200)
        for (const [method, query, sent] of [
          ['PATCH', '', { position: 3 }],
          ['DELETE', '', undefined],
          ['DELETE', '?dry_run=true', undefined],
        ] as const) {
          const refused = await app.call(method, `${path}${query}`, { key, body: sent })
          assert.deepEqual([refused.status, refused.body.code], [403, 'role_not_grantable'], `${method}${query}`)
        }
      }
    })
  })
}

describe('the connections of an organization', () => {
  it('are so few that they leave room for those of others', async (t) => {
    const app = await start(t, anyEngine)
    const words = ['connections:write', 'provisioning:write', 'scim:write']
    const callerOf = async (name: string) => {
      const organization_id = await createOrganization(app, { name })
      const body = { name, organization_id, permissions: words.map((word) => `${word}@organization`) }
      return (await app.call('POST', '/keys', { body })).body.key as string
    }
    const [acme, globex] = [await callerOf('Acme'), await callerOf('Globex')]
    const oidc = { kind: 'oidc', issuer: 'https://id.example', client_id: 'x', active: false }
    for (const [path, members] of [
      ['/connections', oidc],
      ['/provisioning', {}],
    ] as const) {
      const create = (key: string, name: string) => app.call('POST', path, { key, body: { ...members, name } })
      for (let count = 0; count < 10; count++) {
        const created = await create(acme, `${path} ${count}`)
        assert.equal(created.status, 201, created.text)
      }
      const refused = await create(acme, `${path} more`)
      assert.deepEqual([refused.status, refused.body.code], [409, 'too_many_connections'])
      assert.match(refused.body.detail, /^The organization already has 10 /)
      assert.equal((await create(globex, `${path} more`)).status, 201)
    }
  })

  it('are found by their domains, by their users and by who used them last, and by no one else', async (t) => {
    const { app, connection, organization_id, edit } = await open(t, anyEngine)
    const { connection_id } = connection
    assert.equal(typeof (await edit({ domains: ['example.com'] })), 'object')
    const idsOf = async (concerned: Parameters<typeof listButtons>[1]) =>
      (await listButtons(app.storage.db, concerned)).map((one) => one.connection_id)
    for (const concerned of [{ domain: 'example.com' }, { organization_id }, { connection_ids: [connection_id] }]) {
      assert.deepEqual(await idsOf(concerned), [connection_id], JSON.stringify(concerned))
    }
    const another = '019a9f3e-0000-7000-8000-0000000000aa'
    const others = { domain: '%', organization_id: another, connection_ids: ['\0', another] }
    assert.deepEqual(await idsOf(others), [])
    assert.deepEqual(await idsOf({ domain: 'xample.com' }), [])
    assert.equal(await hasDomains(app.storage.db), true)
    assert.equal(typeof (await edit({ domains: [] })), 'object')
    assert.equal(await hasDomains(app.storage.db), false)
  })
})

describe('a connection edited to another issuer', () => {
  it('would have become an administrator whom it signs in: it cannot be edited, by who has less', async (t) => {
    const { ada, edit, comeAs, path, app } = await open(t, anyEngine)
    await ada({ role: 'admin' })
    assert.equal(await comeAs(), 'ada')
    for (const input of [
      { issuer: 'https://evil.example' },
      { keep_identities: true, issuer: 'https://evil.example' },
    ]) {
      assert.equal(await edit(input, { client_secret: { value: 'x', encrypted: false } }), 'user_outranks_caller')
    }
    assert.equal((await app.call('GET', path)).body.identity_count, 1)
  })

  it('would have become an administrator by the address: it signs in no user with more permissions', async (t) => {
    const { ada, app, connection, edit, comeAs } = await open(t, anyEngine)
    const user_id = await ada({ role: 'admin' })
    assert.equal(typeof (await edit({ position: 2 })), 'object')
    assert.equal(await comeAs(), undefined)
    assert.equal((await failures(app, connection))[0]?.reason, 'role_not_mapped')
    assert.equal((await app.call('PATCH', `/users/${user_id}`, { body: { role: 'user' } })).status, 200)
    assert.equal(await comeAs(), 'ada')
    // The same for who got the role later.
    assert.equal((await app.call('PATCH', `/users/${user_id}`, { body: { role: 'admin' } })).status, 200)
    assert.equal(await comeAs(), undefined)
  })

  it('would have found out who has an account here, by an address that is not of its domains', async (t) => {
    const { app, connection, edit, comeAs, idp, organization_id, path } = await open(t, anyEngine)
    await createUser(app, { username: 'bob', email: 'bob@globex.example' })
    const body = { name: 'limited', permissions, organization_id }
    const { key } = (await app.call('POST', '/keys', { body })).body
    // First as an administrator of the service made it, then as one of the organization changed it.
    for (const change of [async () => undefined, () => edit({ position: 2 })]) {
      await change()
      for (const email of ['bob@globex.example', 'nobody@globex.example']) {
        const claims = { sub: email, email, email_verified: true }
        idp.lies = { claims }
        assert.equal(await comeAs(), undefined)
        const trial = await app.call('POST', `${path}/test`, { key, body: { claims } })
        assert.deepEqual([trial.status, trial.body.reason, trial.body.user_id], [200, 'no_user', undefined], trial.text)
      }
    }
    const reasons = (await failures(app, connection)).map(({ reason }) => reason)
    assert.deepEqual(reasons, ['no_user', 'no_user', 'no_user', 'no_user'])
  })

  it('would have become a user of the same subject: the identities of the former issuer are gone', async (t) => {
    const { ada, app, comeAs, edit, path } = await open(t, anyEngine)
    await ada()
    assert.equal(await comeAs(), 'ada')
    const other = await startIdentityProvider(t)
    const secrets = { client_secret: { value: 'shared', encrypted: false } }
    const edited = await edit({ issuer: other.issuer, trusted_domains: [] }, secrets)
    assert.equal(edited.connection?.identity_count, 0, JSON.stringify(edited))
    assert.equal((await app.call('GET', path)).body.issuer, other.issuer)
  })

  it('would have shown its button to everyone, and asked its directory for the passwords of everyone', async (t) => {
    const { app, draft } = await open(t, anyEngine)
    const ldap = {
      ...{ kind: 'ldap', name: 'Not yours', active: true, servers: ['ldaps://ldap.example'] },
      ...{ user_base: 'dc=example', group_source: 'none', domains: ['example.com'] },
    }
    const created = await draft(ldap)
    assert.equal(created.connection?.active, true, JSON.stringify(created))
    const page = await app.call('GET', '/login', { key: null, headers: { accept: 'text/html' } })
    assert.equal(page.status, 200)
    assert.doesNotMatch(page.text, /Not yours/)
    const { directory } = await directoryFor(app.storage.db, { username: 'anyone', password })
    assert.equal(directory, undefined)
    const ofDomain = await directoryFor(app.storage.db, { username: 'eve@example.com', password })
    assert.equal(ofDomain.directory?.connection_id, created.connection.connection_id)
  })

  it('would have refused passwords to others with its address', async (t) => {
    const { ada, app, edit } = await open(t, anyEngine)
    await ada({ password })
    await createUser(app, { username: 'bob', email: 'bob@example.com', password })
    const rule = { domains: ['example.com'], passwords: 'refused_for_all' }
    const edited = await edit(rule)
    assert.equal(edited.connection?.passwords, 'refused_for_all', JSON.stringify(edited))
    const signInAs = async (username: string) =>
      (await app.call('POST', '/sessions', { key: null, body: { username, password } })).status
    assert.equal(await signInAs('bob'), 201)
    assert.notEqual(await signInAs('ada'), 201)
  })
})
