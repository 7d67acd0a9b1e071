/** Recognizes the credential of a request; http/endpoint/access.ts decides what it may do. */
import type { FastifyRequest } from 'fastify'
import { type Actor, personBehind } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import type { Rules } from '../../../core/rules.ts'
import type { SessionCookies } from '../../../http/request/cookies.ts'
import type { Credential, LookUp } from '../../../http/request/credential.ts'
import { isJwt, sentCredential } from '../../../http/request/sent-credential.ts'
import { apiKeyHash, isPlausibleApiKey } from '../../../lib/api-key.ts'
import { timestamp } from '../../../lib/instant.ts'
import type { Announcement } from '../../../store/context.ts'
import type { Storage } from '../../../store/storage/storage.ts'
import * as keys from '../keys/service.ts'
import * as sessions from '../sessions/service.ts'
import { type ClaimedCredential, narrowed, type OwnClaims, type Tokens } from '../tokens/service.ts'
import { type About, type CacheUse, credentialCache } from './credential-cache.ts'
import { useRecord } from './use-record.ts'

export type Authenticator = {
  /** Synchronous if the credential is cached, otherwise a promise. Throws or rejects with a refusal. */
  authenticate(request: FastifyRequest, now: number): ClaimedCredential | Promise<ClaimedCredential>
  /** Applies the same rules to a credential in a request body. */
  lookUp: LookUp<ClaimedCredential>
  onAnnouncement(event: Announcement): void
  cacheUse(): CacheUse
  /** When a key or a session was last accepted here, in epoch milliseconds. */
  lastUseOf(keyId: string): number | undefined
  lastSeenOf(sessionId: string): number | undefined
  /** Returns the uses since the last call. */
  takeUses(): {
    keys: { key_id: string; last_used_at: string }[]
    sessions: { session_id: string; last_seen_at: string }[]
  }
}

type Remembered = Credential & {
  /** For a session: when it was last seen according to the store. */
  lastSeenMs: number
  /** When the user in it was read; undefined if there is none. */
  readAtMs?: number
}

const challenge = { 'www-authenticate': 'Bearer realm="rollbook", error="invalid_token"' }
const cacheLimit = 50_000
/** How often the user (name, address) of a session or personal key is read again; revocations take effect immediately. */
const userFreshMs = 5000

type Parts = { storage: Storage; rules: Rules; cookies: SessionCookies; tokens: Pick<Tokens, 'verify'> }

export function createAuthenticator({ storage, rules, cookies, tokens }: Parts): Authenticator {
  const { byKey, bySessionToken, holderOf, onAnnouncement, cacheUse } = rememberedCredentials({ storage, rules })
  const keyUses = useRecord()
  const sessionUses = useRecord()

  function isEnded(found: Remembered, now: number): boolean {
    if (found.kind === 'api_key') return found.endsAtMs <= now
    const lastSeenMs = Math.max(found.lastSeenMs, sessionUses.lastOf(sessionIdOf(found)) ?? 0)
    return sessions.isOver({ endsAtMs: found.endsAtMs, lastSeenMs }, now, rules)
  }

  function accept(found: Remembered | undefined, now: number): Credential {
    if (found === undefined) throw invalid('The credential is unknown; it may have expired or been revoked.')
    if (isEnded(found, now)) throw invalid(`The ${found.kind === 'session' ? 'session' : 'API key'} has expired.`)
    noteUse(found, now)
    return found
  }

  function noteUse(found: Remembered, now: number): void {
    if (found.kind === 'api_key') keyUses.note(keyIdOf(found), now)
    else {
      sessionUses.note(sessionIdOf(found), now)
      // The administrator's own session is waiting and must not expire as idle.
      const own = found.actor.signedIn?.impersonation?.session_id
      if (own !== undefined) sessionUses.note(own, now)
    }
  }

  /** An access token represents the session or key it was issued to, and ends with it. */
  async function byAccessToken(
    jwt: string,
    now: number,
  ): Promise<{ credential: ClaimedCredential; holder?: Remembered }> {
    const verified = await tokens.verify(jwt, now)
    if (verified.kind === 'trusted') {
      const { actor, endsAtMs, issuedAtMs } = verified
      return { credential: { kind: 'access_token', actor, endsAtMs, issuedAtMs } }
    }
    const { claims } = verified
    const holder = await holderOf(claims, now)
    const version = holder === undefined ? 0 : (personBehind(holder.actor)?.credentials_version ?? 0)
    if (holder?.actor.id !== claims.sub || version > (claims.credentials_version ?? 0) || isEnded(holder, now)) {
      throw invalid('The access token was issued to a session or API key that has ended.')
    }
    const actor = narrowed(holder.actor, claims)
    const credential = { actor, endsAtMs: claims.exp * 1000, issuedAtMs: claims.iat * 1000, claims }
    return { credential: { kind: 'access_token', ...credential }, holder }
  }

  return {
    authenticate(request, now) {
      const sent = sentCredential(request, cookies)
      if (sent.kind === 'access_token') {
        return byAccessToken(sent.text, now).then(({ credential, holder }) => {
          if (holder !== undefined) noteUse(holder, now)
          return credential
        })
      }
      const found = sent.kind === 'session' ? bySessionToken(sent.text, now) : byKey(sent.text, now)
      return found instanceof Promise ? found.then((one) => accept(one, now)) : accept(found, now)
    },
    async lookUp(text, now, { isUse } = { isUse: false }) {
      try {
        if (isJwt(text)) return (await byAccessToken(text, now)).credential
        const found =
          (isPlausibleApiKey(text) ? await byKey(text, now) : undefined) ?? (await bySessionToken(text, now))
        if (found === undefined || isEnded(found, now)) return undefined
        if (isUse) noteUse(found, now)
        return found
      } catch (error) {
        if (error instanceof AppError && error.status === 401) return undefined
        throw error
      }
    },
    onAnnouncement,
    cacheUse,
    lastUseOf: keyUses.lastOf,
    lastSeenOf: sessionUses.lastOf,
    takeUses() {
      return {
        keys: keyUses.drain().map(([key_id, ms]) => ({ key_id, last_used_at: timestamp(ms) })),
        sessions: sessionUses.drain().map(([session_id, ms]) => ({ session_id, last_seen_at: timestamp(ms) })),
      }
    },
  }
}

