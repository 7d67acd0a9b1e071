// It compares times, so fewer tests run beside it.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hash, verify } from '@node-rs/argon2'
import { type Answer, engines, type Started, start } from '../harness.ts'
import { skip as withoutPostgres } from '../nodes/nodes.ts'
import { clock, env, newAddress, password, person, processorMs, tally, visitor, wordsOf, wrong } from './visitor.ts'

const many = 100

/** Sends all of them together, from one network or from as many as there are guesses. */
async function atOnce(nodes: readonly Started[], username: string, from: 'one network' | 'everywhere') {
  const address = newAddress()
  const sent = guesses.map((guess, i) =>
    visitor(from === 'one network' ? address : newAddress()).signIn(
      nodes[i % nodes.length] as Started,
      username,
      guess,
    ),
  )
  return Promise.all(sent)
}

const guesses = Array.from({ length: many }, (_, i) => `${wrong} ${i}`)

/** A hash at which each look costs much more than the rest of a request does. */
const costly = { memoryCost: 65_536, timeCost: 4 }

for (const engine of engines) {
  describe(`guessing passwords on ${engine.name}`, () => {
    it('checks five of a hundred parallel guesses of a network, and hashes no more', async (t) => {
      const app = await start(t, engine, { env, clock })
      const ada = await person(app)
      const phc = await hash(password, costly)
      await app.runSql(`UPDATE users SET password_hash = '${phc}' WHERE user_id = '${ada.user_id}'`)
      const cost = (await processorMs(() => Promise.all([verify(phc, wrong), verify(phc, wrong)]))) / 2
      let answers: Answer[] = []
      const spent = await processorMs(async () => {
        answers = await atOnce([app], ada.username, 'one network')
      })
      assert.deepEqual(tally(answers), { '401 sign_in_failed': 5, '429 too_many_attempts': many - 5 })
      assert.ok(answers.every(({ status, headers }) => status === 401 || headers['retry-after'] === '1'))
      assert.ok(spent < (many / 4) * cost, `${spent} ms of processor time; one look takes ${cost} ms`)
    })

    it('checks twenty of a hundred parallel guesses from a hundred networks', async (t) => {
      const app = await start(t, engine, { env, clock })
      const ada = await person(app)
      for (const username of [ada.username, 'unknown']) {
        const answers = await atOnce([app], username, 'everywhere')
        assert.deepEqual(tally(answers), { '401 sign_in_failed': 20, '429 too_many_attempts': many - 20 })
        assert.ok(answers.every(({ status, headers }) => status === 401 || headers['retry-after'] === '30'))
      }
      assert.equal((await app.call('GET', `/users/${ada.user_id}/lock`)).body.failures, 20)
    })

    it('does not find the right password after too many guesses', async (t) => {
      const app = await start(t, engine, { env, clock })
      const ada = await person(app)
      const attacker = visitor()
      for (let i = 0; i < 5; i++) await attacker.signIn(app, ada.username, wrong)
      assert.equal((await attacker.signIn(app, ada.username, password)).status, 429)
    })

    it('checks at most twenty guesses in a row from one network, and then treats the right one like a wrong one', async (t) => {
      let now = clock()
      const app = await start(t, engine, { env, clock: () => now })
      const ada = await person(app)
      const attacker = visitor()
      const lock = async () => (await app.call('GET', `/users/${ada.user_id}/lock`)).body
      for (let i = 0; i < 30; i++) {
        assert.equal((await attacker.signIn(app, ada.username, i < 20 ? wrong : password)).status, 401, `guess ${i}`)
        now += 15 * 60_000
      }
      assert.equal((await lock()).failures, 20)
      assert.equal((await visitor().signIn(app, ada.username, password)).status, 201)
      assert.equal((await lock()).failures, 0)
      // That was another client: the attacker has gained nothing.
      assert.equal((await attacker.signIn(app, ada.username, password)).status, 401)
      assert.equal((await lock()).failures, 0)
    })

    it('makes each further guess wait twice as long, by the clock of the service', async (t) => {
      let now = Date.UTC(2026, 10, 20)
      const app = await start(t, engine, { env, clock: () => now })
      const ada = await person(app)
      const attacker = visitor()
      const waits: number[] = []
      for (let guess = 0; guess < 9; guess++) {
        assert.equal((await attacker.signIn(app, ada.username, wrong)).status, 401)
        if (guess < 4) continue
        const refused = await attacker.signIn(app, ada.username, wrong)
        assert.equal(refused.status, 429, `after ${guess + 1} failures`)
        waits.push(Number(refused.headers['retry-after']))
        now += Number(refused.headers['retry-after']) * 1000
      }
      assert.deepEqual(waits, [1, 2, 4, 8, 16])
      // The right one ends that.
      assert.equal((await visitor(attacker.address).signIn(app, ada.username, password)).status, 201)
      for (let i = 0; i < 5; i++) assert.equal((await attacker.signIn(app, ada.username, wrong)).status, 401)
    })

    it('responds the same for a name that is unknown, disabled, without a password or locked, and for a wrong password', async (t) => {
      const app = await start(t, engine, { env, clock })
      const [known, disabled, locked] = [await person(app), await person(app), await person(app)]
      await app.call('PATCH', `/users/${disabled.user_id}`, { body: { active: false } })
      const bare = (await app.call('POST', '/users', { body: { username: 'no-password' } })).body
      await app.runSql(`INSERT INTO sign_in_throttles (throttle_key, failures, allowed_at, updated_at)
        VALUES ('user:${locked.user_id}:total', 100, '1970-01-01T00:00:00.000Z', '2026-11-20T00:00:00.000Z')`)
      const cases: [username: string, password: string][] = [
        ['unknown', password],
        ['un known', password],
        ['unknown@example.org', password],
        [disabled.username, password],
        [bare.username, password],
        [locked.username, password],
        [known.username, wrong],
      ]
      const words = await Promise.all(
        cases.map(async ([username, guess]) => {
          const answers: ReturnType<typeof wordsOf>[] = []
          const someone = visitor()
          for (let i = 0; i < 6; i++) answers.push(wordsOf(await someone.signIn(app, username, guess)))
          return answers
        }),
      )
      for (const [i, answers] of words.entries()) assert.deepEqual(answers, words[0], cases[i]?.[0] ?? '')
      assert.deepEqual(
        words[0]?.map(({ status }) => status),
        [401, 401, 401, 401, 401, 429],
      )
    })

    it('counts a name by what it means, in any case and form, known or not', async (t) => {
      const app = await start(t, engine, { env, clock })
      await person(app, { username: 'first', email: 'first@example.org' })
      for (const [one, other] of [
        ['first', 'ﬁRST'],
        ['second', 'ＳＥＣＯＮＤ'],
        ['first@example.org', 'ﬁrst@EXAMPLE.org'],
        ['second@example.org', 'second@ＥＸＡＭＰＬＥ.org'],
        ["third-o'neil@example.org", 'third–o’neil@example.org '],
      ] as const) {
        const someone = visitor()
        for (let i = 0; i < 5; i++) assert.equal((await someone.signIn(app, one, wrong)).status, 401)
        assert.equal((await someone.signIn(app, other, wrong)).status, 429, other)
      }
    })

    it('does not reveal by a delay that a username and an email address belong together', async (t) => {
      const app = await start(t, engine, { env, clock })
      const ada = await person(app, { email: 'ada@example.org' })
      const attacker = visitor()
      for (let i = 0; i < 5; i++) await attacker.signIn(app, ada.username, wrong)
      assert.equal((await attacker.signIn(app, ada.username, wrong)).status, 429)
      assert.equal((await attacker.signIn(app, 'ada@example.org', wrong)).status, 401)
      for (let i = 0; i < 15; i++) await visitor().signIn(app, ada.username, wrong)
      assert.equal((await visitor().signIn(app, ada.username, wrong)).status, 429)
      assert.equal((await visitor().signIn(app, 'ada@example.org', wrong)).status, 401)
      const lock = await app.call('GET', `/users/${ada.user_id}/lock`)
      assert.equal(lock.body.failures, 22) // Both count towards the hundred.
    })

    it('stops one network that tries one password on many names', async (t) => {
      const app = await start(t, engine, { env, clock })
      const spray = (address: string) => (_: unknown, i: number) => visitor(address).signIn(app, `name-${i}`, password)
      const answers = await Promise.all(Array.from({ length: 60 }, spray('203.0.113.9')))
      assert.deepEqual(tally(answers), { '401 sign_in_failed': 30, '429 too_many_attempts': 30 })
      assert.equal((await visitor('203.0.113.10').signIn(app, 'name-0', password)).status, 401)
      const six = await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          visitor(`2001:db8:1:2::${i.toString(16)}`).signIn(app, `six-${i}`, password),
        ),
      )
      assert.deepEqual(tally(six), { '401 sign_in_failed': 30, '429 too_many_attempts': 30 })
      const rows = await app.runSql(
        "SELECT throttle_key, failures FROM sign_in_throttles WHERE throttle_key LIKE 'network:2001:%' ORDER BY 1",
      )
      assert.deepEqual(rows, [
        { throttle_key: 'network:2001:db8:1:2::/64', failures: 30 },
        { throttle_key: 'network:2001:db8:1::/48', failures: 30 },
      ])
    })

    it('stops a site whose machines come from one /64 after the other', async (t) => {
      const app = await start(t, engine, { env, clock })
      await app.runSql(`INSERT INTO sign_in_throttles (throttle_key, failures, allowed_at, updated_at)
        VALUES ('network:2001:db8:5::/48', 240, '${new Date(clock() + 60_000).toISOString()}', '2026-11-20T00:00:00.000Z')`)
      assert.equal((await visitor('2001:db8:5:77::1').signIn(app, 'anybody', wrong)).status, 429)
      assert.equal((await visitor('2001:db8:6:77::1').signIn(app, 'anybody', wrong)).status, 401)
    })

    it('counts only the failures of a network: forty users behind one address sign in', async (t) => {
      const app = await start(t, engine, { env, clock })
      const ada = await person(app)
      const address = newAddress()
      for (let i = 0; i < 40; i++)
        assert.equal((await visitor(address).signIn(app, ada.username, password)).status, 201)
      const [row] = await app.runSql(`SELECT failures FROM sign_in_throttles WHERE throttle_key = 'network:${address}'`)
      assert.equal(row?.failures, 0)
    })

    it('does not count a guess that was not checked because too many hashes were waiting', async (t) => {
      const app = await start(t, engine, {
        clock,
        env: { ...env, ROLLBOOK_HASH_CONCURRENCY: '1', ROLLBOOK_HASH_QUEUE: '1' },
      })
      const people: Awaited<ReturnType<typeof person>>[] = []
      for (let i = 0; i < 8; i++) people.push(await person(app))
      await app.runSql(`UPDATE users SET password_hash = '${await hash(password, costly)}'`)
      const address = newAddress()
      const answers = await Promise.all(people.map(({ username }) => visitor(address).signIn(app, username, wrong)))
      const looked = answers.filter(({ status }) => status === 401).length
      assert.deepEqual(tally(answers), { '401 sign_in_failed': looked, '503 overloaded': 8 - looked })
      assert.ok(looked < 8, 'nothing was refused')
      const locks = await Promise.all(people.map(({ user_id }) => app.call('GET', `/users/${user_id}/lock`)))
      const failures = locks.map(({ body }) => body.failures as number)
      assert.deepEqual(
        failures,
        answers.map(({ status }) => Number(status === 401)),
      )
      const [row] = await app.runSql(`SELECT failures FROM sign_in_throttles WHERE throttle_key = 'network:${address}'`)
      assert.equal(row?.failures, looked)
    })

    it('stores neither guesses nor names of unknown users', async (t) => {
      const app = await start(t, engine, { env, clock })
      const typedInTheWrongField = 'my secret passphrase 1815'
      await visitor().signIn(app, typedInTheWrongField, wrong)
      const stored = await app.stored()
      assert.ok(!stored.includes(typedInTheWrongField) && !stored.includes(wrong))
      assert.ok(!app.logLines().some((line) => line.includes(typedInTheWrongField) || line.includes(wrong)))
    })
  })
}

