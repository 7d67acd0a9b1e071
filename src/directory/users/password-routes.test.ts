import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser, engines, start } from '../../../test/harness.ts'
import { createPerson, isSignedIn, openBrowser, signIn } from '../../../test/people.ts'
import { createHasher } from '../passwords/hash.ts'

const next = 'for the first day only'

for (const engine of engines) {
  describe(`setting the password of a user on ${engine.name}`, () => {
    it('returns the user, who can then sign in with it, and all old sessions end', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createPerson(app, { username: 'grace' })
      const browser = await openBrowser(app, 'grace')
      const { status, body, headers, text } = await app.call('POST', `/users/${user_id.toUpperCase()}/password`, {
        body: { password: next },
      })
      assert.equal(status, 200)
      const user = await app.call('GET', `/users/${user_id}`)
      assert.deepEqual([body, headers.etag], [user.body, user.headers.etag])
      assert.ok(!text.includes(next))
      assert.equal(await isSignedIn(browser), false)
      assert.equal((await signIn(app, 'grace')).status, 401)
      const again = await openBrowser(app, 'grace', next)
      assert.equal((await again.call('GET', '/me')).body.must_change_password, false)
    })

    it('gives a user without a password their first one', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app, { username: 'grace' })
      const { body } = await app.call('POST', `/users/${user_id}/password`, { body: { password: next } })
      assert.equal(body.has_password, true)
      assert.equal((await signIn(app, 'grace', next)).status, 201)
    })

    it('ends a lock-out', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createPerson(app, { username: 'grace' })
      for (let i = 0; i < 6; i++) await signIn(app, 'grace', `the wrong password ${i}`)
      assert.equal((await signIn(app, 'grace')).status, 429)
      await app.call('POST', `/users/${user_id}/password`, { body: { password: next } })
      assert.equal((await signIn(app, 'grace', next)).status, 201)
    })

    it('is refused for the own one, which the operation on oneself asks for first', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createPerson(app, { username: 'grace', role: 'admin' })
      const [here, there] = [await openBrowser(app, 'grace'), await openBrowser(app, 'grace')]
      const refused = await here.call('POST', `/users/${user_id}/password`, { body: { password: next } })
      assert.deepEqual([refused.status, refused.body.code], [409, 'own_account'])
      assert.deepEqual([await isSignedIn(here), await isSignedIn(there)], [true, true])
    })

    it('changes nothing in a dry run, if the user has changed since it was read, or if the password is refused', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createPerson(app, { username: 'grace', email: 'grace@example.com' })
      const browser = await openBrowser(app, 'grace')
      const before = await app.call('GET', `/users/${user_id}`)
      const set = (query: string, body: unknown, headers: Record<string, string> = {}) =>
        app.call('POST', `/users/${user_id}/password${query}`, { body, headers })
      const dry = await set('?dry_run=true', { password: next, must_change: true })
      assert.deepEqual([dry.status, dry.headers['dry-run'], dry.headers.etag], [200, 'true', undefined])
      assert.equal((await set('', { password: next }, { 'if-match': '"99"' })).body.code, 'precondition_failed')
      for (const body of [
        {},
        { password: 'too short' },
        { password: 'grace@example.com' },
        { password: null },
        { password: next, must_change: 'true' },
        { password: next, must_change_password: 1 },
        { password: next, role: 'admin' },
      ]) {
        assert.equal((await set('', body)).body.code, 'validation_failed', JSON.stringify(body))
      }
      assert.deepEqual((await app.call('GET', `/users/${user_id}`)).body, before.body)
      assert.ok(await isSignedIn(browser))
      assert.equal((await signIn(app, 'grace')).status, 201)
    })

    it('takes effect once, however often it is repeated with an Idempotency-Key', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createPerson(app, { username: 'grace' })
      const set = () =>
        app.call('POST', `/users/${user_id}/password`, {
          body: { password: next },
          headers: { 'idempotency-key': 'a' },
        })
      const first = await set()
      const browser = await openBrowser(app, 'grace', next)
      const second = await set()
      assert.deepEqual([second.status, second.headers['idempotency-replayed']], [200, 'true'])
      assert.deepEqual(second.body, first.body)
      assert.ok(await isSignedIn(browser))
    })

    it('refuses a hash wherever a password is set, and lets users sign in whose password looks like one', async (t) => {
      const app = await start(t, engine)
      const hash = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'
      // As before 0.2: what is stored is the hash of the hash.
      const row = { username: 'grace', password_hash: await createHasher({ concurrency: 1, queueLimit: 1 }).hash(hash) }
      const bring = (input: object) =>
        app.call('POST', '/users/import', {
          body: `${JSON.stringify(input)}\n`,
          headers: { 'content-type': 'application/x-ndjson' },
        })
      assert.equal((await bring(row)).body.created, 1)
      const person = await openBrowser(app, 'grace', hash)
      assert.ok(await isSignedIn(person))

      const { user_id } = (await app.call('GET', '/users?username=grace')).body[0]
      const faultsOf = async (method: string, path: string, body: object, rest: object = {}) => {
        const response = await app.call(method, path, { body, ...rest })
        return [response.status, response.body.errors?.[0]?.pointer, response.body.errors?.[0]?.code]
      }
      const refused = (member: string) => [422, `#/${member}`, 'password_looks_like_hash']
      assert.deepEqual(await faultsOf('POST', '/users', { username: 'ada', password: hash }), refused('password'))
      assert.deepEqual(await faultsOf('PATCH', `/users/${user_id}`, { password: hash }), refused('password'))
      assert.deepEqual(await faultsOf('POST', `/users/${user_id}/password`, { password: hash }), refused('password'))
      const body = { current_password: hash, new_password: '{SSHA}C+bL9rouYK1V3P00+0KHW2KtlKEc4/yf' }
      const { status, body: own } = await person.call('POST', '/me/password', { body })
      assert.deepEqual([status, own.errors[0].pointer, own.errors[0].code], refused('new_password'))
      // Also for a user who has a password already, which an import leaves as it is.
      for (const username of ['grace', 'hedy']) {
        const { rejected, job_id } = (await bring({ username, password: hash })).body
        const { text } = await app.call('GET', `/imports/${job_id}/rows`)
        assert.deepEqual([rejected, JSON.parse(text).code], [1, 'password_looks_like_hash'])
        assert.ok(JSON.parse(text).detail.includes('`password_hash`') && !text.includes(hash))
      }
      assert.equal((await signIn(app, 'grace', hash)).status, 201)
    })

    it('refuses unknown ids', async (t) => {
      const app = await start(t, engine)
      for (const id of ['019a9f3e-0000-7000-8000-000000000000', 'rubbish', '%00']) {
        const { status, body } = await app.call('POST', `/users/${id}/password`, { body: { password: next } })
        assert.deepEqual([status, body.code], [404, 'user_not_found'])
      }
    })
  })
}
