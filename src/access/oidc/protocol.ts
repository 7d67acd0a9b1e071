/**
 * OpenID Connect, by openid-client: discovery, the address to send the browser to, and the ID token for a code. Leaves what
 * the claims mean to connections/kinds/oidc.ts.
 */
import * as client from 'openid-client'
import { SendFailure } from '../../record/webhooks/send-agent.ts'
import type { OidcSettings } from '../connections/kinds/oidc.ts'
import { type OpenConnection, type Protocol, ProtocolFailure, type ProtocolOptions } from '../connections/protocol.ts'
import { guardedFetch, timeoutMs } from '../provider-calls/guarded-fetch.ts'
import { type KeySet, keySet, readLogoutToken, readRevocationToken, skewSeconds } from './provider-tokens.ts'

/** Asymmetric ones only: with a shared secret, every holder of it could sign (RFC 8725 §3.1). */
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
const failedMs = 30_000

export function oidcProtocol({ idpAllowedNetworks, clock }: ProtocolOptions): Protocol {
  const { fetch, close } = guardedFetch(idpAllowedNetworks)
  const cache = new Map<string, { version: number; at: number; configuration: Promise<client.Configuration> }>()

  const keySets = new WeakMap<client.Configuration, KeySet>()

  function configurationOf(connection: OpenConnection): Promise<client.Configuration> {
    const { connection_id, version } = connection
    const known = cache.get(connection_id)
    if (known?.version === version && clock() < known.at + discoveredMs) return known.configuration
    const configuration = discover(connection)
    const entry = { version, at: clock(), configuration }
    cache.set(connection_id, entry)
    // Retry a failed discovery only after a while, so that visits cannot cause a request each.
    configuration.catch(() => {
      entry.at = clock() - discoveredMs + failedMs
    })
    return configuration
  }

  async function discover(connection: OpenConnection): Promise<client.Configuration> {
    const { issuer, client_id } = settingsOf(connection)
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
      const { client_secret: secret } = connection.secrets
      const methods = metadata.token_endpoint_auth_methods_supported
      const isByPost = methods !== undefined && !methods.includes('client_secret_basic')
      const authentication =
        secret === undefined
          ? client.None()
          : isByPost
            ? client.ClientSecretPost(secret)
            : client.ClientSecretBasic(secret)
      const configuration = new client.Configuration(metadata, client_id, undefined, authentication)
      configuration[client.customFetch] = fetch
      configuration.timeout = timeoutMs / 1000
      if (isPlain) client.allowInsecureRequests(configuration)
      // Otherwise the signature of an ID token from the token endpoint would not be checked.
      client.enableNonRepudiationChecks(configuration)
      return configuration
    } catch (error) {
      const detail = `The configuration of ${issuer} cannot be read: ${wordsOf(error)}`
      throw new ProtocolFailure('provider_unreachable', detail, { cause: error })
    }
  }

  return {
    async depart(connection, { state, nonce, verifier, returnUri, loginHint, domainHint, language, isFresh }) {
      const configuration = await configurationOf(connection)
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: returnUri,
        scope: settingsOf(connection).scopes.join(' '),
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(loginHint !== undefined && { login_hint: loginHint }),
        ...hintOf(settingsOf(connection).preset, domainHint),
        ...(language !== undefined && { ui_locales: language }),
        ...(isFresh && { max_age: '0', prompt: 'login' }),
      })
      return { url }
    },

    async arrive(connection, { query }, { state, nonce, verifier, returnUri, isFresh }) {
      const configuration = await configurationOf(connection)
      try {
        const tokens = await client.authorizationCodeGrant(configuration, new URL(`${returnUri}?${query}`), {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
          ...(isFresh && { maxAge: 60 }),
        })
        const claims = { ...tokens.claims() } as Record<string, unknown>
        const { client_id, read_userinfo } = settingsOf(connection)
        if (claims.azp !== undefined && claims.azp !== client_id) {
          throw new ProtocolFailure('token_invalid', 'The ID token was issued to another client (azp).')
        }
        // The library checks exp and nbf only.
        if (Number(claims.iat) > clock() / 1000 + skewSeconds) {
          throw new ProtocolFailure('token_invalid', 'The ID token was issued in the future (iat). Compare the clocks.')
        }
        const logout = tokens.id_token === undefined ? {} : { logoutHint: tokens.id_token }
        if (!read_userinfo) return { claims, ...logout }
        const more = await client.fetchUserInfo(configuration, tokens.access_token, String(claims.sub))
        return { claims: withUserInfo(claims, more), ...logout }
      } catch (error) {
        throw failureOf(error, isFresh)
      }
    },

    async readLogout(connection, token) {
      return readLogoutToken(token, await expectedOf(connection, settingsOf(connection).client_id))
    },

    async readRevocation(connection, token, endpoint) {
      return readRevocationToken(token, await expectedOf(connection, endpoint))
    },

    async endSession(connection, { hint, returnUri }) {
      if (!settingsOf(connection).sign_out_there) return undefined
      const configuration = await configurationOf(connection)
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
      return client.buildEndSessionUrl(configuration, {
        post_logout_redirect_uri: returnUri,
        ...(hint !== undefined && { id_token_hint: hint }),
      })
    },

    close,
  }

  async function expectedOf(connection: OpenConnection, audience: string) {
    const configuration = await configurationOf(connection)
    const { jwks_uri, issuer } = configuration.serverMetadata()
    if (jwks_uri === undefined) throw new ProtocolFailure('provider_unreachable', 'The provider publishes no keys.')
    const keys = keySets.get(configuration) ?? keySet(jwks_uri, fetch)
    keySets.set(configuration, keys)
    return { keys, algorithms: acceptedAlgorithms, issuer, audience, now: clock() }
  }
}

