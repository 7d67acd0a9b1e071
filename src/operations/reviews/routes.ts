import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { planFilters } from '../../administration/users-list/service.ts'
import { scopeOf } from '../../core/scope.ts'
import { type AttributeCache, attributeFilters } from '../../directory/attributes/service.ts'
import { refuseWithout } from '../../http/endpoint/access.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { linkToNext } from '../../http/endpoint/next-page.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { text } from '../../http/endpoint/response-parts.ts'
import { acceptedType } from '../../http/request/accepted-type.ts'
import { pageOf } from '../../http/request/cursor.ts'
import { pathId } from '../../http/request/path-id.ts'
import { chooseEncoding } from '../../http/response/compress.ts'
import { readRequest, sendStream } from '../../http/response/send-stream.ts'
import { snapshotStream } from '../../http/response/snapshot-stream.ts'
import * as answers from './answers.ts'
import { contentTypes, positionOf, type ReviewFormat } from './formats.ts'
import * as reviews from './reviews.ts'
import {
  type CreateReview,
  type DecideReviewRows,
  type ListReviewRows,
  listReviewRowsSchema,
  mostRows,
  type UpdateReview,
} from './schema.ts'
import { listRows } from './store.ts'

type Needs = Pick<HttpLayer, 'config' | 'contextOf' | 'links' | 'makeChange' | 'storage'> & {
  attributes: AttributeCache
}

export function routes(app: FastifyInstance, needs: Needs): void {
  readRoutes(app, needs)
  changeRoutes(app, needs)
  rowRoutes(app, needs)
}

function readRoutes(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'list_reviews',
      method: 'GET',
      path: '/reviews',
      access: 'reviews:read',
      scope: 'global',
      description: answers.listDescription,
      returns: 'Review[]',
      responses: { 200: 'The reviews.' },
    }),
    handler: (request) => reviews.list(contextOf(request)),
  })

  app.route({
    ...operation({
      name: 'get_review',
      method: 'GET',
      path: '/reviews/{review_id}',
      access: 'reviews:read',
      scope: 'global',
      description: answers.getDescription,
      returns: 'Review',
      responses: { 200: 'The review.' },
      problems: ['review_not_found'],
    }),
    handler: (request) => reviews.get(contextOf(request), pathId(request, 'review_id')),
  })
}

function changeRoutes(app: FastifyInstance, needs: Needs): void {
  const { links, makeChange } = needs
  app.route({
    ...operation({
      name: 'create_review',
      method: 'POST',
      path: '/reviews',
      access: 'reviews:write',
      scope: 'global',
      description: answers.createDescription,
      body: 'CreateReview',
      returns: 'Review',
      responses: {
        200: 'Dry run: the review as it would begin.',
        201: { description: 'The review began.', addedHeaders: { Location: text('The URL of the review.') } },
      },
      problems: ['validation_failed', 'too_many_reviews', 'too_many_snapshots'],
      example: { name: 'Q4 2026', due_at: '2026-12-31T17:00:00Z' },
    }),
    async handler(request, reply) {
      for (const access of ['audit:read', 'users:read'] as const) refuseWithout(request.actor, { access }, 'POST')
      const body = request.body as CreateReview
      const rows = await freeze(needs, request, reply, body.filter ?? {})
      const { result, dryRun } = await makeChange(request, reply, 'reviews.create', {
        input: () => ({ ...body, rows }),
      })
      if (dryRun) return result
      reply.code(201).header('location', links.to(`/reviews/${result.review_id}`))
      return result
    },
  })

  app.route({
    ...operation({
      name: 'update_review',
      method: 'PATCH',
      path: '/reviews/{review_id}',
      access: 'reviews:write',
      scope: 'global',
      description: answers.updateDescription,
      body: 'UpdateReview',
      returns: 'Review',
      responses: { 200: 'The review.' },
      problems: ['review_not_found', 'review_closed', 'validation_failed'],
      example: { name: 'Q4 2026, all teams' },
    }),
    async handler(request, reply) {
      const input = { ...(request.body as UpdateReview), review_id: pathId(request, 'review_id') }
      return (await makeChange(request, reply, 'reviews.update', { input: () => input })).result
    },
  })

  app.route({
    ...operation({
      name: 'decide_review_rows',
      method: 'POST',
      path: '/reviews/{review_id}/decisions',
      access: 'reviews:write',
      scope: 'global',
      recent: (request) => (request.body as DecideReviewRows).decision === 'keep',
      description: answers.decideDescription,
      body: 'DecideReviewRows',
      returns: 'DecidedReviewRows',
      responses: { 200: 'The state of each row, and why a row was refused.' },
      problems: ['review_not_found', 'review_closed', 'not_a_reviewer', 'validation_failed'],
      example: { row_ids: ['019a9f3e-0000-7000-8000-000000000000.role'], decision: 'keep' },
    }),
    async handler(request, reply) {
      const input = { ...(request.body as DecideReviewRows), review_id: pathId(request, 'review_id') }
      return (await makeChange(request, reply, 'reviews.decide', { input: () => input })).result
    },
  })
}

