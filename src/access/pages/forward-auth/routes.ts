/** Tells a proxy, for each request to the product, whether it may pass and who is calling. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, personBehind } from '../../../core/actor.ts'
import type { AttributeCache } from '../../../directory/attributes/service.ts'
import { refuseWithout } from '../../../http/endpoint/access.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import type { Problem } from '../../../http/response/problem.ts'
import { refuseForeignSocket } from './foreign-socket.ts'
import { refuseLookalikes } from './header-names.ts'
import { identityHeaders } from './identity.ts'
import { supportAllMethods } from './methods.ts'
import { type Narrowing, narrowingQuery, refuseOthers, refuseUnknownRoles } from './narrowing.ts'
import { type Dialect, envoy, forwardAuth, nginx, originalRequest } from './original-request.ts'
import { isPreflight } from './preflight.ts'
import { pageAgainst } from './sign-in-page.ts'

/** nginx treats every other status as an error and does not redirect: headers carry what its configuration needs. */
const nginxStatuses = [200, 401, 403]

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The question is about another server's request, so the encoding of its body does not matter. */
    isAboutOthers?: boolean
  }
}

type Needs = Pick<
  HttpLayer,
  'config' | 'storage' | 'links' | 'authenticate' | 'refuseCrossOrigin' | 'isCrossOrigin' | 'isFromTrustedProxy'
> & { attributes: Pick<AttributeCache, 'inHeadersOf'> }

export function routes(app: FastifyInstance, needs: Needs): void {
  const method = supportAllMethods(app)
  const querystring = narrowingQuery
  const config = { access: 'public', scope: 'global', isAboutOthers: true } as const

  app.register(async (scope) => {
    ignoreBodies(scope)
    const responder = answerer(needs, nginx)
    scope.setErrorHandler((error, request, reply) => {
      const page = responder.pageAgainst(error, request)
      if (page !== undefined) reply.header('rollbook-login', page)
      throw error
    })
    scope.addHook('onSend', (_request, reply, payload, done) => {
      if (reply.statusCode >= 400) reply.header('rollbook-code', (JSON.parse(payload as string) as Problem).code)
      if (!nginxStatuses.includes(reply.statusCode)) reply.header('rollbook-status', reply.statusCode).code(403)
      done()
    })
    scope.route({ method, url: '/verify/nginx', config, schema: { querystring }, handler: responder.handler })
  })

  app.register(async (scope) => {
    ignoreBodies(scope)
    const responder = answerer(needs, forwardAuth)
    scope.setErrorHandler(responder.redirectOr)
    scope.route({ method, url: '/verify/forward-auth', config, schema: { querystring }, handler: responder.handler })
  })

  app.register(async (scope) => {
    ignoreBodies(scope)
    const responder = answerer(needs, envoy(`${needs.config.basePath}/verify/envoy`))
    scope.setErrorHandler(responder.redirectOr)
    // The caller controls the query, so it must not narrow anything.
    const handler = (request: FastifyRequest, reply: FastifyReply) => responder.handler(request, reply, {})
    for (const url of ['/verify/envoy', '/verify/envoy/*']) scope.route({ method, url, config, handler })
  })
}

function answerer(needs: Needs, dialect: Dialect) {
  const { authenticate, links, refuseCrossOrigin, attributes } = needs

  function accept(
    request: FastifyRequest,
    reply: FastifyReply,
    { actor, narrowing }: { actor: Actor; narrowing: Narrowing },
  ): FastifyReply | Promise<FastifyReply> {
    if (request.credential?.kind === 'session') {
      refuseCrossOrigin(request)
      refuseCrossOrigin(request, originalRequest(request, dialect, needs).method)
      refuseForeignSocket(request, needs)
    }
    refuseWithout(actor, { access: 'any' })
    refuseOthers(actor, narrowing, request.now)
    const values = attributes.inHeadersOf(personBehind(actor)?.user_id)
    if (values instanceof Promise)
      return values.then((visible) => reply.headers(identityHeaders(actor, visible)).send())
    return reply.headers(identityHeaders(actor, values)).send()
  }

  /** Anyone could claim the method of a request to a proxy that passes on the caller's own headers. */
  function passesAsPreflight(request: FastifyRequest): boolean {
    if (!needs.config.passPreflights || !needs.isFromTrustedProxy(request)) return false
    return isPreflight(originalRequest(request, dialect, needs).method, request.headers)
  }

  function page(error: unknown, request: FastifyRequest): string | undefined {
    return pageAgainst(error, request, originalRequest(request, dialect, needs), links)
  }

  return {
    pageAgainst: page,
    // Without an `await`: cached credentials get a response in the same turn.
    handler(request: FastifyRequest, reply: FastifyReply, narrowing = request.query as Narrowing) {
      refuseLookalikes(request.headers)
      refuseUnknownRoles(narrowing, needs.storage.rules.roles)
      if (passesAsPreflight(request)) return reply.headers(identityHeaders(request.actor, {})).send()
      const found = authenticate(request)
      if (!(found instanceof Promise)) return accept(request, reply, { actor: found, narrowing })
      return found.then((actor) => accept(request, reply, { actor, narrowing }))
    },
    redirectOr(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
      const target = page(error, request)
      if (target === undefined) throw error
      reply.redirect(target, 302)
    },
  }
}

/** Proxies send the request's headers without its body; a body that a proxy sends anyway is discarded. */
function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
}