/** Only the ID token describes the sign-in itself, and an address and its verification come from the same source. */
function withUserInfo(claims: Record<string, unknown>, more: Record<string, unknown>): Record<string, unknown> {
  const ofToken = [
    'amr',
    'acr',
    'auth_time',
    ...(claims.email === undefined ? [] : ['email_verified', 'xms_edov', 'hd']),
  ]
  return { ...Object.fromEntries(Object.entries(more).filter(([name]) => !ofToken.includes(name))), ...claims }
}

function failureOf(error: unknown, isFresh: boolean): ProtocolFailure {
  if (error instanceof ProtocolFailure) return error
  const cause = error
  if (error instanceof client.AuthorizationResponseError) {
    return new ProtocolFailure('provider_refused', `The provider answered with ${word(error.error)}.`, { cause })
  }
  if (error instanceof client.ResponseBodyError) {
    return new ProtocolFailure('code_refused', `The provider refused the code: ${word(error.error)}.`, { cause })
  }
  if (error instanceof client.WWWAuthenticateChallengeError) {
    const detail = 'The provider refused this client. Compare client_id and client_secret with what the provider shows.'
    return new ProtocolFailure('code_refused', detail, { cause })
  }
  const failure = sendFailureIn(error)
  if (failure !== undefined) {
    return new ProtocolFailure('provider_unreachable', `The provider did not answer: ${failure.word}.`, { cause })
  }
  const detail = `The response of the provider is not valid: ${wordsOf(error)}`
  const isLate = isFresh && /auth_time|elapsed since the last End-User authentication/.test(detail)
  return new ProtocolFailure(isLate ? 'not_recent' : 'token_invalid', detail, { cause })
}

/** As these products call it, so that they skip their own question for the company. */
function hintOf(preset: string, domain: string | undefined): Record<string, string> {
  if (domain === undefined) return {}
  if (preset === 'google') return { hd: domain }
  return preset === 'entra' ? { domain_hint: domain } : {}
}

function settingsOf({ settings }: OpenConnection): OidcSettings {
  return settings as OidcSettings
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
  for (let one = error; one instanceof Error && texts.length < 3; one = one.cause) {
    // The library's wrapper around any other failure.
    if (one.message !== 'something went wrong') texts.push(one.message)
  }
  const code = (error as { code?: unknown }).code
  return `${texts.join(': ')}${typeof code === 'string' ? ` (${code})` : ''}`.slice(0, 500)
}
