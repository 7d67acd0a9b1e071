/**
 * Limits the requests per minute of each user, service and API key, and of each network that calls without a valid
 * credential. Each node counts for itself, in memory: what protects a node must not need the database. Password guessing
 * is limited elsewhere, in access/sign-in/throttling/throttle.ts.
 */
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Actor } from '../../core/actor.ts'
import type { Config } from '../../core/config.ts'
import { AppError } from '../../core/errors.ts'
import { networkOf } from '../../lib/address.ts'

export type RateLimiter = {
  /** Whether requests to this route count. */
  counts(url: string): boolean
  /** @throws AppError `rate_limited` */
  countActor(actor: Actor, request: FastifyRequest, reply: FastifyReply): void
  /** Counts a request whose credential was refused; the refusal stands unless there were too many. */
  countRefused(error: unknown, request: FastifyRequest, reply: FastifyReply): void
  /** For routes that require no credential. */
  countStranger(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void
}

type Limits = Pick<Config, 'rateLimit' | 'rateLimitApiKeys' | 'basePath'>

const windowMs = 60_000
/** How many callers are tracked separately, twice: a flood of new ones cannot fill the memory. */
const callerLimit = 50_000
/** Routes for load balancers and proxies: forward-auth runs before each request of the product, which we must not limit. */
const uncounted = /^\/(health|docs|verify)(\/|$)/

export function rateLimiter(
  { rateLimit, rateLimitApiKeys, basePath }: Limits,
  addressOf: (request: FastifyRequest) => string,
): RateLimiter {
  const others = rateLimit === 0 ? undefined : buckets(rateLimit)
  const keys = rateLimitApiKeys === 0 ? undefined : buckets(rateLimitApiKeys)
  const countAddress = (request: FastifyRequest, reply: FastifyReply) => {
    others?.countRequest(`network ${networkOf(addressOf(request))}`, request.now, reply)
  }

  return {
    counts: (url) => url.startsWith(basePath) && !uncounted.test(url.slice(basePath.length)),
    countActor(actor, { now }, reply) {
      if (actor.kind === 'api_key') keys?.countRequest(actor.id, now, reply)
      // All sessions and access tokens of a user share one count; otherwise a new sign-in would raise the limit.
      else others?.countRequest(`${actor.kind} ${actor.id}`, now, reply)
    },
    countRefused(error, request, reply) {
      if (error instanceof AppError && error.status < 500) countAddress(request, reply)
    },
    countStranger(request, reply, done) {
      countAddress(request, reply)
      done()
    },
  }
}

/** A token bucket per caller, stored as the time at which it will be full again. */
export function buckets(perMinute: number, limit = callerLimit) {
  const refillMs = windowMs / perMinute
  const policy = `"default";q=${perMinute};w=${windowMs / 1000}`
  let recent = new Map<string, number>()
  let older = new Map<string, number>()
  let turnedAt = Number.NEGATIVE_INFINITY

  /** A caller that was idle for a minute has a full bucket and need not be stored. */
  function turn(now: number): void {
    older = recent
    recent = new Map()
    turnedAt = now
  }

  /** @throws AppError `rate_limited` if the bucket is empty */
  function countRequest(caller: string, now: number, reply: FastifyReply): void {
    if (now - turnedAt >= windowMs || recent.size >= limit) turn(now)
    const known = recent.get(caller) ?? older.get(caller) ?? 0
    // No bucket takes longer to fill: the clock was set back, which must not make callers wait.
    const fullAt = (known > now + 2 * windowMs ? now : Math.max(known, now)) + refillMs
    // A microsecond of tolerance for binary fractions of thirds.
    const over = fullAt - now - windowMs - 0.001
    const remaining = Math.max(0, Math.floor((windowMs - (fullAt - now)) / refillMs + 0.001))
    const seconds = Math.ceil((over > 0 ? over : fullAt - now) / 1000)
    // draft-ietf-httpapi-ratelimit-headers-10: structured fields, each a list of one.
    reply.header('ratelimit-policy', policy).header('ratelimit', `"default";r=${remaining};t=${seconds}`)
    if (over > 0) {
      throw new AppError(
        'rate_limited',
        `You sent more than ${perMinute} requests in a minute. Wait before you send more.`,
        { retryAfterSeconds: seconds },
      )
    }
    recent.set(caller, fullAt)
  }

  return { countRequest, size: () => recent.size + older.size }
}
