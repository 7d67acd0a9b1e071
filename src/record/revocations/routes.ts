import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../core/errors.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { json } from '../../http/endpoint/response-parts.ts'
import { asEventStream, lastEventId, listening } from '../../http/live/listening.ts'
import { pageSize } from '../../http/live/shared-reader.ts'
import { negotiate } from '../../lib/accept.ts'
import type { Context } from '../../store/context.ts'
import { createFeed, toRevocation } from './feed.ts'
import { findNewestSeq } from './feed-store.ts'
import { type ListRevocations, listRevocationsQuery, type Revocations } from './schema.ts'
import { listRevocationsAfter } from './store.ts'

const permission = 'tokens:introspect'
const description = `Lists what was revoked recently: sessions, keys, access tokens, signing keys, and all credentials that a user received
before a change. A service that verifies access tokens itself must refuse a token if its \`sid\`, \`client_id\`, \`jti\` or \`kid\`
is listed here, its \`sub\` with a greater \`credentials_version\` than its own, or its \`org_id\` with a \`revoked_at\` that is not before
its \`iat\`. Needs the permission {access}.

As JSON: up to ${pageSize} at a time; repeat the request with \`after\` until there are no more. A \`cursor\` smaller than
\`after\` means that the database was restored: discard what you have stored.

With \`Accept: text/event-stream\` the response continues until you disconnect: an event \`revoked\` for each revocation, with
its \`seq\` as id, and four times per second an event \`current\` with \`age_ms\`: you have received everything that was revoked
longer ago than that. If you receive no \`current\` for a second, do not rely on what you have stored.`

type Needs = Pick<HttpLayer, 'storage' | 'lifecycle' | 'log' | 'contextOf' | 'cookies' | 'lookUp'>

export function routes(app: FastifyInstance, needs: Needs): void {
  const { storage, lifecycle, log, contextOf } = needs
  const feed = createFeed({ storage, lifecycle, log })
  app.addHook('onClose', () => feed.close())

  app.route({
    ...operation({
      name: 'list_revocations',
      method: 'GET',
      path: '/revocations',
      access: permission,
      scope: 'global',
      description,
      query: listRevocationsQuery,
      responses: {
        200: {
          description: 'The revocations, oldest first.',
          content: {
            ...json('Revocations'),
            'text/event-stream': { schema: { type: 'string' } },
          },
        },
      },
      problems: ['malformed_header', 'not_acceptable'],
    }),
    async handler(request, reply) {
      const { after } = request.query as ListRevocations
      const type = negotiate(request.headers.accept, ['application/json', 'text/event-stream'])
      if (type === undefined)
        throw new AppError(
          'not_acceptable',
          'None of the formats in the Accept header is available. Accept application/json or text/event-stream.',
        )
      reply.header('vary', 'accept')
      if (type === 'application/json') return reply.send(await list(contextOf(request), after))
      asEventStream(reply)
      if (request.method === 'HEAD') return reply.send(Readable.from([]))
      const from = lastEventId(request, (id) => (/^\d{1,15}$/.test(id) ? Number(id) : undefined)) ?? after
      const mayListen = listening(request, needs, permission)
      return reply.send(feed.listen({ actorId: request.actor.id, after: from, mayListen }))
    },
  })
}

async function list({ db }: Context, after = 0): Promise<Revocations> {
  const newest = await findNewestSeq(db)
  const from = after > newest ? 0 : after
  const rows = await listRevocationsAfter(db, from, pageSize)
  return { cursor: rows.at(-1)?.seq ?? Math.max(from, newest), revocations: rows.map(toRevocation) }
}
