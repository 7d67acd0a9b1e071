/**
 * OpenID Connect, by openid-client: discovery, the address to send the browser to, and the ID token for a code. Leaves what
 * the claims mean to connections/kinds/oidc.ts.
 */
import * as client from 'openid-client'
import { SendFailure } from '../../../http/outgoing/agent.ts'
import {
  type Claims,
  isUnreachable,
  lacksClaims,
  type OidcSettings,
  type OpenConnection,
  type Protocol,
  ProtocolFailure,
  type ProtocolOptions,
  type Vouched,
} from '../connections/service.ts'
import { guardedFetch, timeoutMs } from '../provider-calls/service.ts'
import { acceptedAlgorithms, type Metadata, readMetadata } from './metadata.ts'
import { type KeySet, keySet, readLogoutToken, readRevocationToken, skewSeconds } from './provider-tokens.ts'

/** How long what discovery returned is used. Keys have their own rhythm in openid-client: five minutes, or an unknown kid. */
const discoveredMs = 3_600_000
const failedMs = 30_000

/** The metadata of a provider, and how to call it. */
type Provider = {
  configuration: client.Configuration
  metadata: Metadata
  keys: KeySet | undefined
  /** How the client authenticates. A provider may refuse what it says it supports. */
  method: AuthenticationMethod | 'none'
}

