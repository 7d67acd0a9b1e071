import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from '../harness.ts'
import { actAs } from '../impersonation.ts'
import { accessTable } from './access-table.ts'
import { codeOf, openEveryRoute, requestRoute } from './every-route.ts'
import { everything } from './watched.ts'

/** Beside what reads. DELETE /sessions/current and POST /logout, which are left out here, end it. */
const allowed = new Set(['POST /token'])

/** They would not end. */
const streams = new Set(['GET /revocations', 'GET /events'])

for (const engine of engines) {
  describe(`a session in which an administrator acts as another one on ${engine.name}`, () => {
    it('changes nothing, on every route there is, and reads no secret', async (t) => {
      const { app, idOf, routes } = await openEveryRoute(t, engine, { ROLLBOOK_RATE_LIMIT: '0' })
      const { acting, ada } = await actAs(app, { role: 'admin' })
      const rows = await app.runSql(`SELECT password_hash FROM users WHERE user_id = '${ada.user_id}'`)
      const before = await everything(app)
      const seen = { refused: 0, read: 0 }
      for (const route of routes.filter(({ at }) => !streams.has(at))) {
        const { at, method } = route
        const id = idOf.get(at.replace(/^HEAD/, 'GET'))
        const answer = await requestRoute(app, route, acting.cookie, id)
        const isRefused = codeOf(answer) === 'not_while_impersonating'
        // A request to the product, which decides by itself.
        const isOfProduct = at.includes(' /verify/')
        if (method === 'GET' || method === 'HEAD' || allowed.has(at) || isOfProduct) {
          assert.equal(isRefused, false, at)
          assert.ok(!answer.text.includes(String(rows[0]?.password_hash)), at)
          seen.read++
          continue
        }
        const stranger = await requestRoute(app, route, undefined, id)
        const isPublic = accessTable[id ?? '']?.needs === 'public'
        const needsSession =
          (stranger.status === 401 && !isPublic) || /^(?:\.\.\/)?login/.test(String(stranger.headers.location))
        if (needsSession) {
          assert.equal(answer.status, 403, `${at} ${answer.text}`)
          if (!at.includes('/scim/')) assert.ok(isRefused, `${at} ${answer.text}`)
          seen.refused++
        }
      }
      assert.ok(seen.refused > 70 && seen.read > 70, JSON.stringify(seen))
      assert.deepEqual(await everything(app), before)
    })
  })
}
