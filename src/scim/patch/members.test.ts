import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../../test/cases.ts'
import { assertCheap } from '../../../test/processor-time.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import { type ProfileName, profiles } from '../protocol/profiles.ts'
import { groupUrn, patchOpUrn } from '../protocol/urns.ts'
import { groupDefinition } from '../schemas/definition.ts'
import { applyGroupPatch, type GroupPatchOutcome, type MemberStep, memberIds } from './members.ts'
import { readOperations } from './operations.ts'

const group: JsonObject = { schemas: [groupUrn], id: 'g1', displayName: 'Support' }

function patch(operations: readonly Json[], profile: ProfileName = 'strict'): GroupPatchOutcome {
  const body = { schemas: [patchOpUrn], Operations: operations }
  return applyGroupPatch(group, readOperations(body, profiles[profile]), groupDefinition, profiles[profile])
}

const steps = (operations: readonly Json[], profile?: ProfileName) => patch(operations, profile).members
const of = (...ids: string[]) => ids.map((value) => ({ value }))

/** What a store does with the steps. */
function applied(members: ReadonlySet<string>, list: readonly MemberStep[]): Set<string> {
  const next = new Set(members)
  for (const step of list) {
    if (step.kind === 'removeAll') next.clear()
    else if (step.kind === 'add') for (const id of step.ids) next.add(id)
    else if (step.kind === 'remove') for (const id of step.ids) next.delete(id)
    else for (const id of next) if (step.matches({ value: id, type: 'User' })) next.delete(id)
  }
  return next
}

