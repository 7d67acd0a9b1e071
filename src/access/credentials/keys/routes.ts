import type { FastifyInstance } from 'fastify'
import { operation } from '../../../http/endpoint/operation.ts'
import { overrideQuery, overrides } from '../../../http/endpoint/override.ts'
import { pathId } from '../../../http/request/path-id.ts'
import { type Needs, withoutSecret } from './answers.ts'
import * as keys from './keys.ts'
import type { CreateKey, UpdateKey } from './schema.ts'
import { userKeyRoutes } from './user-key-routes.ts'

export function routes(
  app: FastifyInstance,
  needs: Parameters<typeof keyRoutes>[1] & Parameters<typeof userKeyRoutes>[1],
): void {
  keyRoutes(app, needs)
  userKeyRoutes(app, needs)
}

function keyRoutes(app: FastifyInstance, needs: Needs): void {
  createKey(app, needs)
  listKeys(app, needs)
  rotateKey(app, needs)
  updateKey(app, needs)
  revokeKey(app, needs)
}

function createKey(app: FastifyInstance, { makeChange, links }: Needs): void {
  app.route({
    ...operation({
      name: 'create_key',
      method: 'POST',
      path: '/keys',
      access: 'keys:write',
      scope: 'organization',
      recent: true,

      description:
        "Creates an API key with some of the caller's permissions. It cannot last longer than the caller's credential: if that expires (a key with an expiry, the old secret of a rotated key, or a token of a trusted issuer), `expires_at` is required.",
      body: 'CreateApiKey',
      returns: 'NewApiKey',
      responses: {
        200: { description: 'Dry run: the key as it would be created, without its secret.' },
        201: { description: 'The key with its secret, which is shown only now.' },
      },
      problems: ['permission_not_grantable', 'key_outlives_caller'],
      example: { name: 'nightly sync', permissions: ['users:read'] },
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'keys.create', {
        input: () => request.body as CreateKey,
      })
      if (dryRun) return withoutSecret(result)
      reply.code(201).header('location', links.to(`/keys/${result.key_id}`))
      return result
    },
  })
}

function listKeys(app: FastifyInstance, { contextOf, lastUseOf }: Needs): void {
  app.route({
    ...operation({
      name: 'list_keys',
      method: 'GET',
      path: '/keys',
      access: 'keys:read',
      scope: 'organization',

      description: 'Lists the API keys that belong to no user, without their secrets.',
      returns: 'ApiKey[]',
      responses: { 200: 'Every such key.' },
    }),
    handler: (request) => keys.list(contextOf(request), lastUseOf),
  })
}

const changeProblems = [
  'key_not_found',
  'key_expired',
  'key_managed_by_configuration',
  'key_is_personal',
  'permission_not_grantable',
  'user_outranks_caller',
  'user_required',
  'key_outlives_caller',
] as const

function updateKey(app: FastifyInstance, { makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'update_key',
      method: 'PATCH',
      path: '/keys/{key_id}',
      access: 'keys:write',
      scope: 'organization',
      recent: true,
      description:
        'Changes the name, the permissions or the expiry of an API key, under the rules of its creation: with some of your own permissions, and not beyond the end of your credential. The secret stays. A personal key, and a key that has expired, cannot be changed. Needs the permission {access}, every permission of the key, and `provisioning:write` if it belongs to a provisioning connection.',
      query: overrideQuery,
      body: 'UpdateApiKey',
      returns: 'ApiKey',
      responses: { 200: 'The changed key. In a dry run: the key as it would be.' },
      problems: [...changeProblems, 'managed_elsewhere'],
      example: { name: 'nightly sync', permissions: ['users:read'] },
    }),
    async handler(request, reply) {
      const { result } = await makeChange(request, reply, 'keys.update', {
        input: () => ({
          key_id: pathId(request, 'key_id'),
          input: request.body as UpdateKey,
          override: overrides(request),
        }),
      })
      return result
    },
  })
}

function rotateKey(app: FastifyInstance, { makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'rotate_key',
      method: 'POST',
      path: '/keys/{key_id}/rotate',
      access: 'keys:write',
      scope: 'organization',
      recent: true,

      description:
        'Replaces the secret of an API key. The old secret is accepted for the configured overlap, one day by default. A credential that expires before the key cannot rotate it. A personal key cannot be rotated. Needs the permission {access}, every permission of the key, and `provisioning:write` if it belongs to a provisioning connection.',
      returns: 'NewApiKey',
      responses: { 200: { description: 'The key with its secret, which is shown only now.' } },
      problems: changeProblems,
    }),
    async handler(request, reply) {
      const key_id = pathId(request, 'key_id')
      const { result, dryRun } = await makeChange(request, reply, 'keys.rotate', { input: () => ({ key_id }) })
      return dryRun ? withoutSecret(result) : result
    },
  })
}

function revokeKey(app: FastifyInstance, { makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'revoke_key',
      method: 'DELETE',
      path: '/keys/{key_id}',
      access: 'keys:write',
      scope: 'organization',

      description:
        'Revokes an API key, also one of a user: it is refused from the next request on. Needs the permission {access}, every permission of the key or its user, and `provisioning:write` if it belongs to a provisioning connection.',
      query: overrideQuery,
      returns: 'ConfirmationOfRevocation',
      responses: { 200: { description: 'The key was revoked. In a dry run `revoked` is false.' } },
      problems: [
        'key_not_found',
        'key_managed_by_configuration',
        'managed_elsewhere',
        'permission_not_grantable',
        'user_outranks_caller',
        'user_required',
      ],
    }),
    async handler(request, reply) {
      const key_id = pathId(request, 'key_id')
      const { dryRun } = await makeChange(request, reply, 'keys.revoke', {
        input: () => ({ key_id, override: overrides(request) }),
      })
      return { key_id, revoked: !dryRun }
    },
  })
}
