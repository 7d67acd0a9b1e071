/** Two nodes write at once while a client follows: the numbers must not run ahead of the commits. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { system } from '../../src/core/actor.ts'
import type { CloudEvent } from '../../src/record/events/envelope.ts'
import { page, readDirectory, replay } from '../events/directory.ts'
import type { Started } from '../harness.ts'
import { skip, twoNodes } from './nodes.ts'

/** `ROLLBOOK_TEST_CHANGES=100000 npm test -- test/nodes/events.test.ts` for the long way. */
const changes = Number(process.env.ROLLBOOK_TEST_CHANGES ?? 3000)
const [pollMs, atOnce, people] = [10, 16, 40]

const request = () => ({ actor: system, now: Date.now(), requestId: 'test' })

async function createPeople(app: Started): Promise<string[]> {
  const names = Array.from({ length: people }, (_, i) => `person-${i}`)
  return Promise.all(
    names.map(async (name) => {
      const input = { username: name, username_key: name }
      return (await app.storage.change('users.create', input, request())).result.user_id
    }),
  )
}

/** Changes all users repeatedly, many at once; every tenth change creates one. Returns what was acknowledged. */
async function write(app: Started, name: string, users: readonly string[]): Promise<Set<string>> {
  const acknowledged = new Set<string>()
  let next = 0
  const work = async () => {
    while (next < changes / 2) {
      const n = next++
      const first_name = `${name} ${n}`
      if (n % 10 === 0) {
        const input = { username: `${name}-${n}`, username_key: `${name}-${n}`, first_name }
        await app.storage.change('users.create', input, request())
      } else {
        const user_id = users[n % people] as string
        const input = { user_id, input: { first_name }, expected: undefined }
        await app.storage.change('users.update', input, request())
      }
      acknowledged.add(first_name)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return acknowledged
}

/** As a product would that must not miss anything, only more often. */
async function poll(app: Started, isOver: () => boolean): Promise<CloudEvent[]> {
  const events: CloudEvent[] = []
  for (let cursor = '0'; ; ) {
    const wasOver = isOver()
    const found = await page(app, `?after=${cursor}&limit=1000`)
    events.push(...found.events)
    cursor = found.cursor
    if (wasOver && found.events.length === 0) return events
    await sleep(pollMs)
  }
}

describe('the change feed, when two nodes write at once', { skip }, () => {
  it('loses nothing for a client that polls every 10 ms, and reports each change once', {
    timeout: 3_600_000,
  }, async (t) => {
    const [one, two] = await twoNodes(t, { ROLLBOOK_RATE_LIMIT: '0', ROLLBOOK_PUBLIC_URL: 'http://127.0.0.1/auth' })
    await one.storage.change('roles.announce', undefined, request())
    const users = await createPeople(one)
    const begun = performance.now()
    let isOver = false
    const writing = Promise.all([write(one, 'one', users), write(two, 'two', users)]).finally(() => {
      isOver = true
    })
    const [events, other] = await Promise.all([poll(one, () => isOver), poll(two, () => isOver)])
    const acknowledged = (await writing).reduce((all, some) => all.union(some))
    const seconds = (performance.now() - begun) / 1000
    t.diagnostic(`${acknowledged.size} changes in ${seconds.toFixed(1)} s, followed while they were made`)

    assert.deepEqual(other, events)
    assert.deepEqual(
      events.map(({ sequence }) => Number(sequence)),
      events.map((_, i) => i + 1),
    )
    const names = events.map(({ data }) => data.first_name).filter((name) => typeof name === 'string' && name !== '')
    assert.equal(names.length, new Set(names).size)
    assert.deepEqual([...names].sort(), [...acknowledged].sort())
    assert.deepEqual(replay(events, { isWhole: true }), await readDirectory(one))
  })
})
