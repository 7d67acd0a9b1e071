/** PostgreSQL stores no NUL, so each door refuses it or finds nothing. It belongs to test:rest: it sends a thousand requests. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser, onlyPostgres, type Started, start } from '../harness.ts'
import { connectTo } from '../scim/provider.ts'
import { accessTable, unknownId } from './access-table.ts'

type Parameter = { $ref?: string; name: string; in: string; schema?: { type?: string } }
type Method = { operationId: string; parameters?: Parameter[] }
type Sent = { path: string; body?: unknown }

/** Copies of a value with a NUL in one of its texts each. */
function withNul(value: unknown): unknown[] {
  if (typeof value === 'string') return [`${value.slice(0, 3)}\0${value.slice(3)}`]
  if (Array.isArray(value)) return value.flatMap((one, n) => withNul(one).map((bad) => value.with(n, bad)))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => withNul(one).map((bad) => ({ ...value, [name]: bad })))
}

function queryNames(app: Started, { parameters = [] }: Method): string[] {
  const shared = (app.document.components as Record<string, unknown>).parameters as Record<string, Parameter>
  return parameters
    .map(({ $ref, ...one }) => ($ref === undefined ? one : (shared[$ref.split('/').pop() ?? ''] as Parameter)))
    .filter(({ in: place, schema }) => place === 'query' && !['integer', 'boolean'].includes(schema?.type ?? ''))
    .map(({ name }) => name)
}

/** Requests of an operation with a NUL in one place each: in its path, its query, or its body. */
function requestsOf(app: Started, path: string, method: Method, id: string): Sent[] {
  const { body } = accessTable[method.operationId] ?? {}
  const filled = (text: string) => text.replaceAll(/\{\w+\}/g, id)
  return [
    ...[...path.matchAll(/\{\w+\}/g)].map(([name]) => ({ path: filled(path.replace(name, 'a%00b')), body })),
    ...queryNames(app, method).map((name) => ({ path: `${filled(path)}?${name}=ab%00cd`, body })),
    ...(typeof body === 'string' ? [] : withNul(body)).map((bad) => ({ path: filled(path), body: bad })),
  ]
}

for (const engine of onlyPostgres) {
  describe(`a NUL on ${engine.name}`, () => {
    it('is no fault of ours, wherever it is sent', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_RATE_LIMIT: '0' } })
      const user = String((await createUser(app, { username: 'ada', email: 'ada@example.com' })).user_id)
      const statuses = new Set<number>()
      const judge = (request: string, { status, text }: { status: number; text: string }) => {
        assert.ok(status < 500, `${request}: ${text}`)
        statuses.add(status)
      }
      for (const [path, methods] of Object.entries(app.document.paths)) {
        for (const [verb, method] of Object.entries(methods as unknown as Record<string, Method>)) {
          const { needs, type } = accessTable[method.operationId] ?? {}
          for (const { path: place, body } of requestsOf(
            app,
            path,
            method,
            path.startsWith('/users/') ? user : unknownId,
          )) {
            const response = await app.call(verb.toUpperCase(), place, {
              headers: { ...(type !== undefined && { 'content-type': type }) },
              ...(body !== undefined && { body }),
              ...(needs === 'public' && { key: null }),
            })
            judge(`${verb} ${place} ${JSON.stringify(body)}`, response)
          }
        }
      }
      assert.ok([200, 401, 404, 422].every((status) => statuses.has(status)))

      const { scim, createUser: provide } = await connectTo(app)
      const { id } = await provide({ title: 'Eng' })
      const names = [
        'id',
        'userName',
        'externalId',
        'emails.value',
        'emails',
        'title',
        'name.familyName',
        'meta.created',
        'active',
      ]
      for (const name of [...names, 'displayName', 'members', 'members.value', 'groups.value']) {
        for (const operator of ['eq', 'co']) {
          for (const value of [String.raw`a\u0000b`]) {
            const filter = `filter=${name}%20${operator}%20"${value}"`
            for (const path of ['/Users', '/Groups', '/'])
              judge(`${path} ${filter}`, await scim('GET', `${path}?${filter}`))
          }
        }
      }
      for (const path of [`/Users/a%00b`, '/Groups/a%00b', `/Users/${id}?attributes=a%00b`, '/Users?sortBy=a%00b']) {
        judge(path, await scim('GET', path))
      }
      const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
      for (const bad of withNul({
        userName: 'x',
        externalId: 'e',
        title: 't',
        displayName: 'd',
        name: { familyName: 'f' },
        emails: [{ value: 'a@b.c' }],
      })) {
        judge(JSON.stringify(bad), await scim('POST', '/Users', { schemas, ...(bad as object) }))
        judge(JSON.stringify(bad), await scim('PUT', `/Users/${id}`, { schemas, ...(bad as object) }))
      }
      const fields = {
        username: 'a\0b',
        password: 'a\0b',
        email: 'a\0b',
        login_hint: 'a\0b',
        return_to: '/a\0b',
        code: 'a\0b',
      }
      for (const path of ['/login', '/forgot-password', '/logout', '/add-factor', '/change-password']) {
        const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
        judge(path, await app.call('POST', path, { key: null, headers, body: String(new URLSearchParams(fields)) }))
        judge(path, await app.call('GET', `${path}?${new URLSearchParams(fields)}`, { key: null }))
      }
      for (const name of ['user-agent', 'idempotency-key', 'x-request-id', 'if-match', 'cookie', 'x-forwarded-for']) {
        const headers = { [name]: name === 'cookie' ? 'rollbook=a%00b; rollbook-device=a%00b' : 'a%00b' }
        judge(name, await app.call('POST', '/users', { headers, body: { username: `u-${name}` } }))
      }
    })
  })
}