export function oidcProtocol({ idpAllowedNetworks, clock, calls }: ProtocolOptions): Protocol {
  const { fetch, close } = guardedFetch(idpAllowedNetworks)
  const cache = new Map<string, { version: number; until: number; provider: Promise<Provider> }>()

  function providerOf(connection: OpenConnection): Promise<Provider> {
    const { connection_id, version } = connection
    const known = cache.get(connection_id)
    if (known?.version === version && clock() < known.until) return known.provider
    const entry = { version, until: clock() + discoveredMs, provider: followedDiscovery(connection) }
    cache.set(connection_id, entry)
    // Retry a failed discovery only after a while, so that visits cannot cause a request each.
    const retrySoon = () => {
      entry.until = clock() + failedMs
    }
    entry.provider.then(({ metadata }) => {
      if (!metadata.isComplete) retrySoon()
    }, retrySoon)
    return entry.provider
  }

  function followedDiscovery(connection: OpenConnection): Promise<Provider> {
    const faultIn = ({ metadata }: Provider) => (metadata.isComplete ? undefined : 'metadata_incomplete')
    return calls.follow({ kind: 'oidc', connection, part: 'discovery', faultIn }, () => discover(connection))
  }

  async function discover(connection: OpenConnection): Promise<Provider> {
    const { issuer, client_id, token_endpoint_auth_method } = settingsOf(connection)
    const isPlain = issuer.startsWith('http:')
    try {
      const found = await client.discovery(new URL(issuer), client_id, undefined, client.None(), {
        [client.customFetch]: fetch,
        timeout: timeoutMs / 1000,
        ...(isPlain && { execute: [client.allowInsecureRequests] }),
      })
      const published = found.serverMetadata()
      // The library compares URLs; OpenID Connect Discovery §4.3 wants the same text.
      if (published.issuer !== issuer) throw new Error(`The issuer calls itself ${JSON.stringify(published.issuer)}.`)
      const metadata = readMetadata(published, issuer)
      const { client_secret: secret } = connection.secrets
      const method = methodFor(token_endpoint_auth_method, metadata.authenticationMethods)
      const provider = { metadata, keys: undefined, method: secret === undefined ? ('none' as const) : method }
      const authenticate: client.ClientAuth = (...request) => authenticationBy(provider.method, secret)(...request)
      const configuration = new client.Configuration(metadata.server, client_id, undefined, authenticate)
      configuration[client.customFetch] = fetch
      configuration.timeout = timeoutMs / 1000
      if (isPlain) client.allowInsecureRequests(configuration)
      // Otherwise the signature of an ID token from the token endpoint would not be checked.
      client.enableNonRepudiationChecks(configuration)
      return Object.assign(provider, { configuration })
    } catch (error) {
      const detail = `The configuration of ${issuer} cannot be read: ${wordsOf(error)}`
      throw new ProtocolFailure('provider_unreachable', detail, { cause: error })
    }
  }

  /** Exchanges the code. A code that came with refused credentials is not used up, so it can be sent in the other way. */
  async function exchange(connection: OpenConnection, provider: Provider, returned: URL, checks: Checks) {
    const grant = () => client.authorizationCodeGrant(provider.configuration, returned, { ...checks })
    try {
      return await grant()
    } catch (error) {
      const { token_endpoint_auth_method: chosen } = settingsOf(connection)
      const mayPost = chosen === 'auto' && provider.metadata.authenticationMethods?.includes('client_secret_post')
      if (provider.method !== 'client_secret_basic' || !mayPost || !isClientRefused(error)) throw error
      provider.method = 'client_secret_post'
      return await grant().catch((second: unknown) => {
        if (isClientRefused(second)) provider.method = 'client_secret_basic'
        throw second
      })
    }
  }

  /** Completes the claims by those of the UserInfo endpoint, if the connection needs it. */
  async function withUserInfo(connection: OpenConnection, provider: Provider, tokens: Tokens): Promise<Vouched> {
    const claims: Claims = { ...tokens.claims() }
    const { read_userinfo } = settingsOf(connection)
    const { configuration, metadata } = provider
    const isOptional = read_userinfo === 'auto'
    const isWanted = isOptional
      ? metadata.has('userinfo_endpoint') && lacksClaims(connection.settings, claims)
      : read_userinfo === 'always'
    if (!isWanted) return { claims }
    try {
      metadata.endpoint('userinfo_endpoint')
      const isFailure = (error: unknown) => isUnreachable(userInfoFailure(error))
      const more = await calls.follow({ kind: 'oidc', connection, part: 'userinfo', isFailure }, () =>
        client.fetchUserInfo(configuration, tokens.access_token, String(claims.sub)),
      )
      return { claims: merged(claims, more) }
    } catch (error) {
      const failure = userInfoFailure(error)
      // Users whose identity is known can sign in without it. Another subject is an attack, or another user's token.
      if (!isOptional || failure.reason === 'token_invalid') throw failure
      return { claims, warning: failure.message }
    }
  }

  return {
    async depart(connection, { state, nonce, verifier, returnUri, loginHint, domainHint, language, isFresh }) {
      const { configuration, metadata } = await providerOf(connection)
      // The user is not sent there if the way back would fail.
      for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) metadata.endpoint(name)
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
      const provider = await providerOf(connection)
      try {
        const tokens = await calls.follow({ kind: 'oidc', connection, part: 'token', isFailure: isOfProvider }, () =>
          exchange(connection, provider, new URL(`${returnUri}?${query}`), {
            pkceCodeVerifier: verifier,
            expectedState: state,
            expectedNonce: nonce,
            idTokenExpected: true,
            ...(isFresh && { maxAge: 60 }),
          }),
        )
        const { azp, iat } = tokens.claims() ?? {}
        if (azp !== undefined && azp !== settingsOf(connection).client_id) {
          throw new ProtocolFailure('token_invalid', 'The ID token was issued to another client (azp).')
        }
        // The library checks exp and nbf only.
        if (Number(iat) > clock() / 1000 + skewSeconds) {
          throw new ProtocolFailure('token_invalid', 'The ID token was issued in the future (iat). Compare the clocks.')
        }
        const vouched = await withUserInfo(connection, provider, tokens)
        return { ...vouched, ...(tokens.id_token !== undefined && { logoutHint: tokens.id_token }) }
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
      const { configuration, metadata } = await providerOf(connection)
      if (!metadata.has('end_session_endpoint')) return undefined
      metadata.endpoint('end_session_endpoint')
      return client.buildEndSessionUrl(configuration, {
        post_logout_redirect_uri: returnUri,
        ...(hint !== undefined && { id_token_hint: hint }),
      })
    },

    close,
  }

  async function expectedOf(connection: OpenConnection, audience: string) {
    const provider = await providerOf(connection)
    const { metadata } = provider
    provider.keys ??= keySet(metadata.endpoint('jwks_uri'), {
      fetch,
      clock,
      follow: (request) => calls.follow({ kind: 'oidc', connection, part: 'keys', isFailure: () => true }, request),
    })
    return {
      keys: provider.keys,
      algorithms: acceptedAlgorithms,
      issuer: metadata.server.issuer,
      audience,
      now: clock(),
    }
  }
}

type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>
type Checks = NonNullable<Parameters<typeof client.authorizationCodeGrant>[2]>

type AuthenticationMethod = 'client_secret_basic' | 'client_secret_post'

function methodFor(
  chosen: OidcSettings['token_endpoint_auth_method'],
  supported: readonly string[] = ['client_secret_basic'],
): AuthenticationMethod {
  if (chosen !== 'auto') return chosen
  return supported.includes('client_secret_basic') ? 'client_secret_basic' : 'client_secret_post'
}

