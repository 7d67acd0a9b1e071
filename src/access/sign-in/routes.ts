import type { FastifyInstance } from 'fastify'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { bodyProblems, publicChangeProblems } from '../../http/endpoint/problem-lists.ts'
import * as answers from './answers.ts'
import { type BrowserSignInNeeds, refuseOtherSites, signInBrowser } from './browser.ts'
import type { CreateSession } from './schema.ts'

type Needs = BrowserSignInNeeds & Pick<HttpLayer, 'links' | 'refuseCrossOrigin'>

/** Signing in creates a session. */
export function signInRoute(app: FastifyInstance, needs: Needs): void {
  app.route({
    ...operation({
      name: 'create_session',
      summary: 'Sign in',
      method: 'POST',
      path: '/sessions',
      access: 'public',
      isRepeatable: true,
      description: answers.createDescription,
      answers: answers.created,
      problems: [...bodyProblems, ...publicChangeProblems, 'sign_in_failed', 'too_many_attempts'],
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
      reply.code(201).header('location', needs.links.to(`/sessions/${session.session_id}`))
      return session
    },
  })
}
