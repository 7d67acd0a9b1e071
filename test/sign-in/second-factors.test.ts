import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { makeSetupLink } from '../../src/access/sign-in/setup/link.ts'
import { system } from '../../src/core/actor.ts'
import { Authenticator } from '../authenticator.ts'
import { runCommand } from '../command-process.ts'
import { makeDirectory, type Service, startService } from '../durability/process.ts'
import { codeOf, personWithPasskey, personWithPhone } from '../factors.ts'
import { type Answer, engines, type Started } from '../harness.ts'
import { vectors } from '../passwords/vectors.ts'
import { cookiesOf, createPerson, type Person, password } from '../people.ts'
import { type End, endOf, type Policy, policies, startWithProduct } from './ends.ts'

const bcrypt = vectors.find(({ by }) => by === 'pyca, $2b$') ?? assert.fail()
const noon = Date.UTC(2026, 10, 23, 12)
const clock = () => noon
const chosen = 'a moth in relay seventy'
const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

type Said = { status: number; cookie: string; body: Record<string, unknown> }

type State = 'none' | 'totp' | 'passkey' | 'removed'

const states: Record<State, (app: Started) => Promise<Person>> = {
  none: (app) => createPerson(app, { role: 'admin' }),
  totp: (app) => personWithPhone(app, noon, { role: 'admin' }),
  passkey: (app) => personWithPasskey(app, { role: 'admin' }),
  async removed(app) {
    const person = await personWithPhone(app, noon, { role: 'admin' })
    assert.equal((await app.call('DELETE', `/users/${person.user_id}/factors`)).status, 200)
    return person
  },
}

const postForm = (app: Started, path: string, fields: Record<string, string>) =>
  app.call('POST', path, { key: null, headers: form, body: new URLSearchParams(fields).toString() })

const byApi = (app: Started, { username }: Pick<Person, 'username'>, secret = password) =>
  app.call('POST', '/sessions', { key: null, body: { username, password: secret } })

/** It leads to the sign-in page, and leaves a user whose password is not known. */
const passkeyByLink = 'the API, after a link was used for a passkey'

/** The steps of a person who has only the password, or a link for a new one. */
const ways: Record<string, (app: Started, person: Person) => Promise<Answer>> = {
  'the API': byApi,
  'the sign-in page': (app, { username }) => postForm(app, '/login', { username, password }),
  async 'the API, restored after a deletion'(app, person) {
    assert.equal((await app.call('DELETE', `/users/${person.user_id}`)).status, 200)
    assert.equal((await app.call('POST', `/users/${person.user_id}/restore`)).status, 200)
    return byApi(app, person)
  },
  async 'the page of a link for a new password'(app, person) {
    const path = await linkPath(app, person, 'password-reset')
    return postForm(app, path, { new_password: chosen })
  },
  async [passkeyByLink](app, person) {
    const path = await linkPath(app, person, 'password-reset')
    const headers = { host: 'localhost', 'sec-fetch-site': 'same-origin' }
    const begun = await app.call('POST', `${path}/passkey-options`, { key: null, headers })
    if (begun.status === 200) {
      const { challenge_id, options } = begun.body
      const body = { challenge_id, passkey: new Authenticator({ origin: 'http://localhost' }).create(options) }
      const added = await app.call('POST', `${path}/passkey`, { key: null, headers, body })
      assert.deepEqual([added.status, cookiesOf(added)], [200, ''], added.text)
    } else assert.equal(begun.body.errors?.[0].code, 'has_factor', begun.text)
    return byApi(app, person)
  },
  async 'the API, after a link for a new password'(app, person) {
    await postForm(app, await linkPath(app, person, 'password-reset'), { new_password: chosen })
    return byApi(app, person, chosen)
  },
  async 'the API, after an import of the same user with another password'(app, person) {
    await importRow(app, { username: person.username, password: chosen }, '?mode=update')
    // What is stored is kept.
    assert.equal((await byApi(app, person, chosen)).body.code, 'sign_in_failed')
    return byApi(app, person)
  },
  async 'the API, after an invitation'(app, person) {
    await app.runSql(`UPDATE users SET password_hash = NULL WHERE user_id = '${person.user_id}'`)
    const { body } = await app.call('POST', `/users/${person.user_id}/invitation`, { body: { send: false } })
    // A user with a passkey has accepted long ago.
    const purpose = body.code === 'user_not_invitable' ? 'password-reset' : 'invitation'
    await postForm(app, await linkPath(app, person, purpose), { new_password: chosen })
    return byApi(app, person, chosen)
  },
  async 'a session that is confirmed with the password'(app, person) {
    const response = await byApi(app, person)
    const headers = { cookie: cookiesOf(response), 'sec-fetch-site': 'same-origin' }
    const confirmed = await app.call('POST', '/sessions/current/reauthentication', {
      key: null,
      headers,
      body: { password },
    })
    assert.equal(confirmed.status, response.status === 201 ? 200 : 401, confirmed.text)
    return response
  },
  async 'the API, after the user was disabled and enabled'(app, person) {
    for (const active of [false, true]) {
      assert.equal((await app.call('PATCH', `/users/${person.user_id}`, { body: { active } })).status, 200)
    }
    return byApi(app, person)
  },
  async 'the API, with a password set by an administrator'(app, person) {
    const body = { password: chosen, must_change: false }
    assert.equal((await app.call('POST', `/users/${person.user_id}/password`, { body })).status, 200)
    return byApi(app, person, chosen)
  },
}

