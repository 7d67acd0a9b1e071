import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeApiKey } from '../../src/lib/api-key.ts'
import { builtInPermissions } from '../../src/roles/permissions.ts'
import { engines, type Started, start } from '../harness.ts'

/**
 * Every operation with what it needs. The ids are promised as anchors of the docs page and are never renamed; a new
 * operation is added here by hand.
 */
const operations = {
  create_user_users_post: ['POST', '/users', 'users:write'],
  list_users_users_get: ['GET', '/users', 'users:read'],
  get_user_users__user_id__get: ['GET', '/users/{user_id}', 'users:read'],
  update_user_users__user_id__patch: ['PATCH', '/users/{user_id}', 'users:write'],
  delete_user_users__user_id__delete: ['DELETE', '/users/{user_id}', 'users:write'],
  create_key_keys_post: ['POST', '/keys', 'keys:write'],
  list_keys_keys_get: ['GET', '/keys', 'keys:read'],
  rotate_key_keys__key_id__rotate_post: ['POST', '/keys/{key_id}/rotate', 'keys:write'],
  revoke_key_keys__key_id__delete: ['DELETE', '/keys/{key_id}', 'keys:write'],
  live_health_live_get: ['GET', '/health/live', 'public'],
  ready_health_ready_get: ['GET', '/health/ready', 'public'],
} as const

const guarded = Object.values(operations).filter(([, , access]) => access !== 'public')

async function keyWith(app: Started, permissions: readonly string[]): Promise<string> {
  const answer = await app.call('POST', '/keys', { body: { name: 'a key', permissions } })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.key
}

/** A path with an id that is nobody's. */
const asked = (path: string) => path.replace(/\{\w+\}/, '019a9f3e-0000-7000-8000-000000000000')

for (const engine of engines) {
  describe(`operations on ${engine.name}`, () => {
    it('has the promised ids at the promised paths, and no operation that is not listed here', async (t) => {
      const { document } = await start(t, engine)
      const found = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(
          ([method, { operationId }]) => [operationId, [method.toUpperCase(), path]] as const,
        ),
      )
      const promised = Object.entries(operations).map(([id, [method, path]]) => [id, [method, path]])
      assert.deepEqual(Object.fromEntries(found), Object.fromEntries(promised))
      assert.equal(found.length, promised.length)
    })

    it('names each operation by its function: id in snake case, summary in title case, and no tag', async (t) => {
      const { document } = await start(t, engine)
      for (const [path, methods] of Object.entries(document.paths)) {
        for (const [method, { operationId, summary, tags = [] }] of Object.entries(methods)) {
          const name = operationId.slice(0, -`${path}_${method}`.length)
          assert.equal(operationId, `${name}${path}_${method}`.replaceAll(/[^0-9A-Za-z_]/g, '_'))
          const words = name.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
          assert.equal(summary, words.join(' '))
          assert.deepEqual(tags, [])
        }
      }
    })

    it('serves the paths below the prefix, and says so in the document alone', async (t) => {
      const { document } = await start(t, engine)
      const servers = document.servers as { url: string }[]
      assert.deepEqual(
        servers.map(({ url }) => url),
        ['/auth'],
      )
      assert.ok(Object.keys(document.paths).every((path) => !path.startsWith('/auth')))
    })

    it('asks every operation but health for a credential, and the document says so', async (t) => {
      const app = await start(t, engine)
      for (const [id, [method, path, access]] of Object.entries(operations)) {
        const { status, body } = await app.call(method, asked(path), { key: null })
        const security = app.document.paths[path]?.[method.toLowerCase()]?.security as object[]
        if (access === 'public') {
          assert.equal(status, 200, id)
          assert.deepEqual(security, [])
        } else {
          assert.deepEqual([status, body.code], [401, 'credential_missing'], id)
          assert.deepEqual(security, [{ ApiKey: [] }, { Bearer: [] }])
        }
      }
    })

    it('refuses a credential that is wrong, or right but without the one permission, and takes one with no other', async (t) => {
      const app = await start(t, engine)
      const unknown = makeApiKey()
      for (const [method, path, access] of guarded) {
        const at = `${method} ${path}`
        const wrong = await app.call(method, asked(path), { key: unknown })
        assert.deepEqual([wrong.status, wrong.body.code], [401, 'credential_invalid'], at)

        const others = builtInPermissions.filter((permission) => permission !== access)
        const lacking = await app.call(method, asked(path), { key: await keyWith(app, others) })
        assert.deepEqual([lacking.status, lacking.body.code], [403, 'permission_denied'], at)
        assert.ok(lacking.body.detail.includes(access), lacking.body.detail)

        const right = await app.call(method, asked(path), { key: await keyWith(app, [access]) })
        assert.ok(![401, 403].includes(right.status), `${at}: ${right.text}`)
      }
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

    it('asks HEAD for the same right as GET', async (t) => {
      const app = await start(t, engine)
      const key = await keyWith(app, ['keys:read'])
      assert.equal((await app.call('HEAD', '/users', { key: null })).status, 401)
      assert.equal((await app.call('HEAD', '/users', { key })).status, 403)
      assert.equal((await app.call('HEAD', '/keys', { key })).status, 200)
    })
  })
}
