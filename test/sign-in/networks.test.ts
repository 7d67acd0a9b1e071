import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cases } from '../cases.ts'
import { engines, type Started, start } from '../harness.ts'
import { clock, env, newAddress, password, person, tally, visitor, wordsOf, wrong } from './visitor.ts'

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

const lockOf = async (app: Started, { user_id }: { user_id: string }) =>
  (await app.call('GET', `/users/${user_id}/lock`)).body

/** How one who has a single network may look: with one address, or with all of a /48. */
const attackers = {
  'one IPv4 address': () => '203.0.113.66',
  'one IPv6 /48': (i: number) => `2001:db8:bad:${i.toString(16)}::1`,
}

for (const engine of engines) {
  describe(`failing in the name of a user on ${engine.name}`, () => {
    for (const [kind, addressOf] of Object.entries(attackers)) {
      it(`does not lock out a new browser elsewhere when it is done from ${kind}, 200 times in a day`, async (t) => {
        let now = clock()
        const app = await start(t, engine, { env, clock: () => now })
        const ada = await person(app, { email: 'ada@example.org' })
        const away = await person(app, { email: 'away@example.org' })
        const answers: Awaited<ReturnType<ReturnType<typeof visitor>['signIn']>>[] = []
        const fail = async (i: number, name: string) =>
          answers.push(await visitor(addressOf(i)).signIn(app, name, wrong))
        let hours = 0
        for (let i = 0; i < 200; i++, now += day / 200) {
          for (const name of [ada.username, away.username, away.email as string]) await fail(i, name)
          if (now - clock() < hours * hour) continue
          hours++
          assert.equal((await visitor().signIn(app, ada.username, password)).status, 201, `hour ${hours}`)
        }
        assert.equal(hours, 24)
        const { '401 sign_in_failed': looked = 0, '429 too_many_attempts': refused = 0 } = tally(answers)
        assert.equal(looked + refused, answers.length)
        assert.ok(looked > 200 && refused > 200, JSON.stringify({ looked, refused }))
        // She has been away all day, and her count was not reset.
        assert.equal((await lockOf(app, away)).failures, 40)
        assert.equal((await visitor().signIn(app, away.username, password)).status, 201)
        assert.equal((await visitor().signIn(app, away.email as string, password)).status, 201)
      })
    }

    it('makes only the neighbours of the attacker wait', async (t) => {
      const app = await start(t, engine, { env, clock })
      const ada = await person(app)
      const attacker = visitor('2001:db8:5:1::1')
      for (let i = 0; i < 5; i++) await attacker.signIn(app, ada.username, wrong)
      assert.equal((await visitor('2001:db8:5:2::1').signIn(app, ada.username, password)).status, 429)
      assert.equal((await visitor('2001:db8:6:1::1').signIn(app, ada.username, password)).status, 201)
      // And that gives the attacker nothing.
      assert.equal((await attacker.signIn(app, ada.username, wrong)).status, 429)
    })

    it('makes others wait at most half a minute, from any number of networks', async (t) => {
      let now = clock()
      const app = await start(t, engine, { env, clock: () => now })
      const ada = await person(app)
      const attack = () => Promise.all(Array.from({ length: 40 }, () => visitor().signIn(app, ada.username, wrong)))
      assert.deepEqual(tally(await attack()), { '401 sign_in_failed': 20, '429 too_many_attempts': 20 })
      const own = visitor()
      const refused = await own.signIn(app, ada.username, password)
      assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '30'])
      now += 30 * second
      assert.equal((await own.signIn(app, ada.username, password)).status, 201)
      // Her try was none of theirs: one has come free in these 30 seconds, and no more.
      assert.equal(tally(await attack())['401 sign_in_failed'], 1)
    })

    it('comes to an end at ninety, when strangers are shut out', async (t) => {
      let now = clock()
      const app = await start(t, engine, { env, clock: () => now })
      const ada = await person(app)
      const own = visitor()
      await own.signIn(app, ada.username, password)
      while ((await lockOf(app, ada)).failures < 90) {
        const answers = await Promise.all([1, 2].map(() => visitor().signIn(app, ada.username, wrong)))
        assert.ok(answers.some(({ status }) => status === 401))
        now += 30 * second
      }
      assert.ok(now - clock() >= 34 * minute, `${now - clock()} ms`)
      now += minute
      assert.equal((await visitor().signIn(app, ada.username, password)).status, 401)
      now += day
      assert.equal((await visitor().signIn(app, ada.username, password)).status, 401)
      assert.equal((await lockOf(app, ada)).failures, 90)
      assert.equal((await own.signIn(app, ada.username, password)).status, 201)
      assert.equal((await visitor().signIn(app, ada.username, password)).status, 201)
    })

    it('gets the same responses, including waits, whether or not the user exists', async (t) => {
      let now = clock()
      const app = await start(t, engine, { env, clock: () => now })
      let names = 0
      type Step = { network: number; times: number; thenMs: number }
      const compare = async (steps: readonly Step[]) => {
        const known = (await person(app)).username
        const unknown = `nobody-${++names}`
        // Each has networks of its own: what is counted for a network must not differ by the other's failures.
        const addresses = new Map([known, unknown].map((name) => [name, Array.from({ length: 12 }, newAddress)]))
        const statuses: string[] = []
        for (const { network, times, thenMs } of steps) {
          for (let i = 0; i < times; i++) {
            const [one, other] = await Promise.all(
              [known, unknown].map(async (name) =>
                wordsOf(await visitor(addresses.get(name)?.[network]).signIn(app, name, wrong)),
              ),
            )
            assert.deepEqual(one, other)
            statuses.push(`${one?.status} ${one?.headers['retry-after'] ?? ''}`.trim())
          }
          now += thenMs
        }
        return statuses
      }

      const flood = await compare(Array.from({ length: 5 }, (_, network) => ({ network, times: 6, thenMs: 0 })))
      assert.deepEqual(
        ['401', '429 1', '429 30'].map((status) => flood.filter((found) => found === status).length),
        [20, 3, 7],
      )
      // Beyond the share of one network, and of all strangers: refused for both.
      const patient = Array.from({ length: 25 }, () => ({ network: 0, times: 1, thenMs: 15 * minute }))
      const rest = Array.from({ length: 80 }, (_, i) => ({ network: 1 + (i % 11), times: 1, thenMs: 5 * minute }))
      const long = await compare([...patient, ...rest])
      assert.deepEqual(
        [long.slice(0, 25), long.slice(25)].map((part) => new Set(part)),
        [new Set(['401']), new Set(['401'])],
      )
      const step = fc.record({
        network: fc.integer({ min: 0, max: 11 }),
        times: fc.integer({ min: 1, max: 7 }),
        thenMs: fc.constantFrom(0, 500, second, 10 * second, minute, 15 * minute),
      })
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 10, maxLength: 20 }),
          async (steps) => void (await compare(steps)),
        ),
        { numRuns: cases(4), endOnFailure: true },
      )
    })
  })
}