async function linkPath(
  app: Started,
  { user_id }: Pick<Person, 'user_id'>,
  purpose: 'invitation' | 'password-reset',
): Promise<string> {
  const { body, text } = await app.call('POST', `/users/${user_id}/${purpose}`, { body: { send: false } })
  const [, path] = /\/auth(\/[a-z-]+\/[\w-]{43})/.exec(body.url ?? '') ?? []
  assert.ok(path, text)
  return path
}

/** Ways that need a user of their own, who has no factor before. */
const newcomers: Record<string, (app: Started, username: string) => Promise<Answer>> = {
  async 'an import with a password'(app, username) {
    await importRow(app, { username, password, role: 'admin' })
    return byApi(app, { username })
  },
  async 'an import with a hash, checked and replaced at the first sign-in'(app, username) {
    await importRow(app, { username, password_hash: bcrypt.hash, role: 'admin' })
    return byApi(app, { username }, bcrypt.password)
  },
  async 'an invitation'(app, username) {
    const { body } = await app.call('POST', '/users', { body: { username, role: 'admin' } })
    await postForm(app, await linkPath(app, body, 'invitation'), { new_password: chosen })
    return byApi(app, { username }, chosen)
  },
  async 'the page of an invitation'(app, username) {
    const { body } = await app.call('POST', '/users', { body: { username, role: 'admin' } })
    const path = await linkPath(app, body, 'invitation')
    await postForm(app, path, { new_password: chosen })
    return postForm(app, '/login', { username, password: chosen })
  },
}

async function importRow(app: Started, row: Record<string, string>, query = ''): Promise<void> {
  const headers = { 'content-type': 'application/x-ndjson' }
  const response = await app.call('POST', `/users/import${query}`, { headers, body: JSON.stringify(row) })
  assert.deepEqual([response.status, response.body.rejected], [200, 0], response.text)
}

const expected: Record<Policy, Record<State, End>> = {
  optional: { none: 'in', totp: 'out', passkey: 'out', removed: 'in' },
  required: { none: 'enroll', totp: 'out', passkey: 'out', removed: 'enroll' },
  'required later': { none: 'in', totp: 'out', passkey: 'out', removed: 'in' },
}

