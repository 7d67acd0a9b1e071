import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import type { Handed } from '../../../directory/links/service.ts'
import { overrideParameter } from '../../../directory/users/schema.ts'
import { writeQuery } from '../../../http/endpoint/change.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { bodyProblems, ownAccountProblems, publicChangeProblems } from '../../../http/endpoint/problem-lists.ts'
import { dryRun, text } from '../../../http/endpoint/response-parts.ts'
import { emptyUnlessSent } from '../../../http/request/body.ts'
import { pathId } from '../../../http/request/path-id.ts'
import { linkPaths, newToken, tokenHashOf } from '../../../record/mails/service.ts'
import * as answers from './answers.ts'
import { findInvitation } from './links.ts'
import { type LinkNeeds, requestReset } from './request-reset.ts'
import type { HandedLink, InviteUser, RequestPasswordReset, WithdrawnInvitation } from './schema.ts'

export function routes(app: FastifyInstance, needs: LinkNeeds): void {
  invitationRoutes(app, needs)
  resetRoutes(app, needs)
  requestRoute(app, needs)
}

const handProblems = [
  ...bodyProblems,
  'user_not_found',
  'user_outranks_caller',
  ...ownAccountProblems,
  'user_not_invitable',
  'password_refused',
  'too_many_mails',
] as const

const inviteQuery = { ...writeQuery, properties: { ...writeQuery.properties, ...overrideParameter } } as const

function invitationRoutes(app: FastifyInstance, needs: LinkNeeds): void {
  app.route({
    ...operation({
      name: 'invite_user',
      method: 'POST',
      path: '/users/{user_id}/invitation',
      access: 'users:write',
      scope: 'organization',
      // The link sets a password.
      recent: true,
      isBodyOptional: true,
      description: answers.inviteDescription,
      query: inviteQuery,
      body: 'InviteUser',
      returns: 'HandedLink',
      responses: {
        200: {
          description: 'The link was created.',
          headers: {
            'Idempotency-Replayed': text('`true`: this is the response to an earlier request; it has no `url`.'),
            ...dryRun,
          },
        },
      },
      problems: [...handProblems, 'managed_elsewhere', 'last_admin', 'last_organization_admin', 'last_password_admin'],
      example: {},
    }),
    preValidation: emptyUnlessSent,
    handler: (request, reply) => handOut(needs, request, reply, 'invitation'),
  })

  app.route({
    ...operation({
      name: 'get_invitation',
      method: 'GET',
      path: '/users/{user_id}/invitation',
      access: 'users:read',
      scope: 'organization',
      description: answers.invitationDescription,
      returns: 'Invitation',
      responses: { 200: 'The state of the invitation.' },
      problems: ['user_not_found'],
    }),
    handler: (request) => findInvitation(needs.contextOf(request), pathId(request, 'user_id')),
  })

  app.route({
    ...operation({
      name: 'withdraw_invitation',
      method: 'DELETE',
      path: '/users/{user_id}/invitation',
      access: 'users:write',
      scope: 'organization',
      description: answers.withdrawDescription,
      returns: 'ConfirmationOfWithdrawal',
      responses: { 200: 'The invitation was withdrawn.' },
      problems: ['user_not_found', 'user_outranks_caller', ...ownAccountProblems],
    }),
    async handler(request, reply): Promise<WithdrawnInvitation> {
      const input = () => ({ user_id: pathId(request, 'user_id') })
      const { result, dryRun } = await needs.makeChange(request, reply, 'links.withdraw_invitation', { input })
      return { user_id: result.user_id, withdrawn: result.withdrawn && !dryRun }
    },
  })
}

function resetRoutes(app: FastifyInstance, needs: LinkNeeds): void {
  app.route({
    ...operation({
      name: 'create_password_reset',
      method: 'POST',
      path: '/users/{user_id}/password-reset',
      access: 'users:write',
      scope: 'organization',
      // The link sets a password.
      recent: true,
      isBodyOptional: true,
      description: answers.resetDescription,
      body: 'HandOutLink',
      returns: 'HandedLink',
      responses: {
        200: {
          description: 'The link was created.',
          headers: {
            'Idempotency-Replayed': text('`true`: this is the response to an earlier request; it has no `url`.'),
            ...dryRun,
          },
        },
      },
      problems: handProblems,
      example: {},
    }),
    preValidation: emptyUnlessSent,
    handler: (request, reply) => handOut(needs, request, reply, 'password_reset'),
  })
}

const commandOf = { invitation: 'links.invite', password_reset: 'links.create_reset' } as const

async function handOut(
  { makeChange, links }: LinkNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  purpose: keyof typeof commandOf,
): Promise<HandedLink> {
  const { send = true, return_url = false, access_expires_at } = (request.body ?? {}) as InviteUser
  const token = newToken()
  const { override = false } = request.query as { override?: boolean }
  const { result, dryRun } = await makeChange(request, reply, commandOf[purpose], {
    input: () => ({
      user_id: pathId(request, 'user_id'),
      send,
      show: return_url,
      token_hash: tokenHashOf(token),
      ...(purpose === 'invitation' && { override, ...(access_expires_at !== undefined && { access_expires_at }) }),
    }),
  })
  const { user_id, expires_at, sent, shown } = result as Handed
  reply.header('cache-control', 'no-store')
  // A stored response has no link, and this token differs from the first response's.
  const isFirst = reply.getHeader('idempotency-replayed') === undefined
  const url = `${links.issuer()}${linkPaths[purpose]}/${token}`
  return { user_id, expires_at, sent: sent && !dryRun, ...(shown && isFirst && !dryRun && { url }) }
}

function requestRoute(app: FastifyInstance, needs: LinkNeeds): void {
  app.route({
    ...operation({
      name: 'request_password_reset',
      method: 'POST',
      path: '/password-resets',
      access: 'public',
      scope: 'global',
      description: answers.requestDescription,
      body: 'RequestPasswordReset',
      responses: answers.requested,
      problems: [...publicChangeProblems, 'mail_not_configured', 'too_many_attempts', 'rate_limited'],
      example: { username: 'ada@example.com' },
    }),
    async handler(request, reply) {
      if (needs.isCrossOrigin(request)) {
        const detail = 'The request comes from another origin. From a browser, send it from a page of the same origin.'
        throw new AppError('cross_origin', detail)
      }
      const { dryRun } = await requestReset(needs, request, reply, (request.body as RequestPasswordReset).username)
      return reply.code(dryRun ? 200 : 202).send({})
    },
  })
}
