import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../../test/cases.ts'
import { foldCase } from '../filter/compare.ts'
import { compileFilter } from '../filter/evaluate.ts'
import { parseFilter } from '../filter/parser.ts'
import { printFilter } from '../filter/print.ts'
import { isArray, isObject, type JsonObject } from '../protocol/json.ts'
import { userUrn } from '../protocol/urns.ts'
import { groupDefinition, userDefinition } from '../schemas/definition.ts'
import { type Condition, type FilterPlan, planFilter } from './list-filter.ts'
import { type UserListFilters, userListQuery } from './list-query.ts'

const plan = (filter: string) => planFilter(parseFilter(filter), userDefinition)
const rest = ({ rest: left }: FilterPlan) => left && printFilter(left)

describe('the plan of a filter', () => {
  it('finds what an index can serve', () => {
    for (const [filter, condition] of [
      ['userName eq "Ada"', { on: 'userName', values: ['Ada'] }],
      [`${userUrn}:USERNAME eq "Ada"`, { on: 'userName', values: ['Ada'] }],
      ['externalId eq "x"', { on: 'externalId', values: ['x'] }],
      ['id eq "a" or id eq "b" or id eq "a"', { on: 'id', values: ['a', 'b'] }],
      ['active eq true', { on: 'active', value: true }],
      ['active ne true', { on: 'active', value: false }],
      [
        'meta.lastModified gt "2026-01-01T01:00:00+01:00"',
        { on: 'lastModified', operator: 'gt', time: '2026-01-01T00:00:00.000Z' },
      ],
      ['meta.created le "2026-01-01T00:00:00Z"', { on: 'created', operator: 'le', time: '2026-01-01T00:00:00.000Z' }],
      ['meta.created lt "2026-01-01T00:00:00Z"', { on: 'created', operator: 'lt', time: '2026-01-01T00:00:00.000Z' }],
      ['meta.created ge "2026-01-01T00:00:00Z"', { on: 'created', operator: 'ge', time: '2026-01-01T00:00:00.000Z' }],
    ] as const) {
      assert.deepEqual(plan(filter), { conditions: [condition], rest: undefined }, filter)
    }
    for (const filter of [
      'displayName eq "x"',
      'DISPLAYNAME EQ "x"',
      'externalId eq "x"',
      'id eq "x"',
      'members eq "x"',
      'members.value eq "x"',
      'members[value eq "x"]',
    ]) {
      const { conditions, rest: left } = planFilter(parseFilter(filter), groupDefinition)
      assert.deepEqual([conditions.length, left], [1, undefined], filter)
    }
  })

  it('compares the whole filter again where the column has one of several addresses', () => {
    for (const filter of [
      'emails eq "a@x"',
      'emails.value eq "a@x"',
      'emails[type eq "work" and value eq "a@x"]',
      'emails[type eq "work"].value eq "a@x"',
    ]) {
      const found = plan(filter)
      assert.deepEqual(found.conditions, [{ on: 'email', values: ['a@x'] }])
      assert.equal(rest(found), filter)
    }
  })

  it('leaves the rest of a conjunction', () => {
    const found = plan('userName eq "a" and title pr and active eq true and not (locale pr)')
    assert.deepEqual(
      found.conditions.map(({ on }) => on),
      ['userName', 'active'],
    )
    assert.equal(rest(found), 'title pr and not (locale pr)')
  })

  it('leaves everything that an index cannot serve', () => {
    for (const filter of [
      'title pr',
      'userName sw "a"',
      'userName ne "a"',
      'userName eq null',
      'displayName eq "x"',
      'not (userName eq "a")',
      'userName eq "a" or title pr',
      'userName eq "a" or externalId eq "b"',
      'active eq null',
      'emails[not (value eq "a")]',
      'emails.type eq "work"',
      'userName eq "a" or active eq true',
      `${userUrn}:name.givenName eq "a"`,
    ]) {
      assert.deepEqual(plan(filter).conditions, [], filter)
      assert.equal(rest(plan(filter)), filter)
    }
    assert.throws(() => plan('usrName eq "a"'), { scimType: 'invalidFilter' })
  })

  it('means what the filter means', () => {
    const words = ['a', 'A', 'b', 'c@x']
    const word = fc.constantFrom(...words)
    const time = fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', '2026-01-03T00:00:00.000Z')
    const test = fc.oneof(
      fc
        .tuple(
          fc.constantFrom('userName', 'externalId', 'id', 'emails', 'emails.value', 'title'),
          fc.constantFrom('eq', 'ne', 'sw'),
          word,
        )
        .map(([name, operator, value]) => `${name} ${operator} "${value}"`),
      fc
        .tuple(
          fc.constantFrom('meta.created', 'meta.lastModified'),
          fc.constantFrom('gt', 'ge', 'lt', 'le', 'eq'),
          time,
        )
        .map(([name, operator, value]) => `${name} ${operator} "${value}"`),
      fc.tuple(fc.constantFrom('eq', 'ne'), fc.boolean()).map(([operator, value]) => `active ${operator} ${value}`),
      word.map((value) => `emails[type eq "work" and value eq "${value}"]`),
      word.map((value) => `emails[type eq "work"].value eq "${value}"`),
    )
    const filter = fc.oneof(
      test,
      fc.array(test, { minLength: 2, maxLength: 3 }).map((parts) => parts.join(' and ')),
      fc.array(test, { minLength: 2, maxLength: 3 }).map((parts) => `(${parts.join(' or ')}) and active eq true`),
      word.map((value) => `(id eq "${value}" or id eq "b") and title pr`),
    )
    const email = fc.record({ value: word, type: fc.constantFrom('work', 'home') }, { noNullPrototype: true })
    const user = fc.record(
      {
        id: word,
        userName: word,
        externalId: word,
        title: word,
        active: fc.boolean(),
        emails: fc.array(email, { maxLength: 2 }),
        meta: fc.record({ created: time, lastModified: time }, { noNullPrototype: true }),
      },
      { requiredKeys: ['id', 'userName', 'active', 'meta'], noNullPrototype: true },
    )
    fc.assert(
      fc.property(filter, user, (text, one) => {
        const parsed = parseFilter(text)
        const { conditions, rest: left } = planFilter(parsed, userDefinition)
        const planned =
          conditions.every((condition) => holds(condition, one)) &&
          (left === undefined || compileFilter(left, userDefinition)(one))
        assert.equal(planned, compileFilter(parsed, userDefinition)(one))
        const query = userListQuery(parsed)
        const isListed = listed(query.filters, one)
        assert.equal(isListed && (query.rest === undefined || compileFilter(query.rest, userDefinition)(one)), planned)
        if (planned) assert.ok(query.others.every((condition) => holds(condition, one)))
      }),
      { numRuns: cases(5_000) },
    )
  })
})

