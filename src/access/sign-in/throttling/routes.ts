import type { FastifyInstance } from 'fastify'
import { lockRoutes } from './lock-routes.ts'
import { signInStateRoute } from './state-routes.ts'

export function routes(
  app: FastifyInstance,
  needs: Parameters<typeof lockRoutes>[1] & Parameters<typeof signInStateRoute>[1],
): void {
  lockRoutes(app, needs)
  signInStateRoute(app, needs)
}
