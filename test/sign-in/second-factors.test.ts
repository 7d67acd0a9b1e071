import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeSetupLink } from '../../src/access/setup/link.ts'
import { system } from '../../src/store/context.ts'
import { personWithPhone } from '../factors.ts'
import { type Answer, engines, type Started, start } from '../harness.ts'
import { cookiesOf, createPerson, type Person, password } from '../people.ts'

const noon = Date.UTC(2026, 10, 23, 12)
const chosen = 'a moth in relay seventy'
const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

const policies = {
  optional: {},
  required: { ROLLBOOK_SECOND_FACTOR: 'required' },
  'required later': { ROLLBOOK_SECOND_FACTOR: 'required', ROLLBOOK_SECOND_FACTOR_FROM: '2027-01-15' },
}

type State = 'none' | 'totp' | 'removed'

const states: Record<State, (app: Started) => Promise<Person>> = {
  none: (app) => createPerson(app, { role: 'admin' }),
  totp: (app) => personWithPhone(app, noon, { role: 'admin' }),
  async removed(app) {
    const person = await personWithPhone(app, noon, { role: 'admin' })
    assert.equal((await app.call('DELETE', `/users/${person.user_id}/factors`)).status, 200)
    return person
  },
}

const postForm = (app: Started, path: string, fields: Record<string, string>) =>
  app.call('POST', path, { key: null, headers: form, body: new URLSearchParams(fields).toString() })

const byApi = (app: Started, { username }: Person, secret = password) =>
  app.call('POST', '/sessions', { key: null, body: { username, password: secret } })

/** It sets the password, and leads to the sign-in page: the next row signs in with that password. */
const linkAlone = 'the page of a link for a new password'

/** What somebody does who has the password and nothing else, or a link for a new one. */
const ways: Record<string, (app: Started, person: Person) => Promise<Answer>> = {
  'the API': byApi,
  'the sign-in page': (app, { username }) => postForm(app, '/login', { username, password }),
  async 'the API, restored after a deletion'(app, person) {
    assert.equal((await app.call('DELETE', `/users/${person.user_id}`)).status, 200)
    assert.equal((await app.call('POST', `/users/${person.user_id}/restore`)).status, 200)
    return byApi(app, person)
  },
  async [linkAlone](app, person) {
    const path = await resetPath(app, person)
    return postForm(app, path, { new_password: chosen })
  },
  async 'the API, after a link for a new password'(app, person) {
    await postForm(app, await resetPath(app, person), { new_password: chosen })
    return byApi(app, person, chosen)
  },
  async 'the API, with a password set by an administrator'(app, person) {
    const body = { password: chosen, must_change: false }
    assert.equal((await app.call('POST', `/users/${person.user_id}/password`, { body })).status, 200)
    return byApi(app, person, chosen)
  },
}

async function resetPath(app: Started, { user_id }: Person): Promise<string> {
  const { body, text } = await app.call('POST', `/users/${user_id}/password-reset`, { body: { send: false } })
  const [, path] = /\/auth(\/[a-z-]+\/[\w-]{43})/.exec(body.url ?? '') ?? []
  assert.ok(path, text)
  return path
}

/** `in`: a session that may do everything. `enroll`: one that may add a factor. `out`: none; a code is needed. */
type End = 'in' | 'enroll' | 'out'

const expected: Record<keyof typeof policies, Record<State, End>> = {
  optional: { none: 'in', totp: 'out', removed: 'in' },
  required: { none: 'enroll', totp: 'out', removed: 'enroll' },
  'required later': { none: 'in', totp: 'out', removed: 'in' },
}

/** Everything a session gives access to agrees on what it may do. */
async function endOf(app: Started, answer: Answer): Promise<End> {
  const cookie = cookiesOf(answer)
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const {
      status,
      body: said,
      headers: got,
    } = await app.call(method, path, {
      key: null,
      headers,
      ...(body !== undefined && { body }),
    })
    return status < 300 ? 'in' : (got['rollbook-code'] ?? said.code)
  }
  const found = new Set([
    await call('GET', '/users'),
    await call('GET', '/verify/nginx'),
    await call('POST', '/token'),
    await call('POST', '/keys', { name: 'half', permissions: ['users:read'] }),
  ])
  assert.equal(found.size, 1, [...found].join())
  const [only] = found
  if (only === 'in') return 'in'
  if (only === 'credential_missing' || only === 'credential_invalid') return 'out'
  assert.equal(only, 'factor_required')
  assert.equal(await call('GET', '/me/factors'), 'in')
  return 'enroll'
}

for (const engine of engines) {
  describe(`the password alone on ${engine.name}`, () => {
    for (const [policy, env] of Object.entries(policies) as [keyof typeof policies, Record<string, string>][]) {
      it(`gives no more than it should where a second factor is ${policy}`, async (t) => {
        const app = await start(t, engine, { clock: () => noon, env })
        for (const [state, create] of Object.entries(states) as [State, (typeof states)[State]][]) {
          for (const [way, go] of Object.entries(ways)) {
            const end = await endOf(app, await go(app, await create(app)))
            assert.equal(end, way === linkAlone ? 'out' : expected[policy][state], `${way}, ${policy}, ${state}`)
          }
        }
      })
    }

    it('gives the first administrator a session that adds a factor, where one is required', async (t) => {
      for (const policy of ['optional', 'required', 'required later'] as const) {
        const app = await start(t, engine, { clock: () => noon, env: policies[policy] })
        const made = { actor: system, now: noon, requestId: 'test' }
        const link = await makeSetupLink(app.storage, 'http://orchard.example/auth', made)
        const body = { token: link?.split('#token=')[1], username: 'ada', password }
        const answer = await app.call('POST', '/setup', { key: null, body })
        assert.equal(answer.status, 201, answer.text)
        assert.equal(await endOf(app, answer), expected[policy].none, policy)
      }
    })

    it('gives a session from before the policy no more than a new one, on a node that has the policy', async (t) => {
      const policy = { ROLLBOOK_SECOND_FACTOR: '{"group:Staff":"required"}' }
      const app = await start(t, engine, { clock: () => noon, env: policy })
      const person = await createPerson(app, { role: 'admin' })
      const session = await byApi(app, person)
      assert.equal(await endOf(app, session), 'in')
      const { group_id } = (await app.call('POST', '/groups', { body: { name: 'Staff' } })).body
      await app.call('PUT', `/groups/${group_id}/members/${person.user_id}`)
      assert.equal(await endOf(app, session), 'enroll')
    })
  })
}
