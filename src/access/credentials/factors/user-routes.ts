/** The factors of a user, for administrators. */
import type { FastifyInstance } from 'fastify'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { ownAccountProblems } from '../../../http/endpoint/problem-lists.ts'
import { pathId } from '../../../http/request/path-id.ts'
import * as answers from './answers.ts'
import * as factors from './factors.ts'

type Needs = Pick<HttpLayer, 'contextOf' | 'makeChange'>

export function userFactorRoutes(app: FastifyInstance, needs: Needs): void {
  list(app, needs)
  removeOne(app, needs)
  reset(app, needs)
}

function list(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'list_user_factors',
      method: 'GET',
      path: '/users/{user_id}/factors',
      access: 'users:read',
      scope: 'organization',

      description: 'Lists what a user signs in with besides the password.',
      returns: 'Factors',
      responses: { 200: 'The factors, oldest first, how many recovery codes are left, and what the policy says.' },
      problems: ['user_not_found', 'user_required'],
    }),
    handler: (request) => factors.listOf(contextOf(request), pathId(request, 'user_id')),
  })
}

function removeOne(app: FastifyInstance, { makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'remove_user_factor',
      method: 'DELETE',
      path: '/users/{user_id}/factors/{factor_id}',
      access: 'users:write',
      scope: 'organization',
      recent: true,

      description: "Removes one factor of a user and ends the user's sessions.",
      returns: 'ConfirmationOfFactorRemoval',
      responses: { 200: 'The number of factors removed. In a dry run: the number that would be.' },
      problems: ['user_not_found', 'factor_not_found', 'user_outranks_caller', ...ownAccountProblems],
    }),
    async handler(request, reply) {
      const input = { user_id: pathId(request, 'user_id'), factor_id: pathId(request, 'factor_id') }
      const { result } = await makeChange(request, reply, 'factors.remove_of_user', { input: () => input })
      return result
    },
  })
}

function reset(app: FastifyInstance, { makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'reset_user_factors',
      method: 'DELETE',
      path: '/users/{user_id}/factors',
      access: 'users:write',
      scope: 'organization',
      recent: true,
      description: answers.resetDescription,
      returns: 'ConfirmationOfFactorRemoval',
      responses: { 200: 'The number of factors removed. In a dry run: the number that would be.' },
      problems: ['user_not_found', 'user_outranks_caller', ...ownAccountProblems],
    }),
    async handler(request, reply) {
      const user_id = pathId(request, 'user_id')
      const { result } = await makeChange(request, reply, 'factors.reset', { input: () => ({ user_id }) })
      return result
    },
  })
}
