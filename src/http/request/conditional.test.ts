import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { assertCheap } from '../../../test/processor-time.ts'
import { etagOf, expectedVersion, isNotModified } from './conditional.ts'

const malformed = { code: 'malformed_header', status: 400 }

const versionIn = (header: string | undefined, config = { requireIfMatch: false }) =>
  expectedVersion({ headers: { 'if-match': header } }, config)

const isHeld = (header: string | undefined, etag: string) =>
  isNotModified({ headers: { 'if-none-match': header } }, etag)

describe('conditional requests', () => {
  it('reads If-Match as the versions that it names', () => {
    const cases: [string, readonly number[] | '*'][] = [
      ['*', '*'],
      [' * ', '*'],
      ['"1"', [1]],
      ['"1", "22" ,"333"', [1, 22, 333]],
      // RFC 9110 §5.6.1: empty list members are ignored.
      [', "1", ,"2",', [1, 2]],
      // §13.1.1 compares strongly: a weak tag matches nothing, and neither does one that is not ours.
      ['W/"1"', []],
      ['"x", "0", "01", "-1", "1.5", "1e1", ""', []],
      ['"9999999999999999"', []],
      ['W/"1", "2"', [2]],
    ]
    for (const [header, expected] of cases) assert.deepEqual(versionIn(header), expected, header)
  })

  it('expects nothing without If-Match, unless it is required', () => {
    assert.equal(versionIn(undefined), undefined)
    assert.throws(() => versionIn(undefined, { requireIfMatch: true }), { code: 'precondition_required', status: 428 })
    assert.deepEqual(versionIn('"3"', { requireIfMatch: true }), [3])
  })

  it('reads If-None-Match as the versions that a change must not replace', () => {
    const versions = (noneMatch: string, match?: string) =>
      expectedVersion({ headers: { 'if-none-match': noneMatch, 'if-match': match } }, { requireIfMatch: false })
    // §13.1.2: * is false for any resource that exists, and tags are compared weakly.
    assert.deepEqual(versions('*'), [])
    assert.deepEqual(versions('*', '"3"'), [])
    assert.deepEqual(versions('"1", W/"2", "x"'), { except: [1, 2] })
    assert.equal(versions('"x"'), undefined)
    assert.equal(versions('"x"', '*'), '*')
    assert.deepEqual(versions('"3"', '*'), { except: [3] })
    assert.deepEqual(versions('"3"', '"2", "3"'), [2])
    assert.throws(() => versions('3'), malformed)
  })

  it('refuses a header that is not a list of tags, rather than guess', () => {
    const headers = [
      '',
      ' ',
      ',',
      '1',
      '"1',
      '1"',
      '"1""2"',
      '"1" "2"',
      'w/"1"',
      'W/ "1"',
      '*, "1"',
      '"1", *',
      '"a b"',
      '"1"x',
      "'1'",
    ]
    for (const header of headers) {
      assert.throws(() => versionIn(header), malformed, header)
      assert.throws(() => isHeld(header, '"1"'), malformed, header)
    }
  })

  it('refuses a read whose If-Match names only other versions, before it looks at If-None-Match', () => {
    const isCurrent = (match: string, etag = etagOf(1)) =>
      isNotModified({ headers: { 'if-match': match, 'if-none-match': '"1"' } }, etag)
    for (const current of ['*', '"1"', '"2", "1"']) assert.ok(isCurrent(current), current)
    for (const other of ['"2"', 'W/"1"', '"x"']) {
      assert.throws(() => isCurrent(other), { code: 'precondition_failed', status: 412 }, other)
    }
    // §13.1.1 compares strongly, so a weak validator matches no tag.
    assert.throws(() => isCurrent('W/"1"', 'W/"1"'), { code: 'precondition_failed' })
    assert.ok(isCurrent('*', 'W/"1"'))
    assert.throws(() => isCurrent('1'), malformed)
  })

  it('compares If-None-Match weakly', () => {
    assert.ok(isHeld('"1"', etagOf(1)))
    assert.ok(isHeld('W/"1"', etagOf(1)))
    assert.ok(isHeld('"x", W/"a.1"', 'W/"a.1"'))
    assert.ok(isHeld('*', etagOf(1)))
    assert.ok(!isHeld('"2", "11"', etagOf(1)))
    assert.ok(!isHeld(undefined, etagOf(1)))
  })

  it('finds each tag of any list, and reads a long one quickly', () => {
    const tag = fc.record({ weak: fc.boolean(), value: fc.stringMatching(/^[!#-~\x80-\xff]{0,8}$/) })
    fc.assert(
      fc.property(fc.array(tag, { minLength: 1 }), fc.constantFrom(',', ', ', ' ,\t'), (tags, separator) => {
        const header = tags.map(({ weak, value }) => `${weak ? 'W/' : ''}"${value}"`).join(separator)
        for (const { value } of tags) assert.ok(isHeld(header, `"${value}"`))
        assert.ok(!isHeld(header, '"not among them"'))
      }),
    )
    assertCheap(200, () => assert.ok(!isHeld(`${'"x", '.repeat(3000)}"y"`, '"z"')))
  })
})
