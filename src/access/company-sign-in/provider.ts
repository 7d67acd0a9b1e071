/**
 * The OpenID Connect side of a sign-in, by openid-client: discovery, the address to send the browser to, and the ID token
 * for a code. Loaded with the first sign-in through a connection. Leaves what the claims mean to connections/decide.ts.
 */
import * as client from 'openid-client'
import { SendFailure } from '../../record/webhooks/send-agent.ts'
import { openSecret } from '../connections/secrets.ts'
import { type ConnectionRow, settingsOf } from '../connections/service.ts'
import { guardedFetch, timeoutMs } from './guarded-fetch.ts'

/** Why the provider's part failed, for the administrator. */
export class ProviderFailure extends Error {
  readonly reason: ProviderReason

  constructor(reason: ProviderReason, detail: string, cause?: unknown) {
    super(detail, { cause })
    this.reason = reason
  }
}

export type ProviderReason =
  | 'provider_unreachable'
  | 'provider_refused'
  | 'code_refused'
  | 'token_invalid'
  | 'not_recent'

/** Asymmetric ones only: with a shared secret, whoever knows it could sign (RFC 8725 §3.1). */
const acceptedAlgorithms = [
  'RS256',
  'PS256',
  'ES256',
  'RS384',
  'PS384',
  'ES384',
  'RS512',
  'PS512',
  'ES512',
  'EdDSA',
  'Ed25519',
]

/** How long what discovery returned is used. Keys have their own rhythm in openid-client: five minutes, or an unknown kid. */
const discoveredMs = 3_600_000

export type Asking = {
  state: string
  nonce: string
  verifier: string
  redirectUri: string
  loginHint?: string
  isFresh: boolean
}

export type Provider = {
  /** Where to send the browser. @throws ProviderFailure */
  authorizationUrl(connection: ConnectionRow, asking: Asking): Promise<URL>
  /** The verified claims for the code in the query of the redirect URI. @throws ProviderFailure */
  claimsFor(connection: ConnectionRow, query: string, asking: Asking): Promise<Record<string, unknown>>
  close(): void
}

type Options = {
  keyEncryptionSecret: string | undefined
  idpAllowedNetworks: readonly string[] | undefined
  clock(): number
}

export function createProvider({ keyEncryptionSecret, idpAllowedNetworks, clock }: Options): Provider {
  const { fetch, close } = guardedFetch(idpAllowedNetworks)
  const cache = new Map<string, { version: number; at: number; configuration: Promise<client.Configuration> }>()

  function configurationOf(connection: ConnectionRow): Promise<client.Configuration> {
    const { connection_id, version } = connection
    const known = cache.get(connection_id)
    if (known?.version === version && clock() < known.at + discoveredMs) return known.configuration
    const configuration = discover(connection)
    const entry = { version, at: clock(), configuration }
    cache.set(connection_id, entry)
    // What failed is tried again at the next sign-in.
    configuration.catch(() => {
      if (cache.get(connection_id) === entry) cache.delete(connection_id)
    })
    return configuration
  }

  async function discover(connection: ConnectionRow): Promise<client.Configuration> {
    const { issuer, client_id } = connection
    const isPlain = issuer.startsWith('http:')
    try {
      const found = await client.discovery(new URL(issuer), client_id, undefined, client.None(), {
        [client.customFetch]: fetch,
        timeout: timeoutMs / 1000,
        ...(isPlain && { execute: [client.allowInsecureRequests] }),
      })
      const metadata = { ...found.serverMetadata() }
      // The library compares URLs; OpenID Connect Discovery §4.3 wants the same text.
      if (metadata.issuer !== issuer) throw new Error(`The issuer calls itself ${JSON.stringify(metadata.issuer)}.`)
      const supported = metadata.id_token_signing_alg_values_supported
      if (supported !== undefined) {
        metadata.id_token_signing_alg_values_supported = supported.filter((alg) => acceptedAlgorithms.includes(alg))
      }
      const secret = openSecret(connection, keyEncryptionSecret)
      const methods = metadata.token_endpoint_auth_methods_supported
      const isByPost = methods !== undefined && !methods.includes('client_secret_basic')
      const authentication =
        secret === null ? client.None() : isByPost ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret)
      const configuration = new client.Configuration(metadata, client_id, undefined, authentication)
      configuration[client.customFetch] = fetch
      configuration.timeout = timeoutMs / 1000
      if (isPlain) client.allowInsecureRequests(configuration)
      // Otherwise the signature of an ID token from the token endpoint would not be checked.
      client.enableNonRepudiationChecks(configuration)
      return configuration
    } catch (error) {
      throw new ProviderFailure(
        'provider_unreachable',
        `The configuration of ${issuer} cannot be read: ${wordsOf(error)}`,
        error,
      )
    }
  }

  return {
    async authorizationUrl(connection, { state, nonce, verifier, redirectUri, loginHint, isFresh }) {
      const configuration = await configurationOf(connection)
      return client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: settingsOf(connection).scopes.join(' '),
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(loginHint !== undefined && { login_hint: loginHint }),
        ...(isFresh && { max_age: '0', prompt: 'login' }),
      })
    },

    async claimsFor(connection, query, { state, nonce, verifier, redirectUri, isFresh }) {
      const configuration = await configurationOf(connection)
      try {
        const tokens = await client.authorizationCodeGrant(configuration, new URL(`${redirectUri}?${query}`), {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
          ...(isFresh && { maxAge: 60 }),
        })
        const claims = { ...tokens.claims() } as Record<string, unknown>
        if (claims.azp !== undefined && claims.azp !== connection.client_id) {
          throw new ProviderFailure('token_invalid', 'The ID token was issued to another client (azp).')
        }
        if (!settingsOf(connection).read_userinfo) return claims
        const more = await client.fetchUserInfo(configuration, tokens.access_token, String(claims.sub))
        return withUserInfo(claims, more)
      } catch (error) {
        throw failureOf(error, isFresh)
      }
    },

    close,
  }
}

