import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../../test/cases.ts'
import { ScimError } from '../protocol/errors.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import { profiles } from '../protocol/profiles.ts'
import { bulkRequestUrn, enterpriseUserUrn } from '../protocol/urns.ts'
import { componentsInOrder } from './components.ts'
import type { BulkOperation } from './operation.ts'
import { type BulkPlan, planBulk } from './plan.ts'
import { runBulk } from './run.ts'

const plan = (operations: Json, more: JsonObject = {}): BulkPlan =>
  planBulk({ schemas: [bulkRequestUrn], Operations: operations, ...more }, 1000, profiles.strict)

const post = (bulkId: string, data: JsonObject = {}, path = '/Users'): JsonObject => ({
  method: 'POST',
  path,
  bulkId,
  data,
})
const managed = (bulkId: string, manager: string) =>
  post(bulkId, { userName: bulkId, [enterpriseUserUrn]: { manager: { value: `bulkId:${manager}` } } })

/** Executes a plan against a store in memory. `refuse` are user names that it does not take. */
async function run(bulk: BulkPlan, refuse: readonly string[] = []) {
  const executed: (BulkOperation & { newId?: string })[] = []
  const response = await runBulk(bulk, {
    execute: async (operation, newId) => {
      executed.push({ ...operation, ...(newId !== undefined && { newId }) })
      if (refuse.includes(String(operation.data?.userName))) throw new ScimError('uniqueness', 'Taken.')
      const id = newId ?? operation.id ?? `id-${operation.bulkId}`
      const location = `https://x/${operation.endpoint}/${id}`
      return {
        status: operation.method === 'POST' ? 201 : operation.method === 'DELETE' ? 204 : 200,
        id,
        location,
        version: 'W/"1"',
      }
    },
    newId: () => 'new-id',
    locationOf: (endpoint, id) => `https://x/${endpoint}/${id}`,
  })
  return { executed, results: response.Operations as JsonObject[] }
}

