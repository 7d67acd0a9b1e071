/** The caller's own sessions, and signing out. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { text } from '../../../http/endpoint/response-parts.ts'
import { pathId } from '../../../http/request/path-id.ts'
import { impersonationRoute } from './impersonation-routes.ts'
import { cookiesAfter } from './own-session.ts'
import { personOf } from './person.ts'
import * as sessions from './sessions.ts'
import { trustedBrowserRoutes } from './trusted-routes.ts'
import { userSessionRoutes } from './user-routes.ts'

export function routes(
  app: FastifyInstance,
  needs: Parameters<typeof trustedBrowserRoutes>[1] &
    Parameters<typeof sessionRoutes>[1] &
    Parameters<typeof userSessionRoutes>[1] &
    Parameters<typeof impersonationRoute>[1],
): void {
  trustedBrowserRoutes(app, needs)
  sessionRoutes(app, needs)
  userSessionRoutes(app, needs)
  impersonationRoute(app, needs)
}

type Needs = Pick<HttpLayer, 'config' | 'contextOf' | 'makeChange' | 'cookies' | 'lookUp'> & {
  lastSeenOf(sessionId: string): number | undefined
}

function sessionRoutes(app: FastifyInstance, needs: Needs): void {
  listSessions(app, needs)
  endOtherSessions(app, needs)
  endCurrentSession(app, needs)
  endSession(app, needs)
}

function listSessions(app: FastifyInstance, { contextOf, lastSeenOf }: Needs): void {
  app.route({
    ...operation({
      name: 'list_sessions',
      method: 'GET',
      path: '/sessions',
      access: 'user',
      scope: 'global',
      description: 'Lists your own sessions.',
      returns: 'Session[]',
      responses: { 200: 'All sessions that have not ended, newest first.' },
    }),
    handler: (request) => sessions.listOwn(contextOf(request), personOf(request).user_id, lastSeenOf),
  })
}

function endOtherSessions(app: FastifyInstance, { makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'end_other_sessions',
      method: 'DELETE',
      path: '/sessions',
      access: 'user',
      scope: 'global',
      description: 'Ends all your other sessions.',
      returns: 'ConfirmationOfSignOuts',
      responses: { 200: 'The number of sessions ended. In a dry run: the number that would be.' },
    }),
    async handler(request, reply) {
      const { user_id, session_id } = personOf(request)
      const input = { user_id, except: session_id }
      const { result } = await makeChange(request, reply, 'sessions.end_all', { input: () => input })
      return { user_id, revoked: result.ended }
    },
  })
}

function endCurrentSession(app: FastifyInstance, needs: Needs): void {
  app.route({
    ...operation({
      name: 'end_current_session',
      method: 'DELETE',
      path: '/sessions/current',
      access: 'user',
      scope: 'global',
      during: ['add_factor', 'change_password'],
      duringImpersonation: true,
      description:
        'Signs out: ends the session of this request and deletes its cookie. If you act as another user, it stops that, and the cookie is your own session again. It does not sign the user out of the provider they came from: for that, set `sign_out_there` of the connection and send the browser to the page `/logout` (OpenID Connect RP-Initiated Logout 1.0).',
      returns: 'ConfirmationOfSignOut',
      responses: {
        200: {
          description: 'The session was ended. In a dry run `revoked` is false.',
          addedHeaders: { 'Set-Cookie': text('Deletes the cookie.') },
        },
      },
      problems: ['session_not_found'],
    }),
    handler: (request, reply) => endOwn(needs, request, reply, personOf(request).session_id),
  })
}

function endSession(app: FastifyInstance, needs: Needs): void {
  app.route({
    ...operation({
      name: 'end_session',
      method: 'DELETE',
      path: '/sessions/{session_id}',
      access: 'user',
      scope: 'global',
      description: 'Ends one of your own sessions.',
      returns: 'ConfirmationOfSignOut',
      responses: {
        200: {
          description: 'The session was ended. In a dry run `revoked` is false.',
          addedHeaders: { 'Set-Cookie': text('Deletes the cookie.') },
        },
      },
      problems: ['session_not_found'],
    }),
    handler: (request, reply) => endOwn(needs, request, reply, pathId(request, 'session_id')),
  })
}

async function endOwn(needs: Needs, request: FastifyRequest, reply: FastifyReply, session_id: string) {
  const person = personOf(request)
  const { user_id } = person
  const { dryRun } = await needs.makeChange(request, reply, 'sessions.end_own', {
    input: () => ({ user_id, session_id }),
  })
  if (!dryRun && session_id === person.session_id) {
    reply.header('set-cookie', await cookiesAfter(needs, request, person))
  }
  return { session_id, revoked: !dryRun }
}
