import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../../test/cases.ts'
import { assertCheap } from '../../../test/processor-time.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import { type ProfileName, profiles } from '../protocol/profiles.ts'
import { enterpriseUserUrn, patchOpUrn, userUrn } from '../protocol/urns.ts'
import { userDefinition } from '../schemas/definition.ts'
import { applyPatch, type PatchOutcome } from './apply.ts'
import { readOperations } from './operations.ts'

const work = { value: 'ada@work.example', type: 'work', primary: true }
const home = { value: 'ada@home.example', type: 'home' }
const ada: JsonObject = {
  schemas: [userUrn],
  id: 'u1',
  userName: 'ada',
  name: { familyName: 'Lovelace', givenName: 'Ada' },
  active: true,
  emails: [work, home],
  groups: [{ value: 'g1' }],
  meta: { resourceType: 'User', created: '2026-01-01T00:00:00Z' },
}

function patch(operations: Json, profile: ProfileName = 'strict', resource = ada): PatchOutcome {
  const body = { schemas: [patchOpUrn], Operations: operations }
  const frozen = structuredClone(resource)
  const outcome = applyPatch(resource, readOperations(body, profiles[profile]), userDefinition, profiles[profile])
  assert.deepEqual(resource, frozen, 'the given resource stays as it is')
  return outcome
}

const after = (operations: Json, profile?: ProfileName, resource?: JsonObject) =>
  patch(operations, profile, resource).resource

const op = (verb: string, path?: string, value?: Json): JsonObject => ({
  op: verb,
  ...(path !== undefined && { path }),
  ...(value !== undefined && { value }),
})

function refused(operations: Json, scimType: string, message = /./, profile: ProfileName = 'strict'): void {
  assert.throws(() => patch(operations, profile), { scimType, message }, JSON.stringify(operations))
}

