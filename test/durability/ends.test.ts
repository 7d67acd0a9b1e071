/** End dates that come while the service is stopped. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { engines } from '../harness.ts'
import { mailEnv } from '../mails/mailing.ts'
import { waitUntil } from '../nodes/nodes.ts'
import { makePlace, type Service, startService } from './process.ts'

const password = 'a moth in relay seventy'

for (const engine of engines) {
  describe(`an end date that comes while the service is stopped, on ${engine.name}`, () => {
    it('refuses at once after the start, and is recorded once, but not while the clock seems to have jumped', async (t) => {
      const place = await makePlace(t, engine)
      const run = (env = {}) => startService(t, { ...place, env: { ...place.env, ...mailEnv, ...env } })
      const answerOf = async (service: Service, method: string, path: string, body?: object) => {
        const response = await service.call(method, path, body)
        const text = await response.text()
        assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
        return JSON.parse(text)
      }
      const first = await run()
      const create = (body: object) => answerOf(first, 'POST', '/users', { password, ...body })
      await create({ username: 'grace', role: 'admin' })
      const { group_id } = await answerOf(first, 'POST', '/groups', { name: 'Temps', role: 'admin' })
      const helper = await create({ username: 'helper' })
      const endMs = Date.now() + 12_000
      const expires_at = new Date(endMs).toISOString()
      const { user_id } = await create({ username: 'temp', email: 'temp@example.com', expires_at })
      await answerOf(first, 'PUT', `/groups/${group_id}/members/${helper.user_id}`, { expires_at })
      const cookieOf = async (username: string) => {
        const response = await first.call('POST', '/sessions', { username, password })
        assert.equal(response.status, 201, await response.text())
        return response.headers
          .getSetCookie()
          .map((one) => one.split(';', 1)[0])
          .join('; ')
      }
      const [ofTemp, ofHelper] = [await cookieOf('temp'), await cookieOf('helper')]
      const statusOf = async (service: Service, cookie: string, path: string) =>
        (await fetch(service.url + path, { headers: { cookie, 'sec-fetch-site': 'same-origin' } })).status
      assert.deepEqual([await statusOf(first, ofTemp, '/me'), await statusOf(first, ofHelper, '/users')], [200, 200])
      // The last round before the end sends the notices.
      await first.end('SIGTERM')
      assert.ok(Date.now() < endMs, 'the service has stopped before the end')
      await sleep(endMs - Date.now())

      const recorded = async (service: Service) => {
        const { events } = await answerOf(service, 'GET', '/events?type=user.expired')
        const [ends, removals, mails] = await Promise.all([
          answerOf(service, 'GET', '/audit?action=user.expired'),
          answerOf(service, 'GET', '/audit?action=group.member_removed'),
          answerOf(service, 'GET', '/mails?kind=access_ending'),
        ])
        const { member_count } = await answerOf(service, 'GET', `/groups/${group_id}`)
        return [events.length, ends.length, removals.length, mails.length, member_count]
      }
      const refuses = async (service: Service) => {
        const statuses = [await statusOf(service, ofTemp, '/me'), await statusOf(service, ofHelper, '/users')]
        assert.deepEqual(statuses, [401, 403])
        assert.equal((await service.call('POST', '/sessions', { username: 'temp', password })).status, 401)
      }
      const before = new Date(endMs - 3 * 86_400_000).toISOString()
      const state = JSON.stringify({ trusted: before })
      await place.runSql(`UPDATE journal_state SET value = '${state}' WHERE name = 'housekeeping_clock'`)
      const jumped = await run()
      await refuses(jumped)
      await sleep(1500)
      assert.deepEqual(await recorded(jumped), [0, 0, 0, 1, 1])
      await jumped.end('SIGTERM')

      const today = new Date().toISOString().slice(0, 10)
      const confirmed = await run({ ROLLBOOK_CONFIRM_DATE: today })
      await refuses(confirmed)
      // The last round believes the date that the operator has confirmed.
      await confirmed.end('SIGTERM')
      const next = await run()
      await refuses(next)
      await waitUntil('the ends are recorded', 20_000, async () => (await recorded(next))[2] === 1)
      assert.deepEqual(await recorded(next), [1, 1, 1, 1, 0])
      await next.end('SIGTERM')
      const last = await run()
      await sleep(1500)
      assert.deepEqual(await recorded(last), [1, 1, 1, 1, 0])
      const user = await answerOf(last, 'GET', `/users/${user_id}`)
      assert.deepEqual([user.active, user.expires_at], [true, expires_at])
    })
  })
}
