import type { FastifyInstance } from 'fastify'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { overrideQuery, overrides } from '../../http/endpoint/override.ts'
import { etagOf, expectedVersion, unlessKnown } from '../../http/request/conditional.ts'
import * as policies from './policies.ts'
import type { UpdatePolicies } from './schema.ts'

type Needs = Pick<HttpLayer, 'config' | 'storage' | 'makeChange'>

export function routes(app: FastifyInstance, { config, storage, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'get_policies',
      method: 'GET',
      path: '/policies',
      access: 'policies:read',
      scope: 'global',
      description: 'Returns the policies in force, and what manages them.',
      returns: 'Policies',
      etag: 'policies',
      responses: { 200: 'The policies.', 304: 'They have not changed since this `If-None-Match`.' },
    }),
    async handler(_, reply) {
      const found = await policies.get(storage)
      return unlessKnown(reply, found.version, found.policies)
    },
  })

  app.route({
    ...operation({
      name: 'update_policies',
      method: 'PATCH',
      path: '/policies',
      access: 'policies:write',
      scope: 'global',
      recent: true,
      description:
        'Changes policies. They hold on every node within a second. `POST /second-factor-policy/test` says whom a second-factor policy would ask; with `ROLLBOOK_SECOND_FACTOR` the setting wins, and the policy cannot be changed here. `POST /inactivity/preview` says whom an inactivity rule would disable.',
      query: overrideQuery,
      body: 'UpdatePolicies',
      returns: 'Policies',
      etag: 'policies',
      responses: { 200: 'The policies after the change, or as they would be after it.' },
      problems: ['managed_elsewhere'],
      example: { second_factor: { admin: 'required' } },
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'policies.update', {
        input: () => ({
          expected: expectedVersion(request, config),
          input: request.body as UpdatePolicies,
          override: overrides(request),
        }),
      })
      if (!dryRun) reply.header('etag', etagOf(result.version))
      return result.policies
    },
  })
}
