/** The composition root: builds the HTTP application from configuration, storage and clock. Only it knows every feature. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { createAuthenticator } from '../access/credentials/authentication/service.ts'
import { importedFactors, refuseOrphans, relyingPartyOf, totpKeeper } from '../access/credentials/factors/service.ts'
import { createTokens } from '../access/credentials/tokens/service.ts'
import { brandSource } from '../access/pages/branding/service.ts'
import { gateway } from '../access/pages/gateway/service.ts'
import { actingParts, unknownPage } from '../access/pages/login-pages/service.ts'
import { chosenLanguage } from '../access/pages/page-texts/service.ts'
import { createProviderCalls } from '../access/providers/connections/service.ts'
import {
  companyConfirmation,
  companyEntry,
  createCompanySignIn,
  createProtocols,
  createProviders,
} from '../access/sign-in/company-sign-in/service.ts'
import { createDirectorySync, createSyncCounts } from '../access/sign-in/directory-sync/service.ts'
import { createSignInCounts } from '../access/sign-in/sign-in/service.ts'
import { type Actor, system } from '../core/actor.ts'
import type { BrandSource } from '../core/brand.ts'
import type { Config } from '../core/config.ts'
import { outageFamilies } from '../core/outage-metrics.ts'
import { createOutages } from '../core/outages.ts'
import { version } from '../core/version.ts'
import { attributeCache } from '../directory/attributes/service.ts'
import { type Argon2Parameters, argon2Parameters, createHasher } from '../directory/passwords/service.ts'
import { consoleRoutes } from '../http/console/routes.ts'
import { alertsPage } from '../http/docs/alerts-page.ts'
import { docsPage } from '../http/docs/page.ts'
import { problemsPage } from '../http/docs/problems-page.ts'
import { requireDeclaredAccess } from '../http/endpoint/access.ts'
import { changeMaker, idempotencyKeys } from '../http/endpoint/change.ts'
import { guardRoutes, rechecker } from '../http/endpoint/guard.ts'
import type { HttpLayer } from '../http/endpoint/http-layer.ts'
import { describeApi, type OpenApiDocument } from '../http/endpoint/openapi.ts'
import { sdkDocument } from '../http/endpoint/openapi-sdk.ts'
import { acceptJsonBodies } from '../http/request/body.ts'
import { sessionCookies } from '../http/request/cookies.ts'
import type { Credential } from '../http/request/credential.ts'
import { withLastResort } from '../http/response/last-resort.ts'
import { errorAnswerer } from '../http/response/problem.ts'
import { clientAddresses } from '../http/server/client-address.ts'
import { allowOrigins } from '../http/server/cors.ts'
import type { Lifecycle } from '../http/server/lifecycle.ts'
import { linksOf } from '../http/server/links.ts'
import { originOf } from '../http/server/origin.ts'
import { takeExpectations } from '../http/server/raw-errors.ts'
import { logRequests } from '../http/server/request-log.ts'
import { isCrossOrigin, refuseCrossOrigin } from '../http/server/same-origin.ts'
import { answerUnknownPaths } from '../http/server/unknown-paths.ts'
import { createConfigurator } from '../operations/configuration/service.ts'
import { createMetrics, requestTimes } from '../operations/metrics/service.ts'
import { answerRecorded, createRecorder, refusalRecorder } from '../record/audit/service.ts'
import type { Templates } from '../record/mails/service.ts'
import { scimErrors } from '../scim/door/errors.ts'
import { createScimCounts } from '../scim/door/metrics.ts'
import { rejectionNotes } from '../scim/door/rejections.ts'
import { prepareSecrets } from '../store/secrets/rotation.ts'
import { loadSecrets } from '../store/secrets/service.ts'
import type { Storage } from '../store/storage/storage.ts'
import { attributeDocument } from './attribute-document.ts'
import { routes } from './generated/routes.ts'
import { schemas } from './generated/schemas.ts'
import { lineLogger } from './log.ts'
import { metricFamilies } from './metrics.ts'
import { createServer } from './server.ts'

export type Parts = {
  config: Config
  storage: Storage
  log: Logger
  templates: Templates
  cores: number
  clock?: () => number
  passwordParameters?: Argon2Parameters
  /** See ServiceOptions in service.ts. */
  isEmbedded?: boolean
  /** The store is a trial of a backup. */
  isInTrial?: boolean
}

