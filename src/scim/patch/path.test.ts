import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../../test/cases.ts'
import { printFilter } from '../filter/print.ts'
import { enterpriseUserUrn } from '../protocol/urns.ts'
import { writeAttributePath } from '../schemas/attribute-path.ts'
import { parsePatchPath } from './path.ts'

function printPatchPath({ path, filter, sub }: ReturnType<typeof parsePatchPath>): string {
  const brackets = filter === undefined ? '' : `[${printFilter(filter)}]`
  return `${writeAttributePath(path)}${brackets}${sub === undefined ? '' : `.${sub}`}`
}

describe('paths of PATCH operations', () => {
  it('read the examples of RFC 7644 and those of clients', () => {
    const work = { kind: 'compare', path: { name: 'type' }, operator: 'eq', value: 'work' } as const
    for (const [text, path] of [
      ['members', { path: { name: 'members' } }],
      ['name.familyName', { path: { name: 'name', sub: 'familyName' } }],
      ['addresses[type eq "work"]', { path: { name: 'addresses' }, filter: work }],
      ['addresses[type eq "work"].streetAddress', { path: { name: 'addresses' }, filter: work, sub: 'streetAddress' }],
      [`${enterpriseUserUrn}:manager`, { path: { urn: enterpriseUserUrn, name: 'manager' } }],
      [`${enterpriseUserUrn}:manager.value`, { path: { urn: enterpriseUserUrn, name: 'manager', sub: 'value' } }],
      [enterpriseUserUrn, { path: { urn: enterpriseUserUrn.slice(0, -':User'.length), name: 'User' } }],
      [
        'urn:ietf:params:scim:schemas:core:2.0:User:emails[type eq "work"].value',
        { path: { urn: 'urn:ietf:params:scim:schemas:core:2.0:User', name: 'emails' }, filter: work, sub: 'value' },
      ],
      [' members[ type eq "work" ] ', { path: { name: 'members' }, filter: work }],
    ] as const) {
      assert.deepEqual(parsePatchPath(text), path, text)
    }
    assert.deepEqual(parsePatchPath('members[value eq "a b]c"]').filter, {
      kind: 'compare',
      path: { name: 'value' },
      operator: 'eq',
      value: 'a b]c',
    })
  })

  it('are refused otherwise', () => {
    for (const text of [
      '',
      ' ',
      '.',
      'a.',
      '.a',
      'a.b.c',
      'a b',
      '/emails',
      'emails[0',
      '[type eq "a"]',
      'a.b[type eq "a"]',
      'emails[type eq "a"]x y',
      'emails[type eq "a"][b pr]',
      'emails[type eq "a"] .value',
      '"a"',
      'a eq "b"',
      'urn:',
      ':a',
      '__proto__.x',
    ]) {
      assert.throws(
        () => parsePatchPath(text),
        (error: { scimType?: string }) => ['invalidPath', 'invalidFilter'].includes(error.scimType ?? ''),
        text,
      )
    }
    for (const text of [
      'emails[type]',
      'emails[]',
      'emails[type eq work]',
      'emails[type eq "a"',
      'emails[(type eq "a"]',
    ]) {
      assert.throws(() => parsePatchPath(text), { scimType: 'invalidFilter', status: 400 }, text)
    }
    assert.throws(() => parsePatchPath(`a[${'('.repeat(16_000)}`), { scimType: 'invalidFilter' })
    assert.throws(() => parsePatchPath('a'.repeat(20_000).concat('[')), { scimType: 'invalidFilter' })
  })

  it('are printed and read back as the same path', () => {
    const name = fc.stringMatching(/^[A-Za-z$][A-Za-z][A-Za-z0-9_-]{0,6}$/)
    const path = fc.record(
      { urn: fc.constant(enterpriseUserUrn), name },
      { requiredKeys: ['name'], noNullPrototype: true },
    )
    const filter = fc
      .tuple(name, fc.string({ unit: 'grapheme' }))
      .filter(([, value]) => value.isWellFormed())
      .map(([sub, value]) => ({ kind: 'compare', path: { name: sub }, operator: 'eq', value }) as const)
    fc.assert(
      fc.property(
        path,
        fc.option(filter, { nil: undefined }),
        fc.option(name, { nil: undefined }),
        (one, brackets, sub) => {
          const whole =
            brackets === undefined
              ? { path: sub === undefined ? one : { ...one, sub } }
              : { path: one, filter: brackets, ...(sub !== undefined && { sub }) }
          assert.deepEqual(parsePatchPath(printPatchPath(whole)), whole)
        },
      ),
      { numRuns: cases(1_000) },
    )
  })
})
