/** Access tokens for the rest of the service: issues and verifies them, and maintains the keys for both. */
import { hash } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Logger } from 'pino'
import { type Actor, personBehind, system } from '../../../core/actor.ts'
import type { Config } from '../../../core/config.ts'
import { AppError } from '../../../core/errors.ts'
import type { OutageReports } from '../../../core/outages.ts'
import { holds } from '../../../core/rules.ts'
import { type AttributeCache, attributeCache } from '../../../directory/attributes/service.ts'
import { uuidv7Maker } from '../../../lib/uuidv7.ts'
import { type EncryptionConfig, encryptionSecrets, sealingSecret } from '../../../store/secrets/encryption.ts'
import type { Storage } from '../../../store/storage/storage.ts'
import { invalidToken, readUnproven } from '../jwt/service.ts'
import { trustedVerifier, type VerifiedTrusted } from '../trusted-issuers/service.ts'
import { claimsOf, type OwnClaims } from './claims.ts'
import { makeKeyPair } from './key-pair.ts'
import { createRing, type PublicKey } from './ring.ts'
import type { AccessToken } from './schema.ts'
import { isDue } from './signing-keys.ts'
import { listSigningKeys } from './store.ts'
import { verifyOwn } from './verify-own.ts'

export type Verified = { kind: 'own'; claims: OwnClaims } | ({ kind: 'trusted' } & VerifiedTrusted)

export type Tokens = {
  /**
   * Issues a token for this caller, which expires with the credential at the latest.
   *
   * @throws AppError `permission_not_grantable` if it asks for more than the caller has
   */
  issue(actor: Actor, terms: { now: number; endsAtMs: number; permissions?: readonly string[] }): Promise<AccessToken>
  /**
   * Verifies a token of ours or of a trusted issuer. The caller checks whether the session or key behind one of ours still
   * exists.
   *
   * @throws AppError `credential_invalid`, `issuer_unavailable`
   */
  verify(jwt: string, now: number): Promise<Verified>
  jwks(now: number): { keys: PublicKey[] }
  /** Each minute: reads the keys, creates the next one when it is due, and deletes expired ones. */
  tend(now: number, options?: { mayEnd?: boolean }): Promise<void>
  /** Creates the keys for a rotation, and publishes them after it. */
  makeKey(): ReturnType<typeof makeKeyPair>
  reload(): Promise<void>
  close(): void
}

type Parts = {
  config: Pick<Config, 'tokenSeconds' | 'tokenAudience' | 'tokenAlgorithm' | 'signingKeyDays' | 'trustedIssuers'> &
    EncryptionConfig
  storage: Storage
  attributes?: AttributeCache
  /** Known only once the service listens. */
  issuer: () => string
  origin: () => string
  clock: () => number
  log: Logger
  outages: OutageReports
}

/** More tokens than a product uses at once; a flood of others cannot fill the memory, because each is verified first. */
const rememberedLimit = 10_000
/** How long keys that a trusted issuer withdrew may still count, besides jose's own cache. */
const trustedRememberedMs = 60_000

type Ends = { now: number; endsAtMs: number; groupsEndMs: number | undefined; seconds: number }

/** In seconds since 1970, as RFC 7519 has them. */
function spanOf({ now, endsAtMs, groupsEndMs = Number.POSITIVE_INFINITY, seconds }: Ends): {
  iat: number
  exp: number
} {
  const iat = Math.floor(now / 1000)
  // A token says what a membership gives, so it does not outlive one; but it lasts a second, as the session continues.
  const groupsEnd = Math.max(iat + 1, Math.floor(groupsEndMs / 1000))
  return { iat, exp: Math.min(iat + seconds, Math.floor(endsAtMs / 1000), groupsEnd) }
}

