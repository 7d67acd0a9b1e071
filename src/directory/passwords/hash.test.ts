import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Argon2, argon2Parameters, loadArgon2, nodeArgon2 } from './argon2.ts'
import { createHasher } from './hash.ts'
import { isDear } from './limits.ts'
import { readStored } from './stored.ts'

const password = 'nine zebras juggle oak hats'
const current = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/

const salt = 'c2FsdHNhbHRzYWx0c2FsdA'
const tag = `${'x'.repeat(42)}w`

describe('the memory of all running hashes', () => {
  const costs: readonly string[] = [
    `$argon2id$v=19$m=262144,t=1,p=1$${salt}$${tag}`,
    `$argon2id$v=19$m=65536,t=1,p=4$${salt}$${tag}`,
    `$argon2id$v=19$m=40960,t=1,p=1$${salt}$${tag}`,
    `$scrypt$ln=16,r=8,p=1$${salt}$${tag}`,
    `$scrypt$ln=15,r=8,p=2$${salt}$${tag}`,
  ]
  it('stays within that of one hash at the limit, however many run at once', async () => {
    const hasher = createHasher({ concurrency: 16, queueLimit: 200 })
    const seen = { most: 0, together: 0 }
    let isOver = false
    const watch = (async () => {
      while (!isOver) {
        const { memoryKib, running } = hasher.load()
        seen.most = Math.max(seen.most, memoryKib)
        seen.together = Math.max(seen.together, running)
        await sleep(1)
      }
    })()
    const tries = [...costs, ...costs].map((phc) => hasher.verifyEvenly(phc, password, { isStranger: true, from: phc }))
    assert.ok((await Promise.all(tries)).every((isRight) => !isRight))
    isOver = true
    await watch
    assert.ok(seen.most > 65_536 && seen.most <= 262_144, `${seen.most} KiB`)
    assert.ok(seen.together > 1)
    assert.deepEqual([hasher.load().memoryKib, hasher.queued], [0, 0])
  })

  it('runs one at a time of those that use more than a quarter of it, even if they are fast', async () => {
    for (const phc of [`$argon2id$v=19$m=65537,t=1,p=1$${salt}$${tag}`, `$scrypt$ln=17,r=8,p=1$${salt}$${tag}`]) {
      const hash = readStored(phc)
      assert.ok(hash !== undefined && isDear(hash), phc)
    }
  })
})

describe('argon2', () => {
  it('is native here, or the fallback would never be noticed', async () =>
    assert.notEqual(await loadArgon2(), nodeArgon2))

  it("falls back to Node's own if the native binary does not load", async () => {
    const fallback = await loadArgon2(() => Promise.reject(new Error('Cannot find native binding')))
    assert.equal(fallback, nodeArgon2)
  })

  it('is the same in both implementations', async () => {
    const native = await loadArgon2()
    for (const [maker, checker] of [
      [native, nodeArgon2],
      [nodeArgon2, native],
    ] as const) {
      const phc = await maker.hash(password)
      assert.match(phc, current)
      assert.equal(await checker.verify(phc, password), true)
      assert.equal(await checker.verify(phc, `${password} `), false)
    }
  })

  it('verifies hashes with other parameters', async () => {
    // RFC 9106's reference implementation: echo -n password | argon2 somesalt -id -t 2 -k 256 -p 1 -l 24 -e
    const phc = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
    for (const argon2 of [await loadArgon2(), nodeArgon2]) {
      assert.equal(await argon2.verify(phc, 'password'), true)
      assert.equal(await argon2.verify(phc, 'passwore'), false)
    }
  })
})