describe('bulk requests', () => {
  it('create a group of users of the same request, as in RFC 7644 §3.7.2', async () => {
    const group = post(
      'ytrewq',
      { displayName: 'Tour Guides', members: [{ type: 'User', value: 'bulkId:qwerty' }] },
      '/Groups',
    )
    const { executed, results } = await run(plan([group, post('qwerty', { userName: 'Alice' })]))
    assert.deepEqual(
      executed.map(({ bulkId }) => bulkId),
      ['qwerty', 'ytrewq'],
    )
    assert.deepEqual(executed[1]?.data?.members, [{ type: 'User', value: 'id-qwerty' }])
    assert.deepEqual(results, [
      { method: 'POST', bulkId: 'ytrewq', location: 'https://x/Groups/id-ytrewq', version: 'W/"1"', status: '201' },
      { method: 'POST', bulkId: 'qwerty', location: 'https://x/Users/id-qwerty', version: 'W/"1"', status: '201' },
    ])
  })

  it('resolve references in paths, values and filters, and nowhere else', async () => {
    const { executed } = await run(
      plan([
        { method: 'PUT', path: '/Users/bulkId:a', data: { userName: 'bulkId:a', manager: 'bulkId:zzz' } },
        {
          method: 'PATCH',
          path: '/Groups/g1',
          data: {
            Operations: [
              { op: 'remove', path: 'members[value eq "bulkId:a"]' },
              { op: 'add', path: 'members', value: ['bulkId:a', { Value: 'bulkId:a' }] },
            ],
          },
        },
        post('a'),
      ]),
    )
    assert.deepEqual(
      executed.map(({ method }) => method),
      ['POST', 'PUT', 'PATCH'],
    )
    assert.deepEqual([executed[1]?.id, executed[1]?.data], ['id-a', { userName: 'bulkId:a', manager: 'bulkId:zzz' }])
    assert.deepEqual(executed[2]?.data?.Operations, [
      { op: 'remove', path: 'members[value eq "id-a"]' },
      { op: 'add', path: 'members', value: ['id-a', { Value: 'id-a' }] },
    ])
  })

  it('create a ring by giving its ids in advance', async () => {
    const ring = plan([managed('a', 'b'), managed('b', 'a'), managed('self', 'self'), managed('c', 'a'), post('d')])
    assert.deepEqual([...ring.circular].sort(), [0, 1, 2])
    const { executed, results } = await run(ring)
    assert.deepEqual(
      executed.map(({ bulkId, newId }) => [bulkId, newId]),
      [
        ['a', 'new-id'],
        ['b', 'new-id'],
        ['self', 'new-id'],
        ['c', undefined],
        ['d', undefined],
      ],
    )
    assert.deepEqual(executed[0]?.data?.[enterpriseUserUrn], { manager: { value: 'new-id' } })
    assert.ok(results.every(({ status }) => status === '201'))
  })

  it('report each error, and do not execute what depends on a failed operation', async () => {
    const { executed, results } = await run(
      plan([
        post('a', { userName: 'taken' }),
        managed('b', 'a'),
        managed('c', 'b'),
        managed('d', 'nobody'),
        { method: 'DELETE', path: '/Users/u1' },
        post('e'),
      ]),
      ['taken'],
    )
    assert.deepEqual(
      executed.map(({ bulkId, id }) => bulkId ?? id),
      ['a', 'u1', 'e'],
    )
    assert.deepEqual(
      results.map(({ status }) => status),
      ['409', '409', '409', '400', '204', '201'],
    )
    assert.deepEqual(results[0], {
      method: 'POST',
      bulkId: 'a',
      status: '409',
      response: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '409',
        scimType: 'uniqueness',
        detail: 'Taken.',
      },
    })
  })

  it('end after failOnErrors errors, and then list only what was tried', async () => {
    const operations = [post('a', { userName: 'taken' }), post('b'), post('c', { userName: 'taken' }), post('d')]
    const statuses = async (failOnErrors: number) =>
      (await run(plan(operations, { failOnErrors }), ['taken'])).results.map(({ status }) => status)
    assert.deepEqual(await statuses(1), ['409'])
    assert.deepEqual(await statuses(2), ['409', '201', '409'])
    assert.deepEqual(await statuses(3), ['409', '201', '409', '201'])
    assert.deepEqual(await statuses(0), ['409', '201', '409', '201'])
  })

  it('refuse single operations that cannot be executed', async () => {
    for (const operation of [
      { method: 'GET', path: '/Users/u1' },
      { path: '/Users', bulkId: 'a', data: {} },
      { method: 'POST', path: '/Users', data: {} },
      { method: 'POST', path: '/Users', bulkId: '', data: {} },
      { method: 'POST', path: '/Users/u1', bulkId: 'a', data: {} },
      { method: 'POST', path: '/Users', bulkId: 'a' },
      { method: 'PUT', path: '/Users', data: {} },
      { method: 'PATCH', path: '/Users/u1' },
      { method: 'DELETE', path: '/Users' },
      { method: 'DELETE', path: '/Bulk/u1' },
      { method: 'DELETE', path: '/Users/u1/x' },
      { method: 'DELETE', path: '/Users/../Groups/x' },
      { method: 'DELETE', path: '/Users/u1?x=1' },
      { method: 5, path: '/Users/u1' },
    ]) {
      const { executed, results } = await run(plan([operation]))
      assert.deepEqual(executed, [], JSON.stringify(operation))
      assert.equal(results[0]?.status, '400')
      assert.match(JSON.stringify(results[0]?.response), /"scimType":"invalidSyntax"/)
    }
    const { results } = await run(plan([post('a'), post('a')]))
    assert.deepEqual(
      results.map(({ status }) => status),
      ['201', '400'],
    )
    assert.deepEqual((await run(plan([{ method: 'put', path: 'Users/u1', data: {} }]))).results[0]?.status, '200')
  })

  it('are refused as a whole if they have no list of operations, or too many', () => {
    for (const body of [
      null,
      [],
      {},
      { schemas: [bulkRequestUrn] },
      { schemas: [bulkRequestUrn], Operations: {} },
      { schemas: [bulkRequestUrn], Operations: ['x'] },
      { Operations: [] },
      { schemas: [bulkRequestUrn], Operations: [], failOnErrors: -1 },
    ]) {
      assert.throws(() => planBulk(body, 1000, profiles.strict), { scimType: 'invalidSyntax' })
    }
    assert.throws(() => planBulk({ schemas: [bulkRequestUrn], Operations: [{}, {}] }, 1, profiles.strict), {
      status: 413,
    })
    assert.deepEqual(plan([]).order, [])
  })

  it('let other faults through', async () => {
    const broken = runBulk(plan([post('a')]), {
      execute: () => Promise.reject(new Error('The disk is gone.')),
      newId: () => '',
      locationOf: () => '',
    })
    await assert.rejects(broken, { message: 'The disk is gone.' })
  })

  it('plan long chains of references without overflowing the stack', () => {
    const chain = Array.from({ length: 1_000 }, (_, n) => managed(`u${n}`, `u${n + 1}`)).concat(post('u1000'))
    assert.deepEqual(planBulk({ schemas: [bulkRequestUrn], Operations: chain }, 2_000, profiles.strict).order[0], 1_000)
    const deep = Array.from({ length: 100_000 }, (_, n) => new Set(n < 99_999 ? [n + 1] : []))
    assert.equal(componentsInOrder(deep)[0]?.[0], 99_999)
  })

  it('execute each operation once, after those that it refers to, except in rings', () => {
    const graph = fc
      .integer({ min: 1, max: 12 })
      .chain((size) =>
        fc.array(fc.uniqueArray(fc.nat({ max: size - 1 }), { maxLength: 3 }), { minLength: size, maxLength: size }),
      )
    fc.assert(
      fc.property(graph, (edges) => {
        const operations = edges.map((to, n) =>
          post(`u${n}`, { members: to.map((one) => ({ value: `bulkId:u${one}` })) }, '/Groups'),
        )
        const { order, circular } = plan(operations)
        assert.deepEqual(
          [...order].sort((a, b) => a - b),
          [...edges.keys()],
        )
        const reaches = (from: number, to: number, seen = new Set<number>()): boolean =>
          (edges[from] ?? []).some((next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))))
        for (const [n, to] of edges.entries()) {
          assert.equal(circular.has(n), reaches(n, n))
          for (const one of to) assert.ok(reaches(one, n) || order.indexOf(one) < order.indexOf(n))
        }
      }),
      { numRuns: cases(1_000) },
    )
  })
})
