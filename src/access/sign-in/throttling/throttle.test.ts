import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { networkLimit, strangerLimit, totalLimit } from '../../../directory/users/lock-rules.ts'
import { type Attempt, type Budget, type Counted, clear, delayMs, giveBack, reserve, waitMs } from './throttle.ts'

const minute = 60_000
const start = Date.UTC(2026, 10, 20)
const budget: Budget = { key: 'network', burst: 30, refillMs: 6000 }
const stranger: Attempt = { total: 'total', lane: 'stranger', isFamiliar: false, budgets: [] }
/** What attempts of strangers are counted under; the crowd as in attempt.ts. */
const crowd: Budget = { key: 'crowd', burst: 20, refillMs: 30_000 }
const from = (network: number): Attempt => ({ ...stranger, lane: `network ${network}`, budgets: [crowd] })
const familiar = (device: number): Attempt => ({ ...stranger, lane: `device ${device}`, isFamiliar: true })

/** Plays attempts over time. Returns those that were checked. */
function play(events: readonly { at: number; attempt: Attempt; end?: 'right' | 'not looked at' }[]) {
  let counted: Counted = new Map()
  const evaluated: { at: number; attempt: Attempt }[] = []
  const refused: { at: number; wait: number }[] = []
  for (const { at, attempt, end } of events.toSorted((a, b) => a.at - b.at)) {
    const now = start + at
    const wait = waitMs(attempt, counted, now)
    if (wait > 0) {
      refused.push({ at, wait })
      continue
    }
    const { reservation, next } = reserve(attempt, counted, now)
    counted = new Map([...counted, ...next])
    if (reservation.isShutOut) continue
    if (end === 'not looked at') counted = new Map([...counted, ...giveBack(reservation, counted)])
    else evaluated.push({ at, attempt })
    if (end === 'right') counted = new Map([...counted, ...clear(reservation, counted)])
  }
  return { evaluated, refused, counted }
}

/** This many failures, each as early as the delay allows. */
function asEarlyAsAllowed(failures: number, attempt: Attempt): { at: number; attempt: Attempt }[] {
  const delays = Array.from({ length: failures }, (_, before) => delayMs(before))
  return delays.map((_, i) => ({ at: delays.slice(0, i + 1).reduce((sum, delay) => sum + delay, 0), attempt }))
}

/** The most that fall into any window of that length. */
function mostIn(windowMs: number, times: readonly number[]): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length))
}

const times = (most: number) => fc.array(fc.integer({ min: 0, max: most }), { maxLength: 400 })

