import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../../test/cases.ts'
import { assertCheap } from '../../../test/processor-time.ts'
import type { AttributePath } from '../schemas/attribute-path.ts'
import type { Filter, Literal, Test } from './ast.ts'
import { parseFilter } from './parser.ts'
import { printFilter } from './print.ts'

const compare = (name: string, operator: 'eq' | 'sw' | 'co' | 'gt', value: Literal) =>
  ({ kind: 'compare', path: pathOf(name), operator, value }) as const
const present = (name: string) => ({ kind: 'present', path: pathOf(name) }) as const

function pathOf(text: string): AttributePath {
  const [name = '', sub] = text.split('.')
  return sub === undefined ? { name } : { name, sub }
}

describe('parsing filters', () => {
  it('reads the examples of RFC 7644', () => {
    for (const [text, filter] of [
      ['userName eq "bjensen"', compare('userName', 'eq', 'bjensen')],
      [`name.familyName co "O'Malley"`, compare('name.familyName', 'co', "O'Malley")],
      [
        'urn:ietf:params:scim:schemas:core:2.0:User:userName sw "J"',
        {
          kind: 'compare',
          path: { urn: 'urn:ietf:params:scim:schemas:core:2.0:User', name: 'userName' },
          operator: 'sw',
          value: 'J',
        },
      ],
      ['title pr', present('title')],
      ['meta.lastModified gt "2011-05-13T04:42:34Z"', compare('meta.lastModified', 'gt', '2011-05-13T04:42:34Z')],
      [
        'title pr or userType eq "Intern"',
        { kind: 'or', filters: [present('title'), compare('userType', 'eq', 'Intern')] },
      ],
      [
        'userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")',
        {
          kind: 'and',
          filters: [
            compare('userType', 'eq', 'Employee'),
            {
              kind: 'or',
              filters: [compare('emails', 'co', 'example.com'), compare('emails.value', 'co', 'example.org')],
            },
          ],
        },
      ],
      ['not (emails co "example.com")', { kind: 'not', filter: compare('emails', 'co', 'example.com') }],
      [
        'userType eq "Employee" and emails[type eq "work" and value co "@example.com"]',
        {
          kind: 'and',
          filters: [
            compare('userType', 'eq', 'Employee'),
            {
              kind: 'element',
              path: { name: 'emails' },
              filter: { kind: 'and', filters: [compare('type', 'eq', 'work'), compare('value', 'co', '@example.com')] },
            },
          ],
        },
      ],
    ] as const) {
      assert.deepEqual(parseFilter(text), filter, text)
    }
  })

  it('binds not before and, and before or', () => {
    assert.deepEqual(parseFilter('a pr or b pr and not (c pr) or d pr'), {
      kind: 'or',
      filters: [
        present('a'),
        { kind: 'and', filters: [present('b'), { kind: 'not', filter: present('c') }] },
        present('d'),
      ],
    })
    assert.deepEqual(parseFilter('(a pr or b pr) and c pr'), {
      kind: 'and',
      filters: [{ kind: 'or', filters: [present('a'), present('b')] }, present('c')],
    })
  })

  it('keeps the comparison after brackets with the value that the brackets choose', () => {
    assert.deepEqual(parseFilter('emails[type eq "work"].value eq "a"'), {
      kind: 'element',
      path: { name: 'emails' },
      filter: compare('type', 'eq', 'work'),
      test: compare('value', 'eq', 'a'),
    })
  })

  it('ignores the case of operators and words, and reads every kind of value', () => {
    assert.deepEqual(parseFilter('A EQ true AND NOT(b Eq false) oR c eQ null'), {
      kind: 'or',
      filters: [
        { kind: 'and', filters: [compare('A', 'eq', true), { kind: 'not', filter: compare('b', 'eq', false) }] },
        compare('c', 'eq', null),
      ],
    })
    for (const [text, value] of [
      ['0', 0],
      ['-0', 0],
      ['-12.5e+2', -1250],
      ['1E3', 1000],
      [String.raw`"\u00e9\"\\\/\b\f\n\r\t"`, 'é"\\/\b\f\n\r\t'],
      [String.raw`"\ud83d\ude00 😀"`, '😀 😀'],
      ['""', ''],
      ['"a ) ] and [("', 'a ) ] and [('],
    ] as const) {
      assert.deepEqual(parseFilter(`x eq ${text}`), compare('x', 'eq', value))
    }
  })

  it('knows $ref, and attributes with the names of words', () => {
    assert.deepEqual(parseFilter('members.$ref eq "x"'), compare('members.$ref', 'eq', 'x'))
    assert.deepEqual(parseFilter('not pr and and pr or or pr'), {
      kind: 'or',
      filters: [{ kind: 'and', filters: [present('not'), present('and')] }, present('or')],
    })
    assert.deepEqual(parseFilter('not EQ "x"'), compare('not', 'eq', 'x'))
    assert.deepEqual(parseFilter('not PR'), present('not'))
  })

  it('refuses everything else, and says where and what to do', () => {
    for (const [text, detail] of [
      ['', /character 1\..*name of an attribute/],
      ['   ', /name of an attribute/],
      ['userName', /character 9\..*operator/],
      ['userName eq', /character 12\..*value/],
      ['userName eq ada', /quotation marks/],
      ['userName eq "ada', /character 13\..*does not end/],
      ['userName eq "a\\"', /does not end/],
      ['userName eq "\\x"', /not valid JSON/],
      ['userName eq "\u0001"', /not valid JSON/],
      ['userName eq "\\ud800"', /half a character/],
      ['userName eq True', /true, false or null/],
      ['userName eq 01', /value/],
      ['userName eq 1e999', /value/],
      ['userName eq NaN', /value/],
      ["userName eq 'ada'", /quotation marks/],
      ['userName = "ada"', /operator/],
      ['userName eq "a" "b"', /and, or, or nothing/],
      ['userName eq "a" and', /name of an attribute/],
      ['and userName eq "a"', /operator/],
      ['(userName eq "a"', /Close the parenthesis of character 1/],
      ['userName eq "a")', /and, or, or nothing/],
      ['emails[type eq "work"', /Close the bracket of character 7/],
      ['emails[]', /name of an attribute/],
      ['emails[type eq "work"].a.b eq "x"', /sub-attribute/],
      ['emails[type eq "work"].value', /operator/],
      ['emails[type eq "work"] .value eq "x"', /and, or, or nothing/],
      ['not userName eq "a"', /parenthesis after not/],
      ['user name eq "a"', /operator/],
      ['a..b pr', /name of an attribute/],
      ['a.b.c pr', /name of an attribute/],
      ['1a pr', /name of an attribute/],
      ['http://x:a pr', /name of an attribute/],
      [':a pr', /name of an attribute/],
    ] as const) {
      assert.throws(() => parseFilter(text), { scimType: 'invalidFilter', status: 400, message: detail }, text)
    }
  })

  it('never repeats what was sent', () => {
    const secret = 'hunter2'
    for (const text of [
      `${secret} ${secret}`,
      `userName eq ${secret}`,
      `"${secret}`,
      `userName eq "${secret}" ${secret}`,
    ]) {
      assert.throws(
        () => parseFilter(text),
        (error: Error) => !error.message.includes(secret),
      )
    }
  })

  it('refuses deep nesting without overflowing the stack', () => {
    for (const text of [
      `${'('.repeat(8_000)}a pr${')'.repeat(8_000)}`,
      `${'not('.repeat(3_000)}a pr${')'.repeat(3_000)}`,
      'a['.repeat(8_000),
      '('.repeat(16_000),
    ]) {
      assert.throws(() => parseFilter(text), { scimType: 'invalidFilter', message: /32 deep/ })
    }
    assert.throws(() => parseFilter('('.repeat(20_000)), { message: /longer than 16384/ })
  })

  it('reads long chains, in time that grows with their length', () => {
    const chain = Array.from({ length: 1_800 }, () => 'a pr').join(' or ')
    const filter = parseFilter(chain)
    assert.equal(filter.kind === 'or' && filter.filters.length, 1_800)
    assertCheap(1_000, () => {
      for (const text of ['a:'.repeat(8_000), ' '.repeat(16_000), `"${'\\\\'.repeat(8_000)}`, 'urn:a'.repeat(3_000)]) {
        assert.throws(() => parseFilter(text), { scimType: 'invalidFilter' })
      }
    })
  })
})

