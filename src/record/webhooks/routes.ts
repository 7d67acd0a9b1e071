import type { FastifyInstance } from 'fastify'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { overrideQuery, overrides } from '../../http/endpoint/override.ts'
import { text } from '../../http/endpoint/response-parts.ts'
import { etagOf, expectedVersion, isNotModified, withETag } from '../../http/request/conditional.ts'
import { pathId } from '../../http/request/path-id.ts'
import { uuidv7Maker } from '../../lib/uuidv7.ts'
import { encryptionSecrets, sealingSecret } from '../../store/secrets/encryption.ts'
import * as answers from './answers.ts'
import { deliveryRoutes } from './delivery-routes.ts'
import * as endpoints from './endpoints.ts'
import { checkEndpointInput } from './input.ts'
import type { CreateEndpoint, Endpoint, NewEndpoint, RotateSecret, UpdateEndpoint } from './schema.ts'
import { makeSecret } from './secrets.ts'

export function routes(
  app: FastifyInstance,
  needs: Parameters<typeof webhookRoutes>[1] & Parameters<typeof deliveryRoutes>[1],
): void {
  webhookRoutes(app, needs)
  deliveryRoutes(app, needs)
}

type Needs = Pick<HttpLayer, 'config' | 'storage' | 'contextOf' | 'makeChange' | 'links'>

function webhookRoutes(app: FastifyInstance, needs: Needs): void {
  readRoutes(app, needs)
  createRoute(app, needs)
  changeRoutes(app, needs)
  rotateRoute(app, needs)
}

function readRoutes(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'list_webhooks',
      method: 'GET',
      path: '/webhooks',
      access: 'webhooks:read',
      scope: 'global',

      description: 'Lists all webhook endpoints, without their secrets.',
      returns: 'WebhookEndpoint[]',
      responses: { 200: 'All endpoints.' },
    }),
    handler: (request) => endpoints.list(contextOf(request)),
  })

  app.route({
    ...operation({
      name: 'get_webhook',
      method: 'GET',
      path: '/webhooks/{endpoint_id}',
      access: 'webhooks:read',
      scope: 'global',

      description: 'Returns one endpoint, without its secret.',
      returns: 'WebhookEndpoint',
      etag: 'endpoint',
      responses: { 200: 'The endpoint.', 304: 'The endpoint has not changed since this `If-None-Match`.' },
      problems: ['endpoint_not_found'],
    }),
    async handler(request, reply) {
      const found = await endpoints.get(contextOf(request), pathId(request, 'endpoint_id'))
      withETag(reply, found.version, found.endpoint)
      // The last failure changes without a new version, because no change could overwrite it.
      const isSettled = found.endpoint.failure === null
      return isNotModified(request, etagOf(found.version)) && isSettled ? reply.code(304).send() : found.endpoint
    },
  })
}

function createRoute(app: FastifyInstance, { config, storage, makeChange, links }: Needs): void {
  const newId = uuidv7Maker()

  app.route({
    ...operation({
      name: 'create_webhook',
      method: 'POST',
      path: '/webhooks',
      access: 'webhooks:write',
      scope: 'global',
      description: answers.createDescription,
      body: 'CreateWebhookEndpoint',
      returns: 'NewWebhookEndpoint',
      etag: 'endpoint',
      responses: {
        200: 'Dry run: the endpoint as it would be created, without a secret.',
        201: {
          description: 'The endpoint with its secret, which is shown only now.',
          addedHeaders: { Location: text('The URL of the new endpoint.') },
        },
      },
      problems: ['too_many_endpoints'],
      example: { url: 'https://crm.example.com/hooks/rollbook', description: 'CRM', event_types: ['user.*'] },
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'webhooks.create', {
        async input() {
          const input = checkEndpointInput(request.body as CreateEndpoint, config)
          // Before the change, because the secret is sealed with this id as label.
          const endpoint_id = newId(request.now)
          const secret = makeSecret(endpoint_id, await sealingSecret(storage.db, config))
          // Events without a number yet would count as having happened afterwards.
          await storage.settleJournal()
          return { endpoint_id, input, secret }
        },
      })
      if (dryRun) return withoutSecret(result.endpoint)
      reply.code(201).header('location', links.to(`/webhooks/${result.endpoint.endpoint_id}`))
      return withETag(reply, result.version, result.endpoint)
    },
  })
}

