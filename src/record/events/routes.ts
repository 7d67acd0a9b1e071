import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { asEventStream, lastEventId, listening } from '../../http/live/listening.ts'
import { acceptedType } from '../../http/request/accepted-type.ts'
import { encodeQuery } from '../../http/request/query.ts'
import { chooseEncoding, compress } from '../../http/response/compress.ts'
import { readRequest } from '../../http/response/send-stream.ts'
import * as answers from './answers.ts'
import { toCloudEvent } from './envelope.ts'
import * as events from './events.ts'
import { createEventFeed, createEventReader } from './feed.ts'
import { type Position, readPosition, writePosition } from './position.ts'
import { type ListEvents, listEventsQuery } from './schema.ts'
import { createWaitingRoom } from './waiting.ts'

const permission = 'events:read'
const batch = 'application/cloudevents-batch+json'
const mediaTypes = ['application/json', 'text/event-stream', batch] as const
const defaultLimit = 100

type Needs = Pick<HttpLayer, 'storage' | 'lifecycle' | 'log' | 'links' | 'recheck' | 'cookies' | 'lookUp'>

export function routes(fastify: FastifyInstance, needs: Needs): void {
  const { storage, lifecycle, log, links, recheck } = needs
  const source = links.issuer
  const reader = createEventReader({ storage, log })
  const feed = createEventFeed({ storage, lifecycle, log, reader, source })
  const room = createWaitingRoom({ reader, lifecycle })
  fastify.addHook('onClose', () => {
    feed.close()
    room.close()
  })

  fastify.route({
    ...operation({
      name: 'list_events',
      method: 'GET',
      path: '/events',
      access: permission,
      scope: 'global',
      description: answers.listDescription,
      query: listEventsQuery,
      responses: answers.listed,
      problems: ['bad_cursor', 'malformed_header', 'not_acceptable', 'cursor_unknown', 'cursor_expired'],
    }),
    async handler(request, reply) {
      const query = request.query as ListEvents
      const type = acceptedType(request, mediaTypes)
      reply.header('vary', 'accept, accept-encoding')
      const after = readPosition(query.after ?? '0')
      if (after === undefined)
        throw new AppError(
          'bad_cursor',
          'The `after` parameter is not a cursor of this feed. Send a `cursor` that this feed returned.',
        )
      if (type === 'text/event-stream') return listen(request, reply, lastEventId(request, readPosition) ?? after)
      const page = await readOrWait(request, reply, after)
      return sendPage(request, reply, page, type)
    },
  })

  async function listen(request: FastifyRequest, reply: FastifyReply, after: Position): Promise<FastifyReply> {
    const { type: types = null, feed_id } = request.query as ListEvents
    // Refuse now, while there is still a response to send.
    const { feed_id: feedId } = await events.read(storage.db, after, { limit: 1, types: null, feed_id })
    asEventStream(reply).header('feed-id', feedId)
    if (request.method === 'HEAD') return reply.send(Readable.from([]))
    const mayListen = listening(request, needs, permission)
    return reply.send(feed.listen({ actorId: request.actor.id, feedId, from: after, types, mayListen }))
  }

  async function readOrWait(request: FastifyRequest, reply: FastifyReply, after: Position): Promise<events.Page> {
    const { limit = defaultLimit, wait = 0, type: types = null, feed_id } = request.query as ListEvents
    const { signal = new AbortController().signal } = readRequest(reply)
    const read = (from: Position) => events.read(storage.db, from, { limit, types, feed_id }, signal)
    const isPatient = wait > 0 && request.method === 'GET'
    const waiting = isPatient && room.enter({ actorId: request.actor.id, types, longestMs: wait * 1000, signal })
    try {
      await storage.settleJournal()
      let page = await read(after)
      while (waiting && page.rows.length === 0 && !page.hasMore) {
        const { hasNews, passed } = await waiting.forNews(page.position.seq)
        page = { ...page, position: { ...page.position, seq: passed } }
        // The caller may have lost the permission in the last half minute.
        await recheck(request)
        if (!hasNews) break
        page = await read(page.position)
      }
      return page
    } finally {
      if (waiting) waiting.end()
    }
  }

  async function sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    { feed_id, position, rows, hasMore: has_more }: events.Page,
    type: 'application/json' | typeof batch,
  ): Promise<FastifyReply> {
    const cursor = writePosition(position)
    const list = rows.map((row) => toCloudEvent(row, source()))
    const body = type === batch ? list : { feed_id, cursor, has_more, events: list }
    const encoding = chooseEncoding(request.headers['accept-encoding'])
    const [bytes, applied] = await compress(Buffer.from(JSON.stringify(body)), encoding)
    if (applied !== 'identity') reply.header('content-encoding', applied)
    return reply
      .type(`${type}; charset=utf-8`)
      .header('feed-id', feed_id)
      .header('link', `<${links.to(nextPage(request, { feed_id, after: cursor }))}>; rel="next"`)
      .send(bytes)
  }
}

/** The same question from another position, about this history only. */
function nextPage({ query }: FastifyRequest, further: { feed_id: string; after: string }): string {
  return `/events?${encodeQuery({ ...(query as ListEvents), ...further })}`
}
