/** The composition root: configuration, storage and clock become an HTTP application. It alone knows everybody. */
import Fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import type { Logger } from 'pino'
import { createRecorder, type Recorder } from './audit/recorder.ts'
import { answerRecorded, type RecordRefusal, refusalRecorder } from './audit/refusals.ts'
import { auditRoutes } from './audit/routes.ts'
import { bulkChangeRoutes } from './bulk-changes/routes.ts'
import type { Config } from './config.ts'
import { consoleRoutes } from './console/routes.ts'
import { type Actor, type Context, rulesOf, system } from './context.ts'
import { deletedUserRoutes } from './deleted-users/routes.ts'
import { deploymentRoutes } from './deployment/routes.ts'
import { alertsPage } from './docs/alerts-page.ts'
import { docsPage } from './docs/page.ts'
import { problemsPage } from './docs/problems-page.ts'
import { eventRoutes } from './events/routes.ts'
import { exportRoutes } from './exports/routes.ts'
import { forwardAuthRoutes } from './forward-auth/routes.ts'
import { gateway } from './gateway/routes.ts'
import { upgradeWebsocketsOnly } from './gateway/websocket.ts'
import { requireDeclaredAccess } from './http/access.ts'
import { limitArrival } from './http/arrival.ts'
import { type Authenticator, type Credential, createAuthenticator } from './http/authenticate.ts'
import { acceptJsonBodies } from './http/body.ts'
import { changeMaker, type IdempotencyKeys, idempotencyKeys, type MakeChange } from './http/change.ts'
import { type Addresses, clientAddresses } from './http/client-address.ts'
import { type SessionCookies, sessionCookies } from './http/cookies.ts'
import { allowOrigins } from './http/cors.ts'
import { guardRoutes, recheck } from './http/guard.ts'

import { healthRoutes } from './http/health.ts'
import { type Links, linksOf } from './http/links.ts'
import { describeApi, type OpenApiDocument } from './http/openapi.ts'
import { originOf } from './http/origin.ts'
import { errorAnswerer } from './http/problem.ts'
import { takeExpectations, unparsableAnswerer } from './http/raw-errors.ts'
import { maxHeaderSize } from './http/request-form.ts'
import { logRequest, logRequests } from './http/request-log.ts'
import { isCrossOrigin, refuseCrossOrigin } from './http/same-origin.ts'
import { takeQueryKeys } from './http/sent-credential.ts'
import { useSerialization } from './http/serialize.ts'
import { answerUnknownPaths } from './http/unknown-paths.ts'
import { useValidation } from './http/validate.ts'
import { wholeDocument } from './http/whole-document.ts'
import { importRoutes } from './imports/routes.ts'
import type { Origin } from './journal/entry.ts'
import { keyRoutes } from './keys/routes.ts'
import { lineLogger } from './log.ts'
import { loginPages } from './login/routes.ts'
import { meRoutes } from './me/routes.ts'
import { type Counts, createCounts } from './metrics/counts.ts'
import { createMetrics } from './metrics/metrics.ts'
import { metricsRoutes } from './metrics/routes.ts'
import { type Argon2Parameters, argon2Parameters } from './passwords/argon2.ts'
import { createHasher, type Hasher } from './passwords/hash.ts'
import { revocationRoutes } from './revocations/routes.ts'
import { roleRoutes } from './roles/routes.ts'
import { schemas } from './schemas.ts'
import { loadSecrets, type Secrets } from './secrets/service.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { userSessionRoutes } from './sessions/user-routes.ts'
import { setupRoutes } from './setup/routes.ts'
import { lockRoutes } from './sign-in/lock-routes.ts'
import { statisticsRoutes } from './statistics/routes.ts'
import type { Storage } from './storage/storage.ts'
import { tokenRoutes } from './tokens/routes.ts'
import { createTokens, type Tokens } from './tokens/tokens.ts'
import { passwordRoutes } from './users/password-routes.ts'
import { userRoutes } from './users/routes.ts'
import { version } from './version.ts'
import { webhookRoutes } from './webhooks/routes.ts'
import { deliveryRoutes } from './webhooks/routes-deliveries.ts'
import { sealPlainSecrets } from './webhooks/secrets.ts'

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor
    /** By what the actor was recognized. */
    credential: Credential | undefined
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
  secrets: Secrets
  tokens: Tokens
  cookies: SessionCookies
  contextOf(request: FastifyRequest): Context
  /** Who calls, for routes that are public and ask by themselves; also sets `request.actor`. Throws what 401 means. */
  authenticate(request: FastifyRequest): Actor | Promise<Actor>
  /** Refuses a change by cookie that another site may have caused; `method` when it is about another request. */
  refuseCrossOrigin(request: FastifyRequest, method?: string): void
  /** Whether a browser says that another origin's page sends this. */
  isCrossOrigin(request: FastifyRequest): boolean
  clientAddress: Addresses['of']
  /** From where a request comes, for the record. */
  originOf(request: FastifyRequest): Origin
  isFromTrustedProxy: Addresses['isFromTrustedProxy']
  lookUp: Authenticator['lookUp']
  lastUseOf: Authenticator['lastUseOf']
  lastSeenOf: Authenticator['lastSeenOf']
  makeChange: MakeChange
  /** For work that answers while it goes on, and so is more than one change. */
  idempotency: IdempotencyKeys
  counts: Counts
  recorder: Recorder
  /** For refusals that are answered past the error handler, such as those in a page. */
  recordRefusal: RecordRefusal
  links: Links
  log: Logger
  /** Epoch milliseconds. */
  clock: () => number
}