describe('hasher', () => {
  it('creates a salted PHC string that verifies its password and no other', async () => {
    const hasher = createHasher({ concurrency: 2, queueLimit: 10 })
    const [first, second] = await Promise.all([hasher.hash(password), hasher.hash(password)])
    assert.match(first, current)
    assert.notEqual(first, second)
    assert.equal(await hasher.verify(first, password), true)
    assert.equal(await hasher.verify(first, password.toUpperCase()), false)
    assert.equal(await hasher.verify(first, ''), false)
  })

  it('knows a password again when it is typed decomposed', async () => {
    const hasher = createHasher({ concurrency: 1, queueLimit: 10 })
    const [composed, decomposed] = ['schöne grüße'.normalize('NFC'), 'schöne grüße'.normalize('NFD')]
    assert.equal(await hasher.verify(await hasher.hash(composed), decomposed), true)
    assert.equal(await hasher.verify(await hasher.hash(decomposed), composed), true)
  })

  it('does not cut long passwords short', async () => {
    const hasher = createHasher({ concurrency: 1, queueLimit: 10 })
    const phc = await hasher.hash(`${'x'.repeat(1023)}a`)
    assert.equal(await hasher.verify(phc, `${'x'.repeat(1023)}b`), false)
    assert.equal(await hasher.verify(phc, 'x'.repeat(1023)), false)
  })

  it('verifies an absent password in vain, with the parameters of a present one', async () => {
    const verified: string[] = []
    const hasher = createHasher({ concurrency: 1, queueLimit: 10, load: () => watched((phc) => verified.push(phc)) })
    assert.equal(await hasher.verifyEvenly(null, password), false)
    assert.equal(verified.length, 1)
    assert.match(verified[0] ?? '', current)
  })

  it('hashes at most its concurrency at once, and refuses what exceeds the queue', async () => {
    let running = 0
    let most = 0
    const hasher = createHasher({
      concurrency: 2,
      queueLimit: 3,
      load: () =>
        watched(
          () => (most = Math.max(most, ++running)),
          () => running--,
        ),
    })
    const attempts = Array.from({ length: 8 }, () => hasher.hash(password))
    assert.equal(hasher.queued, 3)
    const outcomes = await Promise.allSettled(attempts)
    assert.equal(most, 2)
    const refusals = outcomes.filter(({ status }) => status === 'rejected')
    assert.equal(refusals.length, 3)
    for (const refusal of refusals) assert.equal((refusal as PromiseRejectedResult).reason.code, 'overloaded')
    assert.equal(hasher.queued, 0)
  })

  it('loads no implementation before the first password', async () => {
    let loads = 0
    const load = (): Promise<Argon2> => {
      loads++
      return loadArgon2()
    }
    const hasher = createHasher({ concurrency: 2, queueLimit: 10, load })
    assert.equal(loads, 0)
    await Promise.all([hasher.hash(password), hasher.hash(password)])
    assert.equal(loads, 1)
  })

  const stored = '$argon2id$v=19$m=19456,t=2,p=1$nhSOkvs0shCgWYbhN8/krA$9ugCsh8Wxxzcg/vmo4I65pL2h2OeaW+bIyxV63oLiXg'
  const rehashes: readonly (readonly [why: string, phc: string, expected: boolean])[] = [
    ['as made now', stored, false],
    ['with more memory', stored.replace('19456', '65536'), true],
    ['with more passes', stored.replace('t=2', 't=3'), true],
    ['with less memory', stored.replace('19456', '19455'), true],
    ['with fewer passes', stored.replace('t=2', 't=1'), true],
    ['by argon2i', stored.replace('argon2id', 'argon2i'), true],
    ['by the old version', stored.replace('v=19', 'v=16'), true],
    ['with a short salt', stored.replace('nhSOkvs0shCgWYbhN8/krA', 'c29tZXNhbHQ'), true],
    ['with a short tag', stored.slice(0, -20), true],
    ['of another kind', '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW', true],
  ]
  for (const [why, phc, expected] of rehashes) {
    it(`${expected ? 'wants to replace' : 'leaves'} a hash ${why}`, () => {
      assert.equal(createHasher({ concurrency: 1, queueLimit: 1 }).needsRehash(phc), expected)
    })
  }

  it('accepts hashes with its own parameters, and replaces what the service itself created', async () => {
    const parameters = { ...argon2Parameters, memoryKib: 8, passes: 1 }
    const hasher = createHasher({ concurrency: 1, queueLimit: 1, parameters })
    const phc = await hasher.hash(password)
    assert.match(phc, /^\$argon2id\$v=19\$m=8,t=1,p=1\$/)
    assert.deepEqual([hasher.needsRehash(phc), hasher.needsRehash(stored)], [false, true])
    assert.equal(await hasher.verifyEvenly(phc, password), true)
  })

  const unverifiable: readonly string[] = [
    '',
    'not a hash',
    stored.replace('19456', '4194304'),
    stored.replace('t=2', 't=4000000000'),
    stored.replace('p=1', 'p=255'),
  ]
  for (const phc of unverifiable) {
    it(`refuses to verify ${JSON.stringify(phc)}, without naming it`, async () => {
      const hasher = createHasher({ concurrency: 1, queueLimit: 1 })
      await assert.rejects(hasher.verify(phc, password), (error: Error) => phc === '' || !error.message.includes(phc))
    })
  }
})

/** The real implementation, watched as it begins and ends. */
async function watched(began: (phc: string) => void, onEnd: () => void = () => {}): Promise<Argon2> {
  const real = await loadArgon2()
  const watch = async <Result>(phc: string, work: () => Promise<Result>): Promise<Result> => {
    began(phc)
    try {
      return await work()
    } finally {
      onEnd()
    }
  }
  return {
    hash: (password) => watch('', () => real.hash(password)),
    verify: (phc, password) => watch(phc, () => real.verify(phc, password)),
  }
}
