/** The OpenAPI document names every problem that a client can get, also before a request reaches an operation. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { adminKey, anyEngine, type Started, start } from '../harness.ts'
import { exchange, type Part, portOf, request, write } from './raw-client.ts'

const engine = anyEngine
const id = '019a9f3e-0000-7000-8000-000000000000'

type Described = { description: string }

/** @param at The operation, such as `get /users`; a path or method that has none is described with the others. */
function describedAt({ document }: Started, at: string, status: number): string {
  const [method = '', path = ''] = at.split(' ')
  const responses = (document.paths[path]?.[method]?.responses ?? {}) as Record<string, Described>
  const other = document.components.responses.AnyProblem as Described
  return responses[status]?.description ?? other.description
}

describe('the OpenAPI document', () => {
  it('describes what any request can meet', async (t) => {
    const env = { ROLLBOOK_HEADERS_TIMEOUT_SECONDS: '1', ROLLBOOK_REQUEST_TIMEOUT_SECONDS: '1' }
    const app = await start(t, engine, { env })
    const port = await portOf(app)
    const large = `"${'a'.repeat(70_000)}"`
    const unsent = request('POST /auth/users', ['Content-Type: application/json', 'Content-Length: 9'])
    const rows: [status: number, at: string, text: Part][] = [
      [400, 'get /users', request('GET /auth/users', [], '', { host: 'Host: a b' })],
      [400, 'get /users', 'rubbish\r\n\r\n'],
      [404, 'get /nowhere', request('GET /auth/nowhere')],
      [405, 'put /users', request('PUT /auth/users')],
      [408, 'post /users', unsent],
      [413, 'post /users', write(large)],
      [413, 'delete /users/{user_id}', write(large, [], `DELETE /auth/users/${id}`)],
      [414, 'get /users', request(`GET /auth/users?q=${'a'.repeat(30_000)}`)],
      [415, 'post /users', write('{}', ['Content-Encoding: gzip'])],
      [415, 'post /users', write('{}', ['Content-Type: text/plain'])],
      [417, 'get /users', request('GET /auth/users', ['Expect: tea'])],
      [431, 'get /users', request('GET /auth/users', Array(300).fill('a: b'))],
    ]
    for (const [status, at, text] of rows) {
      const { answers } = await exchange(port, [text])
      const [response] = answers
      assert.equal(response?.status, status, `${at}: ${response?.body}`)
      const { code } = JSON.parse(response?.body ?? '')
      assert.ok(describedAt(app, at, status).includes(`\`${code}\``), `${at} can be refused with ${status} ${code}`)
    }
  })

  it('describes refusals for too many requests, and faults', async (t) => {
    const app = await start(t, engine, { env: { ROLLBOOK_RATE_LIMIT: '1' } })
    const url = await app.listen()
    const send = (path: string, init: RequestInit = {}) => fetch(`${url}${path}`, init)
    const assertDescribed = async (at: string, response: Response, status: number) => {
      const { code } = (await response.json()) as { code: string }
      assert.equal(response.status, status, code)
      assert.ok(describedAt(app, at, status).includes(`\`${code}\``), `${at} can be refused with ${status} ${code}`)
    }
    assert.equal((await send('/sessions/passkey-options', { method: 'POST' })).status < 429, true)
    await assertDescribed(
      'post /sessions/passkey-options',
      await send('/sessions/passkey-options', { method: 'POST' }),
      429,
    )
    await assertDescribed('get /users', await send('/users'), 429)
    await app.runSql('ALTER TABLE provisioning_connections RENAME TO gone')
    const headers = { 'x-api-key': adminKey }
    await assertDescribed('get /provisioning', await send('/provisioning', { headers }), 500)
  })

  it('refers from each operation to the problems of all', async (t) => {
    const { document } = await start(t, engine)
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    for (const { operationId, responses } of operations) {
      assert.deepEqual(responses.default, { $ref: '#/components/responses/AnyProblem' }, operationId)
    }
  })

  it('lists Idempotency-Key where a POST takes it, and nowhere else', async (t) => {
    const app = await start(t, engine)
    const without = Object.entries(app.document.paths).flatMap(([path, { post }]) => {
      const parameters = (post?.parameters ?? []) as { name: string }[]
      return post === undefined || parameters.some(({ name }) => name === 'Idempotency-Key') ? [] : [path]
    })
    assert.deepEqual(without.sort(), [
      '/branding/preview',
      '/cli-logins',
      '/cli-logins/token',
      '/connections/{connection_id}/backchannel-logout',
      '/connections/{connection_id}/global-token-revocation',
      '/inactivity/preview',
      '/introspect',
      '/mails/preview',
      '/second-factor-policy/test',
      '/sessions',
      '/sessions/email-code',
      '/sessions/passkey-options',
      '/setup',
      '/token',
      '/users/export',
    ])
    // A key that is malformed is noticed where keys are read.
    const headers = { 'idempotency-key': 'a b', 'content-type': 'text/csv' }
    const read = await app.call('POST', '/users/import', { headers, body: 'username\nada\n' })
    assert.deepEqual([read.status, read.body.code], [400, 'malformed_header'])
    const ignored = await app.call('POST', '/token', { headers: { 'idempotency-key': 'a b' } })
    assert.equal(ignored.status, 200)
  })
})
