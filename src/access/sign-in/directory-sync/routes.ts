import type { FastifyInstance } from 'fastify'
import * as imports from '../../../administration/imports/service.ts'
import { jobIdOf } from '../../../administration/imports/service.ts'
import { AppError } from '../../../core/errors.ts'
import { permits } from '../../../core/scope.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { text } from '../../../http/endpoint/response-parts.ts'
import { pathId } from '../../../http/request/path-id.ts'
import { isUuid, uuidv7Maker } from '../../../lib/uuidv7.ts'
import type { DirectorySync } from './directory-sync.ts'

type Needs = Pick<HttpLayer, 'contextOf' | 'links' | 'originOf'> & { directorySync: DirectorySync }

const description = `Synchronizes users with a directory (LDAP), in the background. The response is the job: \`GET /imports/{job_id}\` shows its
progress and what was rejected, and \`POST /imports/{job_id}/cancel\` ends it.

Every entry that \`user_filter\` finds is treated as at a sign-in: users are created for \`provisioning_domains\`, linked by \`trusted_domains\`,
and updated. Users who are disabled in the directory, or are no longer there, are disabled here, and their sessions end; users who
linked the account themselves stay. If more than a tenth of the users of the connection (and more than five) are missing, no user is disabled.
A disabled user is never enabled again. The last administrator is not disabled, nor the last one who may use a password: the job then has a reject with
\`last_admin\` or \`last_password_admin\`. Needs the permissions {access} and \`users:import\`.`

const syncQuerySchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    dry_run: { type: 'boolean', description: 'Report what would happen to each user, without changing any.' },
    max_disabled: {
      type: 'integer',
      minimum: 0,
      description: 'The maximum number of users to disable because they are no longer in the directory.',
    },
  },
} as const

export function routes(app: FastifyInstance, { contextOf, links, originOf, directorySync }: Needs): void {
  const newId = uuidv7Maker()
  app.route({
    ...operation({
      name: 'sync_sign_in_connection',
      method: 'POST',
      path: '/connections/{connection_id}/sync',
      access: 'connections:write',
      scope: 'organization',
      recent: true,
      description,
      query: syncQuerySchema,
      returns: 'ImportJob',
      responses: {
        200: { description: 'The dry run was started.' },
        202: { description: 'The job was started.', headers: { Location: text('The URL of the job.') } },
      },
      problems: ['connection_not_found', 'permission_denied', 'malformed_header'],
    }),
    async handler(request, reply) {
      const { actor } = request
      if (!permits(actor, 'users:import')) {
        throw new AppError(
          'permission_denied',
          'This changes many users, so it needs the permission users:import as well.',
        )
      }
      const connection_id = pathId(request, 'connection_id')
      if (!isUuid(connection_id)) throw new AppError('connection_not_found', 'There is no connection with this id.')
      const { dry_run: dryRun = false, max_disabled: maxDisabled } = request.query as {
        dry_run?: boolean
        max_disabled?: number
      }
      const { jobId: job_id } = jobIdOf(request, undefined, newId)
      await directorySync.start(
        { connection_id, job_id, dryRun, maxDisabled },
        { actor, now: request.now, requestId: request.id, origin: originOf(request) },
      )
      if (dryRun) reply.header('dry-run', 'true')
      reply.code(dryRun ? 200 : 202).header('location', links.to(`/imports/${job_id}`))
      return imports.get(contextOf(request), job_id)
    },
  })
}
