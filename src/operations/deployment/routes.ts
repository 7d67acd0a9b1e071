/** How a node is deployed: for operators who put it behind a proxy and want to see what arrives. */

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findUnknown } from '../../access/sign-in/factor-policy/service.ts'
import { version } from '../../core/version.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { plainAddress } from '../../http/server/client-address.ts'
import { timestamp } from '../../lib/instant.ts'
import { isServer } from '../../store/db/dialect.ts'
import { storeFacts } from '../../store/db/store-facts.ts'
import { explainWait, findClock } from '../../store/jobs/clock.ts'
import { findUnconfirmed } from '../inactivity/service.ts'
import { healthRoutes } from './health.ts'
import { explainDifferences, listDifferences, listNodes, thisNode } from './nodes.ts'
import type { Deployment } from './schema.ts'
import { digestsOf } from './shared-settings.ts'
import { warningsOf } from './warnings.ts'

export function routes(
  app: FastifyInstance,
  needs: Parameters<typeof healthRoutes>[1] & Parameters<typeof deploymentRoutes>[1],
): void {
  healthRoutes(app, needs)
  deploymentRoutes(app, needs)
}

/** The headers accepted from a trusted proxy. */
const believable = ['X-Forwarded-For', 'X-Forwarded-Proto']

const description = `Returns how this node is deployed (its release, store and addresses) and what it sees of this request after all proxies
in between (path, host, scheme, client address). \`rollbook doctor --url\` calls it and reports what is wrong. The response
describes one node; behind a load balancer, the node that responds.`

type Needs = Seen & Pick<HttpLayer, 'storage' | 'lifecycle' | 'cookies' | 'clock' | 'log'> & { isInTrial: boolean }

function deploymentRoutes(app: FastifyInstance, needs: Needs): void {
  const { config, storage, lifecycle, cookies, clock, log, isInTrial } = needs
  const startedAt = timestamp(clock())
  const digests = digestsOf(config)

  app.route({
    ...operation({
      name: 'get_deployment',
      method: 'GET',
      path: '/deployment',
      access: 'metrics:read',
      scope: 'global',
      description,
      returns: 'Deployment',
      responses: { 200: 'The node, and the request as it arrived.' },
    }),
    async handler(request): Promise<Deployment> {
      const now = clock()
      const known = {
        public_url: config.publicUrl ?? null,
        session_cookie: cookies.name,
        request: seen(request, needs),
      }
      const { engine } = storage.db
      return {
        version,
        node_version: process.versions.node,
        started_at: startedAt,
        uptime_seconds: Math.max(0, Math.floor((now - Date.parse(startedAt)) / 1000)),
        now: timestamp(now),
        stage: lifecycle.stage,
        storage: {
          engine,
          ...((await orNothing(() => storeFacts(storage.db, config.dataDir))) ?? { version: null, size_bytes: null }),
          ready: storage.isReady(),
          current: storage.isCurrent(),
          age_ms: Math.round(storage.ageMs()),
          migrated: [...storage.migrated],
        },
        base_path: config.basePath,
        trusted_proxies: [...(config.trustedProxies ?? [])],
        ...known,
        nodes: await nodes(now),
        warnings: warningsOf({
          ...known,
          engine,
          encrypts_secrets: config.keyEncryptionSecret !== undefined,
          isInTrial,
          isDamaged: storage.isDamaged(),
          settingsDiffer: await orNothing(async () =>
            isServer(storage.db) ? explainDifferences(await listDifferences(storage.db, digests, now)) : undefined,
          ),
          unknownInPolicy: (await orNothing(() => findUnknown(storage.db, policyInForce()))) ?? [],
          stoppedUsers: await orNothing(async () => (await findUnconfirmed(storage.db))?.users),
          clockWait: await orNothing(async () => explainWait((await findClock(storage.db)) ?? { trusted: '' })),
        }),
      }
    },
  })

  function policyInForce() {
    const { secondFactor: policy, roles } = storage.rules
    return { policy, roles }
  }

  /** A store that does not answer is what this page is looked at for. */
  async function orNothing<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (!storage.isReady()) return undefined
    try {
      return await work()
    } catch (err) {
      log.warn({ err }, 'could not read the store for the deployment report')
      return undefined
    }
  }

  async function nodes(now: number): Promise<Deployment['nodes']> {
    const own = thisNode(startedAt)
    const seenHere = { ...own, last_seen_at: timestamp(now), this: true }
    // One process owns a store on SQLite.
    if (!isServer(storage.db)) return [seenHere]
    const known = (await orNothing(() => listNodes(storage.db, now))) ?? []
    const others = known.filter(({ node_id }) => node_id !== own.node_id)
    return [seenHere, ...others.map((node) => ({ ...node, this: false }))]
  }
}

type Seen = Pick<HttpLayer, 'config' | 'clientAddress' | 'isFromTrustedProxy'>

function seen(request: FastifyRequest, { config, clientAddress, isFromTrustedProxy }: Seen): Deployment['request'] {
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
    origin: one(headers, 'origin'),
    believed: fromTrustedProxy ? believable.filter((name) => one(headers, name.toLowerCase()) !== null) : [],
  }
}

function one(headers: IncomingHttpHeaders, name: string): string | null {
  return [headers[name]].flat().join(', ') || null
}