describe('the throttle of sign-ins', () => {
  it('allows five failures, then requires 1 s, 2 s, 4 s … up to 15 minutes', () => {
    assert.deepEqual(
      Array.from({ length: 18 }, (_, failures) => delayMs(failures) / 1000),
      [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900],
    )
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (a, b) => {
        assert.ok(delayMs(Math.min(a, b)) <= delayMs(Math.max(a, b)))
        assert.ok(delayMs(a) <= 15 * minute)
      }),
    )
  })

  it('checks at most 15 failures of a network in any 15 minutes, and 20 in a row, however they are spread', () => {
    fc.assert(
      fc.property(times(60 * minute), (moments) => {
        const { evaluated } = play(moments.map((at) => ({ at, attempt: stranger })))
        assert.ok(evaluated.length <= networkLimit)
        assert.ok(
          mostIn(
            15 * minute,
            evaluated.map(({ at }) => at),
          ) <= 15,
        )
      }),
    )
    const { evaluated } = play(Array.from({ length: 20_000 }, (_, i) => ({ at: i * 50, attempt: stranger })))
    assert.equal(
      mostIn(
        15 * minute,
        evaluated.map(({ at }) => at),
      ),
      14,
    ) // The bound is nearly reached.
  })

  it('checks at most 30 failures of a network at once, and 10 a minute after that', () => {
    fc.assert(
      fc.property(times(10 * minute), fc.integer({ min: 1, max: 8 }), (moments, minutes) => {
        const attempts = moments.map((at, i) => ({
          at,
          attempt: { ...stranger, lane: `${i}`, total: `${i}`, budgets: [budget] },
        }))
        const { evaluated } = play(attempts)
        assert.ok(
          mostIn(
            minutes * minute,
            evaluated.map(({ at }) => at),
          ) <=
            30 + 10 * minutes,
        )
      }),
    )
  })

  it('checks at most 100 failures in a row, 90 of them by strangers, in any order and at any time', () => {
    const someone = fc.record({
      atMs: fc.integer({ min: 0, max: 200 * 60 * minute }),
      who: fc.integer({ min: 0, max: 9 }),
    })
    fc.assert(
      fc.property(fc.array(someone, { minLength: 300, maxLength: 400 }), (steps) => {
        const events = steps.map(({ atMs, who }) => ({ at: atMs, attempt: who < 2 ? familiar(who) : from(who) }))
        const { evaluated } = play(events)
        assert.ok(evaluated.length <= totalLimit)
        const strange = evaluated.findLastIndex(({ attempt }) => !attempt.isFamiliar)
        assert.ok(strange < strangerLimit)
      }),
      { numRuns: 50 },
    )
  })

  it('stops strangers, but lets a familiar browser continue', () => {
    const day = 24 * 60 * minute
    const attack = Array.from({ length: 1000 }, (_, i) => ({ at: i * 15 * minute, attempt: from(i % 5) }))
    const own = { at: 100 * day, attempt: familiar(1), end: 'right' as const }
    const { evaluated, counted } = play([...attack, own])
    assert.equal(evaluated.length, strangerLimit + 1)
    assert.equal(counted.get('total')?.failures, 0)
  })

  it('does not let one network delay users of another, however often it tries', () => {
    const own = (at: number) => ({ at, attempt: from(2), end: 'right' as const })
    const isLetIn = (attack: readonly number[], at: number) => {
      const { evaluated, refused } = play([...attack.map((at) => ({ at, attempt: from(1) })), own(at)])
      assert.equal(evaluated.at(-1)?.attempt.lane, 'network 2')
      assert.ok(refused.every((refusal) => refusal.at <= at))
    }
    fc.assert(
      fc.property(times(3 * 24 * 60 * minute), fc.nat({ max: 4 * 24 * 60 * minute }), (attack, at) =>
        isLetIn(
          attack.filter((moment) => moment < at),
          at,
        ),
      ),
    )
    // The worst case: each attempt as early as possible.
    const attack = asEarlyAsAllowed(200, from(1)).map(({ at }) => at)
    for (const [i, at] of attack.entries()) isLetIn(attack.slice(0, i + 1), at)
  })

  it('checks at most 20 failures of strangers at once, and 2 a minute after that, from any number of networks', () => {
    fc.assert(
      fc.property(times(20 * minute), fc.integer({ min: 1, max: 20 }), (moments, minutes) => {
        const { evaluated } = play(moments.map((at, network) => ({ at, attempt: from(network) })))
        assert.ok(
          mostIn(
            minutes * minute,
            evaluated.map(({ at }) => at),
          ) <=
            20 + 2 * minutes,
        )
      }),
    )
    const flood = Array.from({ length: 40_000 }, (_, i) => ({ at: i * 100, attempt: from(i) }))
    const { evaluated, refused } = play(flood)
    assert.equal(evaluated.length, strangerLimit)
    assert.equal(evaluated.at(-1)?.at, (strangerLimit - 20) * 30_000)
    assert.ok(refused.every(({ wait }) => wait <= 30_000))
  })

  it('gives a network nothing for the right password that came from another', () => {
    const attack = (at: number) => Array.from({ length: 30 }, () => ({ at, attempt: from(1) }))
    const own = { at: 1, attempt: from(2), end: 'right' as const }
    const { evaluated, counted } = play([...attack(0), own, ...attack(2)])
    assert.equal(evaluated.length, 5 + 1)
    assert.equal(counted.get('network 1')?.failures, 5)
    assert.equal(counted.get('crowd')?.failures, 5)
  })

  it('keeps each familiar browser apart from strangers and from other browsers', () => {
    const flood = Array.from({ length: 50 }, () => ({ at: 0, attempt: stranger }))
    const other = Array.from({ length: 50 }, () => ({ at: 1, attempt: familiar(2) }))
    const { evaluated } = play([...flood, ...other, { at: 2, attempt: familiar(1) }])
    assert.deepEqual(
      [0, 1, 2].map((moment) => evaluated.filter(({ at }) => at === moment).length),
      [5, 5, 1],
    )
  })

  it('says how long to wait, and accepts the next attempt exactly then', () => {
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 60 }), (failures) => {
        const events = asEarlyAsAllowed(failures, stranger)
        const at = events.at(-1)?.at ?? 0
        const { refused } = play([...events, { at: at + delayMs(failures) - 1, attempt: stranger }])
        assert.deepEqual(refused, [{ at: at + delayMs(failures) - 1, wait: 1 }])
        assert.deepEqual(play([...events, { at: at + delayMs(failures), attempt: stranger }]).refused, [])
      }),
    )
  })

  it('resets a lane after its right password, but only gives one attempt back to the network', () => {
    const attempt = { ...stranger, budgets: [budget] }
    const wrong = Array.from({ length: 4 }, () => ({ at: 0, attempt }))
    const { counted } = play([...wrong, { at: 0, attempt, end: 'right' }])
    assert.deepEqual(counted.get('stranger'), { failures: 0, allowedAtMs: 0 })
    assert.equal(counted.get('network')?.failures, 4)
    const after = play([
      ...wrong,
      { at: 0, attempt, end: 'right' },
      ...Array.from({ length: 40 }, (_, i) => ({ at: 0, attempt: { ...attempt, lane: `${i}` } })),
    ])
    assert.equal(after.evaluated.length, 1 + 30)
  })

  it('does not count an attempt whose password was not checked', () => {
    const attempt = { ...stranger, budgets: [budget] }
    fc.assert(
      fc.property(fc.integer({ min: 0, max: networkLimit - 1 }), (before) => {
        const events = asEarlyAsAllowed(before, attempt)
        const at = (events.at(-1)?.at ?? 0) + 20 * minute
        const plain = play(events)
        const { counted } = play([...events, { at, attempt, end: 'not looked at' }])
        for (const key of ['total', 'stranger', 'network'])
          assert.equal(counted.get(key)?.failures ?? 0, plain.counted.get(key)?.failures ?? 0, key)
        assert.equal(waitMs(attempt, counted, start + at), 0)
      }),
    )
  })

  it('does not count an attempt that had to wait, so that retrying does not prolong the wait', () => {
    const six = Array.from({ length: 6 }, (_, i) => ({ at: i, attempt: stranger }))
    const knocks = Array.from({ length: 500 }, (_, i) => ({ at: 10 + i, attempt: stranger }))
    const { evaluated, refused } = play([...six, ...knocks, { at: 1004, attempt: stranger }])
    assert.equal(refused.length, 1 + 500)
    assert.equal(evaluated.at(-1)?.at, 1004)
  })

  it('never requires a wait that no rule sets, when the clock was wrong', () => {
    const counted: Counted = new Map([['stranger', { failures: 9, allowedAtMs: Date.UTC(2099) }]])
    assert.equal(waitMs(stranger, counted, Date.UTC(2026)), 0)
    const { next } = reserve(stranger, counted, Date.UTC(2026))
    assert.equal(next.get('stranger')?.allowedAtMs, Date.UTC(2026) + delayMs(10))
  })
})
