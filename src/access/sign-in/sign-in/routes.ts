import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { publicChangeProblems } from '../../../http/endpoint/problem-lists.ts'
import { text } from '../../../http/endpoint/response-parts.ts'
import type { Session } from '../../credentials/sessions/schema.ts'
import * as answers from './answers.ts'
import { type BrowserSignInNeeds, refuseOtherSites, signInBrowser } from './browser.ts'
import { passkeyOptionsRoute } from './passkey-routes.ts'
import { type CreateSession, companyStepOf, stepOf } from './schema.ts'
import type { NextStep } from './sign-in.ts'

export function routes(
  app: FastifyInstance,
  needs: Parameters<typeof signInRoute>[1] & Parameters<typeof passkeyOptionsRoute>[1],
): void {
  signInRoute(app, needs)
  passkeyOptionsRoute(app, needs)
}

type Needs = BrowserSignInNeeds &
  Pick<HttpLayer, 'links' | 'refuseCrossOrigin'> & {
    /** Signs in with a password that a connection checks. */
    enterCompany(
      request: FastifyRequest,
      reply: FastifyReply,
      input: { connection_id: string; username: string; password: string },
    ): Promise<{ session: Session } | { next: Omit<NextStep, 'cookie'> }>
  }

/** Signing in creates a session. */
function signInRoute(app: FastifyInstance, needs: Needs): void {
  app.route({
    ...operation({
      name: 'create_session',
      method: 'POST',
      path: '/sessions',
      access: 'public',
      scope: 'global',
      isRepeatable: true,
      description: answers.createDescription,
      body: 'CreateSession',
      returns: 'Session',
      responses: {
        201: {
          description: 'The user is signed in.',
          addedHeaders: {
            Location: text('The URL of the session.'),
            'Set-Cookie': text(
              'The session, and a mark that identifies this browser so that password guessing from elsewhere does not lock it out.',
            ),
          },
        },
      },
      problems: [
        ...publicChangeProblems,
        'sign_in_failed',
        'second_factor_required',
        'second_factor_failed',
        'challenge_expired',
        'too_many_attempts',
        'connection_not_found',
        'connection_refused',
        'connection_conflict',
        'identity_taken',
        'provider_unavailable',
      ],
      example: { username: 'ada.lovelace', password: 'analytical engine no. 1' },
    }),
    async handler(request, reply) {
      refuseOtherSites(needs, request)
      const body = request.body as CreateSession
      const company = companyStepOf(body)
      const outcome =
        company === undefined
          ? await signInBrowser(needs, request, reply, stepOf(body))
          : await needs.enterCompany(request, reply, company)
      if ('next' in outcome) throw secondFactorRequired(outcome.next)
      const { session } = 'signedIn' in outcome ? outcome.signedIn : outcome
      reply.code(201).header('location', needs.links.to(`/sessions/${session.session_id}`))
      return session
    },
  })
}

function secondFactorRequired(next: Omit<NextStep, 'cookie'>): AppError {
  const detail =
    'The first step is right. Send challenge_id with code, recovery_code or passkey, and with the cookie of this response.'
  return new AppError('second_factor_required', detail, { members: next })
}
