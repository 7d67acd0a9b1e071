import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, createUser, engines, type Request, type Started, start } from '../../../test/harness.ts'
import { sharedApp } from '../../../test/shared-app.ts'

type User = Record<string, unknown> & { user_id: string }

const patch = (app: Started, user: User, body: unknown, request: Request = {}): Promise<Answer> =>
  app.call('PATCH', `/users/${user.user_id}`, { body, ...request })
const read = (app: Started, user: User): Promise<Answer> => app.call('GET', `/users/${user.user_id}`)
const newUser = async (app: Started, members: Record<string, string>): Promise<User> =>
  (await createUser(app, members)) as User

/** A clock that advances by a second at each reading. */
function tickingClock(): () => number {
  let now = Date.UTC(2026, 10, 20)
  return () => {
    now += 1000
    return now
  }
}

const ada = {
  username: 'ada',
  email: 'ada@example.org',
  external_id: 'hr-1',
  first_name: 'Ada',
  last_name: 'Lovelace',
}

for (const engine of engines) {
  describe(`changing users on ${engine.name}`, () => {
    const shared = sharedApp(engine)

    it('changes each given member and leaves the others', async (t) => {
      const app = await start(t, engine, { clock: tickingClock() })
      const user = await newUser(app, ada)
      const changes = {
        username: 'countess',
        email: 'countess@example.org',
        external_id: 'hr-2',
        first_name: '',
        last_name: 'King',
        role: 'admin',
      }
      let expected: Record<string, unknown> = user
      for (const [member, value] of Object.entries(changes)) {
        const response = await patch(app, user, { [member]: value })
        assert.equal(response.status, 200, response.text)
        assert.ok(response.body.updated_at > String(expected.updated_at))
        expected = { ...expected, [member]: value, updated_at: response.body.updated_at }
        assert.deepEqual(response.body, expected)
        assert.deepEqual((await read(app, user)).body, expected)
      }
    })

    it('sets a password, which shows only in has_password', async () => {
      const app = await shared()
      const user = await newUser(app, ada)
      const before = await read(app, user)
      const response = await patch(app, user, { password: 'the sky above the port was grey' })
      assert.deepEqual(response.body, { ...user, has_password: true, updated_at: response.body.updated_at })
      assert.notEqual(response.headers.etag, before.headers.etag)
      for (const password of ['too short', 'ada@example.org.ada', 'passwordpassword']) {
        const refused = await patch(app, user, { password })
        assert.deepEqual([refused.status, refused.body.errors[0].pointer], [422, '#/password'])
      }
    })

    it('deactivates and activates', async () => {
      const app = await shared()
      const user = await newUser(app, ada)
      assert.equal((await patch(app, user, { active: false })).body.active, false)
      assert.equal((await read(app, user)).body.active, false)
      assert.equal((await patch(app, user, { active: true })).body.active, true)
    })

    it('clears email and external id with null, and accepts null nowhere else', async () => {
      const app = await shared()
      const user = await newUser(app, ada)
      const cleared = await patch(app, user, { email: null, external_id: null })
      assert.deepEqual([cleared.status, cleared.body.email, cleared.body.external_id], [200, null, null])
      for (const member of ['username', 'password', 'first_name', 'last_name', 'role', 'active']) {
        const response = await patch(app, user, { [member]: null })
        assert.deepEqual([response.status, response.body.errors[0].pointer], [422, `#/${member}`])
      }
      // What was cleared is free for others.
      await newUser(app, { username: 'eve', email: 'ada@example.org', external_id: 'hr-1' })
    })

    it('accepts a JSON Merge Patch under its own media type as well', async () => {
      const app = await shared()
      const user = await newUser(app, ada)
      for (const [i, type] of ['application/merge-patch+json', 'application/json', 'Application/JSON'].entries()) {
        const response = await patch(app, user, { last_name: `King ${i}` }, { headers: { 'content-type': type } })
        assert.deepEqual([response.status, response.body.last_name], [200, `King ${i}`])
      }
      const refused = await patch(app, user, { last_name: '' }, { headers: { 'content-type': 'text/plain' } })
      assert.equal(refused.body.code, 'unsupported_media_type')
    })

    it('refuses invalid members, with a pointer, and then changes nothing', async () => {
      const app = await shared()
      const user = await newUser(app, ada)
      const before = await read(app, user)
      const cases: [body: unknown, fault: string][] = [
        [{ user_id: user.user_id }, '#/user_id unknown_member'],
        [{ created_at: '2020-01-01T00:00:00.000Z' }, '#/created_at unknown_member'],
        [{ last_login_at: null }, '#/last_login_at unknown_member'],
        [{ has_password: false }, '#/has_password unknown_member'],
        [{ version: 7 }, '#/version unknown_member'],
        [{ active: 'false' }, '#/active wrong_type'],
        [{ active: 0 }, '#/active wrong_type'],
        [{ username: 1 }, '#/username wrong_type'],
        [{ username: '' }, '#/username too_short'],
        [{ username: 'a b' }, '#/username username_invalid'],
        [{ email: 'nowhere' }, '#/email email_invalid'],
        [{ role: 'emperor' }, '#/role role_unknown'],
        [{ last_name: 'good', first_name: 'bad\u0007' }, '#/first_name control_character'],
        [[], '# wrong_type'],
        ['null', '# wrong_type'],
      ]
      for (const [body, fault] of cases) {
        const response = await patch(app, user, body)
        const [{ pointer, code }] = response.body.errors
        assert.deepEqual([response.status, `${pointer} ${code}`], [422, fault])
      }
      const after = await read(app, user)
      assert.deepEqual([after.body, after.headers.etag], [before.body, before.headers.etag])
    })

    it('keeps ETag and updated_at if a change changes nothing', async (t) => {
      const app = await start(t, engine, { clock: tickingClock() })
      const user = await newUser(app, ada)
      const before = await read(app, user)
      for (const body of [{}, { last_name: 'Lovelace' }, { ...ada, role: 'user', active: true }]) {
        const response = await patch(app, user, body)
        assert.deepEqual([response.body, response.headers.etag], [before.body, before.headers.etag])
      }
      const after = await read(app, user)
      assert.deepEqual([after.body, after.headers.etag], [before.body, before.headers.etag])
    })

    it("keeps names unique, and distinct from others' email addresses, when they change", async () => {
      const app = await shared()
      const user = await newUser(app, ada)
      await newUser(app, { username: 'Bob@example.org', external_id: 'hr-2' })
      const eve = await newUser(app, { username: 'eve', email: 'Eve@example.org' })
      const cases: [body: Record<string, string>, code: string][] = [
        [{ username: 'EVE' }, 'username_taken'],
        [{ username: 'eve@EXAMPLE.org' }, 'username_taken'],
        [{ email: 'EVE@example.org' }, 'email_taken'],
        [{ email: 'bob@example.org' }, 'email_taken'],
        [{ external_id: 'hr-2' }, 'external_id_taken'],
      ]
      for (const [body, code] of cases) {
        const response = await patch(app, user, { last_name: 'changed?', ...body })
        assert.deepEqual([response.status, response.body.code], [409, code])
      }
      assert.deepEqual((await read(app, user)).body, user)

      for (const body of [{ username: 'ADA' }, { username: 'Ada@Example.org' }, { email: 'ADA@example.org' }]) {
        assert.equal((await patch(app, user, body)).status, 200, 'its own names are nobody else’s')
      }
      assert.equal((await patch(app, eve, { username: 'evelyn', email: null })).status, 200)
      assert.equal((await patch(app, user, { username: 'Eve', email: 'eve@example.org' })).status, 200)
    })

    it('returns 404 for an unknown user', async () => {
      const app = await shared()
      for (const id of ['01a1f89f-15eb-7005-a0cf-adc2aac3c656', 'ada', '0', '%00', '..%2Fkeys']) {
        for (const [method, body] of [['GET'], ['PATCH', { first_name: 'x' }], ['DELETE']] as const) {
          const response = await app.call(method, `/users/${id}`, body && { body })
          assert.deepEqual([response.status, response.body.code], [404, 'user_not_found'], `${method} ${id}`)
        }
      }
    })
  })

  describe(`conditional changes on ${engine.name}`, () => {
    const shared = sharedApp(engine)

    it('happen only if one of the given strong ETags is current', async () => {
      const app = await shared()
      const user = await newUser(app, ada)
      const etag = (await read(app, user)).headers.etag as string
      await patch(app, user, { last_name: 'King' })
      const current = (await read(app, user)).headers.etag as string
      assert.notEqual(current, etag)

      const stale = [etag, `W/${current}`, '"abc"', '""', `${etag}, W/${current}`]
      for (const [method, body] of [['PATCH', { last_name: 'changed?' }], ['DELETE']] as const) {
        for (const header of stale) {
          const request = { headers: { 'if-match': header }, ...(body && { body }) }
          const response = await app.call(method, `/users/${user.user_id}`, request)
          assert.deepEqual([response.status, response.body.code], [412, 'precondition_failed'], `${method} ${header}`)
        }
      }
      assert.equal((await read(app, user)).headers.etag, current)

      const change = (header: string, last_name: string) =>
        patch(app, user, { last_name }, { headers: { 'if-match': header } })
      const changed = await change(`"0", ${current}`, 'Byron')
      assert.deepEqual([changed.status, changed.body.last_name], [200, 'Byron'])
      assert.equal((await change('*', 'Gordon')).status, 200)
      const last = (await read(app, user)).headers.etag as string
      assert.equal((await app.call('DELETE', `/users/${user.user_id}`, { headers: { 'if-match': last } })).status, 200)
      assert.equal((await change('*', 'nobody')).status, 404)
    })

    it('never replace a version that If-None-Match names', async () => {
      const app = await shared()
      const user = await newUser(app, ada)
      const change = (headers: Record<string, string>) => patch(app, user, { last_name: 'King' }, { headers })
      const etag = (await read(app, user)).headers.etag as string
      for (const header of ['*', etag, `"0", W/${etag}`]) {
        const { status, body } = await change({ 'if-none-match': header, 'if-match': '*' })
        assert.deepEqual([status, body.code], [412, 'precondition_failed'], header)
      }
      assert.deepEqual((await read(app, user)).body, user)
      assert.equal((await change({ 'if-none-match': '"0"' })).status, 200)
      assert.equal((await change({ 'if-none-match': etag })).status, 200)
    })

    it('are refused when the header is no list of ETags', async () => {
      const app = await shared()
      const user = await newUser(app, ada)
      for (const header of ['1', '"1', '"1" "2"', ',', '']) {
        for (const [method, body] of [['PATCH', { last_name: 'changed?' }], ['DELETE']] as const) {
          const request = { headers: { 'if-match': header }, ...(body && { body }) }
          const response = await app.call(method, `/users/${user.user_id}`, request)
          assert.deepEqual([response.status, response.body.code], [400, 'malformed_header'], `${method} ${header}`)
        }
      }
      assert.deepEqual((await read(app, user)).body, user)
    })

    it('lose no update: of 32 that saw the same user, one succeeds', async () => {
      const app = await shared()
      const user = await newUser(app, ada)
      const headers = { 'if-match': (await read(app, user)).headers.etag as string }
      const answers = await Promise.all(
        Array.from({ length: 32 }, (_, i) => patch(app, user, { last_name: `King ${i}` }, { headers })),
      )
      const created = answers.filter(({ status }) => status === 200)
      assert.equal(created.length, 1)
      assert.equal(answers.filter(({ status }) => status === 412).length, 31)
      assert.deepEqual((await read(app, user)).body, created[0]?.body)
    })

    it('are required by configuration for changes and deletions, and for nothing else', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_REQUIRE_IF_MATCH: 'true' } })
      const user = await newUser(app, ada)
      for (const [method, body] of [['PATCH', { last_name: 'King' }], ['DELETE']] as const) {
        const refused = await app.call(method, `/users/${user.user_id}`, body && { body })
        assert.deepEqual([refused.status, refused.body.code], [428, 'precondition_required'])
      }
      const { headers } = await read(app, user)
      const response = await patch(
        app,
        user,
        { last_name: 'King' },
        { headers: { 'if-match': headers.etag as string } },
      )
      assert.equal(response.status, 200)
    })
  })
}
