import type { FastifyInstance } from 'fastify'
import { operation } from '../../http/endpoint/operation.ts'
import { answerScrape } from './answer.ts'
import type { Metrics } from './metrics.ts'

const description = `Returns the metrics of this node in the Prometheus text format: requests by operation and status, durations, queues with
their limits, the credential cache, the database. docs/metrics-reference.md explains each name. Each node reports only its own
metrics, so let Prometheus scrape every node, not the load balancer.`

export function routes(app: FastifyInstance, { metrics }: { metrics: Metrics }): void {
  app.route({
    ...operation({
      name: 'get_metrics',
      method: 'GET',
      path: '/metrics',
      access: 'metrics:read',
      scope: 'global',
      description,
      responses: { 200: { description: 'The metrics.', content: { 'text/plain': { schema: { type: 'string' } } } } },
    }),
    async handler(request, reply) {
      const { headers, body } = await answerScrape(metrics, request.headers['accept-encoding'])
      return reply.headers(headers).send(body)
    },
  })
}
