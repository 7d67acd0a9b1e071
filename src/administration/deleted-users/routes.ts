import type { FastifyInstance } from 'fastify'
import { keyOrNothing, searchFor, textOrNothing } from '../../directory/search/service.ts'
import { overrideParameter } from '../../directory/users/schema.ts'
import { writeQuery } from '../../http/endpoint/change.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { linkToNext } from '../../http/endpoint/next-page.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { dryRun, etag } from '../../http/endpoint/response-parts.ts'
import { etagOf, expectedVersion } from '../../http/request/conditional.ts'
import { badCursor, readCursor, writeCursor } from '../../http/request/cursor.ts'
import { pathId } from '../../http/request/path-id.ts'
import { emailKey } from '../../lib/email-form.ts'
import { wholeMilliseconds } from '../../lib/instant.ts'
import { trimEnds } from '../../lib/typed-name.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import * as answers from './answers.ts'
import * as deletedUsers from './deleted-users.ts'
import { eraseSoon } from './eraser.ts'
import { type ListDeletedUsers, listDeletedUsersSchema } from './schema.ts'
import type { DeletedFilters, Position } from './store.ts'

type Needs = Pick<HttpLayer, 'config' | 'storage' | 'contextOf' | 'makeChange' | 'links' | 'log'>

const deleteQuery = {
  ...writeQuery,
  properties: {
    ...writeQuery.properties,
    purge: {
      type: 'boolean',
      description:
        'Erase the user immediately, so that they cannot be restored. This also works for users who were deleted before.',
    },
    ...overrideParameter,
  },
} as const

export function routes(app: FastifyInstance, needs: Needs): void {
  deleteUser(app, needs)
  listDeletedUsers(app, needs)
  restoreUser(app, needs)
}

function deleteUser(app: FastifyInstance, { config, storage, makeChange, log }: Needs): void {
  app.route({
    ...operation({
      name: 'delete_user',
      method: 'DELETE',
      path: '/users/{user_id}',
      access: 'users:write',
      scope: 'organization',
      description: answers.deleteDescription,
      query: deleteQuery,
      returns: 'ConfirmationOfDeletion',
      sendsText: true,
      etag: 'user',
      responses: {
        200: 'The user was deleted. In a dry run `deleted` is false, and the other members are as they would be.',
      },
      problems: [
        'user_not_found',
        'last_admin',
        'last_organization_admin',
        'last_password_admin',
        'user_outranks_caller',
        'user_required',
        'managed_elsewhere',
      ],
    }),
    async handler(request, reply) {
      const user_id = pathId(request, 'user_id')
      const { purge = false, override = false } = request.query as { purge?: boolean; override?: boolean }
      const graceDays = config.deletionGraceDays
      const { result, dryRun } = await makeChange(request, reply, 'users.delete', {
        input: () => {
          const expected = expectedVersion(request, config)
          return { user_id, expected, graceDays, purge, override }
        },
      })
      const { restorable_until } = result
      if (restorable_until === null && !dryRun) await eraseSoon({ storage, log }, user_id, request.now)
      return { user_id, deleted: !dryRun, restorable_until }
    },
  })
}

function listDeletedUsers(app: FastifyInstance, { contextOf, links }: Needs): void {
  app.route({
    ...operation({
      name: 'list_deleted_users',
      method: 'GET',
      path: '/deleted-users',
      access: 'users:read',
      scope: 'organization',
      description: answers.listDescription,
      query: listDeletedUsersSchema,
      returns: 'DeletedUser[]',
      responses: {
        200: {
          description: 'A page of deleted users.',
          addedHeaders: {
            'Total-Count': { description: 'With `count`: how many users match.', schema: { type: 'integer' } },
          },
        },
      },
    }),
    async handler(request, reply) {
      const query = request.query as ListDeletedUsers
      const { limit = 100, sort = '-deleted_at', cursor, count = false } = query
      const { users, next, total } = await deletedUsers.list(contextOf(request), {
        filters: filtersOf(query),
        sort: { column: sort.endsWith('username') ? 'username_key' : 'deleted_at', descending: sort.startsWith('-') },
        after: cursor === undefined ? undefined : readPosition(cursor, sort),
        limit,
        count,
      })
      if (total !== undefined) reply.header('total-count', total)
      linkToNext(reply, links, '/deleted-users', {
        limit,
        cursor: next && writeCursor([sort, next.value, next.user_id]),
      })
      return users
    },
  })
}

function filtersOf({ q, username, email, role, deleted_after, deleted_before }: ListDeletedUsers): DeletedFilters {
  const contains = q === undefined ? undefined : searchFor(q)
  return {
    ...(contains !== undefined && { contains }),
    ...(username !== undefined && { username_key: keyOrNothing(username) }),
    ...(email !== undefined && { email_key: textOrNothing(emailKey(trimEnds(email))) }),
    ...(role !== undefined && { role: textOrNothing(role) }),
    ...(deleted_after !== undefined && { deleted_after: wholeMilliseconds(deleted_after, { up: false }) }),
    ...(deleted_before !== undefined && { deleted_before: wholeMilliseconds(deleted_before, { up: true }) }),
  }
}

function restoreUser(app: FastifyInstance, { contextOf, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'restore_user',
      method: 'POST',
      path: '/users/{user_id}/restore',
      access: 'users:write',
      scope: 'organization',
      recent: (request) => deletedUsers.isPowerfulIfRestored(contextOf(request), pathId(request, 'user_id')),
      description: answers.restoreDescription,
      returns: 'User',
      sendsText: true,
      etag: 'user',
      responses: {
        200: {
          description: 'The changed user. In a dry run: the user as it would be, without an ETag.',
          headers: { ...etag('user'), ...dryRun },
        },
      },
      problems: ['user_not_found', 'user_outranks_caller', 'username_taken', 'email_taken', 'external_id_taken'],
    }),
    async handler(request, reply) {
      const user_id = pathId(request, 'user_id')
      const { result, dryRun } = await makeChange(request, reply, 'users.restore', { input: () => ({ user_id }) })
      // In a dry run the ETag would be that of another client's later change.
      if (!dryRun) reply.header('etag', etagOf(result.version))
      return reply.type('application/json; charset=utf-8').send(result.document)
    },
  })
}

/** @throws AppError `bad_cursor` */
function readPosition(cursor: string, sort: string): Position {
  const parts = readCursor(cursor)
  // Cursors of 0.2.0 and before belong to the only order that there was.
  const [name, value, user_id, ...rest] = parts.length === 2 ? ['-deleted_at', ...parts] : parts
  const isValue = typeof value === 'string' && (sort.endsWith('username') ? !value.includes('\0') : isInstant(value))
  if (name !== sort || !isValue || typeof user_id !== 'string' || !isUuid(user_id) || rest.length > 0) throw badCursor()
  return { value, user_id }
}

function isInstant(text: string): boolean {
  return /^\d{4}-[\d-]{5}T[\d:.]{12}Z$/.test(text)
}