describe('the query of a filter', () => {
  const query = (filter: string) => userListQuery(parseFilter(filter))

  it('uses the parameters of our own list', () => {
    for (const [filter, filters] of [
      ['userName eq "Ada"', { username: 'Ada' }],
      ['externalId eq "x" and active eq false', { external_id: 'x', active: false }],
      ['id eq "a" or id eq "b"', { user_id: ['a', 'b'] }],
      [
        'meta.created gt "2026-01-01T00:00:00Z" and meta.created lt "2026-02-01T00:00:00Z"',
        { created_after: '2026-01-01T00:00:00.000Z', created_before: '2026-02-01T00:00:00.000Z' },
      ],
      [
        'meta.created ge "2026-01-01T00:00:00Z" and meta.created le "2026-02-01T00:00:00Z"',
        { created_after: '2025-12-31T23:59:59.999Z', created_before: '2026-02-01T00:00:00.001Z' },
      ],
    ] as const) {
      assert.deepEqual(query(filter), { filters, rest: undefined, others: [] })
    }
  })

  it('leaves what the list cannot say, and names the indexes that could serve it', () => {
    const found = query('userName eq "a" and userName eq "b" and emails.value eq "a@x" and title pr')
    assert.deepEqual(found.filters, { username: 'a' })
    assert.deepEqual(
      found.others.map(({ on }) => on),
      ['userName', 'email'],
    )
    assert.equal(found.rest && printFilter(found.rest), 'userName eq "b" and emails.value eq "a@x" and title pr')
    assert.deepEqual(
      query('meta.lastModified gt "2026-01-01T00:00:00Z"').others.map(({ on }) => on),
      ['lastModified'],
    )
    assert.deepEqual(query('userName eq "a" or userName eq "b"').filters, {})
    const many = Array.from({ length: 501 }, (_, n) => `id eq "${n}"`).join(' or ')
    assert.deepEqual(query(many).filters, {})
  })
})

/** Whether our own list has the user. */
function listed(filters: UserListFilters, user: JsonObject): boolean {
  const created = Date.parse(isObject(user.meta) ? String(user.meta.created) : '')
  return (
    (filters.user_id === undefined || filters.user_id.includes(String(user.id))) &&
    (filters.username === undefined || foldCase(filters.username) === foldCase(String(user.userName))) &&
    (filters.external_id === undefined || filters.external_id === user.externalId) &&
    (filters.active === undefined || filters.active === user.active) &&
    (filters.created_after === undefined || created > Date.parse(filters.created_after)) &&
    (filters.created_before === undefined || created < Date.parse(filters.created_before))
  )
}

/** What an index of the store answers. */
function holds(condition: Condition, user: JsonObject): boolean {
  if ('value' in condition) return user.active === condition.value
  if ('time' in condition) {
    const text = isObject(user.meta) ? user.meta[condition.on] : undefined
    const [time, bound] = [Date.parse(String(text)), Date.parse(condition.time)]
    return { gt: time > bound, ge: time >= bound, lt: time < bound, le: time <= bound }[condition.operator]
  }
  const { on, values } = condition
  if (on === 'email') {
    const own = isArray(user.emails) ? user.emails.filter(isObject).map(({ value }) => foldCase(String(value))) : []
    return values.some((value) => own.includes(foldCase(value)))
  }
  if (on === 'userName') return values.some((value) => foldCase(value) === foldCase(String(user.userName)))
  return on === 'id' || on === 'externalId' ? values.some((value) => value === user[on]) : false
}