describe('PATCH of a group', () => {
  it('says which members to add and to remove, for every form of RFC 7644', () => {
    for (const [operation, expected] of [
      [
        { op: 'add', path: 'members', value: [{ display: 'Babs', $ref: 'https://x/Users/a', value: 'a' }] },
        [{ kind: 'add', ids: ['a'] }],
      ],
      [{ op: 'add', path: 'members', value: { value: 'a', type: 'user' } }, [{ kind: 'add', ids: ['a'] }]],
      [{ op: 'add', value: { members: of('a', 'b', 'a') } }, [{ kind: 'add', ids: ['a', 'b'] }]],
      [{ op: 'remove', path: 'members[value eq "a"]' }, [{ kind: 'remove', ids: ['a'] }]],
      [{ op: 'remove', path: 'MEMBERS[VALUE EQ "a" or value eq "b"]' }, [{ kind: 'remove', ids: ['a', 'b'] }]],
      [{ op: 'remove', path: `${groupUrn}:members[value eq "a"]` }, [{ kind: 'remove', ids: ['a'] }]],
      [{ op: 'remove', path: 'members' }, [{ kind: 'removeAll' }]],
      [{ op: 'replace', path: 'members', value: of('a') }, [{ kind: 'removeAll' }, { kind: 'add', ids: ['a'] }]],
      [{ op: 'replace', path: 'members', value: [] }, [{ kind: 'removeAll' }]],
      [{ op: 'replace', value: { members: null } }, [{ kind: 'removeAll' }]],
      [{ op: 'add', path: 'members', value: [] }, []],
    ] as const) {
      const outcome = patch([operation])
      assert.deepEqual(outcome.members, expected)
      assert.equal(outcome.resource, group)
      assert.equal(outcome.isChanged, false)
    }
  })

  it('removes by other filters through a function', () => {
    const [step] = steps([{ op: 'remove', path: 'members[type eq "User" and value sw "a"]' }])
    assert.equal(step?.kind, 'removeMatching')
    assert.deepEqual(applied(new Set(['a1', 'b1']), step ? [step] : []), new Set(['b1']))
  })

  it('changes other attributes next to members', () => {
    const outcome = patch([
      { op: 'add', path: 'members', value: of('a') },
      { op: 'replace', value: { displayName: 'Help', members: of('b') } },
      { op: 'add', path: 'externalId', value: 'x' },
    ])
    assert.deepEqual(outcome.resource, { ...group, displayName: 'Help', externalId: 'x' })
    assert.deepEqual(outcome.members, [{ kind: 'removeAll' }, { kind: 'add', ids: ['b'] }])
  })

  it('refuses what a member cannot be, and changes of members', () => {
    for (const [operation, scimType] of [
      [{ op: 'add', path: 'members', value: [{ display: 'x' }] }, 'invalidValue'],
      [{ op: 'add', path: 'members', value: [{ value: '' }] }, 'invalidValue'],
      [{ op: 'add', path: 'members', value: [{ type: 'User' }] }, 'invalidValue'],
      [{ op: 'add', path: 'members', value: [{ value: 5 }] }, 'invalidValue'],
      [{ op: 'add', path: 'members', value: ['a'] }, 'invalidValue'],
      [{ op: 'add', path: 'members', value: [{ value: 'g2', type: 'Group' }] }, 'invalidValue'],
      [{ op: 'add', path: 'members', value: [{ value: 'a', color: 'red' }] }, 'invalidSyntax'],
      [{ op: 'replace', path: 'members[value eq "a"].value', value: 'b' }, 'mutability'],
      [{ op: 'replace', path: 'members[value eq "a"]', value: { value: 'b' } }, 'mutability'],
      [{ op: 'add', path: 'members[value eq "a"]', value: { value: 'a' } }, 'mutability'],
      [{ op: 'replace', path: 'members.value', value: 'b' }, 'mutability'],
      [{ op: 'remove', path: 'members.value' }, 'mutability'],
      [{ op: 'remove', path: 'members', value: of('a') }, 'invalidSyntax'],
      [{ op: 'remove', path: 'members[name eq "a"]' }, 'invalidFilter'],
      [{ op: 'remove', path: 'members[value eq a]' }, 'invalidFilter'],
      [{ op: 'remove', path: 'displayName' }, 'mutability'],
    ] as const) {
      assert.throws(() => patch([operation]), { scimType }, JSON.stringify(operation))
    }
  })

  it('accepts what Entra sends', () => {
    assert.deepEqual(steps([{ op: 'Add', path: 'members', value: [{ $ref: null, value: 'a' }] }], 'entra'), [
      { kind: 'add', ids: ['a'] },
    ])
    assert.deepEqual(steps([{ op: 'Remove', path: 'members', value: [{ $ref: null, value: 'a' }] }], 'entra'), [
      { kind: 'remove', ids: ['a'] },
    ])
    assert.deepEqual(steps([{ op: 'Remove', path: 'members', value: [] }], 'entra'), [])
    assert.deepEqual(steps([{ op: 'remove', path: 'members[value eq "a"]' }], 'entra'), [
      { kind: 'remove', ids: ['a'] },
    ])
    assert.deepEqual(steps([{ op: 'Add', path: 'members[value eq "a"]', value: {} }], 'entra'), [
      { kind: 'add', ids: ['a'] },
    ])
    assert.deepEqual(steps([], 'entra'), [])
    assert.equal(patch([{ op: 'Replace', path: 'displayName', value: 'x' }], 'entra').resource.displayName, 'x')
  })

  it('accepts what Okta sends', () => {
    const rename = patch([{ op: 'replace', value: { id: 'g1', displayName: 'Help' } }], 'okta')
    assert.deepEqual(rename.resource, { ...group, displayName: 'Help' })
    assert.deepEqual(
      steps(
        [
          { op: 'remove', path: 'members[value eq "89bb1940"]' },
          { op: 'add', path: 'members', value: [{ value: '23a35c27', display: 'jo@example.com' }] },
        ],
        'okta',
      ),
      [
        { kind: 'remove', ids: ['89bb1940'] },
        { kind: 'add', ids: ['23a35c27'] },
      ],
    )
  })

  it('leaves the members that the operations leave one after another', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    const ids = fc.array(id, { maxLength: 3 })
    type Move = { operation: JsonObject; apply: (members: Set<string>) => void }
    const move: fc.Arbitrary<Move> = fc.oneof(
      ids.map((list) => ({
        operation: { op: 'add', path: 'members', value: of(...list) },
        apply: (members: Set<string>) => list.forEach((one) => void members.add(one)),
      })),
      ids.map((list) => ({
        operation: { op: 'remove', path: 'members', value: of(...list) },
        apply: (members: Set<string>) => list.forEach((one) => void members.delete(one)),
      })),
      id.map((one) => ({
        operation: { op: 'remove', path: `members[value eq "${one}"]` },
        apply: (members: Set<string>) => void members.delete(one),
      })),
      id.map((one) => ({
        operation: { op: 'remove', path: `members[value ge "${one}"]` },
        apply: (members: Set<string>) =>
          [...members].filter((other) => other >= one).forEach((other) => void members.delete(other)),
      })),
      ids.map((list) => ({
        operation: { op: 'replace', path: 'members', value: of(...list) },
        apply: (members: Set<string>) => {
          members.clear()
          for (const one of list) members.add(one)
        },
      })),
      fc.constant({ operation: { op: 'remove', path: 'members' }, apply: (members: Set<string>) => members.clear() }),
    )
    fc.assert(
      fc.property(ids, fc.array(move, { maxLength: 8 }), (before, moves) => {
        const expected = new Set(before)
        for (const { apply } of moves) apply(expected)
        const list = steps(
          moves.map(({ operation }) => operation),
          'entra',
        )
        assert.deepEqual(applied(new Set(before), list), expected)
      }),
      { numRuns: cases(1_000) },
    )
  })

  it('takes time that grows with the number of members', () => {
    assertCheap(3_000, () => {
      const many = Array.from({ length: 50_000 }, (_, n) => ({ value: `u${n}` }))
      assert.deepEqual(
        steps([{ op: 'add', path: 'members', value: many }]).map((step) => 'ids' in step && step.ids.length),
        [50_000],
      )
      const single = Array.from({ length: 1_000 }, (_, n) => ({ op: 'add', path: 'members', value: of(`u${n}`) }))
      assert.equal(steps(single).length, 1)
      assert.equal(memberIds({ members: [...many, ...many] }).length, 50_000)
    })
  })

  it('compares a bounded number of members with the filters in its paths', () => {
    const path = `members[${Array(600).fill('display sw "A"').join(' or ')}]`
    const removals = steps([path, path].map((path) => ({ op: 'remove', path })))
    const before = new Set(Array.from({ length: 500 }, (_, n) => `u${n}`))
    assert.throws(() => applied(before, removals), { scimType: 'invalidFilter', message: /compare too many values/ })
  })
})
