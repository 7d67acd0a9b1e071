/** The list of users: a page of it, or the whole as a stream, as JSON, NDJSON, CSV or an Excel file. */

import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { scopeOf } from '../../core/scope.ts'
import { type AttributeCache, attributeFilters } from '../../directory/attributes/service.ts'
import type { ListUsers } from '../../directory/users/schema.ts'
import { refuseWithout } from '../../http/endpoint/access.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { linkToNext } from '../../http/endpoint/next-page.ts'
import { readConditionProblems } from '../../http/endpoint/problem-lists.ts'
import { acceptedType } from '../../http/request/accepted-type.ts'
import { isNotModified } from '../../http/request/conditional.ts'
import { chooseEncoding, compress } from '../../http/response/compress.ts'
import { readRequest, sendStream } from '../../http/response/send-stream.ts'
import { snapshotStream } from '../../http/response/snapshot-stream.ts'
import { exportName } from '../../lib/export-name.ts'
import { xlsxMediaType } from '../../lib/xlsx-reader.ts'
import { contentTypes } from './formats.ts'
import { cursorAt, type Format, hasColumns, type ListPlan, planList } from './plan.ts'

export type ListNeeds = Pick<HttpLayer, 'storage' | 'config' | 'links'> & { attributes: AttributeCache }

const formatOf = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
  [xlsxMediaType]: 'xlsx',
} as const satisfies Record<string, Format>
const mediaTypes = Object.keys(formatOf) as (keyof typeof formatOf)[]

/** The problems of every list of users. */
export const listProblems = [
  'bad_cursor',
  ...readConditionProblems,
  'not_acceptable',
  'list_too_costly',
  'validation_failed',
  'too_many_snapshots',
] as const

type Asked = {
  query: ListUsers
  /** The path of the list, for the link to the next page. */
  path: string
}

/** Sends the list that a query asks for, in the format that the client accepts. */
export async function sendList(
  needs: ListNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  { query, path }: Asked,
): Promise<FastifyReply> {
  const showsMembership = query.include === 'groups' || query.group !== undefined
  if (showsMembership) refuseWithout(request.actor, { access: 'groups:read' }, request.method)
  const format = formatOf[acceptedType(request, mediaTypes)]
  const membersOf = query.group?.toLowerCase()
  const scope = scopeOf(request.actor)
  const plan = {
    ...planList(scope, query, format, request.now),
    ...(membersOf !== undefined && { membersOf }),
  }
  const attributes = await attributeFilters(needs, query)
  if (attributes !== undefined) plan.filters.attributes = attributes
  reply.header('vary', 'accept, accept-encoding')
  // Locks start and end without a change of a user, and the version says of an organization what happens elsewhere.
  if (query.locked === undefined && scope.kind === 'everyone') {
    const columns = hasColumns(plan.format) ? (await needs.attributes.current()).tag : ''
    const etag = `W/"${await needs.storage.usersVersion()}.${plan.format}${plan.withGroups ? '.groups' : ''}${columns}"`
    reply.header('etag', etag)
    if (isNotModified(request, etag)) return reply.code(304).send()
  }
  reply.type(contentTypes[plan.format])
  if (plan.format === 'xlsx') {
    const name = exportName({ productName: needs.config.productName, what: 'users', day: new Date(request.now) })
    reply.header('content-disposition', `attachment; filename="${name}.xlsx"`)
  }
  return plan.limit === undefined ? sendWhole(needs, reply, plan) : sendPage(needs, reply, plan, { query, path })
}

async function sendPage(
  { storage, links }: ListNeeds,
  reply: FastifyReply,
  plan: ListPlan,
  { query, path }: Asked,
): Promise<FastifyReply> {
  const { request } = reply
  const { body, next, total, isEstimated } = await storage.query('users.page', plan, readRequest(reply))
  if (total !== undefined) reply.header('total-count', total)
  if (isEstimated) reply.header('total-count-estimated', 'true')
  if (next !== undefined) linkToNext(reply, links, path, { cursor: cursorAt(next, query.sort), offset: undefined })
  const [bytes, applied] = await compress(body, chooseEncoding(request.headers['accept-encoding']))
  if (applied !== 'identity') reply.header('content-encoding', applied)
  return reply.send(bytes)
}

async function sendWhole({ storage, config }: ListNeeds, reply: FastifyReply, plan: ListPlan): Promise<FastifyReply> {
  const { request } = reply
  // An Excel file is compressed already.
  const encoding = plan.format === 'xlsx' ? 'identity' : chooseEncoding(request.headers['accept-encoding'])
  const snapshot = await storage.openSnapshot('users.list', plan, readRequest(reply))
  if (snapshot.total !== undefined) reply.header('total-count', snapshot.total)
  if (request.method === 'HEAD') {
    snapshot.close()
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    // A stream, because Fastify would set a length for an empty body, which is not that of the list.
    return reply.send(Readable.from([]))
  }
  const limits = { ageMs: config.snapshotSeconds * 1000, stallMs: config.snapshotStallSeconds * 1000 }
  return sendStream(reply, snapshotStream(snapshot, limits), encoding)
}
