/** The identities of a user, for administrators and for the user. */

import type { FastifyInstance } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import { permits } from '../../../core/scope.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { ownAccountProblems } from '../../../http/endpoint/problem-lists.ts'
import { pathId } from '../../../http/request/path-id.ts'
import { personOf } from '../../credentials/sessions/service.ts'
import * as answers from './answers.ts'
import * as identities from './identities.ts'
import type { LinkUserIdentity } from './schema.ts'

type Needs = Pick<HttpLayer, 'contextOf' | 'makeChange'>

export function identityRoutes(app: FastifyInstance, needs: Needs): void {
  ofUser(app, needs)
  removeOfUser(app, needs)
  own(app, needs)
}

function ofUser(app: FastifyInstance, { contextOf, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'list_user_identities',
      method: 'GET',
      path: '/users/{user_id}/identities',
      access: 'users:read',
      scope: 'organization',

      description:
        'Lists the accounts of identity providers with which a user signs in, also of a deleted user who is not erased yet.',
      returns: 'Identity[]',
      responses: { 200: 'The identities, the oldest first.' },
      problems: ['user_not_found', 'user_required'],
    }),
    handler: (request) => identities.listOfUser(contextOf(request), pathId(request, 'user_id')),
  })

  app.route({
    ...operation({
      name: 'link_user_identity',
      method: 'POST',
      path: '/users/{user_id}/identities',
      access: 'users:write',
      scope: 'organization',
      // A person with the account can sign in as the user.
      recent: true,
      description: answers.linkDescription,
      body: 'LinkUserIdentity',
      returns: 'Identity',
      responses: {
        200: { description: 'The identity that would be linked (`dry_run`).' },
        201: { description: 'The account was linked.' },
      },
      problems: [
        'user_not_found',
        'connection_not_found',
        ...ownAccountProblems,
        'user_outranks_caller',
        'user_is_service_account',
        'other_organization',
        'identity_taken',
      ],
      example: { connection_id: '019a9f3e-0000-7000-8000-000000000000', subject: '00u1example' },
    }),
    async handler(request, reply) {
      const { actor } = request
      if (!permits(actor, 'connections:write')) {
        const detail = 'The account can sign in as the user, so you also need the permission connections:write.'
        throw new AppError('permission_denied', detail)
      }
      const user_id = pathId(request, 'user_id')
      const { connection_id, subject } = request.body as LinkUserIdentity
      const input = { user_id, connection_id: connection_id.toLowerCase(), subject }
      const { result, dryRun } = await makeChange(request, reply, 'identities.link_for_user', { input: () => input })
      if (!dryRun) reply.code(201)
      return result
    },
  })
}

function removeOfUser(app: FastifyInstance, { makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'remove_user_identities',
      method: 'DELETE',
      path: '/users/{user_id}/identities',
      access: 'users:write',
      scope: 'organization',
      recent: true,

      description:
        "Removes all identities of a user, also of a deleted one, and ends the user's sessions. A trusted domain may link the user again at the next sign-in.",
      returns: 'ConfirmationOfIdentityRemoval',
      responses: { 200: { description: 'The identities were removed.' } },
      problems: ['user_not_found', 'user_outranks_caller', ...ownAccountProblems],
    }),
    async handler(request, reply) {
      const input = { user_id: pathId(request, 'user_id') }
      return (await makeChange(request, reply, 'identities.remove_of_user', { input: () => input })).result
    },
  })

  app.route({
    ...operation({
      name: 'remove_user_identity',
      method: 'DELETE',
      path: '/users/{user_id}/identities/{identity_id}',
      access: 'users:write',
      scope: 'organization',
      recent: true,

      description:
        "Removes one identity of a user and ends the user's sessions. A trusted domain may link the user again at the next sign-in.",
      returns: 'ConfirmationOfIdentityRemoval',
      responses: { 200: { description: 'The identities were removed.' } },
      problems: ['user_not_found', 'identity_not_found', 'user_outranks_caller', ...ownAccountProblems],
    }),
    async handler(request, reply) {
      const input = { user_id: pathId(request, 'user_id'), identity_id: pathId(request, 'identity_id') }
      return (await makeChange(request, reply, 'identities.remove_of_user', { input: () => input })).result
    },
  })
}

function own(app: FastifyInstance, { contextOf, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'list_my_identities',
      method: 'GET',
      path: '/me/identities',
      access: 'user',
      scope: 'global',
      description: 'Lists the accounts of identity providers with which the signed-in user signs in.',
      returns: 'Identity[]',
      responses: { 200: 'The identities, the oldest first.' },
    }),
    handler: (request) => identities.listOf(contextOf(request), personOf(request).user_id),
  })

  app.route({
    ...operation({
      name: 'remove_my_identities',
      method: 'DELETE',
      path: '/me/identities',
      access: 'user',
      scope: 'global',
      recent: true,
      description:
        'Removes all identities of the signed-in user, and ends their other sessions. Users who have neither a passkey nor a password that they may use keep them, because they could not sign in again (`last_sign_in_way`).',
      returns: 'ConfirmationOfIdentityRemoval',
      responses: { 200: { description: 'The identities were removed.' } },
      problems: ['last_sign_in_way'],
    }),
    async handler(request, reply) {
      return (await makeChange(request, reply, 'identities.remove_own', { input: () => ({}) })).result
    },
  })

  app.route({
    ...operation({
      name: 'remove_my_identity',
      method: 'DELETE',
      path: '/me/identities/{identity_id}',
      access: 'user',
      scope: 'global',
      recent: true,
      description:
        'Removes one identity of the signed-in user, and ends their other sessions. Users who could not sign in again without it keep it (`last_sign_in_way`).',
      returns: 'ConfirmationOfIdentityRemoval',
      responses: { 200: { description: 'The identities were removed.' } },
      problems: ['identity_not_found', 'last_sign_in_way'],
    }),
    async handler(request, reply) {
      const input = { identity_id: pathId(request, 'identity_id') }
      return (await makeChange(request, reply, 'identities.remove_own', { input: () => input })).result
    },
  })
}
