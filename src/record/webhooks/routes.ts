import type { FastifyInstance, FastifyReply } from 'fastify'
import { writeQuery } from '../../http/endpoint/change.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { bodyProblems, conditionProblems, readConditionProblems } from '../../http/endpoint/problem-lists.ts'
import { etagOf, expectedVersion, isNotModified } from '../../http/request/conditional.ts'
import { pathId } from '../../http/request/path-id.ts'
import { uuidv7Maker } from '../../lib/uuidv7.ts'
import { encryptionSecrets, sealingSecret } from '../../store/secrets/encryption.ts'
import * as answers from './answers.ts'
import * as endpoints from './endpoints.ts'
import { checkEndpointInput } from './input.ts'
import type { CreateEndpoint, Endpoint, NewEndpoint, RotateSecret, UpdateEndpoint } from './schema.ts'
import { makeSecret } from './secrets.ts'

type Needs = Pick<HttpLayer, 'config' | 'storage' | 'contextOf' | 'makeChange' | 'links'>

export function webhookRoutes(app: FastifyInstance, needs: Needs): void {
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
      description: 'Lists all webhook endpoints, without their secrets. Needs the permission `webhooks:read`.',
      answers: answers.listed,
      schema: { response: { 200: { type: 'array', items: { $ref: 'WebhookEndpoint#' } } } },
    }),
    handler: (request) => endpoints.list(contextOf(request)),
  })

  app.route({
    ...operation({
      name: 'get_webhook',
      method: 'GET',
      path: '/webhooks/{endpoint_id}',
      access: 'webhooks:read',
      description: 'Returns one endpoint, without its secret. Needs the permission `webhooks:read`.',
      answers: answers.found,
      problems: [...readConditionProblems, 'endpoint_not_found'],
      schema: { response: { 200: { $ref: 'WebhookEndpoint#' } } },
    }),
    async handler(request, reply) {
      const found = await endpoints.get(contextOf(request), pathId(request, 'endpoint_id'))
      const document = withETag(reply, found)
      // The last failure changes without a new version, because no change could overwrite it.
      const isSettled = found.endpoint.failure === null
      return isNotModified(request, etagOf(found.version)) && isSettled ? reply.code(304).send() : document
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
      description: answers.createDescription,
      answers: answers.created,
      problems: [...bodyProblems, 'too_many_endpoints'],
      example: { url: 'https://crm.example.com/hooks/rollbook', description: 'CRM', event_types: ['user.*'] },
      schema: {
        querystring: writeQuery,
        body: { $ref: 'CreateWebhookEndpoint#' },
        response: { '2xx': { $ref: 'NewWebhookEndpoint#' } },
      },
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
      return withETag(reply, result)
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
      description: answers.updateDescription,
      answers: answers.updated,
      problems: [...bodyProblems, ...conditionProblems, 'endpoint_not_found'],
      example: { description: 'CRM', active: true },
      schema: {
        querystring: writeQuery,
        body: { $ref: 'UpdateWebhookEndpoint#' },
        response: { 200: { $ref: 'WebhookEndpoint#' } },
      },
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'webhooks.update', {
        input: () => ({
          endpoint_id: pathId(request, 'endpoint_id'),
          expected: expectedVersion(request, config),
          input: checkEndpointInput(request.body as UpdateEndpoint, config),
        }),
      })
      return dryRun ? result.endpoint : withETag(reply, result)
    },
  })

  app.route({
    ...operation({
      name: 'delete_webhook',
      method: 'DELETE',
      path: '/webhooks/{endpoint_id}',
      access: 'webhooks:write',
      description:
        'Deletes an endpoint and its delivery log. Nothing more is sent to it. Needs the permission `webhooks:write`.',
      answers: answers.deleted,
      problems: [...conditionProblems, 'endpoint_not_found', 'validation_failed'],
      schema: { querystring: writeQuery, response: { 200: { $ref: 'ConfirmationOfWebhookDeletion#' } } },
    }),
    async handler(request, reply) {
      const endpoint_id = pathId(request, 'endpoint_id')
      const { dryRun } = await makeChange(request, reply, 'webhooks.delete', {
        input: () => ({ endpoint_id, expected: expectedVersion(request, config) }),
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
      description: answers.rotateDescription,
      answers: answers.rotated,
      problems: [...bodyProblems, 'endpoint_not_found'],
      example: { revoke_previous: false },
      schema: {
        querystring: writeQuery,
        body: { $ref: 'RotateWebhookSecret#' },
        response: { 200: { $ref: 'NewWebhookEndpoint#' } },
      },
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
      return dryRun ? withoutSecret(result.endpoint) : withETag(reply, result)
    },
  })
}

function withETag<Shown extends Endpoint>(
  reply: FastifyReply,
  { endpoint, version }: endpoints.Versioned<Shown>,
): Shown {
  reply.header('etag', etagOf(version))
  return endpoint
}

/** For a dry run: a secret that never signs must not be mistaken for a real one. */
function withoutSecret({ secret: _, ...rest }: NewEndpoint): Endpoint {
  return rest
}
