import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { overrideQuery, overrides } from '../../http/endpoint/override.ts'
import * as answers from './answers.ts'
import { checkDomain, domainForm, domainNotFound } from './domain-form.ts'
import { newProof, proofLimiter, requireProof } from './domain-proof.ts'
import * as domains from './domains.ts'
import { organizationIdOf } from './input.ts'
import type { AddOrganizationDomain } from './schema.ts'

type Needs = Pick<HttpLayer, 'config' | 'contextOf' | 'makeChange'>

export function domainRoutes(app: FastifyInstance, needs: Needs): void {
  addDomain(app, needs)
  verifyDomain(app, needs)
  removeDomain(app, needs)
}

const path = '/organizations/{organization_id}/domains'

function addDomain(app: FastifyInstance, { makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'add_organization_domain',
      method: 'POST',
      path,
      access: 'organizations:write',
      scope: 'organization',
      limitedAccess: ['connections:write'],
      recent: ({ body }) => (body as AddOrganizationDomain).verified === true,
      description: answers.addDomainDescription,
      query: overrideQuery,
      body: 'AddOrganizationDomain',
      returns: 'OrganizationDomain',
      responses: {
        200: 'The organization has the domain already. In a dry run: the domain as it would be.',
        201: 'The domain was added. Publish its record, then verify it.',
      },
      problems: ['organization_not_found', 'too_many_domains', 'domain_taken', 'managed_elsewhere'],
      example: { domain: 'acme.example' },
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'organizations.add_domain', {
        input: () => {
          const { domain, verified = false } = request.body as AddOrganizationDomain
          const organization_id = organizationIdOf(request)
          return {
            organization_id,
            domain: checkDomain(domain),
            proof: newProof(),
            verified,
            override: overrides(request),
          }
        },
      })
      if (result.added && !dryRun) reply.code(201)
      return result.domain
    },
  })
}

function verifyDomain(app: FastifyInstance, { config, contextOf, makeChange }: Needs): void {
  const limiter = proofLimiter()
  app.route({
    ...operation({
      name: 'verify_organization_domain',
      method: 'POST',
      path: `${path}/{domain}/verify`,
      access: 'organizations:write',
      scope: 'organization',
      limitedAccess: ['connections:write'],
      description: answers.verifyDomainDescription,
      returns: 'OrganizationDomain',
      responses: { 200: 'The domain is verified. In a dry run: the record is there.' },
      problems: [
        'organization_not_found',
        'domain_not_found',
        'domain_not_proved',
        'domain_taken',
        'name_server_unavailable',
        'too_many_attempts',
      ],
    }),
    async handler(request, reply) {
      const { result } = await makeChange(request, reply, 'organizations.verify_domain', {
        // Before the transaction: a name server may take seconds.
        input: async () => {
          const found = await domains.getDomain(contextOf(request), domainOf(request))
          const { organization_id, domain, proof, verified_at } = found
          if (verified_at === null) {
            limiter.count(organization_id, request.now)
            await requireProof(found, { servers: config.dnsServers })
          }
          return { organization_id, domain, proof }
        },
      })
      return result
    },
  })
}

function removeDomain(app: FastifyInstance, { makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'remove_organization_domain',
      method: 'DELETE',
      path: `${path}/{domain}`,
      access: 'organizations:write',
      scope: 'organization',
      limitedAccess: ['connections:write'],
      description: answers.removeDomainDescription,
      query: overrideQuery,
      returns: 'ConfirmationOfDomainDeletion',
      responses: { 200: 'The domain was removed. In a dry run `deleted` is false.' },
      problems: ['organization_not_found', 'domain_not_found', 'managed_elsewhere'],
    }),
    async handler(request, reply) {
      const of = domainOf(request)
      const { dryRun } = await makeChange(request, reply, 'organizations.remove_domain', {
        input: () => ({ ...of, override: overrides(request) }),
      })
      return { ...of, deleted: !dryRun }
    },
  })
}

/** What the path names, in the stored form. @throws AppError `organization_not_found`, `domain_not_found` */
function domainOf(request: Pick<FastifyRequest, 'params'>): { organization_id: string; domain: string } {
  const organization_id = organizationIdOf(request)
  const domain = domainForm((request.params as { domain: string }).domain)
  if (domain === undefined) throw domainNotFound()
  return { organization_id, domain }
}
