import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { batches, changeOf, judge, type Pair, type Verdict } from '../bench/guard/decision.ts'
import { randomNumbers } from '../bench/users.ts'

const pair = (ratio: number): Pair => ({
  before: { perSecond: 1000, cpuMicroseconds: 50 },
  after: { perSecond: 1000 * ratio, cpuMicroseconds: 50 / ratio },
})
const batch = (...ratios: number[]) => ratios.map(pair)

/** Measures until there is a verdict, as the guard does. */
function decide(next: () => number): { verdict: Verdict; measured: number } {
  const measured: Pair[][] = []
  let verdict: Verdict
  do {
    measured.push(batch(next(), next(), next()))
    verdict = judge(measured)
  } while (verdict === 'measure again')
  return { verdict, measured: measured.length }
}

/** Ratios of a machine that other people use: most are near the truth, some are far off. */
function noisy(truth: number, seed: number): () => number {
  const random = randomNumbers(seed)
  const uniform = () => random() / 2 ** 32
  return () => truth * (uniform() < 0.1 ? 0.5 + uniform() * 1.5 : 0.85 + (uniform() + uniform()) * 0.15)
}

function failures(truth: number): number {
  const runs = Array.from({ length: 500 }, (_, i) => decide(noisy(truth, 1000 + 7919 * i)))
  return runs.filter(({ verdict }) => verdict === 'FAILED').length / runs.length
}

describe('the guard of the measurements', () => {
  it('passes what is as fast as before, after the first batches', () => {
    assert.deepEqual(
      decide(() => 1),
      { verdict: 'passed', measured: batches.first },
    )
    assert.deepEqual(
      decide(() => 1.3),
      { verdict: 'passed', measured: batches.first },
    )
  })

  it('never decides from one batch', () => {
    assert.equal(judge([batch(1, 1, 1)]), 'measure again')
    assert.equal(judge([batch(0.2, 0.2, 0.2)]), 'measure again')
  })

  it('is not misled by a burst of other load in one pair', () => {
    assert.equal(judge([batch(1, 0.1, 1.01), batch(0.99, 1, 3)]), 'passed')
  })

  it('measures again what looks slower, and passes it when that was chance', () => {
    const slow = batch(0.8, 0.85, 0.8)
    const same = batch(1, 1.01, 0.99)
    assert.equal(judge([slow, slow]), 'measure again')
    assert.equal(judge([slow, slow, same]), 'measure again')
    assert.equal(judge([slow, slow, same, same, same]), 'passed')
  })

  it('fails a drop of 15 % as soon as enough batches agree', () => {
    assert.deepEqual(
      decide(() => 0.85),
      { verdict: 'FAILED', measured: batches.agree },
    )
  })

  it('finds a drop that the first batches hid in part', () => {
    const hidden = [0.94, 0.93, 0.94, 0.94, 0.93, 0.94]
    const found = decide(() => hidden.shift() ?? 0.86)
    assert.deepEqual(found, { verdict: 'FAILED', measured: batches.atMost })
  })

  it('tolerates a drop of 8 %, but measures it as often as it can', () => {
    assert.deepEqual(
      decide(() => 0.92),
      { verdict: 'passed', measured: batches.atMost },
    )
  })

  it('is right on a noisy machine', () => {
    assert.equal(failures(1), 0)
    assert.ok(failures(0.97) < 0.02, `${failures(0.97)} of 3 % slower`)
    assert.ok(failures(0.8) > 0.98, `${failures(0.8)} of 20 % slower`)
  })

  it('shows the change of the processor time too', () => {
    assert.equal(changeOf(batch(0.5, 0.5, 0.5), 'cpuMicroseconds'), 2)
  })
})
