/** The first administrator: whether one is missing, and creating one with a one-time link. */

import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { system } from '../../../core/actor.ts'
import type { Hasher } from '../../../directory/passwords/service.ts'
import { checkUserInput, passwordHashFor } from '../../../directory/users/service.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { publicChangeProblems } from '../../../http/endpoint/problem-lists.ts'
import { text } from '../../../http/endpoint/response-parts.ts'
import { refuseWhileDraining } from '../../../http/server/lifecycle.ts'
import type { Secrets } from '../../../store/secrets/service.ts'
import { sessionTokenHash } from '../../credentials/sessions/service.ts'
import { refuseOtherSites, sessionBefore, sessionCookies } from '../sign-in/service.ts'
import * as answers from './answers.ts'
import { setupTokenHash } from './link.ts'
import type { CompleteSetup, SetupState } from './schema.ts'
import * as setup from './setup.ts'

type Needs = Pick<
  HttpLayer,
  'config' | 'storage' | 'contextOf' | 'cookies' | 'links' | 'lifecycle' | 'originOf' | 'lookUp' | 'refuseCrossOrigin'
> & {
  hasher: Hasher
  secrets: Secrets
}

export function routes(app: FastifyInstance, needs: Needs): void {
  getSetup(app, needs)
  completeSetup(app, needs)
}

function getSetup(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'get_setup',
      method: 'GET',
      path: '/setup',
      access: 'public',
      scope: 'global',
      description: answers.stateDescription,
      returns: 'SetupState',
      responses: { 200: 'Whether an administrator is missing.' },
      problems: ['malformed_request', 'rate_limited', 'overloaded', 'storage_unavailable'],
    }),
    async handler(request, reply): Promise<SetupState> {
      reply.header('cache-control', 'no-store')
      return { open: await setup.isOpen(contextOf(request)) }
    },
  })
}

function completeSetup(app: FastifyInstance, needs: Needs): void {
  const { config, storage, contextOf, hasher, links, lifecycle, originOf } = needs
  app.route({
    ...operation({
      name: 'complete_setup',
      method: 'POST',
      path: '/setup',
      access: 'public',
      scope: 'global',
      isRepeatable: true,
      description: answers.completeDescription,
      body: 'CompleteSetup',
      returns: 'Session',
      responses: {
        201: {
          description: 'The administrator was created and is signed in.',
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
        'setup_link_invalid',
        'setup_done',
        'username_taken',
        'email_taken',
        'rate_limited',
      ],
      example: { token: 'the token of your link', username: 'ada.lovelace', password: 'analytical engine no. 1' },
    }),
    async handler(request, reply) {
      refuseOtherSites(needs, request)
      refuseWhileDraining(lifecycle)
      const { token: linkToken, ...body } = request.body as CompleteSetup
      const token_hash = setupTokenHash(linkToken)
      // Before the password is hashed: a stranger without the link must not make this node work.
      await setup.refuseToken(contextOf(request), token_hash)
      const input = checkUserInput(body, storage.rules.roles)
      const passwordCheck = { body, known: {}, productName: config.productName, dryRun: false }
      const { password_hash = '' } = await passwordHashFor(hasher, passwordCheck)
      const token = randomBytes(32).toString('base64url')
      const replaces = await sessionBefore(needs, request)
      const origin = originOf(request)
      const opening = { token_hash: sessionTokenHash(token), ...origin, ...(replaces !== undefined && { replaces }) }
      const { now, id: requestId } = request
      const { result } = await storage.change(
        'setup.complete',
        { token_hash, user: { ...input, password_hash }, session: opening },
        { actor: system, now, requestId, origin },
      )
      const { user_id, session } = result
      reply.header('set-cookie', sessionCookies(needs, request, { token, user_id }))
      reply.code(201).header('location', links.to(`/sessions/${session.session_id}`))
      return session
    },
  })
}