export type Parts = {
  config: Config
  storage: Storage
  log: Logger
  cores: number
  clock?: () => number
  passwordParameters?: Argon2Parameters
}

/** Builds the application; `inject` and `listen` are the two ways to use it. */
export async function buildApp(parts: Parts) {
  const { config, storage, log, cores, clock = Date.now, passwordParameters = argon2Parameters } = parts
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
    requestTimeout: 0, // See limitArrival.
    keepAliveTimeout: config.keepAliveSeconds * 1000,
    http: {
      maxHeaderSize,
      headersTimeout: config.headersTimeoutSeconds * 1000,
      connectionsCheckingInterval: 1000, // Node looks for connections past their time every 30 s otherwise.
      requireHostHeader: false,
      ...(config.upstream !== undefined && upgradeWebsocketsOnly),
    },
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
    rewriteUrl(raw) {
      if (config.apiKeyInQuery) takeQueryKeys(raw)
      const path = withoutOrigin(raw.url ?? '/')
      // Beside the product, what is not below our path is the product's.
      return config.upstream === undefined ? withBasePath(path, config.basePath) : path
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
  limitArrival(fastify.server, config.requestTimeoutSeconds * 1000)

  const links = linksOf(config, fastify)
  const lifecycle: Lifecycle = { stage: 'serving' }
  const publicOrigin = config.publicUrl === undefined ? undefined : links.origin()
  const rules = rulesOf(config)
  const cookies = sessionCookies(config)
  const addresses = clientAddresses(config.trustedProxies ?? [])
  await storage.change('events.begin', undefined, { actor: system, now: clock(), requestId: 'start' })
  const secrets = await loadSecrets(storage, config.keyEncryptionSecret, clock())
  await sealPlainSecrets(storage, config.keyEncryptionSecret, clock())
  const tokens = await createTokens({ config, storage, issuer: links.issuer, origin: links.origin, clock, log })
  fastify.addHook('onClose', () => tokens.close())
  const authenticator = createAuthenticator({ storage, rules, cookies, tokens })
  storage.onAnnouncement(authenticator.hear)
  const recorder = createRecorder(storage)
  const recordRefusal = refusalRecorder({
    recorder,
    originOf: (request) => originOf(request, addresses.of),
    perMinute: config.rateLimit,
  })
  const idempotency = idempotencyKeys({ cookies, secrets })
  const hasher = createHasher({
    concurrency: config.hashConcurrency || cores,
    queueLimit: config.hashQueue,
    parameters: passwordParameters,
  })
  const counts = createCounts()
  const working = { config, storage, hasher, authenticator, lifecycle, counts, server: fastify.server }
  const metrics = createMetrics({ ...working, log, clock })
  const app: App = {
    config,
    counts,
    storage,
    recorder,
    recordRefusal,
    lifecycle,
    secrets,
    tokens,
    cookies,
    log,
    clock,
    hasher,
    contextOf: ({ actor, now, id }) => ({ actor, now, requestId: id, rules, db: storage.db }),
    authenticate(request) {
      const found = authenticator.authenticate(request, request.now)
      return found instanceof Promise ? found.then((one) => recognize(request, one)) : recognize(request, found)
    },
    refuseCrossOrigin: (request, method) => refuseCrossOrigin(request, publicOrigin, method),
    isCrossOrigin: (request) => isCrossOrigin(request, publicOrigin),
    clientAddress: addresses.of,
    originOf: (request) => originOf(request, addresses.of),
    isFromTrustedProxy: addresses.isFromTrustedProxy,
    lookUp: authenticator.lookUp,
    lastUseOf: authenticator.lastUseOf,
    lastSeenOf: authenticator.lastSeenOf,
    makeChange: changeMaker({
      storage,
      keys: idempotency,
      originOf: (request) => originOf(request, addresses.of),
      recheck: (request) => recheck(app, request),
    }),
    idempotency,
    links,
  }

  useValidation(fastify, schemas)
  useSerialization(fastify, schemas)
  acceptJsonBodies(fastify)
  takeExpectations(fastify)
  fastify.setErrorHandler(answerRecorded(recordRefusal, answerError))
  for (const schema of schemas) fastify.addSchema(schema)
  // Set by the first hook of every request.
  fastify.decorateRequest('actor', null as unknown as Actor)
  fastify.decorateRequest('credential', undefined)
  fastify.decorateRequest('failure', undefined)
  fastify.decorateRequest('now', 0)
  requireDeclaredAccess(fastify)
  guardRoutes(fastify, { app, clock })
  allowOrigins(fastify, config.corsOrigins ?? [])
  answerUnknownPaths(fastify, counts.requests.watchUnknown)
  counts.requests.watch(fastify, config.basePath)
  logRequests(fastify, writeLine, addresses.of)
  const api = describeApi(fastify, { ...config, publicPath: links.path(''), version, schemas })

  await fastify.register(
    async (scope) => {
      userRoutes(scope, app)
      exportRoutes(scope, app)
      deletedUserRoutes(scope, app)
      await importRoutes(scope, app)
      bulkChangeRoutes(scope, app)
      lockRoutes(scope, app)
      passwordRoutes(scope, app)
      meRoutes(scope, app)
      sessionRoutes(scope, app)
      setupRoutes(scope, app)
      userSessionRoutes(scope, app)
      roleRoutes(scope, app)
      keyRoutes(scope, app)
      tokenRoutes(scope, app)
      revocationRoutes(scope, app)
      webhookRoutes(scope, app)
      deliveryRoutes(scope, app)
      eventRoutes(scope, app)
      auditRoutes(scope, app)
      loginPages(scope, app)
      forwardAuthRoutes(scope, app)
      healthRoutes(scope, app)
      metricsRoutes(scope, metrics)
      deploymentRoutes(scope, app)
      statisticsRoutes(scope, app)
      docsPage(scope, { version })
      problemsPage(scope)
      alertsPage(scope)
      consoleRoutes(scope, app)
      const hidden = { config: { access: 'public' } } as const
      const openapi = wholeDocument('application/json; charset=utf-8', () => JSON.stringify(document))
      scope.get('/openapi.json', hidden, openapi)
      scope.get('/', hidden, (_request, reply) => reply.redirect(links.path('/docs'), 302))
    },
    { prefix: config.basePath },
  )
  gateway(fastify, app)
  await fastify.ready()
  // Made now, so that a mistake in it stops the start instead of the first visit of the docs page.
  const document: OpenApiDocument = api.document()
  return { fastify, lifecycle, authenticator, tokens, metrics, document }
}

/** A valid incoming X-Request-Id is kept, so that one id follows a request through all systems. */
function requestIdOf({ headers }: { headers: Record<string, string | string[] | undefined> }): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : crypto.randomUUID()
}

/** Of a whole URL (RFC 9112 §3.2.2) only the path counts. */
function withoutOrigin(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*\/?/i, '/')
}

/** A proxy may strip the prefix before it hands a request on: what comes without is meant with it. */
function withBasePath(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith('/')) return url
  const next = url.startsWith(basePath) ? url[basePath.length] : 'x'
  return next === undefined || next === '/' || next === '?' ? url : basePath + url
}

function recognize(request: FastifyRequest, credential: Credential): Actor {
  request.credential = credential
  request.actor = credential.actor
  return credential.actor
}