/** The keys and sessions behind credentials, remembered for a moment. */
function rememberedCredentials({ storage, rules }: Pick<Parts, 'storage' | 'rules'>) {
  const { db, isCurrent, refreshRules } = storage
  const known = credentialCache<Remembered>(cacheLimit)

  /** Cached credentials that are still trusted. The names include the kind: a key sent as a cookie is not a session. */
  function recall(key: string, now: number): Remembered | undefined {
    const found = known.get(key)
    if (found === undefined || !isCurrent()) return undefined
    if ((personBehind(found.actor)?.groupsEndMs ?? Number.POSITIVE_INFINITY) <= now) return undefined
    return found.readAtMs !== undefined && performance.now() - found.readAtMs > userFreshMs ? undefined : found
  }

  function readKey(key: string, by: { key_hash: string } | { key_id: string }, now: number) {
    return known.fill(key, async () => {
      if (!isCurrent()) await refreshRules()
      const found = await keys.findActor({ db, rules, now }, by)
      if (found === undefined) return undefined
      const remembered = { ...found, kind: 'api_key' as const, lastSeenMs: 0 }
      const about: About[] = [`key ${keyIdOf(found)}`]
      if (found.actor.personalKey === undefined) return { found: remembered, about }
      about.push(`user ${found.actor.id}`)
      return { found: { ...remembered, readAtMs: performance.now() }, about }
    })
  }

  function readSession(key: string, by: { token_hash: string } | { session_id: string }, now: number) {
    return known.fill(key, async () => {
      if (!isCurrent()) await refreshRules()
      const found = await sessions.find({ db, rules, now }, by)
      if (found === undefined) return undefined
      const { signedIn, permissions, ...times } = found
      const { user_id: id, username: name, session_id, impersonation } = signedIn
      const about: About[] = [`session ${session_id}`, `user ${id}`]
      if (impersonation !== undefined)
        about.push(`session ${impersonation.session_id}`, `user ${impersonation.act.sub}`)
      const actor: Actor = { kind: 'user', id, name, permissions, signedIn }
      return { found: { kind: 'session' as const, actor, ...times, readAtMs: performance.now() }, about }
    })
  }

  function byKey(text: string, now: number): Remembered | Promise<Remembered | undefined> {
    if (!isPlausibleApiKey(text)) throw invalid('The API key is incomplete or mistyped.')
    const key_hash = apiKeyHash(text)
    return recall(`key by ${key_hash}`, now) ?? readKey(`key by ${key_hash}`, { key_hash }, now)
  }

  function bySessionToken(text: string, now: number): Remembered | Promise<Remembered | undefined> {
    const token_hash = sessions.sessionTokenHash(text)
    return recall(`session by ${token_hash}`, now) ?? readSession(`session by ${token_hash}`, { token_hash }, now)
  }

  function holderOf({ sid, client_id }: OwnClaims, now: number): Remembered | Promise<Remembered | undefined> {
    if (sid === undefined)
      return recall(`key ${client_id}`, now) ?? readKey(`key ${client_id}`, { key_id: client_id }, now)
    return recall(`session ${sid}`, now) ?? readSession(`session ${sid}`, { session_id: sid }, now)
  }

  return { byKey, bySessionToken, holderOf, onAnnouncement: known.onAnnouncement, cacheUse: known.use }
}

function keyIdOf({ actor }: Pick<Remembered, 'actor'>): string {
  return actor.personalKey?.key_id ?? actor.id
}

function sessionIdOf({ actor }: Remembered): string {
  return actor.signedIn?.session_id ?? ''
}

function invalid(detail: string): AppError {
  return new AppError('credential_invalid', detail, { headers: challenge })
}
