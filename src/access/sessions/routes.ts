/** Signing in and out, and one's own sessions. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { writeQuery } from '../../http/endpoint/change.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { personOf } from '../me/person.ts'
import * as answers from './answers.ts'
import { type BrowserSignInNeeds, refuseOtherSites, signInBrowser } from './browser.ts'
import type { CreateSession } from './schema.ts'
import * as sessions from './service.ts'

type Needs = BrowserSignInNeeds &
  Pick<HttpLayer, 'contextOf' | 'makeChange' | 'links' | 'refuseCrossOrigin'> & {
    lastSeenOf(sessionId: string): number | undefined
  }

export function sessionRoutes(fastify: FastifyInstance, needs: Needs): void {
  const { contextOf, makeChange, links, cookies, lastSeenOf } = needs

  fastify.route({
    ...operation({
      name: 'create_session',
      method: 'POST',
      path: '/sessions',
      access: 'public',
      isRepeatable: true,
      description: answers.createDescription,
      answers: answers.created,
      problems: [
        'malformed_json',
        'malformed_request',
        'ambiguous_credentials',
        'body_too_large',
        'unsupported_media_type',
        'sign_in_failed',
        'cross_origin',
        'too_many_attempts',
        'validation_failed',
        'overloaded',
        'storage_unavailable',
        'storage_full',
        'outcome_unknown',
        'draining',
      ],
      example: { username: 'ada.lovelace', password: 'analytical engine no. 1' },
      schema: {
        querystring: { type: 'object', additionalProperties: false, properties: {} },
        body: { $ref: 'CreateSession#' },
        response: { 201: { $ref: 'Session#' } },
      },
    }),
    async handler(request, reply) {
      refuseOtherSites(needs, request)
      const { session } = await signInBrowser(needs, request, reply, request.body as CreateSession)
      reply.code(201).header('location', links.to(`/sessions/${session.session_id}`))
      return session
    },
  })

  fastify.route({
    ...operation({
      name: 'list_sessions',
      method: 'GET',
      path: '/sessions',
      access: 'user',
      description: 'Where one is signed in.',
      answers: answers.listed,
      schema: { response: { 200: { type: 'array', items: { $ref: 'Session#' } } } },
    }),
    handler: (request) => sessions.listOwn(contextOf(request), personOf(request).user_id, lastSeenOf),
  })

  fastify.route({
    ...operation({
      name: 'end_other_sessions',
      method: 'DELETE',
      path: '/sessions',
      access: 'user',
      description: 'Signs oneself out everywhere but here.',
      answers: answers.allEnded,
      problems: ['validation_failed'],
      schema: { querystring: writeQuery, response: { 200: { $ref: 'ConfirmationOfSignOuts#' } } },
    }),
    async handler(request, reply) {
      const { user_id, session_id } = personOf(request)
      const input = { user_id, except: session_id }
      const { result } = await makeChange(request, reply, 'sessions.end_all', { input: () => input })
      return { user_id, revoked: result.ended }
    },
  })

  fastify.route({
    ...operation({
      name: 'end_current_session',
      method: 'DELETE',
      path: '/sessions/current',
      access: 'user',
      duringPasswordChange: true,
      description: 'Signs out: ends the session that asks, and takes its cookie away.',
      answers: answers.signedOut,
      problems: ['session_not_found', 'validation_failed'],
      schema: { querystring: writeQuery, response: { 200: { $ref: 'ConfirmationOfSignOut#' } } },
    }),
    handler: (request, reply) => endOwn(request, reply, personOf(request).session_id),
  })

  fastify.route({
    ...operation({
      name: 'end_session',
      method: 'DELETE',
      path: '/sessions/{session_id}',
      access: 'user',
      description: "Ends one of one's own sessions.",
      answers: answers.signedOut,
      problems: ['session_not_found', 'validation_failed'],
      schema: { querystring: writeQuery, response: { 200: { $ref: 'ConfirmationOfSignOut#' } } },
    }),
    handler: (request, reply) => endOwn(request, reply, (request.params as { session_id: string }).session_id),
  })

  async function endOwn(request: FastifyRequest, reply: FastifyReply, id: string) {
    const { user_id, session_id: current } = personOf(request)
    const session_id = id.toLowerCase()
    const { dryRun } = await makeChange(request, reply, 'sessions.end_own', { input: () => ({ user_id, session_id }) })
    if (!dryRun && session_id === current) reply.header('set-cookie', cookies.clear())
    return { session_id, revoked: !dryRun }
  }
}
