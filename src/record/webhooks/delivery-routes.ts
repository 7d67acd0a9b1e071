import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { linkToNext } from '../../http/endpoint/next-page.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { text } from '../../http/endpoint/response-parts.ts'
import { pathId } from '../../http/request/path-id.ts'
import * as answers from './answers.ts'
import * as deliveries from './deliveries.ts'
import { type ListDeliveries, listDeliveriesSchema } from './delivery-schema.ts'

type Needs = Pick<HttpLayer, 'contextOf' | 'makeChange' | 'links'>

export function deliveryRoutes(app: FastifyInstance, needs: Needs): void {
  logRoutes(app, needs)
  sendRoutes(app, needs)
}

function logRoutes(app: FastifyInstance, { contextOf, links }: Needs): void {
  app.route({
    ...operation({
      name: 'list_deliveries',
      method: 'GET',
      path: '/webhooks/{endpoint_id}/deliveries',
      access: 'webhooks:read',
      scope: 'global',
      description: answers.logDescription,
      query: listDeliveriesSchema,
      returns: 'WebhookDelivery[]',
      responses: { 200: 'A page of deliveries.' },
      problems: ['endpoint_not_found'],
    }),
    async handler(request, reply) {
      const endpoint_id = pathId(request, 'endpoint_id')
      const page = await deliveries.list(contextOf(request), endpoint_id, request.query as ListDeliveries)
      linkToNext(reply, links, `/webhooks/${endpoint_id}/deliveries`, { cursor: page.next })
      return page.deliveries
    },
  })

  app.route({
    ...operation({
      name: 'get_delivery',
      method: 'GET',
      path: '/webhooks/{endpoint_id}/deliveries/{delivery_id}',
      access: 'webhooks:read',
      scope: 'global',

      description: 'Returns a delivery with its latest attempts: the responses, or why there was none.',
      returns: 'WebhookDeliveryWithAttempts',
      responses: { 200: 'The delivery.' },
      problems: ['endpoint_not_found', 'delivery_not_found'],
    }),
    handler: (request) => deliveries.get(contextOf(request), idsOf(request)),
  })
}

function sendRoutes(app: FastifyInstance, { makeChange, links }: Needs): void {
  app.route({
    ...operation({
      name: 'test_webhook',
      method: 'POST',
      path: '/webhooks/{endpoint_id}/test',
      access: 'webhooks:write',
      scope: 'global',
      description: answers.testDescription,
      returns: 'WebhookDelivery',
      responses: {
        200: 'Dry run: what would be sent.',
        202: {
          description: 'The delivery was queued.',
          addedHeaders: { Location: text('For a test: the URL of its result.') },
        },
      },
      problems: ['endpoint_not_found', 'endpoint_inactive'],
    }),
    async handler(request, reply) {
      const endpoint_id = pathId(request, 'endpoint_id')
      const { result, dryRun } = await makeChange(request, reply, 'webhooks.test', {
        input: () => ({ endpoint_id, source: links.issuer() }),
      })
      if (!dryRun) {
        const where = `/webhooks/${endpoint_id}/deliveries/${result.delivery_id}`
        reply.code(202).header('location', links.to(where))
      }
      return result
    },
  })

  app.route({
    ...operation({
      name: 'redeliver',
      method: 'POST',
      path: '/webhooks/{endpoint_id}/deliveries/{delivery_id}/redeliver',
      access: 'webhooks:write',
      scope: 'global',
      description: answers.redeliverDescription,
      returns: 'WebhookDelivery',
      responses: {
        200: 'Dry run: what would be sent.',
        202: {
          description: 'The delivery was queued.',
          addedHeaders: { Location: text('For a test: the URL of its result.') },
        },
      },
      problems: ['endpoint_not_found', 'delivery_not_found', 'endpoint_inactive', 'delivery_in_progress'],
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'deliveries.repeat', { input: () => idsOf(request) })
      if (!dryRun) reply.code(202)
      return result
    },
  })
}

function idsOf(request: FastifyRequest): { endpoint_id: string; delivery_id: string } {
  return { endpoint_id: pathId(request, 'endpoint_id'), delivery_id: pathId(request, 'delivery_id') }
}
