import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addPhone, personWithPhone } from '../../../../test/factors.ts'
import { createUser, engines, start } from '../../../../test/harness.ts'
import { createPerson, openBrowser } from '../../../../test/people.ts'

const noon = Date.UTC(2026, 10, 23, 12)

for (const engine of engines) {
  describe(`a policy of second factors on ${engine.name}`, () => {
    it('is tested before it is set, by role and group', async (t) => {
      const app = await start(t, engine, { clock: () => noon })
      const test = async (policy?: unknown) => {
        const { status, body, text } = await app.call('POST', '/second-factor-policy/test', {
          body: policy === undefined ? {} : { policy },
        })
        assert.equal(status, 200, text)
        return body
      }
      const before = await test('required')
      await personWithPhone(app, noon)
      await createPerson(app, { role: 'admin' })
      const member = await createPerson(app)
      const invited = await createUser(app, {})
      const disabled = await createPerson(app)
      await app.call('PATCH', `/users/${disabled.user_id}`, { body: { active: false } })
      const expired = await createPerson(app)
      await app.call('PATCH', `/users/${expired.user_id}`, { body: { expires_at: new Date(noon).toISOString() } })
      const group = (await app.call('POST', '/groups', { body: { name: 'Field Staff' } })).body.group_id
      for (const { user_id } of [member, invited]) {
        assert.equal((await app.call('PUT', `/groups/${group}/members/${user_id}`)).status < 300, true)
      }
      const all = await test('required')
      assert.deepEqual(
        {
          users: all.users - before.users,
          with_factor: all.with_factor - before.with_factor,
          required: all.required - before.required,
          asked: all.asked - before.asked,
          asked_administrators: all.asked_administrators - before.asked_administrators,
          cannot_sign_in: all.cannot_sign_in - before.cannot_sign_in,
        },
        { users: 4, with_factor: 1, required: 4, asked: 3, asked_administrators: 1, cannot_sign_in: 1 },
      )
      const inForce = await test()
      assert.deepEqual([inForce.policy, inForce.asked, inForce.from], ['optional', 0, null])
      const admins = await test({ admin: 'required' })
      assert.deepEqual(
        [admins.asked, admins.asked_administrators],
        [all.asked_administrators, all.asked_administrators],
      )
      const staff = await test({ 'group:field staff': 'required', 'group:Stuff': 'required', gruop: 'optional' })
      assert.deepEqual(
        [staff.asked, staff.asked_administrators, staff.cannot_sign_in, staff.unknown],
        [2, 0, 1, ['group:Stuff', 'gruop']],
      )
      assert.equal(
        staff.sentence,
        `${staff.without_factor} users have no factor, 0 administrators would be asked now, 1 user could not sign in.`,
      )
      const { status, body } = await app.call('POST', '/second-factor-policy/test', {
        body: { policy: { 'A b': 'required' } },
      })
      assert.deepEqual([status, body.code], [422, 'validation_failed'])
    })

    it('lists who does not comply, page by page', async (t) => {
      const app = await start(t, engine, {
        clock: () => noon,
        env: { ROLLBOOK_SECOND_FACTOR: '{"admin":"required"}', ROLLBOOK_SECOND_FACTOR_FROM: '2027-01-15' },
      })
      const admins = []
      for (let n = 0; n < 3; n++) admins.push(await createPerson(app, { role: 'admin' }))
      await createPerson(app)
      const expired = await createPerson(app, { role: 'admin' })
      await app.call('PATCH', `/users/${expired.user_id}`, { body: { expires_at: new Date(noon).toISOString() } })
      await personWithPhone(app, noon, { role: 'admin' })
      const found: string[] = []
      let path: string | undefined = '/second-factor-policy/users?limit=2'
      let pages = 0
      while (path !== undefined) {
        const { status, body, headers, text } = await app.call('GET', path)
        assert.equal(status, 200, text)
        for (const user of body) {
          assert.deepEqual([user.role, user.administrator, user.has_password], ['admin', true, true])
          found.push(user.user_id)
        }
        pages += 1
        const cursor: string | undefined = /[?&](cursor=[^&>]+)/.exec(String(headers.link ?? ''))?.[1]
        path = cursor && `/second-factor-policy/users?limit=2&${cursor}`
      }
      assert.deepEqual(found, admins.map(({ user_id }) => user_id).toSorted())
      assert.equal(pages, 2)
      const { body } = await app.call('POST', '/second-factor-policy/test', { body: {} })
      assert.equal(body.from, '2027-01-15T00:00:00.000Z')
      assert.match(body.sentence, /, 3 administrators would be asked from 2027-01-15 on, 0 users could not sign in\.$/)
      const wrong = await app.call('GET', '/second-factor-policy/users?cursor=x')
      assert.deepEqual([wrong.status, wrong.body.code], [400, 'bad_cursor'])
    })

    it('never locks out the only administrator, who has no factor when it begins', async (t) => {
      const app = await start(t, engine, { clock: () => noon, env: { ROLLBOOK_SECOND_FACTOR: 'required' } })
      const admin = await createPerson(app, { role: 'admin' })
      const browser = await openBrowser(app, admin.username)
      // The password alone is enough for one thing only: to add a factor.
      assert.deepEqual((await browser.call('GET', '/users')).body.code, 'factor_required')
      await addPhone(browser, noon)
      assert.equal((await browser.call('GET', '/users')).status, 200)
    })
  })
}
