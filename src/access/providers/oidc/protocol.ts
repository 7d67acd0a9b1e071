/**
 * OpenID Connect, by openid-client: discovery, the address to send the browser to, and the ID token for a code. Leaves what
 * the claims mean to connections/kinds/oidc.ts.
 */
import * as client from 'openid-client'
import { type OpenConnection, type Protocol, ProtocolFailure, type ProtocolOptions } from '../connections/service.ts'
import { guardedFetch } from '../provider-calls/service.ts'
import { createDiscovery, settingsOf } from './discovery.ts'
import { exchange, withUserInfo } from './exchange.ts'
import { failureOf, isOfProvider } from './failures.ts'
import { acceptedAlgorithms } from './metadata.ts'
import { keySet, readLogoutToken, readRevocationToken, skewSeconds } from './provider-tokens.ts'

export function oidcProtocol({ idpAllowedNetworks, clock, calls }: ProtocolOptions): Protocol {
  const { fetch, close } = guardedFetch(idpAllowedNetworks)
  const providerOf = createDiscovery({ clock, calls, fetch })

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
          exchange(connection, provider, {
            returned: new URL(`${returnUri}?${query}`),
            checks: {
              pkceCodeVerifier: verifier,
              expectedState: state,
              expectedNonce: nonce,
              idTokenExpected: true,
              ...(isFresh && { maxAge: 60 }),
            },
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
        const vouched = await withUserInfo(calls, { connection, provider }, tokens)
        return { ...vouched, ...(tokens.id_token !== undefined && { logoutHint: tokens.id_token }) }
      } catch (error) {
        throw failureOf(error, isFresh)
      }
    },

    async reach(connection) {
      await providerOf(connection)
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

/** As these products call it, so that they skip their own question for the company. */
function hintOf(preset: string, domain: string | undefined): Record<string, string> {
  if (domain === undefined) return {}
  if (preset === 'google') return { hd: domain }
  return preset === 'entra' ? { domain_hint: domain } : {}
}
