import type { FastifyInstance } from 'fastify'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { pathId } from '../../../http/request/path-id.ts'
import * as state from './state.ts'

export function signInStateRoute(app: FastifyInstance, { contextOf }: Pick<HttpLayer, 'contextOf'>): void {
  app.route({
    ...operation({
      name: 'get_sign_in_state',
      method: 'GET',
      path: '/users/{user_id}/sign-in',
      access: 'users:read',
      scope: 'organization',

      description:
        'Returns whether a user can sign in now; if not, why and what to do. The sign-in itself does not reveal this. Includes when and from where the latest wrong password was sent, and who disabled the user.',
      returns: 'SignInState',
      responses: { 200: 'Whether the user can sign in.' },
      problems: ['user_not_found'],
    }),
    handler: (request) => state.get(contextOf(request), pathId(request, 'user_id')),
  })
}
