import type { FastifyInstance } from 'fastify'
import { writeQuery } from '../../http/endpoint/change.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { userETag } from '../../http/request/conditional.ts'
import { badCursor, readCursor, writeCursor } from '../../http/request/cursor.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import { updated } from '../users/answers.ts'
import { type ListDeletedUsers, listDeletedUsersSchema } from './schema.ts'
import * as deletedUsers from './service.ts'
import type { Position } from './store.ts'

type Needs = Pick<HttpLayer, 'contextOf' | 'makeChange' | 'links'>

export function deletedUserRoutes(app: FastifyInstance, { contextOf, makeChange, links }: Needs): void {
  app.route({
    ...operation({
      name: 'list_deleted_users',
      method: 'GET',
      path: '/deleted-users',
      access: 'users:read',
      description: `Users who were deleted and can be restored, the last to be deleted first. Needs the permission
\`users:read\`.

With each of them it says until when \`POST /users/{user_id}/restore\` brings them back.`,
      answers: {
        200: {
          description: 'A page of deleted users.',
          headers: {
            Link: {
              description: '`<…>; rel="next"` leads to the next page, if there is one.',
              schema: { type: 'string' },
            },
          },
          content: {
            'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/DeletedUser' } } },
          },
        },
      },
      problems: ['bad_cursor', 'validation_failed'],
      schema: {
        querystring: listDeletedUsersSchema,
        response: { 200: { type: 'array', items: { $ref: 'DeletedUser#' } } },
      },
    }),
    async handler(request, reply) {
      const { limit = 100, cursor } = request.query as ListDeletedUsers
      const after = cursor === undefined ? undefined : readPosition(cursor)
      const { users, next } = await deletedUsers.list(contextOf(request), { after, limit })
      if (next !== undefined) {
        const query = new URLSearchParams({
          limit: String(limit),
          cursor: writeCursor([next.deleted_at, next.user_id]),
        })
        reply.header('link', `<${links.to(`/deleted-users?${query}`)}>; rel="next"`)
      }
      return users
    },
  })

  app.route({
    ...operation({
      name: 'restore_user',
      method: 'POST',
      path: '/users/{user_id}/restore',
      access: 'users:write',
      description: `Brings a deleted user back: the same id, role and password. Needs the permission \`users:write\`, and no
fewer permissions than the user's role has.

Sessions and access tokens from before the deletion have ended and stay so. When somebody else has the username, the
e-mail address or the external id by now, nothing is changed (409).`,
      answers: updated,
      problems: [
        'user_not_found',
        'user_outranks_caller',
        'username_taken',
        'email_taken',
        'external_id_taken',
        'validation_failed',
      ],
      schema: { querystring: writeQuery },
    }),
    async handler(request, reply) {
      const user_id = (request.params as { user_id: string }).user_id.toLowerCase()
      const { result, dryRun } = await makeChange(request, reply, 'users.restore', { input: () => ({ user_id }) })
      // In a dry run the ETag would be that of somebody's later change.
      if (!dryRun) reply.header('etag', userETag(result.version))
      return reply.type('application/json; charset=utf-8').send(result.document)
    },
  })
}

/** @throws AppError `bad_cursor` */
function readPosition(cursor: string): Position {
  const [deleted_at, user_id, ...rest] = readCursor(cursor)
  const isInstant = typeof deleted_at === 'string' && /^\d{4}-[\d-]{5}T[\d:.]{12}Z$/.test(deleted_at)
  if (!isInstant || typeof user_id !== 'string' || !isUuid(user_id) || rest.length > 0) throw badCursor()
  return { deleted_at, user_id }
}
