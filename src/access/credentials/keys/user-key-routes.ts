/** Keys of users: the caller's own, and for administrators those of any user. */
import type { FastifyInstance } from 'fastify'
import * as users from '../../../directory/users/service.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { pathId } from '../../../http/request/path-id.ts'
import { personOf } from '../sessions/service.ts'
import { type Needs, withoutSecret } from './answers.ts'
import { listOfUser } from './keys.ts'
import type { CreatePersonalKey } from './schema.ts'

export function userKeyRoutes(app: FastifyInstance, needs: Needs): void {
  createOwn(app, needs)
  listOwn(app, needs)
  revokeOwn(app, needs)
  listOfAnyUser(app, needs)
  createOfServiceAccount(app, needs)
  revokeOfAnyUser(app, needs)
}

function createOwn(app: FastifyInstance, { makeChange, links }: Needs): void {
  app.route({
    ...operation({
      name: 'create_my_key',
      method: 'POST',
      path: '/me/keys',
      access: 'user',
      scope: 'global',
      recent: true,
      description: `Creates a key with which your programs act as you. It has the permissions that you give it, and never one that you do not
hold at that moment. It is refused while you are disabled, and deleted with you; a new password does not end it. You can have
50.

A personal key can call what its permissions allow, and \`GET /me\`, but change nothing else about you: no keys, password,
factors or sessions.`,
      body: 'CreatePersonalKey',
      returns: 'NewApiKey',
      responses: {
        200: { description: 'Dry run: the key as it would be created, without its secret.' },
        201: { description: 'The key with its secret, which is shown only now.' },
      },
      problems: ['permission_not_grantable', 'too_many_keys'],
      example: { name: 'my laptop', expires_at: '2099-01-01T00:00:00Z' },
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'me.create_key', {
        input: () => request.body as CreatePersonalKey,
      })
      if (dryRun) return withoutSecret(result)
      reply.code(201).header('location', links.to('/me/keys'))
      return result
    },
  })
}

function listOwn(app: FastifyInstance, { contextOf, lastUseOf }: Needs): void {
  app.route({
    ...operation({
      name: 'list_my_keys',
      method: 'GET',
      path: '/me/keys',
      access: 'user',
      scope: 'global',
      description: 'Lists your personal keys, without their secrets.',
      returns: 'ApiKey[]',
      responses: { 200: 'Your keys.' },
    }),
    handler: (request) => listOfUser(contextOf(request), personOf(request).user_id, lastUseOf),
  })
}

function revokeOwn(app: FastifyInstance, { makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'revoke_my_key',
      method: 'DELETE',
      path: '/me/keys/{key_id}',
      access: 'user',
      scope: 'global',
      description: 'Revokes one of your personal keys: it is refused from the next request on.',
      returns: 'ConfirmationOfRevocation',
      responses: { 200: { description: 'The key was revoked. In a dry run `revoked` is false.' } },
      problems: ['key_not_found'],
    }),
    async handler(request, reply) {
      const { user_id } = personOf(request)
      const key_id = pathId(request, 'key_id')
      const { dryRun } = await makeChange(request, reply, 'me.revoke_key', { input: () => ({ user_id, key_id }) })
      return { key_id, revoked: !dryRun }
    },
  })
}

function listOfAnyUser(app: FastifyInstance, { contextOf, lastUseOf }: Needs): void {
  app.route({
    ...operation({
      name: 'list_user_keys',
      method: 'GET',
      path: '/users/{user_id}/keys',
      access: 'keys:read',
      scope: 'organization',

      description: 'Lists the keys of a person or a service account, without their secrets.',
      returns: 'ApiKey[]',
      responses: { 200: "The user's keys." },
      problems: ['user_not_found', 'user_required'],
    }),
    async handler(request) {
      const ctx = contextOf(request)
      const { user_id } = await users.get(ctx, pathId(request, 'user_id'))
      return listOfUser(ctx, user_id, lastUseOf)
    },
  })
}

function createOfServiceAccount(app: FastifyInstance, { makeChange, links }: Needs): void {
  app.route({
    ...operation({
      name: 'create_user_key',
      method: 'POST',
      path: '/users/{user_id}/keys',
      access: 'keys:write',
      scope: 'organization',
      recent: true,

      description: `Creates a key with which a service account (\`"kind": "service"\`) acts. People create their own with \`POST /me/keys\`.
The key has the permissions that you give it, and never one that the account does not hold at that moment. It is refused while the
account is disabled, and deleted with it. An account can have 50. Needs the permission {access}, and every permission of the account.`,
      body: 'CreatePersonalKey',
      returns: 'NewApiKey',
      responses: {
        200: { description: 'Dry run: the key as it would be created, without its secret.' },
        201: { description: 'The key with its secret, which is shown only now.' },
      },
      problems: [
        'user_not_found',
        'user_outranks_caller',
        'user_required',
        'keys_are_personal',
        'permission_not_grantable',
        'key_outlives_caller',
        'too_many_keys',
      ],
      example: { name: 'billing server', expires_at: '2099-01-01T00:00:00Z' },
    }),
    async handler(request, reply) {
      const user_id = pathId(request, 'user_id')
      const { result, dryRun } = await makeChange(request, reply, 'keys.create_for_service_account', {
        input: () => ({ user_id, input: request.body as CreatePersonalKey }),
      })
      if (dryRun) return withoutSecret(result)
      reply.code(201).header('location', links.to(`/users/${user_id}/keys`))
      return result
    },
  })
}

function revokeOfAnyUser(app: FastifyInstance, { makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'revoke_user_key',
      method: 'DELETE',
      path: '/users/{user_id}/keys/{key_id}',
      access: 'keys:write',
      scope: 'organization',

      description:
        'Revokes a key of a person or a service account: it is refused from the next request on. Needs the permission {access}, and every permission of the user.',
      returns: 'ConfirmationOfRevocation',
      responses: { 200: { description: 'The key was revoked. In a dry run `revoked` is false.' } },
      problems: ['user_not_found', 'user_outranks_caller', 'user_required', 'key_not_found'],
    }),
    async handler(request, reply) {
      const input = { user_id: pathId(request, 'user_id'), key_id: pathId(request, 'key_id') }
      const { dryRun } = await makeChange(request, reply, 'keys.revoke_of_user', { input: () => input })
      return { key_id: input.key_id, revoked: !dryRun }
    },
  })
}
