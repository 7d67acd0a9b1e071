import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import { writeQuery } from '../../http/endpoint/change.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { expectedVersion, isNotModified, userETag } from '../../http/request/conditional.ts'
import { chooseEncoding, compress } from '../../http/response/compress.ts'
import { readRequest, sendStream } from '../../http/response/send-stream.ts'
import { snapshotStream } from '../../http/response/snapshot-stream.ts'
import { negotiate } from '../../lib/accept.ts'
import type { Hasher } from '../passwords/hash.ts'
import * as answers from './answers.ts'
import { checkUserInput } from './input.ts'
import { contentTypes } from './list/formats.ts'
import { cursorAt, type Format, planList } from './list/plan.ts'
import { type Names, passwordHashFor } from './password.ts'
import type { CreateUser, ListUsers, UpdateUser } from './schema.ts'
import { listUsersSchema } from './schema.ts'
import * as users from './service.ts'

type Id = { user_id: string }

const formatOf = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
} as const satisfies Record<string, Format>
const mediaTypes = Object.keys(formatOf) as (keyof typeof formatOf)[]

type Needs = Pick<HttpLayer, 'storage' | 'config' | 'contextOf' | 'makeChange' | 'links'> & { hasher: Hasher }

export function userRoutes(app: FastifyInstance, needs: Needs): void {
  const { storage, config, contextOf, makeChange, hasher, links } = needs
  const limits = { ageMs: config.snapshotSeconds * 1000, stallMs: config.snapshotStallSeconds * 1000 }

  function hashed(request: FastifyRequest, body: CreateUser | UpdateUser, known: Names = {}) {
    const dryRun = (request.query as { dry_run?: boolean }).dry_run ?? false
    return passwordHashFor(hasher, { body, known, productName: config.productName, dryRun })
  }

  app.route({
    ...operation({
      name: 'create_user',
      method: 'POST',
      path: '/users',
      access: 'users:write',
      description: answers.createDescription,
      answers: answers.created,
      problems: [
        'malformed_json',
        'body_too_large',
        'unsupported_media_type',
        'username_taken',
        'email_taken',
        'external_id_taken',
        'role_not_grantable',
        'validation_failed',
      ],
      example: answers.createExample,
      schema: { querystring: writeQuery, body: { $ref: 'CreateUser#' } },
    }),
    async handler(request, reply) {
      const body = request.body as CreateUser
      const { result, dryRun } = await makeChange(request, reply, 'users.create', {
        async input() {
          const input = checkUserInput(body, config.roles)
          return { ...input, ...(await hashed(request, body)) }
        },
      })
      if (dryRun) return sendDocument(reply, result)
      return sendUser(reply.code(201).header('location', links.to(`/users/${result.user_id}`)), result)
    },
  })

  app.route({
    ...operation({
      name: 'list_users',
      method: 'GET',
      path: '/users',
      access: 'users:read',
      description: answers.listDescription,
      answers: answers.listed,
      problems: [
        'bad_cursor',
        'malformed_header',
        'not_acceptable',
        'list_too_costly',
        'validation_failed',
        'too_many_snapshots',
      ],
      schema: { querystring: listUsersSchema },
    }),
    async handler(request, reply) {
      const query = request.query as ListUsers
      const format = negotiate(request.headers.accept, mediaTypes)
      if (format === undefined) {
        throw new AppError(
          'not_acceptable',
          `None of the formats in the Accept header is available. Accept one of ${mediaTypes.join(', ')}.`,
        )
      }
      const plan = planList(query, formatOf[format])
      const etag = `W/"${await storage.usersVersion()}.${plan.format}"`
      reply.header('vary', 'accept, accept-encoding').header('etag', etag)
      if (isNotModified(request.headers['if-none-match'], etag)) return reply.code(304).send()
      reply.type(contentTypes[plan.format])
      const encoding = chooseEncoding(request.headers['accept-encoding'])
      if (plan.limit !== undefined) {
        const { body, next, total, isEstimated } = await storage.query('users.page', plan, readRequest(reply))
        if (total !== undefined) reply.header('total-count', total)
        if (isEstimated) reply.header('total-count-estimated', 'true')
        if (next !== undefined)
          reply.header('link', `<${links.to(nextPage(request, cursorAt(next, query.sort)))}>; rel="next"`)
        const [bytes, applied] = await compress(body, encoding)
        if (applied !== 'identity') reply.header('content-encoding', applied)
        return reply.send(bytes)
      }
      const snapshot = await storage.openSnapshot('users.list', plan, readRequest(reply))
      if (snapshot.total !== undefined) reply.header('total-count', snapshot.total)
      if (request.method === 'HEAD') {
        snapshot.close()
        if (encoding !== 'identity') reply.header('content-encoding', encoding)
        // A stream, because an empty body would be given a length, which is not that of the list.
        return reply.send(Readable.from([]))
      }
      return sendStream(reply, snapshotStream(snapshot, limits), encoding)
    },
  })

  app.route({
    ...operation({
      name: 'get_user',
      method: 'GET',
      path: '/users/{user_id}',
      access: 'users:read',
      description: answers.getDescription,
      answers: answers.found,
      problems: ['malformed_header', 'user_not_found'],
    }),
    async handler(request, reply) {
      const { user_id } = request.params as Id
      const found = await users.get(contextOf(request), user_id.toLowerCase())
      const header = request.headers['if-none-match']
      if (header !== undefined && isNotModified(header, userETag(found.version))) {
        return reply.code(304).header('etag', userETag(found.version)).send()
      }
      return sendUser(reply, found)
    },
  })

  app.route({
    ...operation({
      name: 'update_user',
      method: 'PATCH',
      path: '/users/{user_id}',
      access: 'users:write',
      description: answers.updateDescription,
      answers: answers.updated,
      problems: [
        'malformed_json',
        'malformed_header',
        'body_too_large',
        'unsupported_media_type',
        'user_not_found',
        'username_taken',
        'email_taken',
        'external_id_taken',
        'last_admin',
        'precondition_failed',
        'precondition_required',
        'role_not_grantable',
        'user_outranks_caller',
        'validation_failed',
      ],
      example: { first_name: 'Augusta', active: true },
      schema: { querystring: writeQuery, body: { $ref: 'UpdateUser#' } },
    }),
    async handler(request, reply) {
      const body = request.body as UpdateUser
      const user_id = (request.params as Id).user_id.toLowerCase()
      const { result, dryRun } = await makeChange(request, reply, 'users.update', {
        async input() {
          const expected = expectedVersion(request.headers['if-match'], config.requireIfMatch)
          const input = checkUserInput(body, config.roles)
          if (body.password === undefined) return { user_id, input, expected }
          const known = await users.getForChange(contextOf(request), user_id, expected)
          return { user_id, input: { ...input, ...(await hashed(request, body, known)) }, expected }
        },
      })
      return dryRun ? sendDocument(reply, result) : sendUser(reply, result)
    },
  })
}

function sendUser(reply: FastifyReply, user: users.UserDocument): FastifyReply {
  return sendDocument(reply.header('etag', userETag(user.version)), user)
}

/** For a dry run: the ETag would be that of somebody's later change, which this client has never seen. */
function sendDocument(reply: FastifyReply, { document }: users.UserDocument): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(document)
}

/** The same list from the cursor on, written anew: in a Link header the address ends at the first `>`. */
function nextPage({ url }: FastifyRequest, cursor: string): string {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  query.set('cursor', cursor)
  query.delete('offset')
  return `/users?${query}`
}
