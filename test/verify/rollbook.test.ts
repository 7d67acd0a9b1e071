import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createVerifier, type VerifierOptions, type VerifyError } from '../../src/sdk/verify/index.ts'
import { type Engine, engines, type Started } from '../harness.ts'
import { openBrowser, password } from '../people.ts'
import { assertWithin } from '../time-limit.ts'
import { type Ada, makeKey, signInAs, startProduct } from './product.ts'
import { until } from './verifying.ts'

async function startBoth(t: TestContext, engine: Engine, options: Partial<VerifierOptions> = {}) {
  const product = await startProduct(t, engine)
  const verifier = createVerifier({ issuer: product.issuer, key: product.key, onTrouble: () => {}, ...options })
  t.after(() => verifier.close())
  await until(() => verifier.current())
  const statusOf = (headers: Record<string, string>) =>
    verifier.verify({ headers, method: 'GET' }).then(
      () => 200,
      ({ status }: VerifyError) => status,
    )
  return { ...product, verifier, statusOf }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

type Ending = (app: Started, ada: Ada) => Promise<{ status: number }>

/** What ends every session and token of a person, by whatever door. */
const endings: Record<string, Ending> = {
  'an administrator disabled them': (app, { person }) =>
    app.call('PATCH', `/users/${person.user_id}`, { body: { active: false } }),
  'an administrator deleted them': (app, { person }) => app.call('DELETE', `/users/${person.user_id}`),
  'their role changed': (app, { person }) => app.call('PATCH', `/users/${person.user_id}`, { body: { role: 'user' } }),
  'an administrator set their password': (app, { person }) =>
    app.call('POST', `/users/${person.user_id}/password`, { body: { password: 'another secret of some length' } }),
  'an administrator ended their sessions': (app, { person }) => app.call('DELETE', `/users/${person.user_id}/sessions`),
  'they signed out': (_app, { browser }) => browser.call('DELETE', '/sessions/current'),
  'they ended it from another browser': async (app, { person, browser }) => {
    const other = await openBrowser(app, person.username)
    return other.call('DELETE', `/sessions/${browser.session_id}`)
  },
  'they changed their password in another browser': async (app, { person }) => {
    const other = await openBrowser(app, person.username)
    const body = { current_password: password, new_password: 'another secret of some length' }
    return other.call('POST', '/me/password', { body })
  },
}

for (const engine of engines) {
  describe(`a main API beside Rollbook on ${engine.name}`, () => {
    for (const [reason, end] of Object.entries(endings)) {
      it(`refuses a user's token and cookie within a second because ${reason}`, async (t) => {
        const { app, statusOf } = await startBoth(t, engine, { cacheSeconds: 300 })
        const [ada, bob] = [await signInAs(app, 'analyst'), await signInAs(app, 'analyst')]
        const credentials = [bearer(ada.token), { cookie: ada.cookie }]
        for (const headers of credentials) assert.equal(await statusOf(headers), 200)
        const response = await end(app, ada)
        assert.ok(response.status < 300, String(response.status))
        const begun = performance.now()
        for (const headers of credentials) await until(async () => (await statusOf(headers)) === 401)
        assertWithin(1000, begun)
        assert.equal(await statusOf(bearer(bob.token)), 200)
      })
    }

    it('accepts a role held through a group, and stops within a second when the user leaves the group', async (t) => {
      const { app, verifier, statusOf } = await startBoth(t, engine, { cacheSeconds: 300 })
      const { person, browser } = await signInAs(app, 'user')
      const { body: group } = await app.call('POST', '/groups', { body: { name: 'Writers', role: 'editor' } })
      const membership = `/groups/${group.group_id}/members/${person.user_id}`
      assert.equal((await app.call('PUT', membership)).status, 200)
      const token = (await browser.call('POST', '/token')).body.access_token
      const permissionsOf = async (headers: Record<string, string>) =>
        (await verifier.verify({ headers, method: 'GET' })).permissions
      const held = ['reports:read', 'reports:write']
      assert.deepEqual([...(await permissionsOf(bearer(token)))].sort(), held)
      assert.deepEqual([...(await permissionsOf({ cookie: browser.cookie }))].sort(), held)
      assert.equal((await app.call('DELETE', membership)).status, 200)
      const begun = performance.now()
      await until(async () => (await statusOf(bearer(token))) === 401)
      await until(async () => (await permissionsOf({ cookie: browser.cookie })).length === 0)
      assertWithin(1000, begun)
    })

    it('knows within a second what a role permits since it was changed', async (t) => {
      const { app, verifier, statusOf } = await startBoth(t, engine, { cacheSeconds: 300 })
      assert.equal((await app.call('POST', '/roles', { body: { role: 'press', permissions: ['a:read'] } })).status, 201)
      const { browser, token } = await signInAs(app, 'press')
      const permissionsOf = async (headers: Record<string, string>) =>
        (await verifier.verify({ headers, method: 'GET' })).permissions.join()
      const cookie = { cookie: browser.cookie }
      for (const headers of [bearer(token), cookie]) assert.equal(await permissionsOf(headers), 'a:read')
      // One with more, one with less.
      let last = token
      for (const permissions of [['a:read', 'b:read'], ['b:read']]) {
        assert.equal((await app.call('PATCH', '/roles/press', { body: { permissions } })).status, 200)
        const begun = performance.now()
        await until(async () => (await permissionsOf(cookie)) === permissions.join())
        await until(async () => (await statusOf(bearer(last))) === 401)
        assertWithin(1000, begun)
        last = (await browser.call('POST', '/token')).body.access_token
        assert.equal(await permissionsOf(bearer(last)), permissions.join())
      }
    })

    it('refuses a key within a second when it was revoked, and a secret when it was rotated out', async (t) => {
      const { app, statusOf } = await startBoth(t, engine, { cacheSeconds: 300 })
      const [revoked, rotated] = [await makeKey(app, ['reports:read']), await makeKey(app, ['reports:read'])]
      const token = await app.call('POST', '/token', { key: revoked.key })
      const deleted: Record<string, string>[] = [
        { 'x-api-key': revoked.key },
        bearer(token.body.access_token),
        { 'x-api-key': rotated.key },
      ]
      for (const headers of deleted) assert.equal(await statusOf(headers), 200)
      await app.call('DELETE', `/keys/${revoked.key_id}`)
      // The first secret goes when there is a third.
      for (const _twice of [1, 2]) await app.call('POST', `/keys/${rotated.key_id}/rotate`)
      const begun = performance.now()
      for (const headers of deleted) await until(async () => (await statusOf(headers)) === 401)
      assertWithin(1000, begun)
    })

    it('refuses one token that was revoked, and continues with another of the same session', async (t) => {
      const { app, statusOf } = await startBoth(t, engine)
      const { browser, token } = await signInAs(app, 'analyst')
      const other = (await browser.call('POST', '/token')).body.access_token
      assert.equal(await statusOf(bearer(token)), 200)
      assert.equal((await browser.call('POST', '/revoke', { body: { token } })).status, 200)
      await until(async () => (await statusOf(bearer(token))) === 401, 1000)
      assert.equal(await statusOf(bearer(other)), 200)
    })

    it('refuses every token of a signing key that was revoked, and accepts those of the new one at once', async (t) => {
      const { app, statusOf } = await startBoth(t, engine)
      const { browser, token } = await signInAs(app, 'analyst')
      assert.equal(await statusOf(bearer(token)), 200)
      const rotated = await app.call('POST', '/signing-keys/rotate', { body: { revoke_previous: true } })
      assert.equal(rotated.status, 200, rotated.text)
      await until(async () => (await statusOf(bearer(token))) === 401, 1000)
      const next = (await browser.call('POST', '/token')).body.access_token
      assert.equal(await statusOf(bearer(next)), 200)
    })

    it('that is closed refuses at once what was revoked while the feed was cut off', async (t) => {
      const { app, proxy, verifier, statusOf } = await startBoth(t, engine)
      const { person, token } = await signInAs(app, 'analyst')
      assert.equal(await statusOf(bearer(token)), 200)
      proxy.cut()
      await until(() => !verifier.current())
      assert.equal(await statusOf(bearer(token)), 503)
      await app.call('PATCH', `/users/${person.user_id}`, { body: { active: false } })
      proxy.mend()
      // Until the feed is back Rollbook is asked, afterwards the feed is enough: it is never 200.
      while (!verifier.current()) {
        assert.ok([401, 503].includes(await statusOf(bearer(token))))
        await sleep(10)
      }
      assert.equal(await statusOf(bearer(token)), 401)
    })

    it('that is open continues with tokens while the feed is cut off, and then learns what it missed', async (t) => {
      const { app, proxy, verifier, statusOf } = await startBoth(t, engine, { whenCut: 'open' })
      const { person, token, cookie } = await signInAs(app, 'analyst')
      assert.equal(await statusOf(bearer(token)), 200)
      proxy.cut()
      await until(() => !verifier.current())
      await app.call('PATCH', `/users/${person.user_id}`, { body: { active: false } })
      assert.equal(await statusOf(bearer(token)), 200)
      assert.equal(await statusOf({ cookie }), 503, 'a session that is not remembered needs an answer')
      proxy.mend()
      await until(() => verifier.current())
      assert.equal(await statusOf(bearer(token)), 401)
    })
  })
}
