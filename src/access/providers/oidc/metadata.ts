/**
 * The metadata of a provider (OpenID Connect Discovery 1.0 §3). This is the one place that checks them: a library gets only
 * members that have the right form, whatever the provider publishes.
 */
import type { ServerMetadata } from 'openid-client'
import { ProtocolFailure } from '../connections/service.ts'

/** Without one of them, no one can sign in. */
const required = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const
const optional = ['userinfo_endpoint', 'end_session_endpoint'] as const
export type EndpointName = (typeof required)[number] | (typeof optional)[number]

export type Metadata = {
  /** For the library. */
  server: ServerMetadata
  /** Whether the provider publishes the endpoint, even if its address is not usable. */
  has(name: EndpointName): boolean
  /** @throws ProtocolFailure, the same one each time */
  endpoint(name: EndpointName): URL
  /** Whether every endpoint is there that a sign-in needs. */
  isComplete: boolean
  /** How the client may authenticate at the token endpoint. Undefined: the provider does not say. */
  authenticationMethods: readonly string[] | undefined
}

/** Asymmetric ones only: with a shared secret, every holder of it could sign (RFC 8725 §3.1). */
export const acceptedAlgorithms = [
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

/** @param issuer as configured; the published one is equal to it */
export function readMetadata(published: Readonly<Record<string, unknown>>, issuer: string): Metadata {
  const isPlain = issuer.startsWith('http:')
  const endpoints = new Map(
    [...required, ...optional].map((name) => [name, endpointIn(published[name], name, isPlain)]),
  )
  const algorithms = textsIn(published.id_token_signing_alg_values_supported)
  const usable = [...endpoints].flatMap(([name, found]) => (found instanceof URL ? [[name, found.href]] : []))
  return {
    server: {
      issuer,
      ...Object.fromEntries(usable),
      ...(algorithms && {
        id_token_signing_alg_values_supported: algorithms.filter((alg) => acceptedAlgorithms.includes(alg)),
      }),
      // RFC 9207 §3: if it is announced, a response without iss is refused.
      authorization_response_iss_parameter_supported: published.authorization_response_iss_parameter_supported === true,
    },
    has: (name) => published[name] !== undefined,
    endpoint(name) {
      const found = endpoints.get(name)
      if (found instanceof URL) return found
      throw found
    },
    isComplete: required.every((name) => endpoints.get(name) instanceof URL),
    authenticationMethods: textsIn(published.token_endpoint_auth_methods_supported),
  }
}

/** The browser gets it in a header. */
const longestAddress = 2048
const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** @param isPlain the issuer is on this machine and uses http, so its endpoints may do so as well */
function endpointIn(value: unknown, name: EndpointName, isPlain: boolean): URL | ProtocolFailure {
  const isText = typeof value === 'string' && value.length <= longestAddress
  const url = isText && URL.canParse(value) ? new URL(value) : undefined
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return url
  if (isPlain && url?.protocol === 'http:' && loopback.test(url.hostname)) return url
  const what = value === undefined ? `no ${name}` : `a ${name} that is not an https URL`
  return new ProtocolFailure('provider_unreachable', `The provider publishes ${what} in its configuration.`)
}

function textsIn(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined
}
