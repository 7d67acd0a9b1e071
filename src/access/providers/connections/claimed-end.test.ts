import assert from 'node:assert/strict'
import { it } from 'node:test'
import { endIn } from './claimed-end.ts'

const year = 2026
const endOfYear = `${year}-12-31T23:59:59.000Z`
const seconds = Date.parse(endOfYear) / 1000
const fileTime = String((BigInt(seconds) + 11_644_473_600n) * 10_000_000n)

it('an end date is a date and time, a date, or seconds as a number', () => {
  const cases: [unknown, string | undefined][] = [
    [`${year}-12-31T23:59:59Z`, endOfYear],
    [`${year}-12-31T23:59:59.000+00:00`, endOfYear],
    [`${year + 1}-01-01T01:59:59+02:00`, endOfYear],
    [`${year}-12-31`, `${year}-12-31T23:59:59.999Z`],
    ['2028-02-29', '2028-02-29T23:59:59.999Z'],
    ['9999-12-31', '9999-12-31T23:59:59.999Z'],
    [seconds, endOfYear],
    [seconds + 0.5, `${year}-12-31T23:59:59.500Z`],
    [0, '1970-01-01T00:00:00.000Z'],
    ...[-1, seconds * 1000, 1e300, Number.NaN, Number.POSITIVE_INFINITY].map((one) => [one, undefined] as const),
    ...[
      '',
      'never',
      '2026-02-30',
      '2027-02-29',
      '31.12.2026',
      '12/31/2026',
      '2026-12-31T23:59:59',
      '9999-12-31T23:59:59-01:00',
    ].map((one) => [one, undefined] as const),
    ...[String(seconds), fileTime, '20261231235959Z', '0'].map((one) => [one, undefined] as const),
    ...[true, false, ['2026-12-31'], { end: '2026-12-31' }].map((one) => [one, undefined] as const),
  ].map(([value, end]) => [value, end as string | undefined])
  for (const [value, end] of cases) assert.equal(endIn(value, { isDirectory: false }), end, JSON.stringify(value))
})

it('of a directory, it is also generalized time, or a large integer of Active Directory', () => {
  const cases: [string, string | null | undefined][] = [
    [fileTime, endOfYear],
    ['0', null],
    ['9223372036854775807', null],
    ['9223372036854775806', undefined],
    ['133000000000000000', '2022-06-18T04:26:40.000Z'],
    ['1798761599', undefined],
    ['-1', undefined],
    ['20261231235959Z', endOfYear],
    ['20261231235959.9Z', endOfYear],
    ['20261231235959,9Z', endOfYear],
    ['202612312359Z', `${year}-12-31T23:59:00.000Z`],
    ['2026123123Z', `${year}-12-31T23:00:00.000Z`],
    ['20270101015959+0200', endOfYear],
    ['20270101015959+02', endOfYear],
    ['20280229000000Z', '2028-02-29T00:00:00.000Z'],
    ['20270229000000Z', undefined],
    ['20261331235959Z', undefined],
    ['20261231245959Z', undefined],
    ['20261231235959', undefined],
    ['2026-12-31', `${year}-12-31T23:59:59.999Z`],
    ['someday', undefined],
  ]
  for (const [value, end] of cases) assert.equal(endIn(value, { isDirectory: true }), end, value)
})