export type App = Awaited<ReturnType<typeof buildApp>>

/** Builds the application; `inject` and `listen` are the two ways to use it. */
export async function buildApp(parts: Parts) {
  const { config, storage, log, templates, cores, clock = Date.now } = parts
  const { passwordParameters = argon2Parameters, isEmbedded = false, isInTrial = false } = parts
  const outages = createOutages({ log, clock })
  const calls = createProviderCalls(outages)
  const syncCounts = createSyncCounts()
  const scimCounts = createScimCounts()
  const rejections = rejectionNotes(storage, clock, log)
  const answerError = errorAnswerer(config.publicUrl ?? config.basePath, scimErrors(config.basePath, rejections.note))
  const writeLine = lineLogger(log)
  const fastify = createServer({ config, log, schemas, answerError, writeLine, isEmbedded })

  const links = linksOf(config, fastify)
  const lifecycle: Lifecycle = { stage: 'serving' }
  const publicOrigin = config.publicUrl === undefined ? undefined : links.origin()
  const { rules } = storage
  const cookies = sessionCookies(config)
  const addresses = clientAddresses(config.trustedProxies ?? [])
  const requestOrigin = (request: FastifyRequest) => originOf(request, addresses.of)
  await storage.change('events.begin', undefined, { actor: system, now: clock(), requestId: 'start' })
  await prepareSecrets(storage, config, clock())
  const secrets = await loadSecrets(storage, config, clock())
  const relyingParty = relyingPartyOf(config)
  await refuseOrphans(storage.db, relyingParty)
  const attributes = attributeCache(storage)
  const branding = brandSource(storage, config.productName)
  // So that even a page about an outage has it.
  await branding.current()
  const tokens = await createTokens({
    attributes,
    config,
    storage,
    issuer: links.issuer,
    origin: links.origin,
    clock,
    log,
    outages,
  })
  // Before what is open is ended.
  fastify.addHook('preClose', (done) => {
    outages.close()
    done()
  })
  fastify.addHook('onClose', () => tokens.close())
  fastify.addHook('onClose', () => rejections.close())
  const protocols = createProtocols({ config, clock, calls, isInTrial })
  const providers = createProviders({ storage, protocols })
  const companySignIn = createCompanySignIn({ storage, protocols, relyingParty, rules })
  const directorySync = createDirectorySync({ storage, providers, rules, clock, log, counts: syncCounts, isInTrial })
  fastify.addHook('onClose', () => directorySync.close())
  fastify.addHook('onClose', () => protocols.close())
  const authenticator = createAuthenticator({ storage, rules, cookies, tokens })
  storage.onAnnouncement(authenticator.onAnnouncement)
  const recorder = createRecorder(storage)
  const recordRefusal = refusalRecorder({ recorder, originOf: requestOrigin, perMinute: config.rateLimit })
  const idempotency = idempotencyKeys({ cookies, secrets })
  const hasher = createHasher({
    concurrency: config.hashConcurrency || cores,
    queueLimit: config.hashQueue,
    parameters: passwordParameters,
  })
  const signIns = createSignInCounts()
  const requests = requestTimes()
  const metrics = createMetrics({
    requests,
    families: () =>
      metricFamilies({
        config,
        storage,
        log,
        clock,
        lifecycle,
        server: fastify.server,
        hasher,
        authenticator,
        signIns,
        counted: [...outageFamilies(outages), ...calls.families, ...syncCounts.families, ...scimCounts.families],
      }),
  })
  const authenticate: HttpLayer['authenticate'] = (request) => {
    const found = authenticator.authenticate(request, request.now)
    return found instanceof Promise ? found.then((one) => recognize(request, one)) : recognize(request, found)
  }
  const recheck = rechecker({ authenticate })
  const http: HttpLayer = {
    config,
    storage,
    log,
    clock,
    lifecycle,
    links,
    cookies,
    contextOf: ({ actor, now, id }) => ({ actor, now, requestId: id, rules, db: storage.db }),
    authenticate,
    recheck,
    lookUp: authenticator.lookUp,
    refuseCrossOrigin: (request, method) => refuseCrossOrigin(request, publicOrigin, method),
    isCrossOrigin: (request) => isCrossOrigin(request, publicOrigin),
    clientAddress: addresses.of,
    isFromTrustedProxy: addresses.isFromTrustedProxy,
    originOf: requestOrigin,
    makeChange: changeMaker({ storage, keys: idempotency, originOf: requestOrigin, recheck }),
    idempotency,
  }
  const shared = {
    ...http,
    attributes,
    branding,
    hasher,
    relyingParty,
    secrets,
    tokens,
    lookUp: authenticator.lookUp,
    lastUseOf: authenticator.lastUseOf,
    lastSeenOf: authenticator.lastSeenOf,
    recorder,
    recordRefusal,
    countSignIn: signIns.count,
    templates,
    companySignIn,
    providers,
    directorySync,
    outages,
    countScim: scimCounts.count,
    metrics,
    isInTrial,
    root: config.basePath === '' ? undefined : fastify,
    configurator: createConfigurator({ storage, config, rules, secrets, providers }),
    keepTotp: totpKeeper({ storage, config, clock }),
    factors: importedFactors,
  }
  /** What a feature needs from one that is above it. */
  const app = {
    ...shared,
    enterCompany: companyEntry(shared),
    confirmAtCompany: companyConfirmation(shared),
    chosenLanguage: (request: FastifyRequest) => chosenLanguage(request, shared),
  }

  prepare(fastify, { http, branding, requests, onError: answerRecorded(recordRefusal, answerError), writeLine })
  const api = describeApi(fastify, { ...config, publicPath: links.path(''), version, schemas })

  await fastify.register(offerAll(app, api), { prefix: config.basePath })
  gateway(fastify, app)
  await fastify.ready()
  return {
    fastify,
    lifecycle,
    links,
    cookies,
    authenticator,
    tokens,
    metrics,
    document: api.document,
    directorySync,
    configurator: app.configurator,
    outages,
    secrets,
    branding,
    access: api.access(),
  }
}

