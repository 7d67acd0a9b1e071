import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { engines, type Request, type Started, start } from '../harness.ts'
import { behindNetwork, skip, twoNodes, waitUntil } from '../nodes/nodes.ts'
import { bearer, makeKey, partsOf, type SignedIn, signAs, signedIn, tokenOf, withCookie } from './parts.ts'

/** So long may pass until another node refuses what was revoked. */
const promisedMs = 1000
const password = 'quite another word than before'

const send = async (app: Started, method: string, path: string, request: Request = {}) => {
  const response = await app.call(method, path, request)
  assert.ok(response.status < 300, `${method} ${path}: ${response.text}`)
}

type Door = (app: Started, person: SignedIn) => Promise<void>

/** Every way in which what a person holds ends. */
const doors: Record<string, Door> = {
  'they signed out': (app, { cookie }) => send(app, 'DELETE', '/sessions/current', withCookie(cookie)),
  'they ended it from another browser': async (app, { session_id, ...person }) => {
    const response = await app.call('POST', '/sessions', {
      key: null,
      body: { username: person.username, password: person.password },
    })
    const other = /rollbook=[^;]+/.exec(String(response.headers['set-cookie']))?.[0] ?? ''
    await send(app, 'DELETE', `/sessions/${session_id}`, withCookie(other))
  },
  'an administrator ended the session': (app, { user_id, session_id }) =>
    send(app, 'DELETE', `/users/${user_id}/sessions/${session_id}`),
  'an administrator ended all of their sessions': (app, { user_id }) =>
    send(app, 'DELETE', `/users/${user_id}/sessions`),
  'the session was revoked by its token': (app, { cookie }) =>
    send(app, 'POST', '/revoke', { body: { token: cookie.slice('rollbook='.length) } }),
  'they were disabled': (app, { user_id }) => send(app, 'PATCH', `/users/${user_id}`, { body: { active: false } }),
  'they were disabled and enabled again': async (app, { user_id }) => {
    await send(app, 'PATCH', `/users/${user_id}`, { body: { active: false } })
    await send(app, 'PATCH', `/users/${user_id}`, { body: { active: true } })
  },
  'they were deleted': (app, { user_id }) => send(app, 'DELETE', `/users/${user_id}`),
  'they were given another role': (app, { user_id }) =>
    send(app, 'PATCH', `/users/${user_id}`, { body: { role: 'user' } }),
  'an administrator set their password': (app, { user_id }) =>
    send(app, 'POST', `/users/${user_id}/password`, { body: { password } }),
  'their password was set with the other members': (app, { user_id }) =>
    send(app, 'PATCH', `/users/${user_id}`, { body: { password } }),
}

/** Each of these only requires a signed-in user. */
const use = async (app: Started, credential: Request) =>
  (await app.call('POST', '/revoke', { ...credential, body: { token: 'x' } })).status

async function person(app: Started): Promise<{ signedIn: SignedIn; credentials: Record<string, Request> }> {
  const found = await signedIn(app, { role: 'admin' })
  const token = await tokenOf(app, withCookie(found.cookie))
  return { signedIn: found, credentials: { session: withCookie(found.cookie), token: bearer(token) } }
}

for (const engine of engines) {
  describe(`the credentials of a user on ${engine.name}`, () => {
    for (const [what, door] of Object.entries(doors)) {
      it(`are refused from the next request on when ${what}`, async (t) => {
        const app = await start(t, engine)
        const { signedIn: one, credentials } = await person(app)
        const { credentials: others } = await person(app)
        for (const credential of Object.values(credentials)) assert.equal(await use(app, credential), 200)
        await door(app, one)
        for (const [name, credential] of Object.entries(credentials))
          assert.equal(await use(app, credential), 401, name)
        for (const credential of Object.values(others))
          assert.equal(await use(app, credential), 200, 'that of others stays')
      })
    }

    it('is refused when they changed the password, but for the session in which they did', async (t) => {
      const app = await start(t, engine)
      const { signedIn: one, credentials } = await person(app)
      const body = { current_password: one.password, new_password: password }
      await send(app, 'POST', '/me/password', { ...withCookie(one.cookie), body })
      assert.equal(await use(app, credentials.token as Request), 401, 'an access token from before')
      assert.equal(await use(app, credentials.session as Request), 200)
      assert.equal(await use(app, bearer(await tokenOf(app, credentials.session))), 200, 'an access token from after')
    })

    it('are refused if the key, or the one token, was revoked', async (t) => {
      const app = await start(t, engine)
      const { key, key_id } = await makeKey(app, ['users:read'])
      const [one, other] = [await tokenOf(app, { key }), await tokenOf(app, { key })]
      await send(app, 'POST', '/revoke', { body: { token: one } })
      assert.deepEqual(
        [await use(app, bearer(one)), await use(app, bearer(other)), await use(app, { key })],
        [401, 200, 200],
      )
      await send(app, 'DELETE', `/keys/${key_id}`)
      assert.deepEqual([await use(app, bearer(other)), await use(app, { key })], [401, 401])
    })

    it('are not affected by a forged token with the session of another user', async (t) => {
      const app = await start(t, engine)
      const [one, other] = [await person(app), await person(app)]
      const { claims } = partsOf(await tokenOf(app, one.credentials.session))
      const { claims: theirs } = partsOf(await tokenOf(app, other.credentials.session))
      const { header } = partsOf(await tokenOf(app))
      assert.equal(await use(app, bearer(await signAs(app, header, claims))), 200)
      for (const mixed of [
        { ...claims, sid: theirs.sid },
        { ...claims, sub: theirs.sub },
      ]) {
        assert.equal(await use(app, bearer(await signAs(app, header, mixed))), 401)
      }
    })
  })
}

