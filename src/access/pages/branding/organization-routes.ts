/** The look of an organization, which is used where a page or message knows to whom it belongs. */
import type { FastifyInstance } from 'fastify'
import { organizationIdOf } from '../../../directory/organizations/service.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { expectedVersion, unlessKnown, withETag } from '../../../http/request/conditional.ts'
import * as answers from './answers.ts'
import * as branding from './branding.ts'
import { bodyLimit } from './images/logo.ts'
import { checkBranding } from './input.ts'
import type { SetBranding } from './schema.ts'

type Needs = Pick<HttpLayer, 'config' | 'contextOf' | 'makeChange'>

const path = '/organizations/{organization_id}/branding'

export function organizationRoutes(app: FastifyInstance, needs: Needs): void {
  readRoute(app, needs)
  replaceRoute(app, needs)
  deleteRoute(app, needs)
}

function readRoute(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'get_organization_branding',
      method: 'GET',
      path,
      access: 'branding:write',
      scope: 'global',
      description: answers.getOfOrganizationDescription,
      returns: 'Branding',
      etag: 'branding',
      responses: { 200: 'The branding.', 304: 'The branding has not changed since this `If-None-Match`.' },
      problems: ['organization_not_found'],
    }),
    async handler(request, reply) {
      const found = await branding.get(contextOf(request), organizationIdOf(request))
      return unlessKnown(reply, found.version, found.branding)
    },
  })
}

function replaceRoute(app: FastifyInstance, { config, makeChange }: Needs): void {
  app.route({
    bodyLimit,
    ...operation({
      name: 'replace_organization_branding',
      method: 'PUT',
      path,
      access: 'branding:write',
      scope: 'global',
      description: answers.replaceOfOrganizationDescription,
      body: 'SetBranding',
      returns: 'Branding',
      etag: 'branding',
      responses: { 200: 'The branding after the change, or as it would be after it.' },
      problems: ['organization_not_found'],
      example: answers.example,
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'branding.replace', {
        async input() {
          const [organization_id, expected] = [organizationIdOf(request), expectedVersion(request, config)]
          const { stored } = await checkBranding(request.body as SetBranding)
          return { organization_id, stored, expected }
        },
      })
      return dryRun ? result.branding : withETag(reply, result.version, result.branding)
    },
  })
}

function deleteRoute(app: FastifyInstance, { config, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'delete_organization_branding',
      method: 'DELETE',
      path,
      access: 'branding:write',
      scope: 'global',
      description: answers.deleteOfOrganizationDescription,
      returns: 'ConfirmationOfBrandingDeletion',
      etag: 'branding',
      responses: { 200: 'The organization looks like the product. In a dry run `deleted` is false.' },
      problems: ['organization_not_found'],
    }),
    async handler(request, reply) {
      const organization_id = organizationIdOf(request)
      const { dryRun } = await makeChange(request, reply, 'branding.reset', {
        input: () => ({ organization_id, expected: expectedVersion(request, config) }),
      })
      return { organization_id, deleted: !dryRun }
    },
  })
}
