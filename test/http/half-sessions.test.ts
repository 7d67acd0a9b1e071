import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { beginSignIn, personWithPhone } from '../factors.ts'
import { engines } from '../harness.ts'
import { cookiesOf, createPerson, signIn } from '../people.ts'
import { accessTable } from './access-table.ts'
import { codeOf, openEveryRoute, requestRoute } from './every-route.ts'
import { everything } from './watched.ts'

const env = { ROLLBOOK_SECOND_FACTOR: '{"group:Bound":"required"}', ROLLBOOK_RATE_LIMIT: '0' }

/** All that a session may do that lacks the factor it needs: read itself, add the first factor, confirm, sign out. */
const duringEnrollment = new Set([
  'GET /me',
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

for (const engine of engines) {
  describe(`a session that has passed only the password on ${engine.name}`, () => {
    it('is none while its challenge waits: every route responds as without a cookie', async (t) => {
      const { app, idOf, routes } = await openEveryRoute(t, engine, env)
      const { username } = await personWithPhone(app, Date.now(), { role: 'admin' })
      const { cookie } = await beginSignIn(app, username)
      assert.match(cookie, /=/)
      const before = await everything(app)
      let refused = 0
      for (const route of routes) {
        const id = idOf.get(route.at)
        const [half, stranger] = [
          await requestRoute(app, route, cookie, id),
          await requestRoute(app, route, undefined, id),
        ]
        assert.deepEqual([half.status, codeOf(half)], [stranger.status, codeOf(stranger)], route.at)
        assert.equal(half.headers.location, stranger.headers.location, route.at)
        if (half.status === 401) refused++
      }
      assert.ok(refused > 100, String(refused))
      assert.deepEqual(await everything(app), before)
    })

    it('adds a factor where one is required, and nothing else, on every route there is', async (t) => {
      const { app, idOf, routes } = await openEveryRoute(t, engine, env)
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
        const half = await requestRoute(app, route, cookie, id)
        const stranger = await requestRoute(app, route, undefined, id)
        const place = pagesDuringEnrollment[at.replace(/^HEAD/, 'GET')]
        if (place !== undefined) {
          assert.deepEqual([half.status, half.headers.location], [place[0], place[1]], at)
          seen.pages++
        } else if (duringEnrollment.has(at.replace(/^HEAD/, 'GET'))) {
          assert.ok(![401, 403].includes(half.status) || codeOf(half) === 'confirmation_failed', `${at} ${half.text}`)
          seen.enrolling++
        } else if (stranger.status === 401 && accessTable[id ?? '']?.needs !== 'public') {
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