describe('PATCH, add', () => {
  it('adds and replaces single values', () => {
    assert.deepEqual(after([op('add', 'title', 'Countess')]), { ...ada, title: 'Countess' })
    assert.deepEqual(after([op('add', 'USERNAME', 'lovelace')]), { ...ada, userName: 'lovelace' })
    assert.deepEqual(after([op('add', 'name.middleName', 'King')]).name, {
      ...(ada.name as JsonObject),
      middleName: 'King',
    })
    assert.deepEqual(after([op('add', 'name', { givenName: 'A', middleName: 'K' })]).name, {
      familyName: 'Lovelace',
      givenName: 'A',
      middleName: 'K',
    })
  })

  it('without a path, takes each member of the value, as in RFC 7644 §3.5.2.1', () => {
    assert.deepEqual(
      after([op('add', undefined, { emails: [{ value: 'babs@jensen.org', type: 'other' }], nickname: 'Babs' })]),
      {
        ...ada,
        emails: [work, home, { value: 'babs@jensen.org', type: 'other' }],
        nickName: 'Babs',
      },
    )
  })

  it('appends to lists, and takes a value that is there already only once', () => {
    assert.deepEqual(after([op('add', 'emails', [{ value: 'x' }, { value: 'x' }])]).emails, [
      work,
      home,
      { value: 'x' },
    ])
    assert.deepEqual(after([op('add', 'emails', { value: 'x' })]).emails, [work, home, { value: 'x' }])
    assert.equal(patch([op('add', 'emails', [home])]).isChanged, false)
    assert.deepEqual(after([op('add', 'emails', [{ ...home, display: 'Home' }])]).emails, [
      work,
      { ...home, display: 'Home' },
    ])
    assert.deepEqual(after([op('add', 'ims', [{ value: 'x' }])]).ims, [{ value: 'x' }])
  })

  it('adds to the values that the path chooses', () => {
    assert.deepEqual(after([op('add', 'emails[type eq "home"].display', 'Home')]).emails, [
      work,
      { ...home, display: 'Home' },
    ])
    assert.deepEqual(after([op('add', 'emails[type eq "home"]', { display: 'Home' })]).emails, [
      work,
      { ...home, display: 'Home' },
    ])
    assert.deepEqual(after([op('add', 'emails.display', 'x')]).emails, [
      { ...work, display: 'x' },
      { ...home, display: 'x' },
    ])
  })

  it('keeps one value primary', () => {
    const former = { ...work, primary: false }
    assert.deepEqual(after([op('add', 'emails', [{ value: 'x', primary: true }])]).emails, [
      former,
      home,
      { value: 'x', primary: true },
    ])
    assert.deepEqual(after([op('replace', 'emails[type eq "home"].primary', true)]).emails, [
      former,
      { ...home, primary: true },
    ])
    assert.deepEqual(after([op('add', 'emails', [{ ...home, primary: true }])]).emails, [
      former,
      { ...home, primary: true },
    ])
    refused(
      [
        op('add', 'emails', [
          { value: 'x', primary: true },
          { value: 'y', primary: true },
        ]),
      ],
      'invalidValue',
      /primary/,
    )
    refused([op('replace', 'emails.primary', true)], 'invalidValue', /primary/)
  })

  it('sets attributes of an extension, however the path names them', () => {
    const expected = { ...ada, schemas: [userUrn, enterpriseUserUrn], [enterpriseUserUrn]: { department: 'Sales' } }
    for (const operation of [
      op('add', `${enterpriseUserUrn}:department`, 'Sales'),
      op('add', enterpriseUserUrn, { department: 'Sales' }),
      op('add', undefined, { [enterpriseUserUrn]: { DEPARTMENT: 'Sales' } }),
      op('add', `${enterpriseUserUrn.toUpperCase()}:department`, 'Sales'),
      op('replace', `${enterpriseUserUrn}.department`, 'Sales'),
    ]) {
      assert.deepEqual(after([operation]), expected)
    }
    assert.deepEqual(after([op('replace', `${enterpriseUserUrn}:manager.value`, 'm')])[enterpriseUserUrn], {
      manager: { value: 'm' },
    })
    assert.deepEqual(after([op('remove', `${enterpriseUserUrn}:department`)], 'strict', expected), ada)
    assert.deepEqual(after([op('remove', enterpriseUserUrn)], 'strict', expected), ada)
  })
})

