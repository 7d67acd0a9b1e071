/**
 * The service is killed again and again while it is busy. What it acknowledged is in the audit once, and in the change
 * feed once and in order; a directory that a consumer keeps from the feed is the service's own; the chain holds; and a
 * receiver of webhooks that fails half of the time has each event in the end.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makePlace, type Place, type Service, startService } from '../durability/process.ts'
import { engines } from '../harness.ts'
import { Auditor, brief, checkAudit, checkFeed } from './crash-journal-auditor.ts'
import { Follower } from './crash-journal-follower.ts'
import { type Act, createPeople, Ledger, send, useUntilKilled } from './crash-journal-load.ts'
import { type Receiver, startReceiver } from './crash-journal-receiver.ts'

const clients = 8
/** For each engine; more for a longer look: CRASH_SECONDS=150 npm test -- test/journeys/crash-journal.test.ts */
const seconds = Number(process.env.CRASH_SECONDS ?? 7)

const timeout = 120_000 + 3000 * seconds

const env = {
  ROLLBOOK_RATE_LIMIT: '0',
  ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1',
  ROLLBOOK_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1',
  ROLLBOOK_WEBHOOK_ALLOW_HTTP: 'true',
}

/** What was kept from the feed is what the service has. */
async function checkDirectory(service: Service, place: Place, follower: Follower): Promise<void> {
  const listed = async (path: string, id: string) => {
    const all = (await (await service.call('GET', path)).json()) as Record<string, unknown>[]
    return new Map(all.map(({ last_used_at: _, built_in: __, managed: ___, ...one }) => [one[id], one]))
  }
  assert.deepEqual(follower.users, await listed('/users', 'user_id'))
  assert.deepEqual(follower.keys, await listed('/keys', 'key_id'))
  const roles = [...(await listed('/roles', 'role'))].map(([role, { permissions }]) => [role, { role, permissions }])
  assert.deepEqual(follower.roles, new Map(roles as [string, object][]))
  const sessions = await place.runSql('SELECT session_id, user_id FROM sessions')
  const sessionRows = [...follower.sessions.values()].map(({ session_id, user_id }) => ({ session_id, user_id }))
  assert.deepEqual(sorted(sessionRows), sorted(sessions))
}

function sorted(rows: object[]): string[] {
  return rows.map((row) => JSON.stringify(row)).toSorted()
}

/** Sends the open creations again as their clients would: each happens once in all, and is recorded once. */
async function repeatCreations(service: Service, auditor: Auditor, ledger: Ledger): Promise<void> {
  const open = [...ledger.open.values()].filter(({ action }) => action === 'user.created')
  const again = open.map((act): Act => ({ ...act, id: `${act.id}-again` }))
  for (const act of again) assert.equal((await send(service, act)).status, act.status)
  await auditor.look(service)
  for (const [n, { id }] of again.entries()) {
    const found = [...auditor.recordsOf(open[n]?.id ?? ''), ...auditor.recordsOf(id)]
    assert.deepEqual(found.map(brief), ['user.created success'])
  }
}

const executable = fileURLToPath(new URL('../../bin/rollbook.js', import.meta.url))

/** Every event, from the making of the endpoint on. */
async function createEndpoint(service: Service, url: string, receiver: Receiver): Promise<string> {
  const response = await service.call('POST', '/webhooks', { url })
  const { endpoint_id, secret } = (await response.json()) as Record<string, string>
  assert.equal(response.status, 201)
  receiver.secret = secret as string
  return endpoint_id as string
}

/** Some time after the clients have begun to be answered. */
async function randomMoment(ledger: Ledger): Promise<void> {
  while (ledger.done.size < clients) await sleep(5)
  await sleep(randomInt(900))
}

/** As if the lease of those that were under way had ended, which takes longer than the test may. */
async function endLeases({ runSql }: Place): Promise<void> {
  const now = new Date().toISOString()
  await runSql(
    `UPDATE webhook_deliveries SET claimed_until = NULL, next_attempt_at = '${now}' WHERE claimed_until IS NOT NULL;
     UPDATE webhook_endpoints SET paused_until = NULL`,
  )
}

/** The receiver is well again, and an administrator has what waits sent at once instead of in minutes and hours. */
async function deliverTheRest(
  service: Service,
  endpointId: string,
  { expected, receiver }: { expected: readonly string[]; receiver: Receiver },
): Promise<void> {
  receiver.isUnwell = false
  const missing = () => expected.filter((id) => !receiver.taken.has(id)).length
  const deadline = performance.now() + 30_000 + 1000 * seconds
  while (missing() > 0) {
    assert.ok(performance.now() < deadline, `${missing()} of ${expected.length} events were not delivered`)
    assert.equal((await service.call('PATCH', `/webhooks/${endpointId}`, { active: true })).status, 200)
    await sleep(300)
  }
}

for (const engine of engines) {
  describe(`a service that is killed under load, on ${engine.name}`, () => {
    it('has recorded and reported each change once, in order, and matches the copies of its followers', {
      timeout,
    }, async (t) => {
      const place = await makePlace(t, engine)
      const options = { directory: place.directory, env: { ...place.env, ...env } }
      const [ledger, follower, auditor] = [new Ledger(), new Follower(), new Auditor(place)]
      const { receiver, url } = await startReceiver(t)
      let service = await startService(t, options)
      await follower.catchUp(service)
      const before = follower.ids.length
      const endpointId = await createEndpoint(service, url, receiver)
      const until = performance.now() + seconds * 1000
      const people = await createPeople(service, clients)
      let kills = 0
      while (kills < 2 || performance.now() < until) {
        t.signal.throwIfAborted()
        const load = Promise.all([
          follower.followUntilKilled(service),
          ...people.map((person, n) => useUntilKilled(service, ledger, { name: `${kills}-${n}`, person })),
        ])
        // The load ends before only when something is wrong with it.
        await Promise.race([load, randomMoment(ledger)])
        assert.equal((await service.end('SIGKILL')).signal, 'SIGKILL')
        await load
        kills++
        await endLeases(place)
        service = await startService(t, options)
        await follower.catchUp(service)
        await auditor.look(service)
        checkAudit(auditor, ledger)
        checkFeed(auditor, follower)
        await checkDirectory(service, place, follower)
        await repeatCreations(service, auditor, ledger)
        ledger.open.clear()
        ledger.done.clear()
        ledger.inOrder.length = 0
      }
      const stranger = new Follower()
      await stranger.catchUp(service)
      await follower.catchUp(service)
      for (const things of ['users', 'sessions', 'keys', 'roles'] as const) {
        assert.deepEqual(stranger[things], follower[things], things)
      }
      await deliverTheRest(service, endpointId, { expected: follower.ids.slice(before), receiver })
      assert.deepEqual(receiver.faults, [])
      // Without a look at the exit code: another than 0 rejects.
      await promisify(execFile)(process.execPath, [executable, 'audit', 'verify'], {
        env: { PATH: process.env.PATH, ROLLBOOK_DATA_DIR: place.directory, ...place.env },
      })
      const { length } = auditor.rows
      assert.ok(length > clients * kills, 'the clients were busy')
      const { taken, failures } = receiver
      t.diagnostic(`${kills} kills, ${length} records, ${follower.ids.length} events`)
      t.diagnostic(`${taken.size} delivered, ${failures} times refused, ${receiver.repeats} times again`)
    })
  })
}
