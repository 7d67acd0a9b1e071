import type { FastifyInstance } from 'fastify'
import {
  type CreateConnection,
  type ListRejected,
  listRejectedSchema,
  type UpdateConnection,
} from '../../../directory/provisioning/schema.ts'
import * as connections from '../../../directory/provisioning/service.ts'
import { listRejections } from '../../../directory/provisioning/service.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { overrideQuery, overrides } from '../../../http/endpoint/override.ts'
import { etag, text } from '../../../http/endpoint/response-parts.ts'
import { etagOf, expectedVersion, refuseOtherVersion, withETag } from '../../../http/request/conditional.ts'
import { pathId } from '../../../http/request/path-id.ts'
import * as answers from './answers.ts'

type Needs = Pick<HttpLayer, 'config' | 'contextOf' | 'makeChange' | 'links'> & { lastUseOf: connections.LastUseOf }

const path = '/provisioning/{connection_id}'

export function routes(app: FastifyInstance, needs: Needs): void {
  readRoutes(app, needs)
  createRoute(app, needs)
  updateRoute(app, needs)
  deleteRoute(app, needs)
  rejectedRoute(app, needs)
}

function readRoutes(app: FastifyInstance, { contextOf, links, lastUseOf }: Needs): void {
  app.route({
    ...operation({
      name: 'list_connections',
      method: 'GET',
      path: '/provisioning',
      access: 'provisioning:read',
      scope: 'organization',

      description: 'Lists the identity providers that administer users through SCIM.',
      returns: 'ProvisioningConnection[]',
      responses: { 200: 'Every connection, by name.' },
    }),
    async handler(request) {
      const found = await connections.list(contextOf(request), lastUseOf)
      return found.map((one) => withAddress(links, one))
    },
  })

  app.route({
    ...operation({
      name: 'get_connection',
      method: 'GET',
      path,
      access: 'provisioning:read',
      scope: 'organization',

      description: 'Returns one connection.',
      returns: 'ProvisioningConnection',
      etag: 'connection',
      responses: { 200: 'The connection.' },
      problems: ['connection_not_found'],
    }),
    async handler(request, reply) {
      const found = await connections.get(contextOf(request), pathId(request, 'connection_id'), lastUseOf)
      // Never 304: how many users there are, and the last use, change without a new version.
      refuseOtherVersion(request, etagOf(found.version))
      return withETag(reply, found.version, withAddress(links, found.connection))
    },
  })
}

function createRoute(app: FastifyInstance, { makeChange, links }: Needs): void {
  app.route({
    ...operation({
      name: 'create_connection',
      method: 'POST',
      path: '/provisioning',
      access: 'provisioning:write',
      scope: 'organization',
      recent: true,
      description: answers.createDescription,
      body: 'CreateProvisioningConnection',
      returns: 'NewProvisioningConnection',
      etag: 'connection',
      responses: {
        200: { description: 'Dry run: the connection as it would be, without a key.' },
        201: {
          description: 'The connection with its API key, which is shown only now.',
          headers: { Location: text('Its path.'), ...etag('connection') },
        },
      },
      problems: ['connection_name_taken', 'too_many_connections', 'permission_not_grantable', 'key_outlives_caller'],
      example: { name: 'Okta', profile: 'okta' },
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'provisioning.create', {
        input: () => request.body as CreateConnection,
      })
      const connection = withAddress(links, result.connection)
      if (dryRun) return connection
      reply.code(201).header('location', links.to(`/provisioning/${connection.connection_id}`))
      return withETag(reply, result.version, { ...connection, key_id: result.key_id, key: result.key })
    },
  })
}

function updateRoute(app: FastifyInstance, { config, makeChange, links }: Needs): void {
  app.route({
    ...operation({
      name: 'update_connection',
      method: 'PATCH',
      path,
      access: 'provisioning:write',
      scope: 'organization',
      recent: true,

      description:
        'Renames a connection, or gives it another profile. Needs the permission {access}, and every permission of its keys.',
      query: overrideQuery,
      body: 'UpdateProvisioningConnection',
      returns: 'ProvisioningConnection',
      etag: 'connection',
      responses: { 200: { description: 'The connection.', headers: { ...etag('connection') } } },
      problems: ['connection_not_found', 'connection_name_taken', 'permission_not_grantable', 'managed_elsewhere'],
      example: { profile: 'entra' },
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'provisioning.update', {
        input: () => ({
          connection_id: pathId(request, 'connection_id'),
          expected: expectedVersion(request, config),
          input: request.body as UpdateConnection,
          override: overrides(request),
        }),
      })
      const connection = withAddress(links, result.connection)
      return dryRun ? connection : withETag(reply, result.version, connection)
    },
  })
}

function deleteRoute(app: FastifyInstance, { config, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'delete_connection',
      method: 'DELETE',
      path,
      access: 'provisioning:write',
      scope: 'organization',
      recent: true,
      description: answers.deleteDescription,
      query: overrideQuery,
      returns: 'ConfirmationOfConnectionDeletion',
      etag: 'connection',
      responses: { 200: { description: 'The connection was deleted.' } },
      problems: ['connection_not_found', 'permission_not_grantable', 'managed_elsewhere'],
    }),
    async handler(request, reply) {
      const connection_id = pathId(request, 'connection_id')
      const { result, dryRun } = await makeChange(request, reply, 'provisioning.delete', {
        input: () => ({
          connection_id,
          expected: expectedVersion(request, config),
          override: overrides(request),
        }),
      })
      return { connection_id, deleted: !dryRun, released: result.released }
    },
  })
}

function rejectedRoute(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'list_rejected_requests',
      method: 'GET',
      path: `${path}/rejected-requests`,
      access: 'provisioning:read',
      scope: 'organization',
      description: answers.rejectedDescription,
      query: listRejectedSchema,
      returns: 'RejectedRequest[]',
      responses: { 200: 'The rejected requests, the latest first.' },
      problems: ['connection_not_found'],
    }),
    async handler(request) {
      const { limit = 100 } = request.query as ListRejected
      const { connection } = await connections.get(contextOf(request), pathId(request, 'connection_id'))
      return listRejections(contextOf(request), connection.connection_id, limit)
    },
  })
}

function withAddress<Shown extends connections.Shown>(links: HttpLayer['links'], connection: Shown) {
  return { ...connection, scim_url: `${links.issuer()}/scim/v2` }
}
