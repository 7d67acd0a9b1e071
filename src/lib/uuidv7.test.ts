import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isUuid, uuidv7Maker } from './uuidv7.ts'

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

function msOf(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
}

describe('uuidv7', () => {
  it('has version 7, the variant of RFC 9562 and the time in its first 48 bits', () => {
    const now = Date.UTC(2026, 10, 20, 9, 30)
    const id = uuidv7Maker()(now)
    assert.match(id, form)
    assert.equal(msOf(id), now)
    assert.ok(isUuid(id))
  })

  it('only ever grows, whatever the clock does', () => {
    const clock = fc.array(fc.oneof(fc.integer({ min: 0, max: 2 ** 45 }), fc.constantFrom(1, 1000)), { maxLength: 200 })
    fc.assert(
      fc.property(clock, (times) => {
        const make = uuidv7Maker()
        const ids = times.map(make)
        assert.deepEqual(ids.toSorted(), ids)
        assert.equal(new Set(ids).size, ids.length)
        for (const id of ids) assert.match(id, form)
      }),
    )
  })

  it('borrows from the next millisecond when one is used up, and has room for 2,048 before', () => {
    const make = uuidv7Maker()
    const ids = Array.from({ length: 10_000 }, () => make(1_000_000))
    assert.deepEqual(ids.toSorted(), ids)
    assert.ok(ids.slice(0, 2048).every((id) => msOf(id) === 1_000_000))
    assert.ok(msOf(ids.at(-1) as string) > 1_000_000)
    assert.ok(msOf(ids.at(-1) as string) < 1_000_006)
  })

  it('continues after the greatest id of an earlier process, even if the clock was set back', () => {
    const before = uuidv7Maker()
    const last = Array.from({ length: 5000 }, () => before(2_000_000)).at(-1) as string
    const after = uuidv7Maker(last)
    const ids = Array.from({ length: 5000 }, () => after(1_000))
    assert.ok((ids[0] as string) > last)
    assert.deepEqual(ids.toSorted(), ids)
  })

  it('makes ids that cannot be guessed from another', () => {
    const make = uuidv7Maker()
    const tails = Array.from({ length: 1000 }, () => make(1).slice(19))
    assert.equal(new Set(tails).size, tails.length)
  })

  it('accepts ids in lower case only', () => {
    const id = '019a9f3e-0000-7000-8000-0123456789ab'
    assert.ok(isUuid(id))
    const others = [
      '',
      'x',
      id.toUpperCase(),
      `${id}0`,
      ` ${id}`,
      `${id}\n`,
      id.replaceAll('-', ''),
      id.replace('9', 'g'),
      `{${id}}`,
    ]
    for (const text of others) assert.ok(!isUuid(text), text)
  })
})
