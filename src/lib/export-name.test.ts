import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exportName } from './export-name.ts'
import { clockText, instantOfClock, zoneClock, zoneOfColumn } from './zone-clock.ts'

describe('the name of an exported file', () => {
  const day = new Date('2026-11-29T23:00:00Z')
  const cases: [string, string[], string][] = [
    ['Orchard', ['disabled'], 'orchard-users-disabled-2026-11-29'],
    ['Müller & Söhne / GmbH', [], 'mueller-soehne-gmbh-users-2026-11-29'],
    ['بستان', ['../../etc', 'x'.repeat(100)], `users-etc-${'x'.repeat(32)}-2026-11-29`],
  ]
  for (const [productName, filters, expected] of cases) {
    it(`is ${expected}`, () => assert.equal(exportName({ productName, what: 'users', filters, day }), expected))
  }
})

describe('the clocks of a time zone', () => {
  const text = (zone: string, instant: string) => clockText(zoneClock(zone)(Date.parse(instant)))

  it('show summer and winter, half hours, and times of before clocks were set alike', () => {
    assert.equal(text('Europe/Berlin', '2026-07-01T12:00:00Z'), '2026-07-01 14:00:00')
    assert.equal(text('Europe/Berlin', '2026-10-25T00:59:59Z'), '2026-10-25 02:59:59')
    assert.equal(text('Europe/Berlin', '2026-10-25T01:00:00Z'), '2026-10-25 02:00:00')
    assert.equal(text('Asia/Kathmandu', '2026-11-29T23:00:00Z'), '2026-11-30 04:45:00')
    const berlin = zoneClock('Europe/Berlin')
    for (const instant of [
      '2026-03-29T00:59:59Z',
      '2026-03-29T01:00:00Z',
      '2026-07-01T12:00:00Z',
      '2026-10-25T03:00:00Z',
    ])
      assert.equal(instantOfClock(berlin, berlin(Date.parse(instant))), Date.parse(instant), instant)
    assert.deepEqual(zoneOfColumn('Erstellt (Europe/Berlin)'), { label: 'Erstellt', timeZone: 'Europe/Berlin' })
    assert.equal(zoneOfColumn('Name (given)'), undefined)
    assert.equal(text('UTC', '2026-11-29T23:00:00.5Z'), '2026-11-29 23:00:00')
  })
})