/** Of the sign-in itself only the ID token speaks, and an address comes with its verification from one place. */
function withUserInfo(claims: Record<string, unknown>, more: Record<string, unknown>): Record<string, unknown> {
  const ofToken = [
    'amr',
    'acr',
    'auth_time',
    ...(claims.email === undefined ? [] : ['email_verified', 'xms_edov', 'hd']),
  ]
  return { ...Object.fromEntries(Object.entries(more).filter(([name]) => !ofToken.includes(name))), ...claims }
}

function failureOf(error: unknown, isFresh: boolean): ProviderFailure {
  if (error instanceof ProviderFailure) return error
  if (error instanceof client.AuthorizationResponseError) {
    return new ProviderFailure('provider_refused', `The provider answered with ${word(error.error)}.`, error)
  }
  if (error instanceof client.ResponseBodyError) {
    return new ProviderFailure('code_refused', `The provider refused the code: ${word(error.error)}.`, error)
  }
  if (error instanceof client.WWWAuthenticateChallengeError) {
    const detail = 'The provider refused this client. Compare client_id and client_secret with what the provider shows.'
    return new ProviderFailure('code_refused', detail, error)
  }
  const failure = sendFailureIn(error)
  if (failure !== undefined)
    return new ProviderFailure('provider_unreachable', `The provider did not answer: ${failure.word}.`, error)
  const detail = `What the provider sent is not valid: ${wordsOf(error)}`
  return new ProviderFailure(
    isFresh && /auth_time|elapsed since the last End-User authentication/.test(detail) ? 'not_recent' : 'token_invalid',
    detail,
    error,
  )
}

/** The provider chooses this text. */
function word(text: string): string {
  return /^[\w.-]{1,64}$/.test(text) ? text : 'an unknown error'
}

function sendFailureIn(error: unknown): SendFailure | undefined {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof SendFailure) return one
  return undefined
}

/** The messages of the library and of ours name claims, not their values. */
function wordsOf(error: unknown): string {
  const failure = sendFailureIn(error)
  if (failure !== undefined) return failure.word
  const texts: string[] = []
  for (let one = error; one instanceof Error && texts.length < 3; one = one.cause) texts.push(one.message)
  const code = (error as { code?: unknown }).code
  return `${texts.join(': ')}${typeof code === 'string' ? ` (${code})` : ''}`.slice(0, 500)
}
