/** The sessions of a user, for administrators. */
import type { FastifyInstance } from 'fastify'
import * as users from '../../../directory/users/service.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { pathId } from '../../../http/request/path-id.ts'
import * as sessions from './sessions.ts'

type Needs = Pick<HttpLayer, 'contextOf' | 'makeChange'> & { lastSeenOf(sessionId: string): number | undefined }

export function userSessionRoutes(app: FastifyInstance, needs: Needs): void {
  listSessions(app, needs)
  endSessions(app, needs)
  endSession(app, needs)
}

function listSessions(app: FastifyInstance, { contextOf, lastSeenOf }: Needs): void {
  app.route({
    ...operation({
      name: 'list_user_sessions',
      method: 'GET',
      path: '/users/{user_id}/sessions',
      access: 'sessions:read',
      scope: 'organization',

      description: 'Lists the sessions of a user.',
      returns: 'Session[]',
      responses: { 200: 'All sessions that have not ended, newest first.' },
      problems: ['user_not_found', 'user_required'],
    }),
    async handler(request) {
      const ctx = contextOf(request)
      const { user_id } = await users.get(ctx, pathId(request, 'user_id'))
      return sessions.list(ctx, user_id, lastSeenOf)
    },
  })
}

function endSessions(app: FastifyInstance, { makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'end_user_sessions',
      method: 'DELETE',
      path: '/users/{user_id}/sessions',
      access: 'sessions:write',
      scope: 'organization',

      description:
        'Signs a user out everywhere: their sessions and access tokens are refused from the next request on.',
      returns: 'ConfirmationOfSignOuts',
      responses: { 200: 'The number of sessions ended. In a dry run: the number that would be.' },
      problems: ['user_not_found', 'user_outranks_caller', 'user_required'],
    }),
    async handler(request, reply) {
      const user_id = pathId(request, 'user_id')
      const { result } = await makeChange(request, reply, 'sessions.end_all_of_user', { input: () => ({ user_id }) })
      return { user_id, revoked: result.ended }
    },
  })
}

function endSession(app: FastifyInstance, { makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'end_user_session',
      method: 'DELETE',
      path: '/users/{user_id}/sessions/{session_id}',
      access: 'sessions:write',
      scope: 'organization',

      description: 'Ends one session of a user.',
      returns: 'ConfirmationOfSignOut',
      responses: { 200: 'The session was ended. In a dry run `revoked` is false.' },
      problems: ['user_not_found', 'session_not_found', 'user_outranks_caller', 'user_required'],
    }),
    async handler(request, reply) {
      const input = { user_id: pathId(request, 'user_id'), session_id: pathId(request, 'session_id') }
      const { dryRun } = await makeChange(request, reply, 'sessions.end_of_user', { input: () => input })
      return { session_id: input.session_id, revoked: !dryRun }
    },
  })
}