describe('printing filters', () => {
  const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,8}$/)
  const urn = fc.stringMatching(/^urn:[a-z0-9.:-]{1,20}[a-z0-9]$/)
  const path: fc.Arbitrary<AttributePath> = fc.record(
    { urn, name, sub: name },
    { requiredKeys: ['name'], noNullPrototype: true },
  )
  const literal: fc.Arbitrary<Literal> = fc.oneof(
    fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  )
  const operator = fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le')
  const testOf = (of: fc.Arbitrary<AttributePath>): fc.Arbitrary<Test> =>
    fc.oneof(
      fc.record({ kind: fc.constant('compare'), path: of, operator, value: literal }, { noNullPrototype: true }),
      fc.record({ kind: fc.constant('present'), path: of }, { noNullPrototype: true }),
    )
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      testOf(path),
      fc.record({ kind: fc.constant('not'), filter: tie('filter') }, { noNullPrototype: true }),
      fc.record(
        {
          kind: fc.constantFrom('and', 'or'),
          filters: fc.array(tie('filter'), { minLength: 2, maxLength: 4 }),
        },
        { noNullPrototype: true },
      ),
      fc.record(
        { kind: fc.constant('element'), path, filter: tie('filter'), test: testOf(name.map((one) => ({ name: one }))) },
        { requiredKeys: ['kind', 'path', 'filter'], noNullPrototype: true },
      ),
    ),
  }))

  it('is read back as the same filter', () => {
    fc.assert(
      fc.property(filter, (one) => {
        const text = printFilter(one)
        fc.pre(text.length <= 16_384)
        assert.deepEqual(parseFilter(text), one)
      }),
      { numRuns: cases(2_000) },
    )
  })

  it('means the same without regard to space around its parts', () => {
    fc.assert(
      fc.property(filter, (one) => {
        // Strings of the AST may hold the same characters, so only filters without strings are spread.
        const text = printFilter(one)
        fc.pre(text.length <= 4_000 && !text.includes('"'))
        assert.deepEqual(parseFilter(` ${text.replace(/([()])/g, ' $1 ').replaceAll(' ', ' \t ')} `), one)
      }),
      { numRuns: 500 },
    )
  })

  it('refuses or reads any text, and nothing else happens', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '(',
        ')',
        '[',
        ']',
        '"',
        '\\',
        'not',
        'and',
        'or',
        'eq',
        'pr',
        '.',
        ':',
        'userName',
        ' ',
        '\n',
        '1',
        'null',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.constantFrom('', ' '), (pieces, glue) => {
        const text = pieces.join(glue)
        try {
          const read = parseFilter(text)
          assert.deepEqual(parseFilter(printFilter(read)), read)
        } catch (error) {
          assert.equal((error as { scimType?: string }).scimType, 'invalidFilter')
        }
      }),
      { numRuns: cases(3_000) },
    )
  })
})
