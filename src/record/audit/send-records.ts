/** Sends audit records: one page, or all as a stream, as JSON or NDJSON. */

import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { scopeOf } from '../../core/scope.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { linkToNext } from '../../http/endpoint/next-page.ts'
import { acceptedType } from '../../http/request/accepted-type.ts'
import { pageOf } from '../../http/request/cursor.ts'
import { chooseEncoding, compress } from '../../http/response/compress.ts'
import { readRequest, sendStream } from '../../http/response/send-stream.ts'
import { snapshotStream } from '../../http/response/snapshot-stream.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { type Found, walk } from './audit.ts'
import { openExport } from './export.ts'
import { type AuditFormat, type AuditPlan, cursorAt, planAudit } from './plan.ts'
import type { ListAudit } from './schema.ts'

export type RecordNeeds = Pick<HttpLayer, 'storage' | 'config' | 'links' | 'recheck'>

const formatOf = { 'application/json': 'json', 'application/x-ndjson': 'ndjson' } as const satisfies Record<
  string,
  AuditFormat
>
const mediaTypes = Object.keys(formatOf) as (keyof typeof formatOf)[]
const contentTypes = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
} as const satisfies Record<AuditFormat, string>

/** It holds no snapshot open, so it may take as long as it needs. */
const exportMs = 24 * 3_600_000

/** `path` is that of the operation, for the link to the next page. */
export async function sendRecords(
  needs: RecordNeeds,
  reply: FastifyReply,
  { path, query }: { path: string; query: ListAudit },
): Promise<FastifyReply> {
  const format = formatOf[acceptedType(reply.request, mediaTypes)]
  const plan = planAudit(scopeOf(reply.request.actor), query, format)
  await needs.storage.settleJournal()
  reply.header('vary', 'accept, accept-encoding')
  const { limit } = plan
  if (limit === undefined) return sendAll(needs, reply, plan)
  return sendPage(needs, reply, { ...plan, limit }, { format, path })
}

async function sendPage(
  { storage, links }: RecordNeeds,
  reply: FastifyReply,
  plan: AuditPlan & { limit: number },
  { format, path }: { format: AuditFormat; path: string },
): Promise<FastifyReply> {
  const { request } = reply
  const found = await findPage(storage, reply, plan)
  const { page, last } = pageOf(found, plan.limit)
  linkToNext(reply, links, path, { cursor: last && cursorAt(last.seq, plan) })
  const [bytes, applied] = await compress(write(page, format), chooseEncoding(request.headers['accept-encoding']))
  if (applied !== 'identity') reply.header('content-encoding', applied)
  return reply.type(contentTypes[format]).send(bytes)
}

/** One more than is shown, to know whether there is another page. */
async function findPage(storage: Storage, reply: FastifyReply, plan: AuditPlan & { limit: number }): Promise<Found[]> {
  const wanted = readRequest(reply)
  const ends = await storage.query('audit.ends', undefined, wanted)
  const found: Found[] = []
  const pieces = walk((search) => storage.query('audit.find', search, wanted), { ...plan, limit: plan.limit + 1 }, ends)
  for await (const piece of pieces) found.push(...piece)
  return found
}

async function sendAll(
  { storage, config, recheck }: RecordNeeds,
  reply: FastifyReply,
  plan: AuditPlan,
): Promise<FastifyReply> {
  const encoding = chooseEncoding(reply.request.headers['accept-encoding'])
  reply.type(contentTypes.ndjson)
  if (reply.request.method === 'HEAD') {
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    // A stream, because Fastify would set a length for an empty body, which is not that of the records.
    return reply.send(Readable.from([]))
  }
  const records = await openExport(storage, plan, readRequest(reply), () => recheck(reply.request))
  const limits = { ageMs: exportMs, stallMs: config.snapshotStallSeconds * 1000 }
  return sendStream(reply, snapshotStream(records, limits), encoding)
}

function write(found: readonly Found[], format: AuditFormat): Uint8Array {
  const texts = found.map(({ text }) => text)
  return Buffer.from(format === 'json' ? `[${texts.join(',')}]` : texts.map((text) => `${text}\n`).join(''))
}
