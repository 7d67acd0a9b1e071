/**
 * Serves the product under `/`, next to us, to signed-in users, for deployments without a proxy. Paths below our own base
 * path never get here.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { personBehind } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import type { OutageReports } from '../../../core/outages.ts'
import type { AttributeValues } from '../../../directory/attributes/schema.ts'
import type { AttributeCache } from '../../../directory/attributes/service.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { commonHeaders } from '../../../http/response/problem.ts'
import { returnTo } from '../../../lib/return-to.ts'
import { isPreflight, pageAgainst, refuseForeignSocket, supportAllMethods } from '../forward-auth/service.ts'
import type { PageNeeds } from '../login-pages/service.ts'
import { openStreams } from './open-streams.ts'
import { keepOutOfBasePath } from './outside.ts'
import { refuseAmbiguousPath } from './path.ts'
import { isSafeToRepeat, productClient } from './product-client.ts'
import { refusalsAsPages } from './refusal-page.ts'
import { type HeaderNeeds, headersForProduct, refuseLoop } from './request-headers.ts'
import { headersForBrowser } from './response-headers.ts'
import { asksForWebsocket, endWebsocket } from './websocket.ts'

const connectTimeoutMs = 5000
/** How much may be buffered for a slow reader before it is cut off. */
const bufferedLimit = 16 << 20

type Needs = HeaderNeeds &
  PageNeeds &
  Pick<HttpLayer, 'storage' | 'lifecycle' | 'isCrossOrigin' | 'log'> & {
    attributes: Pick<AttributeCache, 'inHeadersOf'>
    outages: OutageReports
  }

export function gateway(app: FastifyInstance, needs: Needs): void {
  const { config, cookies, links } = needs
  const { upstream } = config
  if (upstream === undefined) return
  const constraints = keepOutOfBasePath(app, config.basePath)
  const httpMethods = supportAllMethods(app).filter((method) => method !== 'TRACE') // It would show cookies to a script.
  const streams = openStreams(app, needs)
  /** The attributes that the product gets: the headers are written where nothing can be waited for. */
  const visibleValues = new WeakMap<object, AttributeValues>()
  // Node leaves a socket that is to be upgraded without a listener; without one, a reset during our lookup would end the
  // process.
  app.server.on('upgrade', (_request, socket) => socket.on('error', () => socket.destroy()))

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    refusalsAsPages(scope, needs)
    scope.setErrorHandler((error, request, reply) => {
      const url = returnTo(request.url, { origin: links.origin(), allowed: [] })
      const page = pageAgainst(error, request, { method: request.method, url }, links)
      if (page === undefined) throw asRefusal(error)
      reply.headers(commonHeaders).redirect(page, 302)
    })
    scope.addHook('onRequest', (request, reply, done) => {
      // The product's responses are its own: they may be cached, framed, and run its scripts.
      for (const name of Object.keys(commonHeaders)) reply.removeHeader(name)
      refuseAmbiguousPath(request.url, config.basePath)
      if (cookies.read(request) !== undefined) refuseForeignSocket(request, needs)
      refuseUnpassableBody(request)
      refuseLoop(request)
      done()
    })
    scope.addHook('preHandler', async (request) => {
      visibleValues.set(request, await needs.attributes.inHeadersOf(personBehind(request.actor)?.user_id))
      if (!asksForWebsocket(request.headers)) return
      await product.refuseUnlessReachable()
      const { socket } = request.raw
      if (socket.destroyed) throw new AppError('malformed_request', 'The request was aborted.')
      streams.watch(request, socket, (code) => endWebsocket(socket, code))
    })
    const responseTimeoutMs = config.upstreamTimeoutSeconds * 1000
    const product = await productClient(upstream, { responseTimeoutMs, outages: needs.outages })
    scope.addHook('onClose', (_scope, done) => {
      product.close()
      done()
    })

    async function forward(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const { method, url: path, raw } = request
      const headers = headersForProduct(request, upstream as string, visibleValues.get(request) ?? {}, needs)
      if (isSafeToRepeat(method)) delete headers['content-length']
      const incoming = await product.send({ method, path, headers, raw, response: reply.raw })
      reply.code(incoming.statusCode as number)
      reply.headers(
        headersForBrowser(incoming.headersDistinct, { upstream: upstream as string, cookieNames: cookies.names }),
      )
      const isEventStream = /^text\/event-stream\b/i.test(incoming.headers['content-type'] ?? '')
      if (isEventStream) streams.watch(request, reply.raw, () => reply.raw.destroy())
      sendHeadAtOnce(reply.raw)
      return reply.send(incoming)
    }

    // Separate, because the plugin's types lack the first of these.
    const wsClientOptions = {
      rewriteRequestHeaders: (_headers: object, request: FastifyRequest) =>
        headersForProduct(request, upstream, visibleValues.get(request) ?? {}, needs),
      handshakeTimeout: connectTimeoutMs,
      perMessageDeflate: false,
    }
    // Loaded only now: with its clients it takes some megabytes, which most installations do not need.
    const { default: httpProxy } = await import('@fastify/http-proxy')
    await scope.register(httpProxy, {
      upstream,
      constraints,
      httpMethods,
      config: {
        access: 'any',
        scope: 'global',
        isOpenTo: ({ method, headers }: FastifyRequest) => config.passPreflights && isPreflight(method, headers),
        isAboutOthers: true,
        duringImpersonation: true,
      },
      handler: forward,
      websocket: true,
      wsClientOptions,
      wsHooks: {
        onOutgoingMessage: (_context, source) => {
          if (source.bufferedAmount > bufferedLimit) source.terminate()
        },
        onIncomingMessage: (_context, _source, target) => {
          if (target.bufferedAmount > bufferedLimit) target.terminate()
        },
      },
    })
  })
}

const noBytes = Buffer.alloc(0)

/**
 * Sends the head of a response whose body is slow: of an event stream, a long download. Fastify writes the head when it
 * pipes the body, after all hooks; until the end of that turn it may leave in one packet with the first bytes.
 */
function sendHeadAtOnce(response: ServerResponse): void {
  // flushHeaders would write it as UTF-8, and change a header of the product that is Latin-1.
  response.once('pipe', () => setImmediate(() => response.headersSent || response.write(noBytes)))
}

/** Fastify reads no body of these: it would be lost, and the product would respond to another request. */
function refuseUnpassableBody(request: FastifyRequest): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
  if (!isSafeToRepeat(request.method) || (length === '0' && coding === undefined)) return
  throw new AppError('malformed_request', `A ${request.method} with a body is not forwarded. Use another method.`)
}

/** The plugin's error for a path that the product could read as another one. */
function asRefusal(error: unknown): unknown {
  const { statusCode, code } = error as Partial<{ statusCode: number; code: string }>
  if (error instanceof AppError || code !== undefined || statusCode !== 400) return error
  return new AppError('malformed_request', 'The path was not forwarded because it could be read in two ways.')
}
