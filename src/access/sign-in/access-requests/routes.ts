import type { FastifyInstance, FastifyRequest } from 'fastify'
import { getRow } from '../../../administration/groups/service.ts'
import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import { isPowerful } from '../../../directory/users/service.ts'
import { refuseWithout } from '../../../http/endpoint/access.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { linkToNext } from '../../../http/endpoint/next-page.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { dryRun, text } from '../../../http/endpoint/response-parts.ts'
import { pathId } from '../../../http/request/path-id.ts'
import { linkPaths, newToken, tokenHashOf } from '../../../record/mails/service.ts'
import * as answers from './answers.ts'
import * as requests from './decisions.ts'
import { refuseUnlessEnabled } from './enabled.ts'
import {
  type DecideAccessRequest,
  type DecidedAccessRequest,
  type ListAccessRequests,
  listAccessRequestsSchema,
} from './schema.ts'

type Needs = Pick<HttpLayer, 'config' | 'contextOf' | 'makeChange' | 'links'>

export async function routes(app: FastifyInstance, needs: Needs): Promise<void> {
  await app.register(async (scope) => {
    // Before the body is looked at.
    scope.addHook('preValidation', async () => refuseUnlessEnabled(needs.config))
    readRoutes(scope, needs)
    decisionRoute(scope, needs)
  })
}

function readRoutes(app: FastifyInstance, { contextOf, links }: Needs): void {
  app.route({
    ...operation({
      name: 'list_access_requests',
      method: 'GET',
      path: '/access-requests',
      access: 'users:read',
      scope: 'organization',
      description: answers.listDescription,
      query: listAccessRequestsSchema,
      returns: 'AccessRequest[]',
      responses: { 200: 'A page of requests.' },
      problems: ['not_enabled'],
    }),
    async handler(request, reply) {
      const page = await requests.list(contextOf(request), request.query as ListAccessRequests)
      linkToNext(reply, links, '/access-requests', { cursor: page.next })
      return page.requests
    },
  })

  app.route({
    ...operation({
      name: 'get_access_request',
      method: 'GET',
      path: '/access-requests/{request_id}',
      access: 'users:read',
      scope: 'organization',
      description: answers.getDescription,
      returns: 'AccessRequest',
      responses: { 200: 'The request.' },
      problems: ['not_enabled', 'access_request_not_found'],
    }),
    handler: (request) => requests.get(contextOf(request), pathId(request, 'request_id')),
  })
}

function decisionRoute(app: FastifyInstance, needs: Needs): void {
  const { makeChange, links } = needs
  app.route({
    ...operation({
      name: 'decide_access_request',
      method: 'POST',
      path: '/access-requests/{request_id}/decision',
      access: 'users:write',
      scope: 'organization',
      recent: (request) => givesPower(needs, request),
      description: answers.decideDescription,
      body: 'DecideAccessRequest',
      returns: 'DecidedAccessRequest',
      responses: {
        200: {
          description: 'The decided request. In a dry run: as it would be.',
          headers: {
            'Idempotency-Replayed': text('`true`: this is the response to an earlier request; it has no `url`.'),
            ...dryRun,
          },
        },
      },
      problems: [
        'not_enabled',
        'access_request_not_found',
        'access_request_decided',
        'username_taken',
        'email_taken',
        'attribute_taken',
        'role_not_grantable',
        'group_not_found',
        'managed_elsewhere',
        'password_refused',
        'too_many_mails',
      ],
      example: { decision: 'approve', role: 'user' },
    }),
    async handler(request, reply): Promise<DecidedAccessRequest> {
      const body = request.body as DecideAccessRequest
      if (body.groups !== undefined && body.groups.length > 0)
        refuseWithout(request.actor, { access: 'groups:write' }, 'POST')
      const token = newToken()
      const { result, dryRun } = await makeChange(request, reply, 'access_requests.decide', {
        input: () => ({ ...body, request_id: pathId(request, 'request_id'), token_hash: tokenHashOf(token) }),
      })
      reply.header('cache-control', 'no-store')
      const { invitation, ...decided } = result
      if (invitation === undefined) return decided
      // A stored response has no link, and this token is another one than that of the first response.
      const isFirst = reply.getHeader('idempotency-replayed') === undefined
      const url = `${links.issuer()}${linkPaths.invitation}/${token}`
      const { expires_at, sent, shown } = invitation
      const isShown = shown && isFirst && !dryRun
      return { ...decided, invitation: { expires_at, sent: sent && !dryRun, ...(isShown && { url }) } }
    },
  })
}

/** As for creating the user and for adding the user to each group. */
async function givesPower({ contextOf }: Needs, request: FastifyRequest): Promise<boolean> {
  const { decision, role = 'user', groups: wanted = [] } = request.body as DecideAccessRequest
  if (decision !== 'approve') return false
  const ctx = contextOf(request)
  if (isPowerful(ctx, { role })) return true
  try {
    const ids = await requests.findGroups(ctx, wanted)
    return isPowerful(ctx, { groups: await Promise.all(ids.map((id) => getRow(ctx.db, scopeOf(ctx.actor), id))) })
  } catch (error) {
    // The change refuses an unknown group.
    if (error instanceof AppError && error.code === 'group_not_found') return false
    throw error
  }
}
