/** Trusted browsers: the caller's own, and those of a user for administrators. */
import type { FastifyInstance } from 'fastify'
import { writeQuery } from '../../../http/endpoint/change.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { type Answers, operation } from '../../../http/endpoint/operation.ts'
import { dryRun, json, jsonList } from '../../../http/endpoint/response-parts.ts'
import { pathId } from '../../../http/request/path-id.ts'
import * as trusted from './trusted.ts'

type Needs = Pick<HttpLayer, 'contextOf' | 'makeChange'>

const listed: Answers = {
  200: {
    description: 'All browsers that are trusted now, newest first.',
    content: jsonList('TrustedBrowser'),
  },
}

const removed: Answers = {
  200: {
    description: 'The browser is no longer trusted. In a dry run nothing was changed.',
    headers: dryRun,
    content: json('ConfirmationOfTrustRemoval'),
  },
}

const listSchema = { response: { 200: { type: 'array', items: { $ref: 'TrustedBrowser#' } } } }
const removalSchema = { querystring: writeQuery, response: { 200: { $ref: 'ConfirmationOfTrustRemoval#' } } }

export function trustedBrowserRoutes(app: FastifyInstance, needs: Needs): void {
  ownRoutes(app, needs)
  userRoutes(app, needs)
}

function ownRoutes(app: FastifyInstance, { contextOf, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'list_my_trusted_browsers',
      method: 'GET',
      path: '/me/trusted-browsers',
      access: 'user',
      description: 'Lists the browsers in which you are not asked for your second factor.',
      answers: listed,
      schema: listSchema,
    }),
    handler: (request) => trusted.listOwn(contextOf(request)),
  })

  app.route({
    ...operation({
      name: 'remove_my_trusted_browser',
      method: 'DELETE',
      path: '/me/trusted-browsers/{browser_id}',
      access: 'user',
      description: 'The next sign-in in this browser asks for your second factor. Sessions continue.',
      answers: removed,
      problems: ['trusted_browser_not_found', 'validation_failed'],
      schema: removalSchema,
    }),
    async handler(request, reply) {
      const browser_id = pathId(request, 'browser_id')
      const { result } = await makeChange(request, reply, 'trusted_browsers.remove_own', {
        input: () => ({ browser_id }),
      })
      return result
    },
  })
}

function userRoutes(app: FastifyInstance, { contextOf, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'list_user_trusted_browsers',
      method: 'GET',
      path: '/users/{user_id}/trusted-browsers',
      access: 'sessions:read',
      description:
        'Lists the browsers in which a user is not asked for the second factor. Needs the permission `sessions:read`.',
      answers: listed,
      problems: ['user_not_found', 'user_required'],
      schema: listSchema,
    }),
    handler: (request) => trusted.listOf(contextOf(request), pathId(request, 'user_id')),
  })

  app.route({
    ...operation({
      name: 'remove_user_trusted_browser',
      method: 'DELETE',
      path: '/users/{user_id}/trusted-browsers/{browser_id}',
      access: 'sessions:write',
      description: `The user's next sign-in in this browser asks for the second factor. Sessions continue; \`DELETE /users/{user_id}/sessions\`
ends them and all trust. Needs the permission \`sessions:write\`.`,
      answers: removed,
      problems: [
        'user_not_found',
        'trusted_browser_not_found',
        'user_outranks_caller',
        'user_required',
        'validation_failed',
      ],
      schema: removalSchema,
    }),
    async handler(request, reply) {
      const input = { user_id: pathId(request, 'user_id'), browser_id: pathId(request, 'browser_id') }
      const { result } = await makeChange(request, reply, 'trusted_browsers.remove_of_user', { input: () => input })
      return result
    },
  })
}
