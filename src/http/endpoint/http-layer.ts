import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Actor } from '../../core/actor.ts'
import type { Config } from '../../core/config.ts'
import type { Context } from '../../store/context.ts'
import type { Origin } from '../../store/journal-entry.ts'
import type { Storage } from '../../store/storage/storage.ts'
import type { SessionCookies } from '../request/cookies.ts'
import type { LookUp } from '../request/credential.ts'
import type { Addresses } from '../server/client-address.ts'
import type { Lifecycle } from '../server/lifecycle.ts'
import type { Links } from '../server/links.ts'
import type { IdempotencyKeys, MakeChange } from './change.ts'

/**
 * Shared services for the routes of every feature. Each route function lists the members that it needs, and adds what belongs to
 * features: `Pick<HttpLayer, 'contextOf' | 'links'> & { tokens: Tokens }`. The composition root provides all of it.
 */
export type HttpLayer = {
  config: Config
  storage: Storage
  log: Logger
  /** Epoch milliseconds. */
  clock: () => number
  lifecycle: Lifecycle
  links: Links
  cookies: SessionCookies
  contextOf(request: FastifyRequest): Context
  /**
   * Identifies the caller of a public route and sets `request.actor`. Throws or rejects with the refusal, if any.
   */
  authenticate(request: FastifyRequest): Actor | Promise<Actor>
  /** Refuses a request whose credential has ended since it was accepted. Requests to public routes have none. */
  recheck(request: FastifyRequest): void | Promise<void>
  lookUp: LookUp
  /** Refuses a change by cookie that another site may have caused; `method` if it is about another request. */
  refuseCrossOrigin(request: FastifyRequest, method?: string): void
  /** Whether the browser reports that a page of another origin sent this. */
  isCrossOrigin(request: FastifyRequest): boolean
  clientAddress: Addresses['of']
  isFromTrustedProxy: Addresses['isFromTrustedProxy']
  /** Where a request comes from, for the audit record. */
  originOf(request: FastifyRequest): Origin
  makeChange: MakeChange
  /** For a handler that streams its response and makes more than one change. */
  idempotency: IdempotencyKeys
}