describe('PATCH, remove', () => {
  it('removes attributes, lists, chosen values and sub-attributes', () => {
    const { name: _, ...withoutName } = ada
    assert.deepEqual(after([op('remove', 'name')]), withoutName)
    assert.deepEqual(after([op('remove', 'name.givenName')]).name, { familyName: 'Lovelace' })
    assert.deepEqual(after([op('remove', 'name.givenName'), op('remove', 'name.familyName')]), withoutName)
    assert.equal('emails' in after([op('remove', 'emails')]), false)
    assert.deepEqual(after([op('remove', 'emails[type eq "work"]')]).emails, [home])
    assert.deepEqual(after([op('remove', 'emails[type eq "work" and value ew "example"].primary')]).emails, [
      { value: work.value, type: 'work' },
      home,
    ])
    assert.equal('emails' in after([op('remove', 'emails[value pr]')]), false)
    assert.equal(patch([op('remove', 'title')]).isChanged, false)
  })

  it('needs a path, a match, and something that may be removed', () => {
    refused([op('remove')], 'noTarget')
    refused([op('remove', 'emails[type eq "other"]')], 'noTarget')
    refused([op('remove', 'userName')], 'mutability', /required/)
    refused([op('remove', 'id')], 'mutability')
    refused([op('remove', 'meta.created')], 'mutability')
    refused([op('remove', 'emails', [{ value: home.value }])], 'invalidSyntax', /emails\[value eq/)
  })
})

describe('PATCH, replace', () => {
  it('replaces values and lists, and merges complex values', () => {
    assert.deepEqual(after([op('replace', 'active', false)]), { ...ada, active: false })
    assert.deepEqual(after([op('replace', 'emails', [{ value: 'x' }])]).emails, [{ value: 'x' }])
    assert.deepEqual(after([op('replace', 'name', { givenName: 'A' })]).name, {
      familyName: 'Lovelace',
      givenName: 'A',
    })
    assert.deepEqual(after([op('replace', 'name', { givenName: null })]).name, { familyName: 'Lovelace' })
    assert.deepEqual(after([op('replace', undefined, { active: false, title: 'x' })]), {
      ...ada,
      active: false,
      title: 'x',
    })
    assert.equal('emails' in after([op('replace', 'emails', [])]), false)
    assert.equal('emails' in after([op('replace', 'emails', null)]), false)
    assert.equal('name' in after([op('replace', 'name', null)]), false)
  })

  it('replaces the values that the path chooses, and only them', () => {
    assert.deepEqual(after([op('replace', 'emails[type eq "home"].value', 'a b c')]).emails, [
      work,
      { ...home, value: 'a b c' },
    ])
    assert.deepEqual(after([op('replace', 'emails[type eq "home"]', { value: 'x' })]).emails, [work, { value: 'x' }])
    assert.deepEqual(after([op('replace', 'emails[value pr].display', 'x')]).emails, [
      { ...work, display: 'x' },
      { ...home, display: 'x' },
    ])
  })

  it('refuses what the RFC names, with its keyword', () => {
    for (const [operation, scimType] of [
      [op('replace', 'emails[type eq "other"].value', 'x'), 'noTarget'],
      [op('replace', 'emails[type eq "other"]', { value: 'x' }), 'noTarget'],
      [op('add', 'emails[type eq "other"].value', 'x'), 'noTarget'],
      [op('replace', 'id', 'x'), 'mutability'],
      [op('replace', 'groups', []), 'mutability'],
      [op('add', 'meta.created', 'x'), 'mutability'],
      [op('replace', undefined, { id: 'other' }), 'mutability'],
      [op('replace', `${enterpriseUserUrn}:manager.displayName`, 'x'), 'mutability'],
      [op('replace', 'userName', null), 'mutability'],
      [op('replace', 'userName', ''), 'mutability'],
      [op('replace', 'shoeSize', 5), 'invalidPath'],
      [op('replace', 'name.first', 'x'), 'invalidPath'],
      [op('replace', 'emails[type eq "home"].first', 'x'), 'invalidPath'],
      [op('replace', 'name[givenName eq "Ada"].givenName', 'x'), 'invalidPath'],
      [op('replace', 'a b', 'x'), 'invalidPath'],
      [op('replace', '', 'x'), 'invalidPath'],
      [op('replace', undefined, { shoeSize: 5 }), 'invalidPath'],
      [op('replace', undefined, { 'name.givenName': 'x' }), 'invalidPath'],
      [op('replace', 'emails[type eq work].value', 'x'), 'invalidFilter'],
      [op('replace', 'emails[first eq "x"].value', 'x'), 'invalidFilter'],
      [op('replace', 'active', 'False'), 'invalidValue'],
      [op('replace', 'title', 5), 'invalidValue'],
      [op('replace', 'title', ['x']), 'invalidValue'],
      [op('replace', 'name', 'x'), 'invalidValue'],
      [op('replace', 'emails', 'x'), 'invalidValue'],
      [op('replace', 'emails[type eq "home"]', [{ value: 'a' }, { value: 'b' }]), 'invalidValue'],
      [op('replace', `${enterpriseUserUrn}:manager`, 'x'), 'invalidValue'],
      [op('replace', undefined, 'x'), 'invalidValue'],
      [op('replace', 'title'), 'invalidValue'],
      [op('add', 'emails[type eq "home"]', [{ value: 5 }]), 'invalidValue'],
      [op('Replace', 'title', 'x'), 'invalidSyntax'],
      [op('move', 'title', 'x'), 'invalidSyntax'],
      [{ path: 'title', value: 'x' }, 'invalidSyntax'],
      ['text', 'invalidSyntax'],
    ] as const) {
      refused([operation], scimType)
    }
    refused([], 'invalidSyntax', /empty/)
    refused({}, 'invalidSyntax')
    assert.throws(() => readOperations({ Operations: [op('add', 'title', 'x')] }, profiles.strict), {
      scimType: 'invalidSyntax',
      message: /PatchOp/,
    })
    assert.throws(() => patch(Array.from({ length: 1_001 }, () => op('add', 'title', 'x'))), { status: 413 })
  })

  it('applies all operations in their order, or none', () => {
    assert.deepEqual(
      after([op('add', 'title', 'a'), op('replace', 'title', 'b'), op('remove', 'title'), op('add', 'title', 'c')]),
      { ...ada, title: 'c' },
    )
    refused([op('add', 'title', 'a'), op('remove', 'userName')], 'mutability')
  })

  it('says when nothing changed, and then returns the same resource', () => {
    const outcome = patch([
      op('replace', 'active', true),
      op('add', 'userName', 'ada'),
      op('replace', 'emails', [work, home]),
      op('replace', undefined, { id: 'u1', schemas: [userUrn] }),
    ])
    assert.equal(outcome.isChanged, false)
    assert.equal(outcome.resource, ada)
  })
})

describe('PATCH from Entra and Okta', () => {
  const bare: JsonObject = { schemas: [userUrn], userName: 'ada' }

  it('accepts what Entra sends without its flag', () => {
    const operations = [
      op('Replace', 'active', 'False'),
      op('Replace', 'displayName', 'Pvlo'),
      op('Replace', 'emails[type eq "work"].value', 'TestBcwqnm@test.microsoft.com'),
      op('Replace', 'name.givenName', 'Gtfd'),
      op('Replace', 'externalId', 'Eqpj'),
      op('Replace', `${enterpriseUserUrn}:employeeNumber`, 'Eqpj'),
      op('Add', `${enterpriseUserUrn}:manager`, '26118915'),
      op('Add', 'nickName', [{ $ref: null, value: 'Babs' }]),
      op('Add', 'addresses[type eq "work"].formatted', 'Columbus'),
      op('Add', 'roles[primary eq "True"].value', 'User'),
    ]
    assert.deepEqual(after(operations, 'entra', bare), {
      schemas: [userUrn, enterpriseUserUrn],
      userName: 'ada',
      active: false,
      displayName: 'Pvlo',
      emails: [{ type: 'work', value: 'TestBcwqnm@test.microsoft.com' }],
      name: { givenName: 'Gtfd' },
      externalId: 'Eqpj',
      nickName: 'Babs',
      addresses: [{ type: 'work', formatted: 'Columbus' }],
      roles: [{ primary: true, value: 'User' }],
      [enterpriseUserUrn]: { employeeNumber: 'Eqpj', manager: { value: '26118915' } },
    })
  })

  it('accepts what Entra sends with its flag', () => {
    const value = {
      displayName: 'Bjfe',
      'name.givenName': 'Kkom',
      'name.familyName': 'Unua',
      [`${enterpriseUserUrn}:employeeNumber`]: 'Aklq',
      [`${enterpriseUserUrn}:manager`]: 'm1',
      'emails[type eq "work"].value': 'x@example.com',
    }
    assert.deepEqual(after([op('replace', undefined, value)], 'entra', bare), {
      ...bare,
      schemas: [userUrn, enterpriseUserUrn],
      displayName: 'Bjfe',
      name: { givenName: 'Kkom', familyName: 'Unua' },
      emails: [{ type: 'work', value: 'x@example.com' }],
      [enterpriseUserUrn]: { employeeNumber: 'Aklq', manager: { value: 'm1' } },
    })
  })

  it('accepts what the validator of Microsoft sends', () => {
    assert.equal(patch([], 'entra').isChanged, false)
    assert.deepEqual(
      after(
        [
          op('Replace', 'emails[type eq "untyped"].value', 'x'),
          op('replace', 'emails[type eq "untyped"].primary', 'true'),
        ],
        'entra',
      ).emails,
      [{ ...work, primary: false }, home, { type: 'untyped', value: 'x', primary: true }],
    )
    assert.deepEqual(after([op('Add', 'ims[type eq "aim"].value', 'x')], 'entra').ims, [{ type: 'aim', value: 'x' }])
    assert.equal(patch([op('Remove', 'emails[type eq "untyped"].value')], 'entra').isChanged, false)
  })

  it('accepts what Okta sends', () => {
    assert.equal(after([op('replace', undefined, { active: false })], 'okta').active, false)
    const outcome = patch([op('replace', undefined, { id: 'other', title: 'x' })], 'okta')
    assert.deepEqual(outcome.resource, { ...ada, title: 'x' })
    assert.deepEqual(outcome.ignored, ['id'])
  })

  it('reports what it ignores', () => {
    const outcome = patch(
      [
        op('Add', 'shoeSize', 5),
        op('Add', undefined, { hat: 1, name: { first: 'A' }, 'urn:x:y': {}, 'http://x/y:z': 1 }),
      ],
      'entra',
    )
    assert.equal(outcome.isChanged, false)
    assert.deepEqual(outcome.ignored, ['shoeSize', 'hat', 'urn:x:y', 'http://x/y:z', 'name.first'])
    refused([op('Replace', 'id', 'x')], 'mutability', /./, 'entra')
    refused([op('Replace', 'title', ['a', 'b'])], 'invalidValue', /title must be a string/, 'entra')
    const readOnly = patch([op('Replace', undefined, { 'meta.created': 'x', groups: [] })], 'entra')
    assert.deepEqual([readOnly.isChanged, readOnly.ignored], [false, ['meta', 'groups']])
  })

  it('removes values by value, and the manager by an empty text', () => {
    assert.deepEqual(after([op('Remove', 'emails', [{ value: home.value }])], 'entra').emails, [work])
    assert.equal(patch([op('Remove', 'emails', [])], 'entra').isChanged, false)
    const managed = after(
      [op('Add', `${enterpriseUserUrn}:manager`, [{ $ref: 'http://x/Users/m', value: 'm' }])],
      'entra',
    )
    assert.deepEqual(managed[enterpriseUserUrn], { manager: { $ref: 'http://x/Users/m', value: 'm' } })
    assert.deepEqual(after([op('Replace', `${enterpriseUserUrn}:manager`, '')], 'entra', managed), ada)
  })

  it('creates a value with everything that the filter says', () => {
    const path = 'addresses[type eq "work" and primary eq "True"]'
    assert.deepEqual(after([op('Add', `${path}.country`, 'DE')], 'entra').addresses, [
      { type: 'work', primary: true, country: 'DE' },
    ])
    assert.deepEqual(after([op('Replace', path, { country: 'DE' })], 'entra').addresses, [
      { type: 'work', primary: true, country: 'DE' },
    ])
  })

  it('does not create what a filter does not determine', () => {
    for (const path of [
      'emails[type ne "work2" and value eq "q"].value',
      'emails[type eq "a" or type eq "b"].value',
      'emails[type sw "x"].value',
      'emails[not (type pr)].value',
    ]) {
      refused([op('replace', path, 'x')], 'noTarget', /./, 'entra')
    }
  })
})

describe('PATCH under attack', () => {
  it('never reaches a prototype', () => {
    const names = [
      '__proto__',
      'constructor',
      'prototype',
      '__proto__.x',
      'constructor.prototype.x',
      'name.__proto__',
      'emails[type eq "work"].__proto__',
      `${enterpriseUserUrn}:__proto__`,
      `${enterpriseUserUrn}:constructor.prototype`,
    ]
    for (const profile of ['strict', 'entra'] as const) {
      for (const name of names) {
        for (const verb of ['add', 'replace', 'remove']) {
          for (const operation of [
            op(verb, name, { x: 1 }),
            op(verb, undefined, JSON.parse(`{${JSON.stringify(name)}:{"x":1}}`)),
            op(verb, 'name', JSON.parse(`{${JSON.stringify(name)}:{"x":1}}`)),
          ]) {
            try {
              const { resource } = patch([operation], profile)
              assert.deepEqual(
                Object.keys(resource).filter((key) => !(key in ada) || key === '__proto__'),
                [],
              )
            } catch (error) {
              assert.equal((error as Error).name, 'ScimError')
            }
            assert.equal(({} as { x?: unknown }).x, undefined)
            assert.equal((Object as { x?: unknown }).x, undefined)
          }
        }
      }
    }
  })

  it('takes time that grows with the size of the request', () => {
    const values = Array.from({ length: 900 }, (_, n) => ({ value: `v${n}`, type: 'work' }))
    const operations = Array.from({ length: 1_000 }, (_, n) =>
      op('add', 'emails', n % 2 === 0 ? values : [{ value: `x${n % 50}` }]),
    )
    assertCheap(10_000, () => assert.equal((patch(operations).resource.emails as Json[]).length, 2 + 900 + 25))
    refused(
      [
        op(
          'add',
          'emails',
          Array.from({ length: 1_001 }, (_, n) => ({ value: `${n}` })),
        ),
      ],
      'invalidValue',
      /at most 1000/,
    )
    refused(
      [
        op('add', 'emails', values),
        op(
          'add',
          'emails',
          Array.from({ length: 100 }, (_, n) => ({ value: `${n}` })),
        ),
      ],
      'invalidValue',
      /at most 1000/,
    )
  })

  it('compares a bounded number of values with the filters in its paths', () => {
    const values = Array.from({ length: 1000 }, (_, n) => ({ value: `v${n}`, type: 'work' }))
    const path = (conditions: number) => `emails[${'value eq "x" or '.repeat(conditions)}value eq "v1"].display`
    const edits = (count: number, conditions: number) =>
      Array.from({ length: count }, () => op('replace', path(conditions), 'Ada'))
    const patched = (operations: readonly Json[]) => patch([op('replace', 'emails', values), ...operations])
    assert.equal((patched(edits(50, 1)).resource.emails as Json[]).length, 1000)
    assertCheap(3_000, () => assert.throws(() => patched(edits(10, 99)), { scimType: 'invalidFilter' }))
  })

  it('gives a valid resource or a refusal, whatever is sent', () => {
    const paths = fc.constantFrom(
      'userName',
      'title',
      'name',
      'name.givenName',
      'emails',
      'emails.value',
      'emails[type eq "work"]',
      'emails[type eq "other"].value',
      'emails[primary eq true].primary',
      `${enterpriseUserUrn}:manager`,
      enterpriseUserUrn,
      'active',
      'id',
      'x',
      undefined,
    )
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<Json>('a', '', true, 'True', null, 5),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom('userName', 'emails', 'value', 'type', 'primary', 'givenName', 'name', enterpriseUserUrn),
          tie('value'),
          { maxKeys: 3, noNullPrototype: true },
        ),
      ),
    }))
    const operation = fc
      .tuple(fc.constantFrom('add', 'remove', 'replace'), paths, fc.option(value, { nil: undefined }))
      .map(([verb, path, one]) => op(verb, path, one))
    fc.assert(
      fc.property(
        fc.array(operation, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('strict' as const, 'entra' as const),
        (operations, profile) => {
          try {
            const { resource, isChanged } = patch(operations, profile)
            const { id: _id, groups: _groups, meta: _meta, ...own } = resource
            assert.equal(resource.id, 'u1')
            // What PATCH made would also be accepted as a whole.
            const again = applyPatch(own, [{ op: 'add', value: own }], userDefinition, profiles.strict)
            assert.equal(again.isChanged, false)
            assert.equal(isChanged, resource !== ada)
          } catch (error) {
            assert.equal((error as Error).name, 'ScimError', String((error as Error).stack))
          }
        },
      ),
      { numRuns: cases(3_000) },
    )
  })
})
