import type { FastifyInstance, FastifyReply } from 'fastify'
import { scopeOf } from '../../core/scope.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { readRequest } from '../../http/response/send-stream.ts'
import { timestamp } from '../../lib/instant.ts'
import { type Statistics, type StatisticsQuery, statisticsQuery } from './schema.ts'
import { daily, type Figures } from './statistics.ts'

/** Counting a million users, most with a second factor, takes a quarter of a second, and dashboards ask repeatedly. */
const [manyUsers, keptMs] = [50_000, 10_000]

const description = `Returns how many users were created, signed in, or failed to sign in on each of the last days (UTC), and how many users
there are now. The last day is today, which is not complete. The counts are kept forever, even after users are deleted
and audit records have expired. Needs the permission {access}; the figures do not identify any user.`

type Counted = Figures & { atMs: number }
type Needs = Pick<HttpLayer, 'storage' | 'clock'>

export function routes(fastify: FastifyInstance, { storage, clock }: Needs): void {
  /** The figures of everyone, and of each large organization that has asked. */
  const cached = new Map<string, Counted>()

  async function figuresFor(reply: FastifyReply): Promise<Counted> {
    const now = clock()
    const scope = scopeOf(reply.request.actor)
    const whose = scope.kind === 'organization' ? scope.organization_id : ''
    const known = cached.get(whose)
    if (known !== undefined && Math.abs(now - known.atMs) < keptMs) return known
    cached.delete(whose)
    const roles = Object.keys(storage.rules.roles)
    const found = await storage.query('statistics.figures', { roles, now, scope }, readRequest(reply))
    const counted = { ...found, atMs: now }
    if (found.totals.users > manyUsers) cached.set(whose, counted)
    return counted
  }

  fastify.route({
    ...operation({
      name: 'get_statistics',
      method: 'GET',
      path: '/statistics',
      access: 'users:read',
      scope: 'organization',
      description,
      query: statisticsQuery,
      returns: 'Statistics',
      responses: { 200: 'The days, oldest first, and the totals.' },
      problems: ['overloaded', 'storage_unavailable'],
    }),
    async handler(request, reply): Promise<Statistics> {
      const { days = 30 } = request.query as StatisticsQuery
      // On PostgreSQL the last moment's commits are counted when they are settled.
      await storage.settleJournal()
      const { totals, signUps, atMs } = await figuresFor(reply)
      return {
        days: await daily(storage.db, { days, now: request.now, ...(signUps && { signUps }) }),
        totals,
        generated_at: timestamp(atMs),
      }
    },
  })
}
