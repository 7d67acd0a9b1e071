/** What the account page does that has no other operation: reading one's own data, and deleting one's own account. */
import type { FastifyInstance } from 'fastify'
import { eraseSoon } from '../../../administration/deleted-users/service.ts'
import { AppError } from '../../../core/errors.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { expectedVersion } from '../../../http/request/conditional.ts'
import { personOf } from '../../credentials/sessions/service.ts'
import type { AccountNeeds } from './account.ts'
import { readOwnData } from './data.ts'

export type OperationNeeds = AccountNeeds & Pick<HttpLayer, 'cookies' | 'log' | 'makeChange'>

export function accountOperations(app: FastifyInstance, needs: OperationNeeds): void {
  readData(app, needs)
  deleteMe(app, needs)
}

function readData(app: FastifyInstance, needs: OperationNeeds): void {
  app.route({
    ...operation({
      name: 'get_my_data',
      method: 'GET',
      path: '/me/data',
      access: 'user',
      scope: 'global',
      // It is for the person, not for an administrator who acts as them.
      duringImpersonation: false,
      description:
        'Returns everything that is stored about you, as the download of the account page: profile, factors, sessions, linked accounts, personal keys, and all audit records about you. It has no secrets.',
      returns: 'OwnData',
      responses: { 200: 'Your data.' },
    }),
    handler: (request, reply) => readOwnData(needs, request, reply),
  })
}

/** An ordinary deletion, which an administrator can undo. */
function deleteMe(app: FastifyInstance, needs: OperationNeeds): void {
  const { config, cookies, makeChange } = needs
  app.route({
    ...operation({
      name: 'delete_me',
      method: 'DELETE',
      path: '/me',
      access: 'user',
      scope: 'global',
      recent: true,
      description:
        'Deletes your own account, if `ROLLBOOK_ACCOUNT_DELETION` is `on`. You are signed out everywhere. Until `restorable_until`, an administrator can restore the account.',
      returns: 'ConfirmationOfDeletion',
      etag: 'user',
      responses: {
        200: 'The account was deleted. In a dry run `deleted` is false, and the other members are as they would be.',
      },
      problems: ['not_enabled', 'last_admin', 'last_organization_admin', 'last_password_admin', 'managed_elsewhere'],
    }),
    async handler(request, reply) {
      if (config.accountDeletion !== 'on') {
        throw new AppError('not_enabled', 'Users cannot delete their accounts here (ROLLBOOK_ACCOUNT_DELETION).')
      }
      const { user_id } = personOf(request)
      const { deletionGraceDays: graceDays } = config
      const { result, dryRun } = await makeChange(request, reply, 'users.delete', {
        input: () => ({
          user_id,
          expected: expectedVersion(request, config),
          graceDays,
          purge: false,
          override: false,
        }),
      })
      const { restorable_until } = result
      if (!dryRun) {
        if (restorable_until === null) await eraseSoon(needs, user_id, request.now)
        reply.header('set-cookie', [cookies.clear(), cookies.own.clear()])
      }
      return { user_id, deleted: !dryRun, restorable_until }
    },
  })
}
