import type { AnswerOf, BodyOf, Calls } from './operations.ts'
import type { CallOptions, CreateOptions, WriteOptions } from './options.ts'
import type {
  AccessToken,
  ApiKey,
  ConfirmationOfRevocation,
  CreateApiKey,
  Introspection,
  NewApiKey,
  Revocations,
  Role,
  RotateSigningKeys,
  SigningKey,
} from './types.ts'
import { isGone } from './users.ts'

/** API keys. */
export class Keys {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Creates a key. The answer has the key itself, this once.
   *
   * ```ts
   * const { key, key_id } = await client.keys.create({ name: 'nightly report', permissions: ['users:read'] })
   * console.log(key?.startsWith('rb_')) // true
   * await client.keys.revoke(key_id)
   * ```
   */
  create(body: CreateApiKey, options: CreateOptions = {}): Promise<NewApiKey> {
    return this.#calls.call('POST /keys', { ...options, body })
  }

  list(options: CallOptions = {}): Promise<ApiKey[]> {
    return this.#calls.call('GET /keys', options)
  }

  /** Makes a new key in place of this one, which still serves for a while. */
  rotate(key_id: string, options: CreateOptions = {}): Promise<NewApiKey> {
    return this.#calls.call('POST /keys/{key_id}/rotate', { ...options, path: { key_id } })
  }

  async revoke(key_id: string, options: WriteOptions = {}): Promise<ConfirmationOfRevocation> {
    try {
      return await this.#calls.call('DELETE /keys/{key_id}', { ...options, path: { key_id } })
    } catch (error) {
      if (!isGone(error, options)) throw error
      return { key_id, revoked: true }
    }
  }
}

/** Access tokens, and whatever else a main API may be shown. */
export class Tokens {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** An access token of who calls, with all permissions or some of them. */
  issue(body: BodyOf<'POST /token'> = {}, options: CallOptions = {}): Promise<AccessToken> {
    return this.#calls.call('POST /token', { ...options, body })
  }

  /** Whose token, key or session this is, if it is valid. */
  introspect(token: string, options: CallOptions = {}): Promise<Introspection> {
    return this.#calls.call('POST /introspect', { ...options, body: { token } })
  }

  /** Ends a token, key or session that one has oneself. */
  async revoke(token: string, options: WriteOptions = {}): Promise<void> {
    await this.#calls.call('POST /revoke', { ...options, body: { token } })
  }

  /** What was revoked lately, from `after` on. */
  revocations(query: { after?: number | undefined } = {}, options: CallOptions = {}): Promise<Revocations> {
    return this.#calls.call('GET /revocations', { ...options, query })
  }

  /** The public keys by which access tokens are verified. */
  keySet(options: CallOptions = {}): Promise<AnswerOf<'GET /.well-known/jwks.json'>> {
    return this.#calls.call('GET /.well-known/jwks.json', options)
  }

  /** Who issues them (RFC 8414). */
  issuer(options: CallOptions = {}): Promise<AnswerOf<'GET /.well-known/oauth-authorization-server'>> {
    return this.#calls.call('GET /.well-known/oauth-authorization-server', options)
  }
}

/** The keys that sign access tokens. */
export class SigningKeys {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  list(options: CallOptions = {}): Promise<SigningKey[]> {
    return this.#calls.call('GET /signing-keys', options)
  }

  rotate(body: RotateSigningKeys = {}, options: CreateOptions = {}): Promise<SigningKey> {
    return this.#calls.call('POST /signing-keys/rotate', { ...options, body })
  }
}

/** Roles, which are configured and not changed by the API. */
export class Roles {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  list(options: CallOptions = {}): Promise<Role[]> {
    return this.#calls.call('GET /roles', options)
  }
}
