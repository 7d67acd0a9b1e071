import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../protocol/json.ts'
import { profiles } from '../protocol/profiles.ts'
import { searchRequestUrn, userUrn } from '../protocol/urns.ts'
import { userDefinition } from '../schemas/definition.ts'
import { readListQuery, readSearchRequest } from './list-request.ts'
import { listResponse } from './list-response.ts'
import { compareKeys, compileKey } from './sort.ts'

const limits = { defaultPageSize: 100, maxPageSize: 1000 }
const page = (query: JsonObject) => readListQuery(query, limits, profiles.strict).page

describe('the parameters of a list', () => {
  it('choose a page by index, from 1', () => {
    for (const [query, expected] of [
      [{}, [1, 100]],
      [{ startIndex: '11', count: '10' }, [11, 10]],
      [{ startIndex: '0', count: '0' }, [1, 0]],
      [{ startIndex: '-5', count: '-1' }, [1, 0]],
      [{ count: '100000' }, [1, 1000]],
      [{ STARTINDEX: '2' }, [2, 100]],
    ] as const) {
      assert.deepEqual(page(query), { by: 'index', startIndex: expected[0], count: expected[1] })
    }
    for (const wrong of [
      { count: 'ten' },
      { count: '' },
      { count: '1.5' },
      { count: '+5' },
      { startIndex: '+1' },
      { count: '1e2' },
      { count: '0x10' },
      { startIndex: 'x' },
      { startIndex: ['1', '2'] },
      { count: '9'.repeat(30) },
    ]) {
      assert.throws(() => page(wrong), { scimType: 'invalidValue', status: 400 })
    }
  })

  it('choose a page by cursor, as RFC 9865 says', () => {
    assert.deepEqual(page({ cursor: '', count: '10' }), { by: 'cursor', cursor: undefined, count: 10 })
    assert.deepEqual(page({ cursor: 'VZUT-iy_h.~', count: '5000' }), {
      by: 'cursor',
      cursor: 'VZUT-iy_h.~',
      count: 1000,
    })
    assert.deepEqual(page({ cursor: '' }), { by: 'cursor', cursor: undefined, count: 100 })
    for (const count of ['0', '-1']) {
      assert.deepEqual(page({ cursor: '', count }), { by: 'cursor', cursor: undefined, count: 0 })
    }
    for (const count of ['x', '1.5']) {
      assert.throws(() => page({ cursor: '', count }), { scimType: 'invalidCount', status: 400 })
    }
    for (const query of [{ cursor: 'a b' }, { cursor: 'é' }, { cursor: 'a', startIndex: '1' }]) {
      assert.throws(() => page(query), { scimType: 'invalidCursor', status: 400 })
    }
  })

  it('name the filter, the order and the attributes', () => {
    const request = readListQuery(
      {
        filter: 'title pr',
        sortBy: 'name.familyName',
        sortOrder: 'DESCENDING',
        attributes: 'userName, emails.value',
        excludedAttributes: '',
      },
      limits,
      profiles.strict,
    )
    assert.deepEqual(request.filter, { kind: 'present', path: { name: 'title' } })
    assert.deepEqual([request.sortBy, request.descending], [{ name: 'name', sub: 'familyName' }, true])
    assert.deepEqual(request.projection, { attributes: ['userName', 'emails.value'], excludedAttributes: [] })
    assert.throws(() => readListQuery({ sortOrder: 'up' }, limits, profiles.strict), { scimType: 'invalidValue' })
    assert.throws(() => readListQuery({ sortBy: 'a b' }, limits, profiles.strict), { scimType: 'invalidValue' })
    assert.throws(() => readListQuery({ filter: ['a pr', 'b pr'] }, limits, profiles.strict), {
      scimType: 'invalidValue',
    })
    assert.throws(() => readListQuery({ filter: '' }, limits, profiles.strict), { scimType: 'invalidFilter' })
    assert.throws(() => readListQuery({ attributes: 'id', excludedAttributes: 'name' }, limits, profiles.strict), {
      scimType: 'invalidValue',
    })
  })

  it('come in a body too', () => {
    const search = {
      schemas: [searchRequestUrn],
      attributes: ['displayName', 'userName'],
      filter: 'displayName sw "smith"',
      startIndex: 1,
      count: 10,
    }
    const request = readSearchRequest(search, limits, profiles.strict)
    assert.deepEqual(request.projection.attributes, ['displayName', 'userName'])
    assert.deepEqual(request.page, { by: 'index', startIndex: 1, count: 10 })
    assert.throws(() => readSearchRequest({}, limits, profiles.strict), { scimType: 'invalidSyntax' })
    assert.throws(() => readSearchRequest([], limits, profiles.entra), { scimType: 'invalidSyntax' })
    assert.equal(readSearchRequest({}, limits, profiles.entra).filter, undefined)
    assert.throws(() => readSearchRequest({ ...search, attributes: [5] }, limits, profiles.strict), {
      scimType: 'invalidValue',
    })
  })
})

describe('the response to a list', () => {
  it('always has totalResults and Resources', () => {
    assert.deepEqual(listResponse([], { totalResults: 0, startIndex: 1 }), {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    })
    assert.deepEqual(listResponse([{ id: 'a' }], { totalResults: 5, nextCursor: 'n', previousCursor: 'p' }), {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 5,
      itemsPerPage: 1,
      previousCursor: 'p',
      nextCursor: 'n',
      Resources: [{ id: 'a' }],
    })
  })
})

describe('the order of a list', () => {
  const users: JsonObject[] = [
    {
      id: '1',
      userName: 'b',
      emails: [{ value: 'z@x' }, { value: 'A@x', primary: true }],
      active: true,
      meta: { created: '2026-01-01T00:00:00Z' },
    },
    { id: '2', userName: 'A', emails: [{ value: 'b@x' }], meta: { created: '2026-01-01T00:00:00+02:00' } },
    { id: '3', userName: 'c', active: false },
  ]
  const keyOf = (name: string, sub?: string) => compileKey({ name, ...(sub !== undefined && { sub }) }, userDefinition)
  const sorted = (name: string, descending = false, sub?: string) =>
    users
      .map((user) => ({ id: user.id, key: keyOf(name, sub)(user) }))
      .toSorted((a, b) => (descending ? -1 : 1) * compareKeys(a.key, b.key))
      .map(({ id }) => id)

  it('follows the schema: case, times, the primary value, and no value last', () => {
    assert.deepEqual(sorted('userName'), ['2', '1', '3'])
    assert.deepEqual(sorted('USERNAME', true), ['3', '1', '2'])
    assert.deepEqual(sorted('emails'), ['1', '2', '3'])
    assert.deepEqual(sorted('emails', true, 'value'), ['3', '2', '1'])
    assert.deepEqual(sorted('meta', false, 'created'), ['2', '1', '3'])
    assert.deepEqual(sorted('active'), ['3', '1', '2'])
  })

  it('cannot follow what has no simple value', () => {
    for (const name of ['name', 'password', 'unknown', 'meta', userUrn]) {
      assert.throws(() => compileKey({ name }, userDefinition), { scimType: 'invalidValue' })
    }
  })
})
