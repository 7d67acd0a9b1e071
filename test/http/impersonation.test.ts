import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { personWithPhone } from '../factors.ts'
import { engines, type Started } from '../harness.ts'
import { startImpersonation } from '../impersonation.ts'
import { browserAfter, createPerson, openBrowser } from '../people.ts'
import { accessTable } from './access-table.ts'
import { codeOf, openEveryRoute, requestRoute } from './every-route.ts'
import { everything } from './watched.ts'

/** Beside what reads. DELETE /sessions/current, POST /exit and POST /logout, which are left out here, end it. */
const allowed = new Set(['POST /token'])

/** It signs in, confirms or links, although its method is GET; or it is a file for the person. */
const refusedReads = new Set(['GET /connections/:connection_id/callback', 'GET /account/data', 'GET /me/data'])

/** They would not end. */
const streams = new Set(['GET /revocations', 'GET /events'])

/** What no response may contain: of the user, and of the administrator. */
async function secretsOf(app: Started, input: readonly string[]): Promise<string[]> {
  const columns = {
    users: 'password_hash',
    api_keys: 'key_hash',
    sessions: 'token_hash',
    factors: 'secret',
    recovery_codes: 'code_hash',
    link_tokens: 'token_hash',
    signing_keys: 'private_key',
  }
  const rows = Object.entries(columns).map(([table, column]) =>
    app.runSql(`SELECT ${column} AS secret FROM ${table} WHERE ${column} IS NOT NULL`),
  )
  const stored = (await Promise.all(rows)).flat().map(({ secret }) => String(secret))
  assert.ok(stored.length > 6, String(stored.length))
  return [...input, ...stored]
}

for (const engine of engines) {
  describe(`a session in which an administrator acts as another one on ${engine.name}`, () => {
    it('changes nothing, on every route there is, and reads no secret', async (t) => {
      const { app, idOf, routes } = await openEveryRoute(t, engine, { ROLLBOOK_RATE_LIMIT: '0' })
      const ada = await personWithPhone(app, Date.now(), { username: 'ada', role: 'admin' })
      const { recovery_codes } = (await ada.browser.call('POST', '/me/recovery-codes')).body
      const { key } = (await ada.browser.call('POST', '/me/keys', { body: { name: 'laptop' } })).body
      const reset = (await app.call('POST', `/users/${ada.user_id}/password-reset`)).body
      await createPerson(app, { username: 'grace', role: 'admin' })
      const own = await openBrowser(app, 'grace')
      const acting = browserAfter(app, await startImpersonation(own, ada.user_id))
      const tokens = [ada.browser, own, acting].flatMap(({ cookie }) => /=([\w-]{43})/.exec(cookie)?.[1] ?? [])
      const links = [reset.url.split('/').at(-1)]
      const secrets = await secretsOf(app, [ada.phone.secret, ...recovery_codes, key, ...links, ...tokens])
      const before = await everything(app)
      const seen = { refused: 0, read: 0 }
      for (const route of routes.filter(({ at }) => !streams.has(at))) {
        const { at, method } = route
        const id = idOf.get(at.replace(/^HEAD/, 'GET'))
        const response = await requestRoute(app, route, acting.cookie, id)
        const isRefused = codeOf(response) === 'not_while_impersonating'
        assert.ok(!secrets.some((secret) => response.text.includes(secret)), at)
        if (refusedReads.has(at.replace(/^HEAD/, 'GET'))) {
          assert.equal(response.status, 403, at)
          continue
        }
        // A request to the product, which decides by itself.
        const isOfProduct = at.includes(' /verify/')
        if (method === 'GET' || method === 'HEAD' || allowed.has(at) || isOfProduct) {
          assert.equal(isRefused, false, at)
          seen.read++
          continue
        }
        const stranger = await requestRoute(app, route, undefined, id)
        const isPublic = accessTable[id ?? '']?.needs === 'public'
        const needsSession =
          (stranger.status === 401 && !isPublic) || /^(?:\.\.\/)?login/.test(String(stranger.headers.location))
        if (needsSession) {
          assert.equal(response.status, 403, `${at} ${response.text}`)
          if (!at.includes('/scim/')) assert.ok(isRefused, `${at} ${response.text}`)
          seen.refused++
        }
      }
      assert.ok(seen.refused > 70 && seen.read > 70, JSON.stringify(seen))
      assert.deepEqual(await everything(app), before)
    })
  })
}
