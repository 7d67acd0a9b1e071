import type { FastifyInstance } from 'fastify'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { text } from '../../http/endpoint/response-parts.ts'
import { pathId } from '../../http/request/path-id.ts'
import { linkPaths, newToken, tokenHashOf } from '../../record/mails/service.ts'
import * as answers from './answers.ts'
import { organizationIdOf } from './input.ts'
import type { CreateSetupLink, NewSetupLink } from './setup-link-schema.ts'
import * as setupLinks from './setup-links.ts'

type Needs = Pick<HttpLayer, 'contextOf' | 'links' | 'makeChange'>

/** Which permission is needed depends on the features of a link, so the rules ask for it. */
const byFeatures = { access: 'any', scope: 'global' } as const
const path = '/organizations/{organization_id}/setup-links'

export function setupLinkRoutes(app: FastifyInstance, needs: Needs): void {
  listLinks(app, needs)
  createLink(app, needs)
  revokeLink(app, needs)
}

function listLinks(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'list_organization_setup_links',
      method: 'GET',
      path,
      ...byFeatures,
      description: answers.listSetupLinksDescription,
      returns: 'OrganizationSetupLink[]',
      responses: { 200: 'The links, the newest first.' },
      problems: ['permission_denied', 'organization_not_found'],
    }),
    handler: (request) => setupLinks.list(contextOf(request), organizationIdOf(request)),
  })
}

function createLink(app: FastifyInstance, { links, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'create_organization_setup_link',
      method: 'POST',
      path,
      ...byFeatures,
      // Its holder decides who signs in as the users of the organization.
      recent: true,
      description: answers.createSetupLinkDescription,
      body: 'CreateOrganizationSetupLink',
      returns: 'NewOrganizationSetupLink',
      responses: {
        200: 'Dry run: the link as it would be, without `url`.',
        201: {
          description: 'The link was created.',
          headers: {
            'Idempotency-Replayed': text('`true`: this is the response to an earlier request; it has no `url`.'),
          },
        },
      },
      problems: [
        'permission_denied',
        'organization_not_found',
        'too_many_setup_links',
        'mail_not_configured',
        'too_many_mails',
      ],
      example: { features: ['domains', 'connection', 'provisioning'] },
    }),
    async handler(request, reply): Promise<NewSetupLink> {
      const token = newToken()
      const { result, dryRun } = await makeChange(request, reply, 'setup_links.create', {
        input: () => ({
          organization_id: organizationIdOf(request),
          body: request.body as CreateSetupLink,
          token_hash: tokenHashOf(token),
        }),
      })
      reply.header('cache-control', 'no-store')
      const { link, sent } = result
      if (dryRun) return { ...link, sent: false }
      reply.code(201)
      // A stored response has no link, and this token is another one than that of the first response.
      const isFirst = reply.getHeader('idempotency-replayed') === undefined
      return { ...link, sent, ...(isFirst && { url: `${links.issuer()}${linkPaths.setup_link}/${token}` }) }
    },
  })
}

function revokeLink(app: FastifyInstance, { makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'revoke_organization_setup_link',
      method: 'DELETE',
      path: `${path}/{setup_link_id}`,
      ...byFeatures,
      description: answers.revokeSetupLinkDescription,
      returns: 'ConfirmationOfSetupLinkRevocation',
      responses: { 200: 'The link no longer works. In a dry run `revoked` is false.' },
      problems: ['permission_denied', 'organization_not_found', 'setup_link_not_found'],
    }),
    async handler(request, reply) {
      const of = { organization_id: organizationIdOf(request), setup_link_id: pathId(request, 'setup_link_id') }
      const { dryRun } = await makeChange(request, reply, 'setup_links.revoke', { input: () => of })
      return { ...of, revoked: !dryRun }
    },
  })
}
