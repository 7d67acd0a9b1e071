import type { FastifyInstance, FastifyRequest } from 'fastify'
import { organizationIdOf } from '../../directory/organizations/service.ts'
import { refuseWithout } from '../../http/endpoint/access.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { overrides } from '../../http/endpoint/override.ts'
import { expectedVersion } from '../../http/request/conditional.ts'
import { refuseWhileDraining } from '../../http/server/lifecycle.ts'
import type { ChangeRequest } from '../../store/storage/storage.ts'
import * as answers from './answers.ts'
import { deleteWithUsers } from './deletion.ts'
import { type DeletionQuery, deletionQuery } from './schema.ts'

type Needs = Pick<HttpLayer, 'storage' | 'config' | 'clock' | 'lifecycle' | 'originOf' | 'recheck' | 'makeChange'>

export function routes(app: FastifyInstance, needs: Needs): void {
  const { storage, config, makeChange } = needs
  app.route({
    ...operation({
      name: 'delete_organization',
      method: 'DELETE',
      path: '/organizations/{organization_id}',
      access: 'organizations:write',
      scope: 'global',
      recent: deletesUsers,
      description: answers.description,
      query: deletionQuery,
      returns: 'ConfirmationOfOrganizationDeletion',
      etag: 'organization',
      responses: answers.responses,
      problems: [
        ...(['organization_not_found', 'organization_not_empty', 'managed_elsewhere'] as const),
        ...([
          'own_account',
          'user_outranks_caller',
          'role_not_grantable',
          'last_admin',
          'last_password_admin',
        ] as const),
      ],
    }),
    async handler(request, reply) {
      const organization_id = organizationIdOf(request)
      const expected = expectedVersion(request, config)
      const override = overrides(request)
      if (!deletesUsers(request)) {
        const { dryRun } = await makeChange(request, reply, 'organizations.delete', {
          input: () => ({ organization_id, expected, override }),
        })
        return { organization_id, deleted: !dryRun }
      }
      const { dry_run: dryRun = false } = request.query as DeletionQuery
      const { deletionGraceDays: graceDays } = config
      const outcome = await deleteWithUsers({
        ...{ storage, organization_id, expected, override, dryRun, graceDays },
        request: () => askAgain(needs, request),
      })
      if (dryRun) reply.header('dry-run', 'true')
      if (outcome.users_left !== undefined) reply.code(202)
      return outcome
    },
  })
}

function deletesUsers({ query }: Pick<FastifyRequest, 'query'>): boolean {
  return (query as DeletionQuery).users === 'delete'
}

/** Before each batch, because the work can take long. */
async function askAgain(
  { lifecycle, clock, recheck, originOf }: Needs,
  request: FastifyRequest,
): Promise<ChangeRequest> {
  refuseWhileDraining(lifecycle)
  request.now = clock()
  await recheck(request)
  refuseWithout(request.actor, { access: 'users:write' }, request.method)
  const { actor, now, id: requestId } = request
  return { actor, now, requestId, origin: originOf(request) }
}