type Preparation = {
  http: HttpLayer
  branding: BrandSource
  requests: ReturnType<typeof requestTimes>
  onError: ReturnType<typeof answerRecorded>
  writeLine: ReturnType<typeof lineLogger>
}

/** What holds for every request, before any route is registered. */
function prepare(fastify: FastifyInstance, { http, branding, requests, onError, writeLine }: Preparation): void {
  const { config } = http
  acceptJsonBodies(fastify)
  takeExpectations(fastify)
  fastify.setErrorHandler(withLastResort(onError, config.publicUrl ?? config.basePath))
  for (const schema of schemas) fastify.addSchema(schema)
  // Set by the first hook of every request.
  fastify.decorateRequest('actor', null as unknown as Actor)
  fastify.decorateRequest('credential', undefined)
  fastify.decorateRequest('failure', undefined)
  fastify.decorateRequest('now', 0)
  requireDeclaredAccess(fastify)
  guardRoutes(fastify, http)
  allowOrigins(fastify, config.corsOrigins ?? [])
  answerUnknownPaths(fastify, requests.watchUnknown, unknownPage({ ...http, branding }))
  requests.watch(fastify, config.basePath)
  logRequests(fastify, writeLine, http.clientAddress)
}

/** What any of the routes needs. */
type RouteNeeds = (typeof routes)[number] | typeof consoleRoutes extends (
  scope: FastifyInstance,
  needs: infer Needs,
) => unknown
  ? Needs
  : never

/** The routes of all features, and the pages that describe them. */
function offerAll(app: RouteNeeds, api: ReturnType<typeof describeApi>) {
  const { links, attributes } = app
  const hidden = { config: { access: 'public', scope: 'global' } } as const
  return async (scope: FastifyInstance) => {
    for (const register of routes) await register(scope, app)
    docsPage(scope, app.config, actingParts(app))
    problemsPage(scope)
    alertsPage(scope)
    consoleRoutes(scope, app)
    const offer = (path: string, write: (document: OpenApiDocument) => object) =>
      scope.get(
        path,
        hidden,
        attributeDocument(attributes, (described) => JSON.stringify(write(described(api.document())))),
      )
    offer('/openapi.json', (document) => document)
    offer('/openapi.sdk.json', sdkDocument)
    scope.get('/', hidden, (_request, reply) => reply.redirect(links.path('/docs'), 302))
  }
}

function recognize(request: FastifyRequest, credential: Credential): Actor {
  request.credential = credential
  request.actor = credential.actor
  return credential.actor
}