function authenticationBy(method: Provider['method'], secret = ''): client.ClientAuth {
  if (method === 'none') return client.None()
  return method === 'client_secret_post' ? client.ClientSecretPost(secret) : basicAuthentication(secret)
}

/**
 * RFC 6749 §2.3.1. The library also encodes characters such as `-`, which the RFC does not ask for: providers that do not
 * decode the credentials would see another secret.
 */
function basicAuthentication(secret: string): client.ClientAuth {
  const encode = (text: string) => encodeURIComponent(text).replaceAll('%20', '+')
  return (_server, { client_id }, _body, headers) => {
    const credentials = Buffer.from(`${encode(client_id)}:${encode(secret)}`).toString('base64')
    headers.set('authorization', `Basic ${credentials}`)
  }
}

/** Whether the token endpoint refused who we are, not the code (RFC 6749 §5.2). */
function isClientRefused(error: unknown): boolean {
  if (error instanceof client.WWWAuthenticateChallengeError) return true
  if (error instanceof client.ResponseBodyError) return error.error === 'invalid_client' || error.status === 401
  return error instanceof Error && error.cause instanceof Response && error.cause.status === 401
}

/** Whether everyone is affected, not one code: the provider fails, refuses our credentials, or sends something else than JSON. */
function isOfProvider(error: unknown): boolean {
  const { code = '' } = (error ?? {}) as { code?: unknown }
  const isOdd = /^OAUTH_(PARSE_ERROR|RESPONSE_IS_NOT_(JSON|CONFORM))$/.test(String(code))
  return isOdd || isClientRefused(error) || isUnreachable(failureOf(error, false))
}

/** Only the ID token describes the sign-in itself, and an address and its verification come from the same source. */
function merged(claims: Claims, more: Claims): Claims {
  const isOtherAddress = claims.email !== undefined && claims.email !== more.email
  const ofToken = ['amr', 'acr', 'auth_time', ...(isOtherAddress ? ['email_verified', 'xms_edov', 'hd'] : [])]
  return { ...Object.fromEntries(Object.entries(more).filter(([name]) => !ofToken.includes(name))), ...claims }
}

function failureOf(error: unknown, isFresh: boolean): ProtocolFailure {
  if (error instanceof ProtocolFailure) return error
  const cause = error
  if (isClientRefused(error)) {
    const detail =
      'The provider refused this client (invalid_client). Compare client_id and client_secret with what the provider shows. If they are right, the provider may expect the secret in another way: set token_endpoint_auth_method.'
    return new ProtocolFailure('code_refused', detail, { cause })
  }
  const status = failedStatusIn(error)
  if (status !== undefined) {
    return new ProtocolFailure('provider_unreachable', `The provider responded with the status ${status}.`, { cause })
  }
  if (error instanceof client.AuthorizationResponseError) {
    return new ProtocolFailure('provider_refused', `The provider answered with ${word(error.error)}.`, { cause })
  }
  if (error instanceof client.ResponseBodyError) {
    return new ProtocolFailure('code_refused', `The provider refused the code: ${word(error.error)}.`, { cause })
  }
  const failure = sendFailureIn(error)
  if (failure !== undefined) {
    return new ProtocolFailure('provider_unreachable', `The provider did not answer: ${failure.word}.`, { cause })
  }
  const detail = `The response of the provider is not valid: ${wordsOf(error)}`
  const isLate = isFresh && /auth_time|elapsed since the last End-User authentication/.test(detail)
  return new ProtocolFailure(isLate ? 'not_recent' : 'token_invalid', detail, { cause })
}

function userInfoFailure(error: unknown): ProtocolFailure {
  if (error instanceof ProtocolFailure) return error
  const isOtherSubject = (error as { code?: unknown }).code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'
  const detail = `The UserInfo endpoint of the provider cannot be read: ${wordsOf(error)}`
  return new ProtocolFailure(isOtherSubject ? 'token_invalid' : 'provider_unreachable', detail, { cause: error })
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

/** The status with which a provider says that it does not work now. The library passes the response on as a cause. */
function failedStatusIn(error: unknown): number | undefined {
  for (let one = error; one instanceof Error || one instanceof Response; one = (one as { cause?: unknown }).cause) {
    const { status } = one as { status?: unknown }
    if (typeof status === 'number' && (status >= 500 || status === 429)) return status
  }
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