export async function createTokens(parts: Parts): Promise<Tokens> {
  const { config, storage, attributes = attributeCache(storage), issuer, origin, clock, log, outages } = parts
  const newId = uuidv7Maker()
  const ring = createRing({ storage, secrets: encryptionSecrets(config), log })
  const trusted = trustedVerifier({ issuers: config.trustedIssuers, rules: storage.rules, outages })
  let remembered = new Map<string, { verified: Verified; untilMs: number; kid: string }>()

  storage.onAnnouncement(ring.onAnnouncement)
  storage.onAnnouncement(({ kind }) => {
    // What trusted tokens permit follows the roles.
    if (kind === 'rules_changed') remembered = new Map()
  })
  await ensureKey({ config, storage, clock })
  await ring.load()

  const audience = () => config.tokenAudience ?? origin()

  async function makeKey() {
    return makeKeyPair(config.tokenAlgorithm, await sealingSecret(storage.db, config))
  }

  async function issue(
    actor: Actor,
    {
      now,
      endsAtMs,
      permissions = actor.permissions,
    }: { now: number; endsAtMs: number; permissions?: readonly string[] },
  ): Promise<AccessToken> {
    const beyond = permissions.filter((permission) => !holds(actor.permissions, permission))
    if (beyond.length > 0) {
      throw new AppError('permission_not_grantable', `Your credential lacks these permissions: ${beyond.join(', ')}.`)
    }
    const person = personBehind(actor)
    const { iat, exp } = spanOf({ now, endsAtMs, groupsEndMs: person?.groupsEndMs, seconds: config.tokenSeconds })
    if (exp <= iat) throw invalidToken('Your credential is about to expire. Sign in again, or use another credential.')
    const { kid, key, alg } = await ring.signing(now)
    const times = { iss: issuer(), aud: audience(), iat, exp, jti: newId(now) }
    const claims = claimsOf(actor, permissions, await attributes.inTokensOf(person?.user_id))
    const access_token = await new SignJWT({ ...times, ...claims })
      .setProtectedHeader({ alg, typ: 'at+jwt', kid })
      .sign(key)
    return { access_token, token_type: 'Bearer', expires_in: exp - iat }
  }

  async function prove(jwt: string, now: number): Promise<{ verified: Verified; untilMs: number; kid: string }> {
    const unproven = readUnproven(jwt)
    if (unproven.iss === issuer()) {
      const { claims, kid } = await verifyOwn(jwt, unproven, { ring, issuer: issuer(), audience: audience(), now })
      return { verified: { kind: 'own', claims }, untilMs: claims.exp * 1000, kid }
    }
    const found = await trusted.verify(jwt, unproven, now)
    return {
      verified: { kind: 'trusted', ...found },
      untilMs: Math.min(found.endsAtMs, now + trustedRememberedMs),
      kid: '',
    }
  }

  return {
    issue,
    async verify(jwt, now) {
      const key = hash('sha256', jwt, 'base64url')
      const found = remembered.get(key)
      if (found !== undefined && now < found.untilMs) {
        const { verified, kid } = found
        if (verified.kind === 'trusted' || (await ring.holds(kid, verified.claims.jti))) return verified
        throw invalidToken('The access token was revoked.')
      }
      if (remembered.size >= rememberedLimit) remembered = new Map()
      // If roles change meanwhile, the result goes into the former map and is not remembered.
      const into = remembered
      const proven = await prove(jwt, now)
      into.set(key, proven)
      return proven.verified
    },
    jwks(now) {
      const isOver = (end: string | null) => end !== null && Date.parse(end) <= now
      return { keys: ring.published().flatMap((key) => (isOver(key.expires_at) ? [] : [key.publicJwk])) }
    },
    async tend(now, { mayEnd = true } = {}) {
      await ring.load()
      const [newest] = ring.published()
      // After a clock jump, keys would be replaced and deleted whose tokens are still in use.
      if (!mayEnd && newest !== undefined) return
      const isOver = ring.published().some(({ expires_at }) => expires_at !== null && Date.parse(expires_at) <= now)
      const terms = { everyDays: config.signingKeyDays, alg: config.tokenAlgorithm }
      if (!isOver && newest !== undefined && !isDue(newest, newest.publicJwk.alg, terms, now)) return
      const input = { key: await makeKey(), everyDays: config.signingKeyDays }
      const { result } = await storage.change('signing_keys.tend', input, { actor: system, now, requestId: 'tend' })
      if (result.added) log.info({ kid: input.key.kid }, 'the next signing key is published; it signs in 15 minutes')
      await ring.load()
    },
    makeKey,
    reload: ring.load,
    close() {
      remembered = new Map()
    },
  }
}

/** Creates the first key. */
async function ensureKey({ config, storage, clock }: Pick<Parts, 'config' | 'storage' | 'clock'>): Promise<void> {
  if ((await listSigningKeys(storage.db)).length > 0) return
  const key = await makeKeyPair(config.tokenAlgorithm, await sealingSecret(storage.db, config))
  await storage.change('signing_keys.ensure', { key }, { actor: system, now: clock(), requestId: 'start' })
}
