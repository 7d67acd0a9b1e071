/** Trusted browsers: the caller's own, and those of a user for administrators. */
import type { FastifyInstance } from 'fastify'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { pathId } from '../../../http/request/path-id.ts'
import * as trusted from './trusted.ts'

type Needs = Pick<HttpLayer, 'contextOf' | 'makeChange'>

const listed = { returns: 'TrustedBrowser[]', responses: { 200: 'All browsers that are trusted now, newest first.' } }

const removed = {
  returns: 'ConfirmationOfTrustRemoval',
  responses: { 200: 'The browser is no longer trusted. In a dry run nothing was changed.' },
}

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
      scope: 'global',
      description: 'Lists the browsers in which you are not asked for your second factor.',
      ...listed,
    }),
    handler: (request) => trusted.listOwn(contextOf(request)),
  })

  app.route({
    ...operation({
      name: 'remove_my_trusted_browser',
      method: 'DELETE',
      path: '/me/trusted-browsers/{browser_id}',
      access: 'user',
      scope: 'global',
      description: 'The next sign-in in this browser asks for your second factor. Sessions continue.',
      ...removed,
      problems: ['trusted_browser_not_found'],
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
      scope: 'organization',
      description: 'Lists the browsers in which a user is not asked for the second factor.',
      ...listed,
      problems: ['user_not_found', 'user_required'],
    }),
    handler: (request) => trusted.listOf(contextOf(request), pathId(request, 'user_id')),
  })

  app.route({
    ...operation({
      name: 'remove_user_trusted_browser',
      method: 'DELETE',
      path: '/users/{user_id}/trusted-browsers/{browser_id}',
      access: 'sessions:write',
      scope: 'organization',
      description: `The user's next sign-in in this browser asks for the second factor. Sessions continue; \`DELETE /users/{user_id}/sessions\`
ends them and all trust.`,
      ...removed,
      problems: ['user_not_found', 'trusted_browser_not_found', 'user_outranks_caller', 'user_required'],
    }),
    async handler(request, reply) {
      const input = { user_id: pathId(request, 'user_id'), browser_id: pathId(request, 'browser_id') }
      const { result } = await makeChange(request, reply, 'trusted_browsers.remove_of_user', { input: () => input })
      return result
    },
  })
}
