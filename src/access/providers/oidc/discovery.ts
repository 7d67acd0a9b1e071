/** The metadata of a provider, as its discovery document says, and how this client authenticates there. */
import * as client from 'openid-client'
import {
  type OidcSettings,
  type OpenConnection,
  ProtocolFailure,
  type ProtocolOptions,
} from '../connections/service.ts'
import { type GuardedFetch, timeoutMs } from '../provider-calls/service.ts'
import { wordsOf } from './failures.ts'
import { type Metadata, readMetadata } from './metadata.ts'
import type { KeySet } from './provider-tokens.ts'

/** How long what discovery returned is used. Keys have their own rhythm in openid-client: five minutes, or an unknown kid. */
const discoveredMs = 3_600_000
const failedMs = 30_000

/** The metadata of a provider, and how to call it. */
export type Provider = {
  configuration: client.Configuration
  metadata: Metadata
  keys: KeySet | undefined
  /** How the client authenticates. A provider may refuse what it says it supports. */
  method: AuthenticationMethod | 'none'
}

type DiscoveryParts = Pick<ProtocolOptions, 'clock' | 'calls'> & { fetch: GuardedFetch }

/** Returns the provider of a connection, from the cache or by discovery. */
export type ProviderOf = (connection: OpenConnection) => Promise<Provider>

export function createDiscovery({ clock, calls, fetch }: DiscoveryParts): ProviderOf {
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
    return calls.follow({ kind: 'oidc', connection, part: 'discovery', faultIn }, () => discover(connection, fetch))
  }

  return providerOf
}

/** @throws ProtocolFailure `provider_unreachable` */
async function discover(connection: OpenConnection, fetch: GuardedFetch): Promise<Provider> {
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

export function settingsOf({ settings }: OpenConnection): OidcSettings {
  return settings as OidcSettings
}
