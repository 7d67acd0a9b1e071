/** Runs before every handler: the form of a request, who calls, and whether they may. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Actor } from '../../core/actor.ts'
import { refuseEncodedBody } from '../request/body.ts'
import { refuseMalformed } from '../request/request-form.ts'
import { commonHeaders } from '../response/problem.ts'
import { refuseWhileDraining } from '../server/lifecycle.ts'
import { admitted } from './access.ts'
import type { HttpLayer } from './http-layer.ts'
import { rateLimiter } from './rate-limit.ts'
import { refuseStale } from './recent-authentication.ts'

/** RFC 6797: for a year, browsers use only TLS with this host. */
const strictTransport = { 'strict-transport-security': 'max-age=31536000' }

const anonymous: Actor = { kind: 'system', id: '', name: '', permissions: [] }

export function rechecker({ authenticate }: Pick<HttpLayer, 'authenticate'>): HttpLayer['recheck'] {
  return (request) => {
    if (request.credential === undefined) return undefined
    const before = request.actor
    const admit = (actor: Actor) => {
      // First the caller as admitted before: who cleans up after a refusal must not act in a wider scope.
      request.actor = before
      request.actor = admitted(actor, request.routeOptions.config, request.method)
    }
    const found = authenticate(request)
    return found instanceof Promise ? found.then(admit) : admit(found)
  }
}

type Needs = Pick<
  HttpLayer,
  'config' | 'lifecycle' | 'clock' | 'clientAddress' | 'authenticate' | 'recheck' | 'refuseCrossOrigin'
>

export function guardRoutes(fastify: FastifyInstance, needs: Needs): void {
  const { config, lifecycle, clock, authenticate, recheck, refuseCrossOrigin } = needs
  const limiter = rateLimiter(config, needs.clientAddress)
  const headers = config.publicUrl?.startsWith('https:') ? { ...commonHeaders, ...strictTransport } : commonHeaders
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id)
    if (lifecycle.stage !== 'serving') reply.header('connection', 'close')
    request.now = clock()
    request.actor = anonymous
    refuseMalformed(request)
    const { isAboutOthers, takesFile } = request.routeOptions.config ?? {}
    if (!isAboutOthers && !takesFile) refuseEncodedBody(request)
    done()
  })
  fastify.addHook('onRoute', (route) => {
    const declared = route.config
    if (declared?.access === undefined) return
    const isCounted = limiter.counts(route.url)
    if (declared.access === 'public') {
      if (isCounted) route.onRequest = [limiter.countStranger]
      return
    }
    route.onRequest = [
      (request, reply, done) => {
        refuseWhileDraining(lifecycle)
        if (declared.isOpenTo?.(request)) return isCounted ? limiter.countStranger(request, reply, done) : done()
        const admit = (actor: Actor) => {
          if (isCounted) limiter.countActor(actor, request, reply)
          if (request.credential?.kind === 'session') refuseCrossOrigin(request)
          request.actor = admitted(actor, declared, request.method)
          done()
        }
        const refuse = (error: unknown): never => {
          if (isCounted) limiter.countRefused(error, request, reply)
          throw error
        }
        let found: Actor | Promise<Actor>
        try {
          found = authenticate(request)
        } catch (error) {
          return refuse(error)
        }
        if (found instanceof Promise) found.then(admit, refuse).catch(done)
        else admit(found)
      },
    ]
    if (route.method === 'GET' || declared.isAboutOthers) return
    // A body can take half a minute to arrive: the caller may have lost the permission since.
    const { recent } = declared
    route.preHandler = [
      async (request) => recheck(request),
      ...(recent === undefined ? [] : [async (request: FastifyRequest) => refuseStale(request, recent)]),
      ...[route.preHandler ?? []].flat(),
    ]
  })
}
