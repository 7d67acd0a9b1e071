/** How a node is deployed: for whoever puts it behind a proxy and wants to know what arrives. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { timestamp } from '../context.ts'
import { plainAddress } from '../http/client-address.ts'
import { operation } from '../http/operation.ts'
import { version } from '../version.ts'
import type { Deployment } from './schema.ts'

const description = `How this node is deployed: its release, its store, its addresses; and what it sees of this very request after all
proxies in between: path, host, scheme, client address. \`rollbook doctor --url\` asks it and says what is wrong. It tells of
one node: behind a load balancer of whichever answers. Needs the permission \`metrics:read\`.`

export function deploymentRoutes(app: FastifyInstance, parts: App): void {
  const { config, storage, lifecycle, cookies, clock } = parts
  const startedAt = timestamp(clock())

  app.route({
    ...operation({
      name: 'get_deployment',
      method: 'GET',
      path: '/deployment',
      access: 'metrics:read',
      description,
      answers: {
        200: {
          description: 'The node, and the request as it arrived.',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Deployment' } } },
        },
      },
      schema: { response: { 200: { $ref: 'Deployment#' } } },
    }),
    handler: async (request): Promise<Deployment> => ({
      version,
      node_version: process.versions.node,
      started_at: startedAt,
      now: timestamp(clock()),
      stage: lifecycle.stage,
      storage: {
        engine: storage.db.engine,
        ready: storage.isReady(),
        current: storage.isCurrent(),
        age_ms: Math.round(storage.ageMs()),
        migrated: [...storage.migrated],
      },
      public_url: config.publicUrl ?? null,
      base_path: config.basePath,
      session_cookie: cookies.name,
      trusted_proxies: [...(config.trustedProxies ?? [])],
      request: seen(request, parts),
    }),
  })
}

function seen(request: FastifyRequest, { config, clientAddress, isFromTrustedProxy }: App): Deployment['request'] {
  const { headers, originalUrl } = request
  const path = originalUrl.split('?', 1)[0] as string
  const fromTrustedProxy = isFromTrustedProxy(request)
  const proto = one(headers, 'x-forwarded-proto')
  return {
    path,
    prefix: path.startsWith(`${config.basePath}/`) ? 'kept' : 'stripped',
    host: headers.host ?? null,
    scheme: fromTrustedProxy && proto?.toLowerCase() === 'https' ? 'https' : 'http',
    client_address: clientAddress(request),
    peer_address: plainAddress(request.raw.socket.remoteAddress ?? ''),
    from_trusted_proxy: fromTrustedProxy,
    forwarded_for: one(headers, 'x-forwarded-for'),
    forwarded_proto: proto,
    forwarded_host: one(headers, 'x-forwarded-host'),
  }
}

function one(headers: IncomingHttpHeaders, name: string): string | null {
  return [headers[name]].flat().join(', ') || null
}
