import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines, type Started, start } from '../harness.ts'
import { accessTable } from './access-table.ts'

async function keyWith(app: Started, permissions: readonly string[]): Promise<string> {
  const response = await app.call('POST', '/keys', { body: { name: 'a key', permissions } })
  assert.equal(response.status, 201, response.text)
  return response.body.key
}

for (const engine of engines) {
  describe(`operations on ${engine.name}`, () => {
    it('has the promised ids, and no operation that is not listed in the table', async (t) => {
      const { document } = await start(t, engine)
      const found = Object.values(document.paths).flatMap((methods) => Object.values(methods))
      // They are promised as anchors of the docs page and are never renamed.
      assert.deepEqual(found.map(({ operationId }) => operationId).sort(), Object.keys(accessTable).sort())
      assert.deepEqual(Object.keys(document.paths['/users'] ?? {}), ['post', 'get'])
      assert.deepEqual(Object.keys(document.paths['/users/{user_id}'] ?? {}), ['get', 'patch', 'delete'])
    })

    it('names each operation by its function: in snake case, with path and method, and without a tag', async (t) => {
      const { document } = await start(t, engine)
      for (const [path, methods] of Object.entries(document.paths)) {
        for (const [method, { operationId, tags = [] }] of Object.entries(methods)) {
          const name = operationId.slice(0, -`${path}_${method}`.length)
          assert.equal(operationId, `${name}${path}_${method}`.replaceAll(/[^0-9A-Za-z_]/g, '_'))
          assert.deepEqual(tags, [])
        }
      }
    })

    it('serves the paths below the prefix, and shows the prefix in the document only', async (t) => {
      const { document } = await start(t, engine)
      const servers = document.servers as { url: string }[]
      assert.deepEqual(
        servers.map(({ url }) => url),
        ['/auth'],
      )
      assert.ok(Object.keys(document.paths).every((path) => !path.startsWith('/auth')))
    })

    it('judges the right to an operation before anything else of the request', async (t) => {
      const app = await start(t, engine)
      const reader = await keyWith(app, ['users:read'])
      const denied = [
        await app.call('POST', '/users', { key: reader, body: '{"not json' }),
        await app.call('POST', '/users?unknown=1', { key: reader, body: { user_id: 'x' } }),
        await app.call('DELETE', '/users/x', { key: reader, headers: { 'if-match': 'rubbish' } }),
        await app.call('POST', '/keys/x/rotate', { key: reader, headers: { 'idempotency-key': '' } }),
      ]
      assert.deepEqual(
        denied.map(({ status }) => status),
        [403, 403, 403, 403],
      )
    })

    it('documents how it refuses an unknown parameter, and a path that cannot be decoded', async (t) => {
      const app = await start(t, engine)
      const reads = Object.entries(app.document.paths).filter(([, methods]) => methods.get)
      for (const [path] of reads) {
        // The harness fails for a status that the document does not have.
        await app.call('GET', `${path.replaceAll(/\{\w+\}/g, 'x')}?unknown=1`)
        if (path.includes('{')) await app.call('GET', path.replaceAll(/\{\w+\}/g, '%FF'))
      }
    })

    it('asks HEAD for the same right as GET', async (t) => {
      const app = await start(t, engine)
      const key = await keyWith(app, ['keys:read'])
      assert.equal((await app.call('HEAD', '/users', { key: null })).status, 401)
      assert.equal((await app.call('HEAD', '/users', { key })).status, 403)
      assert.equal((await app.call('HEAD', '/keys', { key })).status, 200)
    })
  })
}
