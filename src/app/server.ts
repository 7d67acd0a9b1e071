/** The HTTP server, before it has any route. */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Logger } from 'pino'
import { upgradeWebsocketsOnly } from '../access/pages/gateway/service.ts'
import type { Config } from '../core/config.ts'
import { readQuery } from '../http/request/query.ts'
import { maxHeaderSize } from '../http/request/request-form.ts'
import { takeQueryKeys } from '../http/request/sent-credential.ts'
import { inputCompiler } from '../http/request/validate.ts'
import { outputCompiler } from '../http/response/serialize.ts'
import { limitArrival } from '../http/server/arrival.ts'
import { separateConnections } from '../http/server/connections.ts'
import { unparsableAnswerer } from '../http/server/raw-errors.ts'
import { logRequest } from '../http/server/request-log.ts'
import { canonicalScimPath } from '../scim/door/canonical-path.ts'
import type { lineLogger } from './log.ts'

type Parts = {
  config: Config
  log: Logger
  /** The schemas that routes refer to by name. */
  schemas: readonly { $id: string }[]
  answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void
  writeLine: ReturnType<typeof lineLogger>
  isEmbedded: boolean
}

export function createServer({ config, log, schemas, answerError, writeLine, isEmbedded }: Parts): FastifyInstance {
  const fastify = Fastify({
    loggerInstance: log,
    // logRequests writes a line when the response has been sent.
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: requestIdOf,
    // Each line names its request, so no request needs a logger.
    childLoggerFactory: (logger) => logger,
    bodyLimit: config.bodyLimitBytes,
    requestTimeout: 0, // See limitArrival.
    keepAliveTimeout: config.keepAliveSeconds * 1000,
    http: {
      maxHeaderSize,
      headersTimeout: config.headersTimeoutSeconds * 1000,
      connectionsCheckingInterval: 1000, // Otherwise Node looks for overdue connections every 30 s.
      requireHostHeader: false,
      ...(config.upstream !== undefined && upgradeWebsocketsOnly),
    },
    // Without compilers of ours, Fastify loads two packages for its own. Its types know only those.
    schemaController: {
      compilersFactory: {
        buildValidator: () => inputCompiler(schemas) as never,
        buildSerializer: () => outputCompiler(schemas) as never,
      },
    },
    // A domain has up to 253 characters.
    routerOptions: { maxParamLength: 300, ignoreTrailingSlash: false, querystringParser: readQuery },
    rewriteUrl(raw) {
      if (config.apiKeyInQuery) takeQueryKeys(raw)
      const path = withoutOrigin(raw.url ?? '/')
      // In another program's server, and with the gateway, every other path belongs to the product.
      const own = isEmbedded || config.upstream !== undefined ? path : withBasePath(path, config.basePath)
      return canonicalScimPath(own, config.basePath)
    },
    clientErrorHandler: unparsableAnswerer(config.publicUrl ?? config.basePath, log),
    // Paths that the router cannot parse: no hook runs for them.
    frameworkErrors(error, request, reply) {
      answerError(error, request, reply)
      logRequest(writeLine, request, reply)
    },
    return503OnClosing: false,
    exposeHeadRoutes: true,
    // A custom logger changes Fastify's type to one that no plugin accepts.
  }) as unknown as FastifyInstance
  fastify.server.maxConnections = config.maxConnections
  separateConnections(fastify.server)
  limitArrival(fastify.server, config.requestTimeoutSeconds * 1000)
  return fastify
}

/** Keeps a valid incoming X-Request-Id, so that one id follows a request through all systems. */
function requestIdOf({ headers }: { headers: Record<string, string | string[] | undefined> }): string {
  const requestId = headers['x-request-id']
  return typeof requestId === 'string' && /^[\w.:-]{1,128}$/.test(requestId) ? requestId : crypto.randomUUID()
}

/** Returns the path of a whole URL (RFC 9112 §3.2.2). */
function withoutOrigin(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*\/?/i, '/')
}

/** A proxy may strip the prefix before it forwards a request: adds it again. */
function withBasePath(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith('/')) return url
  const next = url.startsWith(basePath) ? url[basePath.length] : 'x'
  return next === undefined || next === '/' || next === '?' ? url : basePath + url
}
