/** Who is calling? Recognizes the credential of a request; what it may do is for access.ts. */
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { type Actor, timestamp } from '../context.ts'
import { AppError } from '../errors.ts'
import { findActor, type KnownActor } from '../keys/service.ts'
import { apiKeyHash, isPlausibleApiKey } from '../lib/api-key.ts'
import type { Storage } from '../storage/storage.ts'

export type Authenticator = {
  /** The actor at once when the credential is known, else a promise. Throws or rejects with a refusal. */
  authenticate(request: FastifyRequest, now: number): Actor | Promise<Actor>
  /** Forgets everything it knows; the next request of each credential asks the store again. */
  forget(): void
  /** When a key was last accepted here, in epoch milliseconds. */
  lastUseOf(keyId: string): number | undefined
  /** Which keys were used since the last call, and when. */
  takeUses(): { key_id: string; last_used_at: string }[]
}

const challenge = { 'www-authenticate': 'Bearer realm="rollbook", error="invalid_token"' }
/** More credentials than a product has; a flood of different ones cannot fill the memory. */
const cacheLimit = 10_000

/** `isCurrent` tells whether what was found earlier may be trusted; otherwise the store is asked again. */
export function apiKeyAuthenticator({ db, isCurrent }: Pick<Storage, 'db' | 'isCurrent'>): Authenticator {
  let known = new Map<string, KnownActor>()
  const lastUses = new Map<string, number>()
  let unreported = new Set<string>()

  function accept(found: KnownActor, now: number): Actor {
    if (found.endsAtMs <= now) throw invalid('The API key has expired.')
    lastUses.set(found.actor.id, now)
    unreported.add(found.actor.id)
    return found.actor
  }

  async function lookUp(hash: string, now: number): Promise<Actor> {
    const cache = known
    const found = await findActor(db, hash)
    if (found === undefined) throw invalid('The API key is not known; it may have been revoked.')
    // What was revoked meanwhile has emptied `known` by replacing it: this answer goes into the old one.
    if (cache.size >= cacheLimit) cache.clear()
    cache.set(hash, found)
    return accept(found, now)
  }

  return {
    authenticate(request, now) {
      const key = credentialOf(request)
      if (!isPlausibleApiKey(key)) throw invalid('The API key is incomplete or mistyped.')
      const hash = apiKeyHash(key)
      const found = known.get(hash)
      return found !== undefined && isCurrent() ? accept(found, now) : lookUp(hash, now)
    },
    forget() {
      known = new Map()
    },
    lastUseOf: (keyId) => lastUses.get(keyId),
    takeUses() {
      const taken = [...unreported].map((key_id) => ({ key_id, last_used_at: timestamp(lastUses.get(key_id) ?? 0) }))
      unreported = new Set()
      return taken
    },
  }
}

/** The keys that stood in the query of a request. */
const queryKeys = Symbol('API_KEY')
type WithQueryKeys = { [queryKeys]?: string[] }

/** Takes every `API_KEY` out of the query and keeps it apart, so that no link, log line or handler comes to see it. */
export function takeQueryKeys(raw: IncomingMessage): void {
  const [path, ...rest] = (raw.url ?? '').split('?')
  const parameters = rest.join('?').split('&')
  const keyOf = (parameter: string) => new URLSearchParams(parameter).get('API_KEY')
  const keys = parameters.map(keyOf).filter((key) => key !== null)
  if (keys.length === 0) return
  ;(raw as WithQueryKeys)[queryKeys] = keys
  const kept = parameters.filter((parameter) => keyOf(parameter) === null)
  raw.url = kept.length === 0 ? `${path}` : `${path}?${kept.join('&')}`
}

/** The credential as it was sent. Two different ones are refused: neither may stand in for the other. */
export function credentialOf({ headers, raw }: FastifyRequest): string {
  const { authorization, 'x-api-key': header } = headers
  const inQuery = (raw as WithQueryKeys)[queryKeys]
  if (authorization === undefined && header !== undefined && inQuery === undefined) return header as string
  const sent = new Set<string>(inQuery)
  if (header !== undefined) sent.add(header as string)
  if (authorization !== undefined) sent.add(bearerOf(authorization))
  const [first] = sent
  if (sent.size > 1) {
    throw new AppError('ambiguous_credentials', 'Two different credentials were sent; send the one that is meant.')
  }
  if (first === undefined) {
    const detail = 'Send an API key as `X-API-Key: rb_…` or `Authorization: Bearer rb_…`.'
    throw new AppError('credential_missing', detail, { headers: { 'www-authenticate': 'Bearer realm="rollbook"' } })
  }
  return first
}

function bearerOf(authorization: string): string {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  if (token === undefined) throw invalid('Authorization must be `Bearer` and a key.')
  return token
}

function invalid(detail: string): AppError {
  return new AppError('credential_invalid', detail, { headers: challenge })
}
