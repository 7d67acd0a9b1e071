/** The composition root: configuration, storage and clock become an HTTP application. It alone knows everybody. */
import Fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { type Actor, type Context, rulesOf } from './context.ts'
import { docsPage } from './docs/page.ts'
import { problemsPage } from './docs/problems-page.ts'
import { AppError } from './errors.ts'
import { refuseWithout, requireDeclaredAccess } from './http/access.ts'
import { type Authenticator, apiKeyAuthenticator, takeQueryKeys } from './http/authenticate.ts'
import { acceptJsonBodies, refuseEncodedBody } from './http/body.ts'
import { changeMaker, type MakeChange } from './http/change.ts'
import { healthRoutes } from './http/health.ts'
import { describeApi, documentWriter, type OpenApiDocument } from './http/openapi.ts'
import { commonHeaders, errorAnswerer } from './http/problem.ts'
import { takeExpectations, unparsableAnswerer } from './http/raw-errors.ts'
import { maxHeaderSize, refuseMalformed } from './http/request-form.ts'
import { logRequest, logRequests } from './http/request-log.ts'
import { answerUnknownPaths } from './http/unknown-paths.ts'
import { useValidation } from './http/validate.ts'
import { keyRoutes } from './keys/routes.ts'
import { apiKeySchema, createKeySchema, newApiKeySchema, revokedKeySchema } from './keys/schema.ts'
import { lineLogger } from './log.ts'
import { createHasher, type Hasher } from './passwords/hash.ts'
import type { Storage } from './storage/storage.ts'
import { createExample } from './users/answers.ts'
import { userRoutes } from './users/routes.ts'
import { createUserSchema, deletedUserSchema, updateUserSchema, userSchema } from './users/schema.ts'
import { version } from './version.ts'

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor
    /** Epoch milliseconds at which the request was received. */
    now: number
  }
}

/** `leaving`: not ready any more, but still serving those who have not heard; `draining`: nothing new is begun. */
export type Lifecycle = { stage: 'serving' | 'leaving' | 'draining' }

/** What the routes are given to work with. */
export type App = {
  config: Config
  storage: Storage
  hasher: Hasher
  lifecycle: Lifecycle
  contextOf(request: FastifyRequest): Context
  lastUseOf: Authenticator['lastUseOf']
  makeChange: MakeChange
  /** Links to our own paths, as callers see them: never built from the Host header. */
  links: { to(path: string): string }
}

export type Parts = { config: Config; storage: Storage; log: Logger; cores: number; clock?: () => number }

const schemas = [
  userSchema,
  createUserSchema,
  updateUserSchema,
  deletedUserSchema,
  apiKeySchema,
  newApiKeySchema,
  createKeySchema,
  revokedKeySchema,
]

const nobody: Actor = { kind: 'system', id: '', name: '', permissions: [] }

