import type { FastifyInstance } from 'fastify'
import { linkIdentityRoute } from './link-route.ts'
import { companyLogoutRoutes } from './logout-routes.ts'

export function routes(
  app: FastifyInstance,
  needs: Parameters<typeof linkIdentityRoute>[1] & Parameters<typeof companyLogoutRoutes>[1],
): void {
  linkIdentityRoute(app, needs)
  companyLogoutRoutes(app, needs)
}