for (const engine of engines) {
  describe(`the password alone on ${engine.name}`, () => {
    for (const [policy, env] of Object.entries(policies) as [Policy, Record<string, string>][]) {
      it(`gives no more than it should where a second factor is ${policy}`, async (t) => {
        const app = await startWithProduct(t, engine, { env, clock })
        for (const [state, create] of Object.entries(states) as [State, (typeof states)[State]][]) {
          for (const [way, go] of Object.entries(ways)) {
            const end = await endOf(app, await go(app, await create(app)))
            assert.equal(end, way === passkeyByLink ? 'out' : expected[policy][state], `${way}, ${policy}, ${state}`)
          }
        }
        for (const [n, [way, go]] of Object.entries(newcomers).entries()) {
          assert.equal(await endOf(app, await go(app, `newcomer-${n}`)), expected[policy].none, `${way}, ${policy}`)
        }
      })
    }

    it('gives the first administrator a session that adds a factor, where one is required', async (t) => {
      for (const policy of ['optional', 'required', 'required later'] as const) {
        const app = await startWithProduct(t, engine, { env: policies[policy], clock })
        const created = { actor: system, now: noon, requestId: 'test' }
        const link = await makeSetupLink(app.storage, 'http://orchard.example/auth', created)
        const body = { token: link?.split('#token=')[1], username: 'ada', password }
        const response = await app.call('POST', '/setup', { key: null, body })
        assert.equal(response.status, 201, response.text)
        assert.equal(await endOf(app, response), expected[policy].none, policy)
      }
    })

    it('gives a session from before the policy no more than a new one, on a node that has the policy', async (t) => {
      const policy = { ROLLBOOK_SECOND_FACTOR: '{"group:Staff":"required"}' }
      const app = await startWithProduct(t, engine, { env: policy, clock })
      const person = await createPerson(app, { role: 'admin' })
      const session = await byApi(app, person)
      assert.equal(await endOf(app, session), 'in')
      const { group_id } = (await app.call('POST', '/groups', { body: { name: 'Staff' } })).body
      await app.call('PUT', `/groups/${group_id}/members/${person.user_id}`)
      assert.equal(await endOf(app, session), 'enroll')
    })
  })
}

describe('the password alone after a restored backup', () => {
  it('gives no more than before: a code is needed, or a factor must be added', async (t) => {
    const [from, to] = [makeDirectory(t), makeDirectory(t)]
    const file = join(makeDirectory(t), 'backup.db')
    const before = await startService(t, { directory: from })
    const post = async (service: Service, path: string, body: unknown, cookie = ''): Promise<Said> => {
      const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie }
      const response = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      const set = response.headers.getSetCookie().map((line) => line.split(';', 1)[0])
      return { status: response.status, cookie: set.join('; '), body: (await response.json()) as Said['body'] }
    }
    for (const username of ['ada', 'grace']) {
      const created = await before.call('POST', '/users', { username, password, role: 'admin' })
      assert.equal(created.status, 201)
    }
    const ada = await post(before, '/sessions', { username: 'ada', password })
    const old = await post(before, '/sessions', { username: 'grace', password })
    assert.deepEqual([ada.status, old.status], [201, 201])
    const phone = await post(before, '/me/factors/totp', { name: 'phone' }, ada.cookie)
    const code = codeOf(phone.body.secret as string, Date.now())
    const path = `/me/factors/totp/${phone.body.factor_id}/confirm`
    assert.equal((await post(before, path, { code }, ada.cookie)).status, 200)
    await before.end('SIGTERM')
    assert.equal((await runCommand(['backup', '--data-dir', from, '--to', file])).code, 0)
    assert.equal((await runCommand(['restore', '--from', file, '--data-dir', to])).code, 0)

    const after = await startService(t, { directory: to, env: policies.required })
    const challenge = await post(after, '/sessions', { username: 'ada', password })
    assert.deepEqual([challenge.status, challenge.body.code], [401, 'second_factor_required'])
    // The code that confirmed the phone before the backup is spent.
    const { challenge_id } = challenge.body
    const spent = await post(after, '/sessions', { challenge_id, code }, challenge.cookie)
    assert.deepEqual([spent.status, spent.body.code], [401, 'second_factor_failed'])
    const grace = await post(after, '/sessions', { username: 'grace', password })
    assert.equal(grace.status, 201)
    const users = (cookie: string) => fetch(`${after.url}/users`, { headers: { cookie } })
    assert.equal((await users(grace.cookie)).status, 403)
    assert.ok([401, 403].includes((await users(old.cookie)).status))
  })
})