function changeRoutes(app: FastifyInstance, { config, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'update_webhook',
      method: 'PATCH',
      path: '/webhooks/{endpoint_id}',
      access: 'webhooks:write',
      scope: 'global',
      description: answers.updateDescription,
      query: overrideQuery,
      body: 'UpdateWebhookEndpoint',
      returns: 'WebhookEndpoint',
      etag: 'endpoint',
      responses: { 200: 'The changed endpoint. In a dry run: the endpoint as it would be, without an ETag.' },
      problems: ['endpoint_not_found', 'managed_elsewhere'],
      example: { description: 'CRM', active: true },
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'webhooks.update', {
        input: () => ({
          endpoint_id: pathId(request, 'endpoint_id'),
          expected: expectedVersion(request, config),
          input: checkEndpointInput(request.body as UpdateEndpoint, config),
          override: overrides(request),
        }),
      })
      return dryRun ? result.endpoint : withETag(reply, result.version, result.endpoint)
    },
  })

  app.route({
    ...operation({
      name: 'delete_webhook',
      method: 'DELETE',
      path: '/webhooks/{endpoint_id}',
      access: 'webhooks:write',
      scope: 'global',

      description: 'Deletes an endpoint and its delivery log. Nothing more is sent to it.',
      query: overrideQuery,
      returns: 'ConfirmationOfWebhookDeletion',
      etag: 'endpoint',
      responses: { 200: 'The endpoint was deleted. In a dry run `deleted` is false.' },
      problems: ['endpoint_not_found', 'managed_elsewhere'],
    }),
    async handler(request, reply) {
      const endpoint_id = pathId(request, 'endpoint_id')
      const { dryRun } = await makeChange(request, reply, 'webhooks.delete', {
        input: () => ({ endpoint_id, expected: expectedVersion(request, config), override: overrides(request) }),
      })
      return { endpoint_id, deleted: !dryRun }
    },
  })
}

function rotateRoute(app: FastifyInstance, { config, contextOf, makeChange, storage }: Needs): void {
  app.route({
    ...operation({
      name: 'rotate_webhook_secret',
      method: 'POST',
      path: '/webhooks/{endpoint_id}/rotate-secret',
      isBodyOptional: true,
      access: 'webhooks:write',
      scope: 'global',
      description: answers.rotateDescription,
      body: 'RotateWebhookSecret',
      returns: 'NewWebhookEndpoint',
      etag: 'endpoint',
      responses: { 200: 'The endpoint with its new secret, which is shown only now.' },
      problems: ['endpoint_not_found'],
      example: { revoke_previous: false },
    }),
    async preValidation(request) {
      request.body ??= {} // Validated as an empty object.
    },
    async handler(request, reply) {
      const endpoint_id = pathId(request, 'endpoint_id')
      const { revoke_previous = false } = request.body as RotateSecret
      const { result, dryRun } = await makeChange(request, reply, 'webhooks.rotate_secret', {
        async input() {
          const secret = makeSecret(endpoint_id, await sealingSecret(storage.db, config))
          const signs = await endpoints.canSign(contextOf(request), endpoint_id, encryptionSecrets(config))
          return { endpoint_id, secret, revoke_previous: revoke_previous || !signs }
        },
      })
      return dryRun ? withoutSecret(result.endpoint) : withETag(reply, result.version, result.endpoint)
    },
  })
}

/** For a dry run: a secret that never signs must not be mistaken for a real one. */
function withoutSecret({ secret: _, ...rest }: NewEndpoint): Endpoint {
  return rest
}
