import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { beginSignIn, personWithPhone } from '../factors.ts'
import { type Answer, type Engine, engines, type Started } from '../harness.ts'
import { cookiesOf, createPerson, password, signIn } from '../people.ts'
import { accessTable, ids } from './access-table.ts'
import { everything, startWatched } from './watched.ts'

const env = { ROLLBOOK_SECOND_FACTOR: '{"group:Bound":"required"}', ROLLBOOK_RATE_LIMIT: '0' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** All that a session may do that lacks the factor it needs: look at the factors, add the first one, confirm. */
const duringEnrollment = new Set([
  'GET /me/factors',
  'POST /me/factors/totp',
  'POST /me/factors/totp/:factor_id/confirm',
  'POST /me/factors/passkeys/options',
  'POST /me/factors/passkeys',
  'POST /sessions/current/reauthentication',
  'POST /sessions/current/reauthentication/passkey-options',
])

/** Where the pages send such a session, or what they show; every other page responds as to a stranger. */
const pagesDuringEnrollment: Record<string, [status: number, location?: string]> = {
  'GET /login': [303, 'add-factor'],
  'GET /login/': [303, '../add-factor'],
  'GET /add-factor': [200],
  'GET /add-factor/': [200],
  'POST /add-factor': [200],
  'GET /confirm': [200],
  'GET /confirm/': [200],
  // Nothing was entered.
  'POST /confirm': [403],
  'GET /logout': [200],
  'GET /logout/': [200],
}

/** These need no credential, and would begin or end what the test is about. */
const untouched = new Set(['POST /login', 'POST /logout', 'POST /sessions', 'DELETE /sessions/current'])

type Route = { at: string; method: string; url: string; isPage: boolean }

async function open(t: Parameters<typeof startWatched>[0], engine: Engine) {
  const { app, registered } = await startWatched(t, engine, env)
  const operations = Object.entries(app.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [
      `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      operationId,
    ]),
  )
  const idOf = new Map(operations as [string, string][])
  // Those at the root are the same as below the prefix.
  const own = registered.filter(({ url }) => url.startsWith('/auth'))
  const routes = own.flatMap(({ method, url }): Route[] => {
    const methods = [method].flat()
    // The proxies' question is asked with any method.
    return (methods.length > 10 ? ['GET', 'POST', 'DELETE'] : methods).map((one) => {
      const at = `${one} ${url.slice(5)}`
      return { at, method: one, url: url.slice(5), isPage: !idOf.has(at.replace(/^HEAD/, 'GET')) }
    })
  })
  const unique = [...new Map(routes.map((route) => [route.at, route])).values()]
  return { app, idOf, routes: unique.filter(({ at }) => !untouched.has(at)) }
}

function request(app: Started, { at, method, url, isPage }: Route, cookie: string | undefined, id?: string) {
  const { body, type } = accessTable[id ?? ''] ?? {}
  const path = url.replaceAll(/:(\w+)|\*/g, (_, name) => ids[name as keyof typeof ids] ?? 'x')
  const isForm = isPage && method === 'POST' && !at.includes('/scim/') && !at.includes('/verify/')
  return app.call(method, path, {
    key: null,
    headers: {
      'sec-fetch-site': 'same-origin',
      ...(cookie !== undefined && { cookie }),
      ...(isForm ? form : type !== undefined && { 'content-type': type }),
    },
    ...(isForm
      ? { body: `new_password=another+long+password&current_password=${encodeURIComponent(password)}` }
      : { body }),
  })
}

function codeOf({ text, headers }: Answer): string | undefined {
  if (headers['rollbook-code'] !== undefined) return String(headers['rollbook-code'])
  return String(headers['content-type']).includes('json') && text !== '' ? JSON.parse(text).code : undefined
}

for (const engine of engines) {
  describe(`a session that has passed only the password on ${engine.name}`, () => {
    it('is none while its challenge waits: every route responds as without a cookie', async (t) => {
      const { app, idOf, routes } = await open(t, engine)
      const { username } = await personWithPhone(app, Date.now(), { role: 'admin' })
      const { cookie } = await beginSignIn(app, username)
      assert.match(cookie, /=/)
      const before = await everything(app)
      let refused = 0
      for (const route of routes) {
        const id = idOf.get(route.at)
        const [half, stranger] = [await request(app, route, cookie, id), await request(app, route, undefined, id)]
        assert.deepEqual([half.status, codeOf(half)], [stranger.status, codeOf(stranger)], route.at)
        assert.equal(half.headers.location, stranger.headers.location, route.at)
        if (half.status === 401) refused++
      }
      assert.ok(refused > 100, String(refused))
      assert.deepEqual(await everything(app), before)
    })

    it('adds a factor where one is required, and nothing else, on every route there is', async (t) => {
      const { app, idOf, routes } = await open(t, engine)
      const { username, user_id } = await createPerson(app, { role: 'admin' })
      const { group_id } = (await app.call('POST', '/groups', { body: { name: 'Bound' } })).body
      assert.equal((await app.call('PUT', `/groups/${group_id}/members/${user_id}`)).status, 200)
      const signedIn = await signIn(app, username)
      const cookie = cookiesOf(signedIn)
      const { session_id } = signedIn.body
      const before = await everything(app)
      const seen = { refused: 0, enrolling: 0, pages: 0 }
      for (const route of routes) {
        const { at } = route
        const id = idOf.get(at.replace(/^HEAD/, 'GET'))
        const half = await request(app, route, cookie, id)
        const stranger = await request(app, route, undefined, id)
        const place = pagesDuringEnrollment[at.replace(/^HEAD/, 'GET')]
        if (place !== undefined) {
          assert.deepEqual([half.status, half.headers.location], [place[0], place[1]], at)
          seen.pages++
        } else if (duringEnrollment.has(at.replace(/^HEAD/, 'GET'))) {
          assert.ok(![401, 403].includes(half.status) || codeOf(half) === 'confirmation_failed', `${at} ${half.text}`)
          seen.enrolling++
        } else if (stranger.status === 401) {
          assert.equal(half.status, 403, `${at} ${half.text}`)
          if (route.method !== 'HEAD' && !at.includes('/scim/')) assert.equal(codeOf(half), 'factor_required', at)
          seen.refused++
        } else {
          assert.deepEqual([half.status, half.headers.location], [stranger.status, stranger.headers.location], at)
        }
      }
      assert.ok(seen.refused > 100 && seen.enrolling >= 4 && seen.pages >= 10, JSON.stringify(seen))
      // The reauthentication and the wrong password at /confirm, which are allowed.
      const isOfConfirmation = ({ what, id, row }: Record<string, unknown>) =>
        (what === 'revoked' && row === `session_changed ${session_id}`) ||
        (what === 'sign_in_throttles' && String(id).startsWith(`user:${user_id}:`))
      const after = await everything(app)
      assert.deepEqual(
        after.filter((row) => !isOfConfirmation(row)),
        before,
      )
    })
  })
}
