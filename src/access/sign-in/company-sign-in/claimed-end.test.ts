/** The end date of a user by a claim: set, moved and read by the rules of end dates, and never removed by what is no date. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ada, type Body, company, companyDomains, failures, type Jar, me, signIn } from '../../../../test/company.ts'
import { createUser, engines } from '../../../../test/harness.ts'

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const endOf = (date: string) => `${date}T23:59:59.999Z`
const mapping = {
  ...companyDomains,
  expires_at_claim: 'contract.end',
  expires_at_sync: 'sign_in',
  read_userinfo: 'never',
}

for (const engine of engines) {
  describe(`an end date by a claim, on ${engine.name}`, () => {
    it('is set with the user, moved at every sign-in, and stays where the claim is missing or no date', async (t) => {
      const { app, idp, connection } = await company(t, engine, { body: mapping })
      await createUser(app, { username: 'root', role: 'admin' })
      const arrive = async (more: Body) => {
        idp.lies = { claims: { ...ada, ...more } }
        const jar: Jar = new Map()
        const back = await signIn(app, idp, connection, jar)
        assert.equal(back.status, 303, back.text)
        return (await app.call('GET', `/users/${(await me(app, jar)).body.user_id}`)).body
      }
      const first = await arrive({ contract: { end: day(30) } })
      assert.equal(first.expires_at, endOf(day(30)))
      const instant = `${day(20)}T12:00:00.000Z`
      assert.equal((await arrive({ contract: { end: instant } })).expires_at, instant)
      const seconds = Date.parse(instant) / 1000 + 60
      const later = `${day(20)}T12:01:00.000Z`
      assert.equal((await arrive({ contract: { end: seconds } })).expires_at, later)
      const [record] = (await app.call('GET', '/audit?action=user.updated&limit=1')).body
      assert.deepEqual(record.changes.expires_at, { before: instant, after: later })
      assert.equal(record.details.connection, 'Example')
      // Most users have no end date: that the claim is missing is no fault.
      for (const contract of [{}, { end: null }, { end: '' }])
        assert.equal((await arrive({ contract })).expires_at, later)
      assert.deepEqual(await failures(app, connection), [])
      for (const [end, words] of [
        ['someday', /contract\.end is a text that is no date/],
        ['2027-02-30', /is a text that is no date/],
        [Date.parse(instant) + 1e15, /is a number that is no date/],
        [[day(40)], /is a list\. It must be a date and time/],
        [{ date: day(40) }, /is an object/],
        [true, /is a boolean that is no date/],
        ['9223372036854775807', /is a text that is no date/],
      ] as const) {
        assert.equal((await arrive({ contract: { end } })).expires_at, later, JSON.stringify(end))
        const [failure] = await failures(app, connection)
        assert.equal(failure?.reason, 'claims_incomplete')
        assert.match(failure.detail, words)
        assert.match(failure.detail, /The end date of the user stays as it is/)
        const [session] = (await app.call('GET', '/audit?action=session.created&limit=1')).body
        assert.deepEqual(session.details.unread_claims, ['contract.end'])
        const sent = { sub: 'subject-1', ...ada, contract: { end } }
        const tried = (
          await app.call('POST', `/connections/${connection.connection_id}/test`, { body: { claims: sent } })
        ).body
        assert.equal(tried.outcome, 'signs_in')
        assert.match(tried.detail, words)
        const note = tried.claims.find(({ claim }: Body) => claim === 'contract.end')
        assert.deepEqual(note.notes, [{ code: 'expires_at_unreadable' }])
        assert.equal('expires_at' in tried.mapped, false)
      }
      const path = `/connections/${connection.connection_id}`
      const test = async (claims: Body) =>
        (await app.call('POST', `${path}/test`, { body: { claims: { sub: 'subject-1', ...ada, ...claims } } })).body
      assert.equal((await test({ contract: { end: day(9) } })).mapped.expires_at, endOf(day(9)))
      // The administrator says what a missing claim means.
      await app.call('PATCH', path, { body: { missing_claims: 'none' } })
      assert.equal((await test({})).mapped.expires_at, null)
      assert.equal((await arrive({})).expires_at, undefined)
      await app.call('PATCH', path, { body: { expires_at_sync: 'creation' } })
      assert.equal((await arrive({ contract: { end: day(9) } })).expires_at, undefined)
    })

    it('that has passed ends the access and the sessions, creates no user, and is not undone by a later one', async (t) => {
      const { app, idp, connection } = await company(t, engine, { body: mapping })
      await createUser(app, { username: 'root', role: 'admin' })
      const jar: Jar = new Map()
      const arrive = async (claims: Body, browser: Jar = new Map()) => {
        idp.lies = { claims: { ...ada, ...claims } }
        return (await signIn(app, idp, connection, browser)).status
      }
      assert.equal(await arrive({}, jar), 303)
      const { user_id } = (await me(app, jar)).body
      const past = { contract: { end: day(-2) } }
      const path = `/connections/${connection.connection_id}`
      const tried = (
        await app.call('POST', `${path}/test`, { body: { claims: { sub: 'subject-1', ...ada, ...past } } })
      ).body
      assert.deepEqual([tried.outcome, tried.reason], ['refused', 'user_expired'])
      assert.equal((await me(app, jar)).status, 200, 'a test changes nothing')
      assert.equal(await arrive(past), 403)
      assert.equal((await me(app, jar)).status, 401)
      const user = (await app.call('GET', `/users/${user_id}`)).body
      assert.deepEqual([user.active, user.expires_at], [true, endOf(day(-2))])
      assert.equal((await failures(app, connection))[0]?.reason, 'user_expired')
      assert.equal(await arrive({ contract: { end: day(30) } }), 403)
      assert.equal((await app.call('GET', `/users/${user_id}`)).body.expires_at, endOf(day(-2)))
      assert.equal(await arrive({ sub: 'subject-2', email: 'bea@example.com', ...past }), 403)
      assert.deepEqual((await app.call('GET', '/users?username=bea@example.com')).body, [])
    })

    it('is never one of the last administrator, nor of a user whom SCIM manages', async (t) => {
      const body = { ...mapping, role_claim: 'groups', roles: { bosses: 'admin' } }
      const { app, idp, connection } = await company(t, engine, { body })
      const arrive = async (claims: Body, jar: Jar = new Map()) => {
        idp.lies = { claims: { ...ada, groups: ['bosses'], ...claims } }
        return (await signIn(app, idp, connection, jar)).status
      }
      const first: Jar = new Map()
      assert.equal(await arrive({}, first), 303)
      const { user_id } = (await me(app, first)).body
      for (const days of [-2, 30]) {
        assert.equal(await arrive({ contract: { end: day(days) } }), 409)
        assert.equal((await failures(app, connection))[0]?.reason, 'last_admin')
        const user = (await app.call('GET', `/users/${user_id}`)).body
        assert.deepEqual([user.role, user.expires_at], ['admin', undefined])
        assert.equal(await arrive({}), 303)
      }
      await createUser(app, { username: 'root', role: 'admin' })
      const { key } = (await app.call('POST', '/provisioning', { body: { name: 'Okta', profile: 'okta' } })).body
      const person = { sub: 'subject-2', email: 'bea@example.com', groups: [] }
      const bea: Jar = new Map()
      assert.equal(await arrive(person, bea), 303)
      const managedId = (await me(app, bea)).body.user_id
      const managed = await app.call('PATCH', `/scim/v2/Users/${managedId}`, {
        key,
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [{ op: 'replace', path: 'name.givenName', value: 'Augusta' }],
        },
        headers: { 'content-type': 'application/scim+json' },
      })
      assert.equal(managed.status, 200, managed.text)
      assert.equal(await arrive({ ...person, contract: { end: day(30) } }), 303)
      assert.equal((await app.call('GET', `/users/${managedId}`)).body.expires_at, undefined)
    })
  })
}
