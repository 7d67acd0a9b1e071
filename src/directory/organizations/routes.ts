import type { FastifyInstance } from 'fastify'
import { scopablePermissions } from '../../core/permissions.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { linkToNext } from '../../http/endpoint/next-page.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { overrideQuery, overrides } from '../../http/endpoint/override.ts'
import { text } from '../../http/endpoint/response-parts.ts'
import { expectedVersion, unlessKnown, withETag } from '../../http/request/conditional.ts'
import { cursorAt, namedFilters, planList } from '../named-resources/service.ts'
import * as answers from './answers.ts'
import { domainRoutes } from './domain-routes.ts'
import { checkOrganizationInput, organizationIdOf } from './input.ts'
import * as organizations from './organizations.ts'
import {
  type CreateOrganization,
  type ListOrganizations,
  listOrganizationsSchema,
  type UpdateOrganization,
} from './schema.ts'
import { setupLinkRoutes } from './setup-link-routes.ts'
import type { OrganizationFilters, SortColumn } from './store.ts'

type Needs = Pick<HttpLayer, 'config' | 'contextOf' | 'makeChange' | 'links'>

const takenProblems = ['organization_name_taken', 'external_id_taken'] as const

export function routes(app: FastifyInstance, needs: Needs): void {
  listOrganizations(app, needs)
  createOrganization(app, needs)
  getOrganization(app, needs)
  updateOrganization(app, needs)
  domainRoutes(app, needs)
  setupLinkRoutes(app, needs)
}

function listOrganizations(app: FastifyInstance, { contextOf, links }: Needs): void {
  app.route({
    ...operation({
      name: 'list_organizations',
      method: 'GET',
      path: '/organizations',
      access: 'organizations:read',
      scope: 'organization',
      limitedAccess: scopablePermissions,
      description: answers.listDescription,
      query: listOrganizationsSchema,
      returns: 'Organization[]',
      responses: { 200: 'A page of organizations.' },
    }),
    async handler(request, reply) {
      const query = request.query as ListOrganizations
      const plan = planList(query, columns)
      const { organizations: found, next } = await organizations.list(contextOf(request), {
        ...plan,
        q: query.q,
        filters: filtersOf(query),
      })
      linkToNext(reply, links, '/organizations', { limit: plan.limit, cursor: next && cursorAt(query, next) })
      return found
    },
  })
}

const columns = { name: 'name_key', created_at: 'created_at' } as const satisfies Record<string, SortColumn>

function filtersOf({ active, ...query }: ListOrganizations): OrganizationFilters {
  return { ...namedFilters(query), ...(active !== undefined && { active: Number(active) }) }
}

function createOrganization(app: FastifyInstance, { makeChange, links }: Needs): void {
  app.route({
    ...operation({
      name: 'create_organization',
      method: 'POST',
      path: '/organizations',
      access: 'organizations:write',
      scope: 'global',
      description: answers.createDescription,
      body: 'CreateOrganization',
      returns: 'Organization',
      etag: 'organization',
      responses: {
        200: 'Dry run: the organization as it would be created.',
        201: {
          description: 'The organization was created.',
          addedHeaders: { Location: text('The URL of the new organization.') },
        },
      },
      problems: takenProblems,
      example: answers.createExample,
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'organizations.create', {
        input: () => checkOrganizationInput(request.body as CreateOrganization),
      })
      if (dryRun) return result.organization
      reply.code(201).header('location', links.to(`/organizations/${result.organization.organization_id}`))
      return withETag(reply, result.version, result.organization)
    },
  })
}

function getOrganization(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'get_organization',
      method: 'GET',
      path: '/organizations/{organization_id}',
      access: 'organizations:read',
      scope: 'organization',
      limitedAccess: scopablePermissions,
      description: answers.getDescription,
      returns: 'Organization',
      etag: 'organization',
      responses: { 200: 'The organization.', 304: 'The organization has not changed since this `If-None-Match`.' },
      problems: ['organization_not_found'],
    }),
    async handler(request, reply) {
      const found = await organizations.get(contextOf(request), organizationIdOf(request))
      return unlessKnown(reply, found.version, found.organization)
    },
  })
}

function updateOrganization(app: FastifyInstance, { config, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'update_organization',
      method: 'PATCH',
      path: '/organizations/{organization_id}',
      access: 'organizations:write',
      scope: 'organization',
      limitedAccess: ['users:write'],
      // Its users get their access back, or need no second factor any more.
      recent: ({ body }) => {
        const { active, second_factor } = body as UpdateOrganization
        return active === true || second_factor === null
      },
      description: answers.updateDescription,
      query: overrideQuery,
      body: 'UpdateOrganization',
      returns: 'Organization',
      etag: 'organization',
      responses: { 200: 'The changed organization. In a dry run: the organization as it would be, without an ETag.' },
      problems: ['organization_not_found', 'last_admin', 'last_password_admin', 'managed_elsewhere', ...takenProblems],
      example: { external_id: 'crm-4711' },
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'organizations.update', {
        input: () => ({
          organization_id: organizationIdOf(request),
          expected: expectedVersion(request, config),
          input: checkOrganizationInput(request.body as UpdateOrganization),
          override: overrides(request),
        }),
      })
      return dryRun ? result.organization : withETag(reply, result.version, result.organization)
    },
  })
}
