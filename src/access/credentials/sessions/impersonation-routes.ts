import type { FastifyInstance } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { dryRun as dryRunHeader, json, text } from '../../../http/endpoint/response-parts.ts'
import { pathId } from '../../../http/request/path-id.ts'
import { newToken } from '../../../record/mails/service.ts'
import type { Impersonate } from './impersonation-schema.ts'
import { keepOwnSession } from './own-session.ts'

const description = `Signs you in as a user, to see what they see: the cookie of the response is a session of the user for an hour. It
reads and changes nothing: every change is refused with 403 \`not_while_impersonating\`, except the end of the session. Your product
decides by itself what it permits: \`act\` is in access tokens, introspection, identity headers and \`GET /me\`.

\`DELETE /sessions/current\` stops it, and the browser has your own session again. It also ends with your own session, with your permission,
and when the user or you are disabled. The user gets a notice by email. The reason is recorded.

Needs the permission {access}, every permission of the user, and a session: not an API key or an access token.`

type Needs = Pick<HttpLayer, 'config' | 'cookies' | 'links' | 'makeChange'>

export function impersonationRoute(app: FastifyInstance, { config, cookies, links, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'impersonate_user',
      method: 'POST',
      path: '/users/{user_id}/impersonation',
      access: 'users:impersonate',
      scope: 'organization',
      recent: true,
      description,
      body: 'Impersonate',
      returns: 'Session',
      responses: {
        200: { description: 'Dry run: the session as it would be.', content: json('Session'), headers: dryRunHeader },
        201: {
          description: 'You act as the user.',
          content: json('Session'),
          headers: {
            Location: text('The URL of the session.'),
            'Set-Cookie': text('The session of the user, and your own one, which waits beside it.'),
          },
        },
      },
      problems: ['user_not_found', 'user_required', 'user_outranks_caller', 'user_not_impersonable'],
      example: { reason: 'Support case 4711: the report is empty.' },
    }),
    async handler(request, reply) {
      // An access token must not become a session that outlasts it.
      if (request.credential?.kind !== 'session') {
        throw new AppError('user_required', 'Only a user with a session can act as another one. Sign in first.')
      }
      const { reason } = request.body as Impersonate
      const { result, dryRun } = await makeChange(request, reply, 'sessions.impersonate', {
        input: () => ({ user_id: pathId(request, 'user_id'), reason: reason.trim(), token: newToken() }),
      })
      const { session, token } = result
      if (dryRun) return session
      keepOwnSession({ config, cookies }, { request, reply }, { token, endsAtMs: Date.parse(session.expires_at) })
      reply.code(201).header('location', links.to(`/sessions/${session.session_id}`))
      return session
    },
  })
}