describe('the credentials of a user on one node', { skip }, () => {
  const onBoth = async (t: TestContext) => twoNodes(t, { ROLLBOOK_RATE_LIMIT: '0' })

  it('is refused by the other within a second, by whichever door it ended', async (t) => {
    const [here, there] = await onBoth(t)
    const took: Record<string, number> = {}
    for (const [what, door] of Object.entries(doors)) {
      const { signedIn: one, credentials } = await person(here)
      for (const credential of Object.values(credentials)) assert.equal(await use(there, credential), 200)
      await door(here, one)
      const all = Object.values(credentials)
      const refused = async () =>
        (await Promise.all(all.map((one) => use(there, one)))).every((status) => status === 401)
      took[what] = Math.round(await waitUntil(`it is refused when ${what}`, promisedMs, refused))
    }
    t.diagnostic(`milliseconds: ${JSON.stringify(took)}`)
  })

  it('is refused by the other within a second when a token, a key or the signing key was revoked', async (t) => {
    const [here, there] = await onBoth(t)
    const { key, key_id } = await makeKey(here, ['users:read'])
    const [one, two, three] = [await tokenOf(here, { key }), await tokenOf(here, { key }), await tokenOf(here)]
    const works = async (credential: Request) => (await use(there, credential)) === 200
    for (const token of [one, two, three]) assert.ok(await works(bearer(token)))
    await send(here, 'POST', '/revoke', { body: { token: one } })
    await waitUntil('the token is refused', promisedMs, async () => !(await works(bearer(one))))
    assert.ok(await works(bearer(two)))
    await send(here, 'DELETE', `/keys/${key_id}`)
    await waitUntil('the token of the key is refused', promisedMs, async () => !(await works(bearer(two))))
    assert.ok(await works(bearer(three)))
    await send(here, 'POST', '/signing-keys/rotate', { body: { revoke_previous: true } })
    await waitUntil('the token of the signing key is refused', promisedMs, async () => !(await works(bearer(three))))
    assert.ok(await works(bearer(await tokenOf(here))), 'one by the new key works on the other node at once')
    assert.ok(await works(bearer(await tokenOf(there))))
  })

  it('are never accepted by a node that has lost the database, from a second on', async (t) => {
    const { direct, behind, network } = await behindNetwork(t, { ROLLBOOK_RATE_LIMIT: '0' })
    const { key } = await makeKey(direct, ['users:read'])
    const [revoked, signed] = [await tokenOf(direct, { key }), await tokenOf(direct)]
    await signedIn(direct, { role: 'admin' }) // The last administrator could not be deleted.
    const { signedIn: one, credentials } = await person(direct)
    const all = [bearer(revoked), bearer(signed), ...Object.values(credentials)]
    for (const credential of all) assert.equal(await use(behind, credential), 200)
    network.silent = true
    await send(direct, 'POST', '/revoke', { body: { token: revoked } })
    await send(direct, 'DELETE', `/users/${one.user_id}`)
    await send(direct, 'POST', '/signing-keys/rotate', { body: { revoke_previous: true } })
    await sleep(promisedMs)
    const requests = all.map((credential) => use(behind, credential))
    await sleep(300)
    network.silent = false
    network.cutAll()
    assert.deepEqual(await Promise.all(requests), [401, 401, 401, 401])
  })
})
