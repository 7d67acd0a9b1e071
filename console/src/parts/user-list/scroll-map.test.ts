import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  barHeight,
  highest,
  isStuck,
  lastTop,
  placeAfter,
  placeAt,
  rowsInView,
  type Scale,
  topShowing,
} from './scroll-map.ts'

const million: Scale = { total: 1_000_000, rowHeight: 52, viewHeight: 700 }
const short: Scale = { total: 3000, rowHeight: 52, viewHeight: 700 }
const scales = fc.record({
  total: fc.integer({ min: 1, max: 5_000_000 }),
  rowHeight: fc.constantFrom(36, 52, 92),
  viewHeight: fc.integer({ min: 100, max: 2000 }),
})

describe('the scroll map of a long list', () => {
  it('keeps the scrolled element below the limit of browsers', () => {
    assert.equal(barHeight(million), highest)
    assert.equal(barHeight(short), 3000 * 52)
  })

  it('moves a list that fits as far as the bar', () => {
    assert.deepEqual(placeAfter({ top: 100, bar: 100 }, 90_000, short), { top: 90_000, bar: 90_000 })
  })

  it('moves a list that does not fit as far as a small step of the bar', () => {
    const before = placeAt(20_000_000, million)
    assert.deepEqual(placeAfter(before, before.bar + 120, million), { top: 20_000_120, bar: before.bar + 120 })
    assert.deepEqual(placeAfter(before, before.bar - 120, million), { top: 19_999_880, bar: before.bar - 120 })
  })

  it('goes to the same fraction of the list when the bar is dragged', () => {
    const half = (barHeight(million) - million.viewHeight) / 2
    assert.equal(placeAfter({ top: 0, bar: 0 }, half, million).top, lastTop(million) / 2)
  })

  it('reaches both ends from everywhere', () => {
    fc.assert(
      fc.property(scales, fc.double({ min: 0, max: 1, noNaN: true }), (scale, share) => {
        const somewhere = placeAt(share * lastTop(scale), scale)
        const bottom = Math.max(0, barHeight(scale) - scale.viewHeight)
        for (const [bar, end] of [
          [0, 0],
          [bottom, lastTop(scale)],
        ] as const) {
          let place = placeAfter(somewhere, bar, scale)
          if (isStuck(place, scale)) place = placeAfter(placeAt(place.top, scale), bar, scale)
          // A corrected bar matches its list, so each attempt comes nearer.
          for (let tries = 0; tries < 40 && Math.abs(place.top - end) > 1; tries += 1)
            place = placeAfter(placeAt(place.top, scale), bar, scale)
          assert.ok(Math.abs(place.top - end) <= 1)
        }
      }),
    )
  })

  it('is stuck only if the bar ends and the list does not, or the other way round', () => {
    assert.equal(isStuck({ top: 5000, bar: 0 }, million), true)
    assert.equal(isStuck({ top: 0, bar: 300 }, million), true)
    assert.equal(isStuck({ top: 0, bar: 0 }, million), false)
    assert.equal(isStuck({ top: lastTop(million), bar: highest - 700 }, million), false)
    assert.equal(isStuck({ top: lastTop(million) - 5000, bar: highest - 700 }, million), true)
    assert.equal(isStuck({ top: 5000, bar: 5000 }, short), false)
  })

  it('is never stuck once the bar is corrected', () => {
    fc.assert(
      fc.property(scales, fc.double({ min: 0, max: 1, noNaN: true }), (scale, share) => {
        const place = placeAt(Math.round(share * lastTop(scale)), scale)
        // Within the first and last pixel of the bar lies less than a screen of the list.
        const nearEnd = Math.min(place.top, lastTop(scale) - place.top) < scale.viewHeight
        assert.ok(nearEnd || !isStuck(place, scale))
      }),
    )
  })

  it('returns the rows that touch the view', () => {
    assert.deepEqual(rowsInView(0, million), { start: 0, end: 14 })
    assert.deepEqual(rowsInView(51, million), { start: 0, end: 15 })
    assert.deepEqual(rowsInView(52, million), { start: 1, end: 15 })
    assert.deepEqual(rowsInView(lastTop(million), million, 5), { start: 999_981, end: 1_000_000 })
    assert.deepEqual(rowsInView(0, { ...million, total: 0 }), { start: 0, end: 0 })
  })

  it('brings a row into view by the shortest way', () => {
    assert.equal(topShowing(3, 0, million), 0)
    assert.equal(topShowing(0, 5200, million), 0)
    assert.equal(topShowing(20, 0, million), 21 * 52 - 700)
    assert.equal(topShowing(999_999, 0, million), lastTop(million))
  })
})
