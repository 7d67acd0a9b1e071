import type { FastifyInstance } from 'fastify'
import { scimPath } from './door/errors.ts'
import { scimRoutes } from './door/routes.ts'

export async function routes(app: FastifyInstance, needs: Parameters<typeof scimRoutes>[1]): Promise<void> {
  await app.register((scope) => scimRoutes(scope, needs), { prefix: scimPath })
}
