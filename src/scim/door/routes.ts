/** The endpoints of SCIM 2.0 (RFC 7644 §3.2). Their handlers are loaded with the first request. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { AppError } from '../../core/errors.ts'
import type { Access } from '../../core/permissions.ts'
import { scimLimits } from '../lists/limits.ts'
import { acceptScimBodies } from './body.ts'
import type { Needs } from './change-requests.ts'
import type { Handlers } from './handlers.ts'
import type { ScimCounts } from './metrics.ts'

/** A complete group of 100,000 members takes about 6 MB. */
const groupBodyLimit = 16_777_216

type Handle = (handlers: Handlers, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

export async function scimRoutes(
  scope: FastifyInstance,
  needs: Needs & { countScim: ScimCounts['count'] },
): Promise<void> {
  acceptScimBodies(scope)
  scope.addHook('onResponse', (request, reply, done) => {
    // Anyone can read what is public.
    if (request.routeOptions.config.access !== 'public') needs.countScim(request, reply.statusCode)
    done()
  })
  let loaded: Promise<Handlers> | undefined
  const load = () => {
    loaded ??= import('./handlers.ts').then(({ createHandlers }) => createHandlers(needs))
    return loaded
  }
  const route = (method: HTTPMethods, url: string, handle: Handle, options: { access?: Access; limit?: number } = {}) =>
    scope.route({
      method,
      url,
      // What a route with another access returns is public, or the caller's own.
      config: {
        access: options.access ?? 'scim:write',
        scope: options.access === undefined ? 'organization' : 'global',
      },
      bodyLimit: options.limit ?? scimLimits.maxPayloadSize,
      async handler(request, reply) {
        if (options.access === undefined) refuseWithoutConnection(request)
        return handle(await load(), request, reply)
      },
    })

  route('GET', '/ServiceProviderConfig', (on, ...http) => on.serviceProviderConfig(...http), { access: 'public' })
  route('GET', '/ResourceTypes', (on, ...http) => on.resourceTypes(...http), { access: 'public' })
  route('GET', '/ResourceTypes/:id', (on, ...http) => on.resourceType(...http), { access: 'public' })
  route('GET', '/Schemas', (on, ...http) => on.schemas(...http), { access: 'public' })
  route('GET', '/Schemas/:id', (on, ...http) => on.schema(...http), { access: 'public' })

  route('GET', '/', (on, ...http) => on.list('', ...http))
  route('POST', '/.search', (on, ...http) => on.search('', ...http))
  route('POST', '/Bulk', (on, ...http) => on.bulk(...http))

  for (const endpoint of ['/Users', '/Groups'] as const) {
    const limit = endpoint === '/Groups' ? groupBodyLimit : scimLimits.maxPayloadSize
    route('GET', endpoint, (on, ...http) => on.list(endpoint, ...http))
    route('POST', `${endpoint}/.search`, (on, ...http) => on.search(endpoint, ...http))
    route('POST', endpoint, (on, ...http) => on[endpoint].create(...http), { limit })
    route('GET', `${endpoint}/:id`, (on, ...http) => on[endpoint].get(...http))
    route('PUT', `${endpoint}/:id`, (on, ...http) => on[endpoint].replace(...http), { limit })
    route('PATCH', `${endpoint}/:id`, (on, ...http) => on[endpoint].patch(...http), { limit })
    route('DELETE', `${endpoint}/:id`, (on, ...http) => on[endpoint].remove(...http))
  }

  // Users may read their own SCIM resource.
  route('GET', '/Me', (on, ...http) => on.me.get(...http), { access: 'any' })
  route('PUT', '/Me', (on, ...http) => on.me.replace(...http))
  route('PATCH', '/Me', (on, ...http) => on.me.patch(...http))
  route('DELETE', '/Me', (on, ...http) => on.me.remove(...http))
}

/** @throws AppError `permission_denied` */
function refuseWithoutConnection({ actor }: FastifyRequest): void {
  if (actor.connection !== undefined) return
  const detail =
    'SCIM needs an API key of a provisioning connection. Create one with POST /provisioning, and use its key as the bearer token.'
  throw new AppError('permission_denied', detail)
}
