import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify, { type RouteOptions } from 'fastify'
import { refuseWithout, requireDeclaredAccess } from './access.ts'

describe('access', () => {
  const route = { method: 'PATCH', url: '/users/:user_id', handler: async () => 'open' } satisfies RouteOptions

  it('stops the start at a route that declares nothing, and names it', async () => {
    const app = Fastify()
    requireDeclaredAccess(app)
    await assert.rejects(async () => {
      app.register(async (scope) => void scope.route(route), { prefix: '/auth' })
      await app.ready()
    }, /The route PATCH \/auth\/users\/:user_id does not declare its access\./)
  })

  it('lets a route be public only when that is written out', async () => {
    const app = Fastify()
    requireDeclaredAccess(app)
    app.route({ ...route, config: { access: 'public', scope: 'global' } })
    assert.throws(() => app.route({ ...route, method: 'GET', config: {} }), /GET/)
    await app.ready()
  })

  it('stops the start at a route that does not declare its scope, or cannot have the one that it declares', async () => {
    const app = Fastify()
    requireDeclaredAccess(app)
    assert.throws(
      () => app.route({ ...route, config: { access: 'users:write' } }),
      /PATCH \/users\/:user_id does not declare its scope\./,
    )
    for (const access of ['public', 'user', 'users:export_hashes', 'webhooks:read'] as const) {
      assert.throws(() => app.route({ ...route, config: { access, scope: 'organization' } }), {
        message: `The route PATCH /users/:user_id cannot have the scope organization: ${access} cannot be limited to one.`,
      })
    }
    app.route({ ...route, config: { access: 'users:write', scope: 'organization' } })
    await app.ready()
  })

  it('is granted by the exact permission or by all of them, and by nothing that only looks like it', () => {
    const actor = (...permissions: string[]) => ({ kind: 'api_key' as const, id: 'x', name: 'x', permissions })
    refuseWithout(actor('users:read'), { access: 'users:read' })
    refuseWithout(actor('keys:read', '*'), { access: 'users:write' })
    for (const permissions of [[], ['users:read'], ['users:*'], ['*:write'], ['USERS:WRITE'], ['users:write ']]) {
      assert.throws(() => refuseWithout(actor(...permissions), { access: 'users:write' }), {
        code: 'permission_denied',
        status: 403,
      })
    }
  })
})
