// It compares times, so fewer tests run beside it, and it belongs to test:rest.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser, engines, start } from '../harness.ts'
import { mailEnv } from '../mails/mailing.ts'
import { clock, env, password, person, setFailures, visitor, wrong } from './visitor.ts'

const fullRounds = 200
const [rounds, warmUps, hour] = [process.env.CI ? fullRounds : 80, 10, 3_600_000]

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] as number
}

/**
 * Whether medians differ by more than 5 %, and not by accident: then one of the two is slower in many more rounds than the
 * other is (a sign test; five standard deviations come by accident in one of a million runs).
 */
function canTell(a: readonly number[], b: readonly number[]): boolean {
  const slower = a.filter((time, i) => time > (b[i] ?? 0)).length
  const isSystematic = Math.abs(slower - a.length / 2) > 5 * (Math.sqrt(a.length) / 2)
  const [less = 0, more = 0] = [median(a), median(b)].toSorted((x, y) => x - y)
  return isSystematic && more > 1.05 * less
}

describe('the judgement of times', () => {
  const noise = () => 8 + Math.random() * 8
  const times = (extra: number) => Array.from({ length: fullRounds }, () => noise() + extra)

  it('detects a difference of a quarter in the noise of a busy machine, and no difference where there is none', () => {
    assert.equal(canTell(times(0), times(3)), true)
    assert.equal(canTell(times(0), times(0)), false)
  })
})

for (const engine of engines) {
  describe(`the time of a refused sign-in on ${engine.name}`, () => {
    it('is the same whether the name is unknown, disabled or locked, or the password wrong', async (t) => {
      let now = clock()
      const app = await start(t, engine, { env, clock: () => now, realHashes: true })
      const [known, locked, disabled] = [await person(app), await person(app), await person(app)]
      await setFailures(app, locked.user_id, 100)
      await app.call('PATCH', `/users/${disabled.user_id}`, { body: { active: false } })
      const kinds = {
        unknown: ['nobody', password],
        known: [known.username, wrong],
        locked: [locked.username, password],
        disabled: [disabled.username, password],
      } as const
      const names = Object.keys(kinds) as (keyof typeof kinds)[]
      const times = new Map(names.map((name) => [name, [] as number[]]))
      for (let round = -warmUps; round < rounds; round++) {
        // Each kind comes first, second, third and last equally often.
        for (const i of names.keys()) {
          const name = names[(i + round + warmUps) % names.length] as keyof typeof kinds
          const [username, guess] = kinds[name]
          const someone = visitor()
          now += hour // No delay applies any longer, and no count has expired.
          const begun = performance.now()
          const { status } = await someone.signIn(app, username, guess)
          if (round >= 0) times.get(name)?.push(performance.now() - begun)
          assert.equal(status, 401)
        }
        // Or it would be a locked one before long.
        if (round % 50 === 49) await app.call('DELETE', `/users/${known.user_id}/lock`)
      }
      const text = names.map((name) => `${name} ${median(times.get(name) ?? []).toFixed(2)} ms`).join(', ')
      t.diagnostic(text)
      for (const name of names)
        assert.ok(!canTell(times.get('unknown') ?? [], times.get(name) ?? []), `${name}: ${text}`)
    })

    it('and that of an address that asks for access is the same whether a user has it or not', async (t) => {
      let now = clock()
      const requests = { ...env, ...mailEnv, ROLLBOOK_ACCESS_REQUESTS: 'on' }
      const app = await start(t, engine, { env: requests, clock: () => now })
      await createUser(app, { username: 'known', email: 'known@example.com' })
      const names = ['known', 'unknown'] as const
      const times = { known: [] as number[], unknown: [] as number[] }
      const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
      for (let round = -warmUps; round < rounds; round++) {
        for (const i of names.keys()) {
          const name = names[(i + round + warmUps) % names.length] as (typeof names)[number]
          now += hour
          const begun = performance.now()
          const body = `email=${name}%40example.com`
          const { status } = await app.call('POST', '/request-access', { key: null, headers, body })
          if (round >= 0) times[name].push(performance.now() - begun)
          assert.equal(status, 200)
        }
      }
      const text = names.map((name) => `${name} ${median(times[name]).toFixed(2)} ms`).join(', ')
      t.diagnostic(text)
      assert.ok(!canTell(times.known, times.unknown), text)
    })
  })
}
