import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { planFilters } from '../../administration/users-list/service.ts'
import { scopeOf } from '../../core/scope.ts'
import { type AttributeCache, attributeFilters } from '../../directory/attributes/service.ts'
import { refuseWithout } from '../../http/endpoint/access.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { acceptedType } from '../../http/request/accepted-type.ts'
import { chooseEncoding } from '../../http/response/compress.ts'
import { readRequest, sendStream } from '../../http/response/send-stream.ts'
import { snapshotStream } from '../../http/response/snapshot-stream.ts'
import { listAnswers, listDescription } from './answers.ts'
import { contentTypes, type ReportFormat } from './formats.ts'
import { type AccessQuery, accessQuery } from './schema.ts'

type Needs = Pick<HttpLayer, 'storage' | 'config' | 'contextOf'> & { attributes: AttributeCache }

const formatOf = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
} as const satisfies Record<string, ReportFormat>
const mediaTypes = Object.keys(formatOf) as (keyof typeof formatOf)[]

export function routes(app: FastifyInstance, needs: Needs): void {
  const { storage, config } = needs
  const limits = { ageMs: config.snapshotSeconds * 1000, stallMs: config.snapshotStallSeconds * 1000 }
  app.route({
    ...operation({
      name: 'list_access',
      method: 'GET',
      path: '/access',
      access: 'audit:read',
      scope: 'global',
      description: listDescription,
      query: accessQuery,
      responses: listAnswers,
      problems: ['not_acceptable', 'validation_failed', 'too_many_snapshots'],
    }),
    async handler(request, reply) {
      refuseWithout(request.actor, { access: 'users:read' }, request.method)
      const query = request.query as AccessQuery
      const format = formatOf[acceptedType(request, mediaTypes)]
      const filters = planFilters(scopeOf(request.actor), query, request.now)
      const attributes = await attributeFilters(needs, query)
      if (attributes !== undefined) filters.attributes = attributes
      const { roles } = needs.contextOf(request).rules
      const snapshot = await storage.openSnapshot('access.report', { filters, roles, format }, readRequest(reply))
      const encoding = chooseEncoding(request.headers['accept-encoding'])
      reply.header('vary', 'accept, accept-encoding').header('cache-control', 'no-store').type(contentTypes[format])
      if (request.method === 'HEAD') {
        snapshot.close()
        return reply.send(Readable.from([]))
      }
      return sendStream(reply, snapshotStream(snapshot, limits), encoding)
    },
  })
}