/** The rows of the access report, as JSON. One more than a review may have, at the most. */
async function freeze(
  needs: Needs,
  request: FastifyRequest,
  reply: FastifyReply,
  query: NonNullable<CreateReview['filter']>,
): Promise<string[]> {
  const filters = planFilters(scopeOf(request.actor), query, request.now, { pointer: (name) => `#/filter/${name}` })
  const attributes = await attributeFilters(needs, query)
  if (attributes !== undefined) filters.attributes = attributes
  const { roles } = needs.contextOf(request).rules
  const plan = { filters, roles, format: 'ndjson' } as const
  const snapshot = await needs.storage.openSnapshot('access.report', plan, readRequest(reply))
  const rows: string[] = []
  try {
    for (let piece = await snapshot.next(); piece !== undefined; piece = await snapshot.next()) {
      rows.push(...Buffer.from(piece).toString('utf8').split('\n').filter(Boolean))
      if (rows.length > mostRows) return rows
    }
  } finally {
    snapshot.close()
  }
  return rows
}

const formatOf = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
  'text/html': 'html',
} as const satisfies Record<string, ReviewFormat>
const mediaTypes = Object.keys(formatOf) as (keyof typeof formatOf)[]

function rowRoutes(app: FastifyInstance, { config, contextOf, links, storage }: Needs): void {
  const limits = { ageMs: config.snapshotSeconds * 1000, stallMs: config.snapshotStallSeconds * 1000 }
  app.route({
    ...operation({
      name: 'list_review_rows',
      method: 'GET',
      path: '/reviews/{review_id}/rows',
      access: 'reviews:read',
      scope: 'global',
      description: answers.rowsDescription,
      query: listReviewRowsSchema,
      responses: answers.rowsAnswers,
      problems: ['review_not_found', 'bad_cursor', 'not_acceptable', 'validation_failed', 'too_many_snapshots'],
    }),
    async handler(request, reply) {
      const review_id = pathId(request, 'review_id')
      const { state, limit, cursor } = request.query as ListReviewRows
      await reviews.get(contextOf(request), review_id)
      reply.header('vary', 'accept, accept-encoding').header('cache-control', 'no-store')
      const after = positionOf(cursor)
      if (limit !== undefined) {
        const found = await listRows(storage.db, { review_id, state, after, limit: limit + 1 })
        const { page, last } = pageOf(found, limit)
        linkToNext(reply, links, `/reviews/${review_id}/rows`, { cursor: last && String(last.position) })
        return page.map(reviews.toRow)
      }
      const format = formatOf[acceptedType(request, mediaTypes)]
      const snapshot = await storage.openSnapshot('reviews.rows', { review_id, state, format }, readRequest(reply))
      reply.type(contentTypes[format])
      if (request.method === 'HEAD') {
        snapshot.close()
        return reply.send(Readable.from([]))
      }
      return sendStream(reply, snapshotStream(snapshot, limits), chooseEncoding(request.headers['accept-encoding']))
    },
  })
}
