// It belongs to test:rest: a hundred requests at once, for rules that factors.test.ts states for one after another.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { beginSignIn, type Challenge, codeOf, finishSignIn, type PersonWithPhone, personWithPhone } from '../factors.ts'
import { type Answer, type Engine, everyEngine, type Started, start } from '../harness.ts'

const noon = Date.UTC(2026, 10, 23, 12)
const env = { ROLLBOOK_RATE_LIMIT: '0' }
/** As many challenges as a user has at once. */
const open = 5

/** On PostgreSQL two nodes, on SQLite one; a person whose next code is unused, and five sign-ins that wait for it. */
async function racers(t: TestContext, engine: Engine) {
  let now = noon
  const clock = () => now
  const first = await start(t, engine, { clock, env })
  const nodes = engine.name === 'PostgreSQL' ? [first, await start(t, engine, { clock, env, beside: first })] : [first]
  const person = await personWithPhone(first, now)
  now += 30_000
  const recovery = await person.browser.call('POST', '/me/recovery-codes')
  const challenges: Challenge[] = []
  for (let i = 0; i < open; i++) challenges.push(await beginSignIn(first, person.username))
  return {
    first,
    person,
    code: codeOf(person.phone.secret, now),
    recovery_code: recovery.body.recovery_codes[0] as string,
    challenges,
    /** A hundred at once: each node and each challenge in turn. */
    race: (proof: Record<string, string>, among: Challenge[] = challenges): Promise<Answer[]> =>
      Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          finishSignIn(
            nodes[i % nodes.length] as Started,
            among[Math.floor(i / nodes.length) % among.length] as Challenge,
            proof,
          ),
        ),
      ),
    later: (ms: number) => {
      now += ms
      return now
    },
  }
}

const statuses = (answers: readonly Answer[], code: string) =>
  answers.filter(({ status, body }) => (status === 201 ? 'session' : body.code) === code).length

async function sessionsOf(app: Started, { user_id, browser }: PersonWithPhone): Promise<string[]> {
  const rows = await app.runSql(`SELECT session_id FROM sessions WHERE user_id = '${user_id}'`)
  return rows.map(({ session_id }) => String(session_id)).filter((id) => id !== browser.session_id)
}

for (const engine of everyEngine) {
  const where = engine.name === 'PostgreSQL' ? 'two nodes on PostgreSQL' : 'one node on SQLite'
  describe(`a hundred requests at once on ${where}`, () => {
    for (const kind of ['code', 'recovery_code'] as const) {
      for (const howMany of [1, open]) {
        it(`with the same right ${kind} and ${howMany} challenges give one session`, async (t) => {
          const { first, person, race, challenges, ...right } = await racers(t, engine)
          const answers = await race({ [kind]: right[kind] }, challenges.slice(0, howMany))
          assert.equal(statuses(answers, 'session'), 1, answers.map(({ text }) => text).join('\n'))
          assert.equal((await sessionsOf(first, person)).length, 1)
          const refusals = ['second_factor_failed', 'challenge_expired', 'too_many_attempts']
          const refused = refusals.reduce((sum, code) => sum + statuses(answers, code), 0)
          assert.equal(refused, 99, answers.map(({ body }) => body.code).join())
          assert.ok(answers.every(({ status, headers }) => status === 201 || headers['set-cookie'] === undefined))
        })
      }

      it(`that sign in and confirm with the same right ${kind} succeed once`, async (t) => {
        const { first, person, race, ...right } = await racers(t, engine)
        const proof = { [kind]: right[kind] }
        const confirm = () => person.browser.call('POST', '/sessions/current/reauthentication', { body: proof })
        const [confirmed, entered] = await Promise.all([
          Promise.all(Array.from({ length: 20 }, confirm)),
          race(proof, right.challenges.slice(0, 1)),
        ])
        const renewed = confirmed.filter(({ status }) => status === 200).length
        assert.equal(renewed + statuses(entered, 'session'), 1)
        assert.equal((await sessionsOf(first, person)).length, 1 - renewed)
      })

      it(`that guess a ${kind} are evaluated five times at most, and the right one is not afterwards`, async (t) => {
        const { first, person, race, challenges, ...right } = await racers(t, engine)
        const wrong = kind === 'code' ? String((Number(right.code) + 1) % 1_000_000).padStart(6, '0') : 'A'.repeat(25)
        const [challenge] = challenges as [Challenge]
        const answers = await race({ [kind]: wrong }, [challenge])
        const evaluated = statuses(answers, 'second_factor_failed')
        assert.ok(evaluated >= 1 && evaluated <= 5, `${evaluated} of 100 guesses were evaluated`)
        assert.equal(statuses(answers, 'challenge_expired') + statuses(answers, 'too_many_attempts'), 100 - evaluated)
        const counted = await first.runSql(
          `SELECT attempts FROM challenges WHERE challenge_id = '${challenge.challenge_id}'`,
        )
        assert.equal(Number(counted[0]?.attempts), evaluated)
        // Past every wait, and still within the five minutes of the challenge.
        const now = right.later(240_000)
        const proof =
          kind === 'code' ? { code: codeOf(person.phone.secret, now) } : { recovery_code: right.recovery_code }
        const late = await finishSignIn(first, challenge, proof)
        assert.notEqual(late.status, 201)
        assert.deepEqual(await sessionsOf(first, person), [])
      })
    }
  })
}