/** Builds the application; `inject` and `listen` are the two ways to use it. */
export async function buildApp({ config, storage, log, cores, clock = Date.now }: Parts) {
  const publicBase = config.publicUrl ?? config.basePath
  const answerError = errorAnswerer(publicBase)
  const writeLine = lineLogger(log)
  const fastify = Fastify({
    loggerInstance: log,
    // Our own line is written when the answer is out.
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: requestIdOf,
    // Lines name the request themselves; a logger for each request would be made for nothing.
    childLoggerFactory: (logger) => logger,
    bodyLimit: config.bodyLimitBytes,
    requestTimeout: config.requestTimeoutSeconds * 1000,
    keepAliveTimeout: config.keepAliveSeconds * 1000,
    http: {
      maxHeaderSize,
      headersTimeout: config.headersTimeoutSeconds * 1000,
      connectionsCheckingInterval: 1000, // Node looks for connections past their time every 30 s otherwise.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
    rewriteUrl(raw) {
      if (config.apiKeyInQuery) takeQueryKeys(raw)
      return withBasePath(raw.url ?? '/', config.basePath)
    },
    clientErrorHandler: unparsableAnswerer(publicBase, log),
    // No hook runs for these: paths that the router cannot read.
    frameworkErrors(error, request, reply) {
      answerError(error, request, reply)
      logRequest(writeLine, request, reply)
    },
    return503OnClosing: false,
    exposeHeadRoutes: true,
    // With a logger of its own Fastify is of another type, which no plugin takes.
  }) as unknown as FastifyInstance
  fastify.server.maxConnections = config.maxConnections

  const publicPath =
    config.publicUrl === undefined ? config.basePath : new URL(config.publicUrl).pathname.replace(/\/$/, '')
  const lifecycle: Lifecycle = { stage: 'serving' }
  const authenticator = apiKeyAuthenticator(storage)
  storage.onAnnouncement((event) => {
    if (event.kind === 'keys_changed') authenticator.forget()
  })
  const rules = rulesOf(config)
  const app: App = {
    config,
    storage,
    lifecycle,
    hasher: createHasher({ concurrency: config.hashConcurrency || cores, queueLimit: config.hashQueue }),
    contextOf: ({ actor, now, id }) => ({ actor, now, requestId: id, rules, db: storage.db }),
    lastUseOf: authenticator.lastUseOf,
    makeChange: changeMaker(storage),
    links: { to: (path) => publicBase + path },
  }

  useValidation(fastify, schemas)
  acceptJsonBodies(fastify)
  takeExpectations(fastify)
  fastify.setErrorHandler(answerError)
  for (const schema of schemas) fastify.addSchema(schema)
  // Set by the first hook of every request.
  fastify.decorateRequest('actor', null as unknown as Actor)
  fastify.decorateRequest('now', 0)
  requireDeclaredAccess(fastify)
  guardRoutes(fastify, { authenticator, lifecycle, clock })
  answerUnknownPaths(fastify)
  logRequests(fastify, writeLine)
  const api = describeApi(fastify, { ...config, publicPath, version, schemas })
  let writeDocument: () => string = () => ''

  await fastify.register(
    async (scope) => {
      userRoutes(scope, app)
      keyRoutes(scope, app)
      healthRoutes(scope, app)
      docsPage(scope, { version })
      problemsPage(scope)
      const hidden = { config: { access: 'public' } } as const
      scope.get('/openapi.json', hidden, (_request, reply) =>
        reply.type('application/json; charset=utf-8').send(writeDocument()),
      )
      scope.get('/', hidden, (_request, reply) => reply.redirect(`${publicPath}/docs`, 302))
    },
    { prefix: config.basePath },
  )
  await fastify.ready()
  // Made now, so that a mistake in it stops the start instead of the first visit of the docs page.
  const document: OpenApiDocument = api.document()
  writeDocument = documentWriter(document, createExample.username)
  return { fastify, lifecycle, authenticator, document }
}

/** A valid incoming X-Request-Id is kept, so that one id follows a request through all systems. */
function requestIdOf({ headers }: { headers: Record<string, string | string[] | undefined> }): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : crypto.randomUUID()
}

/**
 * A proxy may strip the prefix before it hands a request on: what comes without is meant with it. Of a whole URL
 * (RFC 9112 §3.2.2) only the path counts.
 */
function withBasePath(target: string, basePath: string): string {
  const url = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*\/?/i, '/')
  if (basePath === '' || !url.startsWith('/')) return url
  const next = url.startsWith(basePath) ? url[basePath.length] : 'x'
  return next === undefined || next === '/' || next === '?' ? url : basePath + url
}

type Guard = { authenticator: Authenticator; lifecycle: Lifecycle; clock: () => number }

/** What comes before every handler: headers, the form of the request, who calls, and whether they may. */
function guardRoutes(fastify: FastifyInstance, { authenticator, lifecycle, clock }: Guard): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders).header('x-request-id', request.id)
    if (lifecycle.stage !== 'serving') reply.header('connection', 'close')
    request.now = clock()
    request.actor = nobody
    refuseMalformed(request)
    refuseEncodedBody(request)
    done()
  })
  fastify.addHook('onRoute', (route) => {
    const access = route.config?.access
    if (access === undefined || access === 'public') return
    route.onRequest = [
      (request, _reply, done) => {
        if (lifecycle.stage === 'draining') throw new AppError('draining', 'The service is stopping; ask another one.')
        const accept = (actor: Actor) => {
          refuseWithout(actor, access)
          request.actor = actor
          done()
        }
        const found = authenticator.authenticate(request, request.now)
        if (found instanceof Promise) found.then(accept).catch(done)
        else accept(found)
      },
    ]
  })
}
