import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { chooseEncoding, compress } from '../../http/response/compress.ts'
import { readRequest, sendStream } from '../../http/response/send-stream.ts'
import { snapshotStream } from '../../http/response/snapshot-stream.ts'
import { negotiate } from '../../lib/accept.ts'
import { timestamp } from '../../lib/instant.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import * as answers from './answers.ts'
import { openExport } from './export.ts'
import { type AuditFormat, type AuditPlan, cursorAt, planAudit } from './plan.ts'
import { type ListAudit, listAuditSchema, listUserAuditSchema } from './schema.ts'
import { type Found, walk } from './service.ts'

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

const problems = ['bad_cursor', 'not_acceptable', 'validation_failed'] as const

type Needs = Pick<HttpLayer, 'storage' | 'config' | 'links' | 'recheck'>

export function auditRoutes(app: FastifyInstance, { storage, config, links, recheck }: Needs): void {
  const limits = { ageMs: exportMs, stallMs: config.snapshotStallSeconds * 1000 }

  async function answer(request: FastifyRequest, reply: FastifyReply, path: string, query: ListAudit) {
    const accepted = negotiate(request.headers.accept, mediaTypes)
    if (accepted === undefined)
      throw new AppError(
        'not_acceptable',
        `None of the formats in the Accept header is available. Accept one of ${mediaTypes.join(', ')}.`,
      )
    const format = formatOf[accepted]
    const plan = planAudit(query, format)
    await storage.settle()
    reply.header('vary', 'accept, accept-encoding')
    const { limit } = plan
    return limit === undefined ? sendAll(reply, plan) : sendPage(reply, { ...plan, limit }, { format, path })
  }

  async function sendPage(
    reply: FastifyReply,
    plan: AuditPlan & { limit: number },
    { format, path }: { format: AuditFormat; path: string },
  ): Promise<FastifyReply> {
    const { request } = reply
    const found = await findPage(reply, plan)
    const shown = found.slice(0, plan.limit)
    const last = shown.at(-1)
    if (found.length > plan.limit && last) {
      const next = new URLSearchParams(request.url.split('?')[1])
      next.set('cursor', cursorAt(last.seq, plan))
      reply.header('link', `<${links.to(`${path}?${next}`)}>; rel="next"`)
    }
    const [bytes, applied] = await compress(write(shown, format), chooseEncoding(request.headers['accept-encoding']))
    if (applied !== 'identity') reply.header('content-encoding', applied)
    return reply.type(contentTypes[format]).send(bytes)
  }

  /** One more than is shown, to know whether there is another page. */
  async function findPage(reply: FastifyReply, plan: AuditPlan & { limit: number }): Promise<Found[]> {
    const wanted = readRequest(reply)
    const ends = await storage.query('audit.ends', undefined, wanted)
    const found: Found[] = []
    const pieces = walk(
      (search) => storage.query('audit.find', search, wanted),
      { ...plan, limit: plan.limit + 1 },
      ends,
    )
    for await (const piece of pieces) found.push(...piece)
    return found
  }

  async function sendAll(reply: FastifyReply, plan: AuditPlan): Promise<FastifyReply> {
    const encoding = chooseEncoding(reply.request.headers['accept-encoding'])
    reply.type(contentTypes.ndjson)
    if (reply.request.method === 'HEAD') {
      if (encoding !== 'identity') reply.header('content-encoding', encoding)
      // A stream, because Fastify would set a length for an empty body, which is not that of the records.
      return reply.send(Readable.from([]))
    }
    const records = await openExport(storage, plan, readRequest(reply), () => recheck(reply.request))
    return sendStream(reply, snapshotStream(records, limits), encoding)
  }

  app.route({
    ...operation({
      name: 'list_audit',
      method: 'GET',
      path: '/audit',
      access: 'audit:read',
      description: answers.listDescription,
      answers: answers.listed,
      problems,
      schema: { querystring: listAuditSchema },
    }),
    handler: (request, reply) => answer(request, reply, '/audit', request.query as ListAudit),
  })

  app.route({
    ...operation({
      name: 'list_user_audit',
      method: 'GET',
      path: '/users/{user_id}/audit',
      access: 'audit:read',
      description: answers.listOfUserDescription,
      answers: answers.listed,
      problems: [...problems, 'user_not_found'],
      schema: { querystring: listUserAuditSchema },
    }),
    handler(request, reply) {
      const target = (request.params as { user_id: string }).user_id.toLowerCase()
      if (!isUuid(target)) throw new AppError('user_not_found', 'The user id is not in a valid form.')
      return answer(request, reply, `/users/${target}/audit`, { ...(request.query as ListAudit), target })
    },
  })

  app.route({
    ...operation({
      name: 'get_audit_checkpoint',
      method: 'GET',
      path: '/audit/checkpoint',
      access: 'audit:read',
      description: answers.checkpointDescription,
      answers: answers.found,
      schema: { response: { 200: { $ref: 'AuditCheckpoint#' } } },
    }),
    async handler(request, reply) {
      await storage.settle()
      return storage.query('audit.checkpoint', { created_at: timestamp(request.now) }, readRequest(reply))
    },
  })
}

function write(found: readonly Found[], format: AuditFormat): Uint8Array {
  const texts = found.map(({ text }) => text)
  return Buffer.from(format === 'json' ? `[${texts.join(',')}]` : texts.map((text) => `${text}\n`).join(''))
}