describe('guessing passwords on two nodes', { skip: withoutPostgres }, () => {
  it('checks as many of a hundred parallel guesses on both together as on one', async (t) => {
    const engine = { name: 'PostgreSQL' } as const
    const first = await start(t, engine, { env, clock })
    const nodes = [first, await start(t, engine, { env, clock, beside: first })]
    const ada = await person(first)
    for (const username of [ada.username, 'unknown']) {
      for (const [from, looked] of [
        ['one network', 5],
        ['everywhere', 15],
      ] as const) {
        assert.deepEqual(tally(await atOnce(nodes, username, from)), {
          '401 sign_in_failed': looked,
          '429 too_many_attempts': many - looked,
        })
      }
    }
    const lock = await first.call('GET', `/users/${ada.user_id}/lock`)
    assert.equal(lock.body.failures, 20)
  })

  it('loses no count of a network, and never waits in vain, when guesses of many names meet', async (t) => {
    const engine = { name: 'PostgreSQL' } as const
    const first = await start(t, engine, { env, clock })
    const nodes = [first, await start(t, engine, { env, clock, beside: first })]
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, i) =>
        visitor(i % 2 === 0 ? '2001:db8:9:1::1' : '2001:db8:9:2::1').signIn(
          nodes[i % 3 === 0 ? 0 : 1] as Started,
          `n-${i % 20}`,
          wrong,
        ),
      ),
    )
    assert.deepEqual(tally(answers), { '401 sign_in_failed': 60, '429 too_many_attempts': 60 })
    const rows = await first.runSql(
      "SELECT throttle_key, failures FROM sign_in_throttles WHERE throttle_key LIKE 'network:%' ORDER BY 1",
    )
    assert.deepEqual(
      rows.map(({ failures }) => failures),
      [30, 30, 60],
    )
  })
})
