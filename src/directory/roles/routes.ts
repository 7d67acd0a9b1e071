import type { FastifyInstance } from 'fastify'
import type { Config } from '../../core/config.ts'
import { builtInRoles, type Roles } from '../../core/settings/access.ts'
import { operation } from '../../http/endpoint/operation.ts'
import type { Role } from './schema.ts'

export function routes(app: FastifyInstance, { config }: { config: Config }): void {
  const roles = rolesOf(config.roles)

  app.route({
    ...operation({
      name: 'list_roles',
      method: 'GET',
      path: '/roles',
      access: 'users:read',

      description:
        'Lists all roles that a user can have, with their permissions: first the built-in roles, then the configured ones in their order.',
      returns: 'Role[]',
      responses: { 200: 'Every role.' },
    }),
    handler: async () => roles,
  })
}

function rolesOf(roles: Roles): Role[] {
  return Object.entries(roles).map(([role, permissions]) => ({
    role,
    permissions: [...permissions],
    built_in: Object.hasOwn(builtInRoles, role),
  }))
}
