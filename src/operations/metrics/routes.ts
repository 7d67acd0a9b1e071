import type { FastifyInstance } from 'fastify'
import { operation } from '../../http/endpoint/operation.ts'
import { answerScrape } from './answer.ts'
import type { Metrics } from './metrics.ts'

const description = `What this node does and how it fares, in the text format that Prometheus reads: requests by operation and status, times,
queues with their limits, the cache of credentials, the database. docs/metrics.md says what each name means. Each node
tells of itself: let Prometheus ask every one of them, not the load balancer. Needs the permission \`metrics:read\`.`

export function metricsRoutes(app: FastifyInstance, metrics: Metrics): void {
  app.route({
    ...operation({
      name: 'get_metrics',
      method: 'GET',
      path: '/metrics',
      access: 'metrics:read',
      description,
      answers: { 200: { description: 'All of it.', content: { 'text/plain': { schema: { type: 'string' } } } } },
    }),
    async handler(request, reply) {
      const { headers, body } = await answerScrape(metrics, request.headers['accept-encoding'])
      return reply.headers(headers).send(body)
    },
  })
}
