/** Claims of a mapping that did not arrive whole: they change nothing, and an administrator learns what to do. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ada, type Body, company, companyDomains, failures, type Jar, me, signIn } from '../../../../test/company.ts'
import { createUser, engines } from '../../../../test/harness.ts'

const link = { 'http://schemas.microsoft.com/claims/groups.link': 'https://graph.example.com/me' }
const incomplete: readonly [Body, RegExp][] = [
  [
    { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example.com' } } },
    /assigned/,
  ],
  [{ hasgroups: true }, /assigned to this application/],
  [{ hasgroups: 'true' }, /assigned/],
  [link, /assigned/],
  [{}, /set missing_claims to none/],
  [{ groups: null }, /is null, a form that no values can be read from/],
  [{ groups: [{ id: 'bosses' }] }, /is a list with an object in it, a form that no values can be read from/],
]

for (const engine of engines) {
  describe(`a claim that did not arrive whole, on ${engine.name}`, () => {
    it('leaves role, groups and attributes as they are, and is recorded with what to do', async (t) => {
      const { app, idp, connection } = await company(t, engine)
      const path = `/connections/${connection.connection_id}`
      const { group_id } = (await app.call('POST', '/groups', { body: { name: 'Sales' } })).body
      await app.call('POST', '/attributes', { body: { name: 'team', label: 'Team', type: 'string' } })
      const body = {
        role_claim: 'groups',
        roles: { bosses: 'admin' },
        role_sync: 'sign_in',
        group_claim: 'groups',
        groups: { sales: group_id },
        group_sync: 'sign_in',
        attribute_claims: { team: 'team' },
        attribute_sync: 'sign_in',
        read_userinfo: 'never',
      }
      assert.equal((await app.call('PATCH', path, { body })).status, 200)
      const come = async (more: Body) => {
        idp.lies = { claims: { ...ada, ...more } }
        const jar: Jar = new Map()
        const back = await signIn(app, idp, connection, jar)
        assert.equal(back.status, 303, back.text)
        const { user_id, role } = (await me(app, jar)).body
        const { attributes } = (await app.call('GET', `/users/${user_id}`)).body
        const groups = (await app.call('GET', `/users/${user_id}/groups`)).body as { name: string }[]
        return [role, groups.map(({ name }) => name), attributes.team]
      }
      const whole = ['admin', ['Sales'], 'Blue']
      // Also as the last administrator.
      assert.deepEqual(await come({ groups: ['bosses', 'sales'], team: 'Blue' }), whole)
      assert.deepEqual(await failures(app, connection), [])
      for (const [claims, advice] of incomplete) {
        const at = JSON.stringify(claims)
        assert.deepEqual(await come(claims), whole, at)
        const [failure] = await failures(app, connection)
        assert.equal(failure?.reason, 'claims_incomplete')
        assert.match(failure.detail, advice, at)
        const sent = { sub: 'subject-1', ...ada, ...claims }
        const tried = (await app.call('POST', `${path}/test`, { body: { claims: sent } })).body
        assert.equal(tried.outcome, 'signs_in')
        assert.match(tried.detail, advice, at)
        assert.deepEqual([tried.mapped.role, tried.mapped.groups], ['admin', [group_id]], at)
        assert.match(JSON.stringify(tried.claims), /"role_(overage|missing|unreadable)"/, at)
      }
      // An attribute, too.
      for (const [sent, words] of [
        [{ team: { formatted: 'Red' } }, /claim team is an object.*The attribute of the user stays as it is/],
        [{ team: ['Red', null] }, /claim team is a list with null in it/],
        [{ team: 'Red\0' }, /claim team is a text that cannot be stored/],
        [{ team: 'Red', _claim_names: { team: 'src1' } }, /left out team/],
      ] as const) {
        assert.deepEqual(await come({ groups: ['bosses', 'sales'], ...sent }), whole, JSON.stringify(sent))
        assert.match((await failures(app, connection))[0]?.detail ?? '', words)
      }
      const { length } = await failures(app, connection)
      await createUser(app, { username: 'root', role: 'admin' })
      assert.deepEqual(await come({ groups: [] }), ['user', [], 'Blue'], 'an empty claim is one')
      assert.equal((await failures(app, connection)).length, length)
      // A new user has nothing that could stay.
      const fresh = { sub: 'subject-2', email: 'bea@example.com', hasgroups: true }
      assert.deepEqual(await come(fresh), ['user', [], undefined])
      assert.match((await failures(app, connection))[0]?.detail ?? '', /new user/)

      for (let n = 0; n < 25; n++) await come({ hasgroups: true })
      const remaining = (await failures(app, connection)).filter(({ reason }) => reason === 'claims_incomplete')
      assert.equal(remaining.length, 20, 'they do not push out the sign-ins that failed')
      await come({ groups: ['bosses', 'sales'] })
      await app.call('PATCH', path, { body: { missing_claims: 'none' } })
      assert.deepEqual(await come({}), ['user', [], 'Blue'], 'the administrator says what missing means')
      await come({ groups: ['bosses', 'sales'] })
      assert.deepEqual(await come({ hasgroups: true }), whole, 'too much is never nothing')
    })

    it('is a path, the keys of an object, numbers, or distinguished names by their parts, if the mapping says so', async (t) => {
      const forms: readonly [string, string, unknown][] = [
        ['realm_access.roles', 'boss', { realm_access: { roles: ['boss'] } }],
        ['urn:zitadel:iam:org:project:roles', 'boss', { 'urn:zitadel:iam:org:project:roles': { boss: {} } }],
        ['level', '9', { level: 9 }],
        ['chief', 'true', { chief: true }],
        ['group_dns', 'CN=Bosses,OU=Groups,DC=example', { group_dns: ['cn=bosses, ou=groups, dc=EXAMPLE'] }],
      ]
      const { app, idp, connection } = await company(t, engine, { body: { ...companyDomains, role_sync: 'sign_in' } })
      await createUser(app, { username: 'root', role: 'admin' })
      for (const [role_claim, value, claims] of forms) {
        const body = { role_claim, roles: { [value]: 'admin' } }
        const changed = await app.call('PATCH', `/connections/${connection.connection_id}`, { body })
        assert.equal(changed.status, 200, changed.text)
        for (const [sent, role] of [
          [claims, 'admin'],
          [{ [role_claim]: 'no one' }, 'user'],
        ] as const) {
          idp.lies = { claims: { ...ada, ...(sent as Body) } }
          const jar: Jar = new Map()
          await signIn(app, idp, connection, jar)
          assert.equal((await me(app, jar)).body.role, role, role_claim)
        }
      }
    })
  })
}
