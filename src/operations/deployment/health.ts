import type { FastifyInstance } from 'fastify'
import { AppError } from '../../core/errors.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { damageDetail } from '../../store/db/sqlite/failures.ts'

const healthy = (description: string) => ({
  200: {
    description,
    content: {
      'application/json': {
        schema: { type: 'object', required: ['status'], properties: { status: { type: 'string', enum: ['ok'] } } },
      },
    },
  },
})

export function healthRoutes(
  app: FastifyInstance,
  { storage, lifecycle }: Pick<HttpLayer, 'storage' | 'lifecycle'>,
): void {
  app.route({
    ...operation({
      name: 'live',
      method: 'GET',
      path: '/health/live',
      access: 'public',
      scope: 'global',
      description: 'Whether the process responds. If it does not, restart it.',
      responses: healthy('The process is alive.'),
      problems: ['malformed_request'],
    }),
    handler: async () => ({ status: 'ok' }),
  })

  app.route({
    ...operation({
      name: 'ready',
      method: 'GET',
      path: '/health/ready',
      access: 'public',
      scope: 'global',
      description:
        'Whether this node accepts requests. It does not while storage is unavailable or damaged, or while the service is stopping.',
      responses: healthy('The node accepts requests.'),
      problems: ['malformed_request', 'draining', 'storage_unavailable', 'storage_damaged'],
    }),
    handler: async () => {
      if (lifecycle.stage !== 'serving')
        throw new AppError('draining', 'The service is stopping. Send requests to another instance.')
      if (storage.isDamaged()) throw new AppError('storage_damaged', damageDetail)
      if (!storage.isReady()) throw new AppError('storage_unavailable', 'The storage is unavailable. Try again.')
      return { status: 'ok' }
    },
  })
}
