import type { FastifyInstance } from 'fastify'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { ownAccountProblems } from '../../../http/endpoint/problem-lists.ts'
import { pathId } from '../../../http/request/path-id.ts'
import * as lock from './lock.ts'

type Needs = Pick<HttpLayer, 'contextOf' | 'makeChange'>

export function lockRoutes(app: FastifyInstance, needs: Needs): void {
  getLock(app, needs)
  unlockUser(app, needs)
}

function getLock(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'get_lock',
      method: 'GET',
      path: '/users/{user_id}/lock',
      access: 'users:read',
      scope: 'organization',

      description:
        'Returns whether failed attempts keep a user from signing in: what must wait (the user, a network, a known browser), until when, and why. The sign-in itself does not reveal this.',
      returns: 'Lock',
      responses: { 200: 'The failed attempts for this user.' },
      problems: ['user_not_found'],
    }),
    handler: (request) => lock.get(contextOf(request), pathId(request, 'user_id')),
  })
}

function unlockUser(app: FastifyInstance, { makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'unlock_user',
      method: 'DELETE',
      path: '/users/{user_id}/lock',
      access: 'users:write',
      scope: 'organization',

      description:
        'Clears the failed attempts of a user and of each network that `GET` lists in `waiting`, so that the user can sign in again at once. A new password clears only those of the user.',
      returns: 'Lock',
      responses: { 200: { description: 'The unlocked user. In a dry run: as it would be.' } },
      problems: ['user_not_found', 'user_outranks_caller', ...ownAccountProblems],
    }),
    async handler(request, reply) {
      const user_id = pathId(request, 'user_id')
      return (await makeChange(request, reply, 'users.unlock', { input: () => ({ user_id }) })).result
    },
  })
}
