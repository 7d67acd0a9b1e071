import { unlessGone } from './change.ts'
import type { AnswerOf, BodyOf, Calls } from './operations.ts'
import type { CallOptions, CreateOptions, ManagedChangeOptions, WriteOptions } from './options.ts'
import type {
  AccessToken,
  ApiKey,
  CliKey,
  CliLogin,
  ConfirmationOfRevocation,
  CreateApiKey,
  CreateCliLogin,
  CreatePersonalKey,
  ExchangeCliLogin,
  Introspection,
  NewApiKey,
  Revocations,
  RotateSigningKeys,
  SigningKey,
  UpdateApiKey,
} from './types.ts'

type KeyChangeOptions = WriteOptions & Pick<ManagedChangeOptions, 'override'>

export class Keys {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Creates an API key. Only this response contains the key itself.
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

  /** Returns the keys that belong to no user. */
  list(options: CallOptions = {}): Promise<ApiKey[]> {
    return this.#calls.call('GET /keys', options)
  }

  /** Changes the name, the permissions or the expiry of a key. The secret stays. */
  update(key_id: string, body: UpdateApiKey, { override, ...options }: KeyChangeOptions = {}): Promise<ApiKey> {
    return this.#calls.call('PATCH /keys/{key_id}', { ...options, path: { key_id }, query: { override }, body })
  }

  /** Returns the keys of a person or a service account. */
  listOf(user_id: string, options: CallOptions = {}): Promise<ApiKey[]> {
    return this.#calls.call('GET /users/{user_id}/keys', { ...options, path: { user_id } })
  }

  /**
   * Creates a key of a service account. Only this response contains the key itself.
   *
   * ```ts
   * const { user_id } = await client.users.create({ username: 'billing', kind: 'service' })
   * const { key, key_id } = await client.keys.createOf(user_id, { name: 'production' })
   * console.log(key?.startsWith('rb_')) // true
   * await client.keys.revokeOf(user_id, key_id)
   * ```
   */
  createOf(user_id: string, body: CreatePersonalKey, options: CreateOptions = {}): Promise<NewApiKey> {
    return this.#calls.call('POST /users/{user_id}/keys', { ...options, path: { user_id }, body })
  }

  revokeOf(user_id: string, key_id: string, options: WriteOptions = {}): Promise<ConfirmationOfRevocation> {
    const path = { user_id, key_id }
    return unlessGone(this.#calls.call('DELETE /users/{user_id}/keys/{key_id}', { ...options, path }), options, () => ({
      key_id,
      revoked: true,
    }))
  }

  /** Creates a personal key of the signed-in user. */
  createMine(body: CreatePersonalKey, options: CreateOptions = {}): Promise<NewApiKey> {
    return this.#calls.call('POST /me/keys', { ...options, body })
  }

  /** Returns the personal keys of the signed-in user. */
  listMine(options: CallOptions = {}): Promise<ApiKey[]> {
    return this.#calls.call('GET /me/keys', options)
  }

  revokeMine(key_id: string, options: WriteOptions = {}): Promise<ConfirmationOfRevocation> {
    return unlessGone(this.#calls.call('DELETE /me/keys/{key_id}', { ...options, path: { key_id } }), options, () => ({
      key_id,
      revoked: true,
    }))
  }

  /** Replaces a key with a new one. The old key stays valid for an overlap period. */
  rotate(key_id: string, options: CreateOptions = {}): Promise<NewApiKey> {
    return this.#calls.call('POST /keys/{key_id}/rotate', { ...options, path: { key_id } })
  }

  revoke(key_id: string, { override, ...options }: KeyChangeOptions = {}): Promise<ConfirmationOfRevocation> {
    const call = this.#calls.call('DELETE /keys/{key_id}', { ...options, path: { key_id }, query: { override } })
    return unlessGone(call, options, () => ({ key_id, revoked: true }))
  }
}

/** Access tokens, and checks of credentials for a main API. */
export class Tokens {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Issues an access token for the caller, with all of the caller's permissions or some of them. */
  issue(body: BodyOf<'POST /token'> = {}, options: CallOptions = {}): Promise<AccessToken> {
    return this.#calls.call('POST /token', { ...options, body })
  }

  /** Returns whose token, key or session this is. Only `active` is there if it is not valid (RFC 7662 §2.2). */
  introspect(token: string, options: CallOptions = {}): Promise<Introspection> {
    return this.#calls.call('POST /introspect', { ...options, body: { token } })
  }

  /** Revokes a token, key or session of the caller (RFC 7009). */
  async revoke(token: string, options: WriteOptions = {}): Promise<void> {
    await this.#calls.call('POST /revoke', { ...options, body: { token } })
  }

  /** Returns the revocations after `after`, or all of the last 15 minutes. */
  revocations(query: { after?: number | undefined } = {}, options: CallOptions = {}): Promise<Revocations> {
    return this.#calls.call('GET /revocations', { ...options, query })
  }

  /** Returns the public keys that verify access tokens (RFC 7517). */
  keySet(options: CallOptions = {}): Promise<AnswerOf<'GET /.well-known/jwks.json'>> {
    return this.#calls.call('GET /.well-known/jwks.json', options)
  }

  /** Returns the metadata of the issuer (RFC 8414). */
  issuer(options: CallOptions = {}): Promise<AnswerOf<'GET /.well-known/oauth-authorization-server'>> {
    return this.#calls.call('GET /.well-known/oauth-authorization-server', options)
  }
}

/** Signs a command line in through the browser of its user, as `rollbook login` does. Needs no key. */
export class CliLogins {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Starts a sign-in: with `redirect_uri` through a browser of this machine, otherwise with a device code. */
  create(body: CreateCliLogin, options: CallOptions = {}): Promise<CliLogin> {
    return this.#calls.call('POST /cli-logins', { ...options, body })
  }

  /** Exchanges the code for a personal key. Not retried, because a code that is used twice revokes its key. */
  exchange(body: ExchangeCliLogin, options: CallOptions = {}): Promise<CliKey> {
    return this.#calls.call('POST /cli-logins/token', { ...options, retries: 0, body })
  }
}

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
