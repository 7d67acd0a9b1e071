/** What a provider says about a user: the ID token for a code, and the UserInfo endpoint. */
import * as client from 'openid-client'
import {
  type Claims,
  isUnreachable,
  lacksClaims,
  type OpenConnection,
  type ProtocolOptions,
  type Vouched,
} from '../connections/service.ts'
import { type Provider, settingsOf } from './discovery.ts'
import { isClientRefused, userInfoFailure } from './failures.ts'

export type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>
type Checks = NonNullable<Parameters<typeof client.authorizationCodeGrant>[2]>

/** Exchanges the code. A code that came with refused credentials is not used up, so it can be sent in the other way. */
export async function exchange(
  connection: OpenConnection,
  provider: Provider,
  { returned, checks }: { returned: URL; checks: Checks },
): Promise<Tokens> {
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
export async function withUserInfo(
  calls: ProtocolOptions['calls'],
  { connection, provider }: { connection: OpenConnection; provider: Provider },
  tokens: Tokens,
): Promise<Vouched> {
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

/** Only the ID token describes the sign-in itself, and an address and its verification come from the same source. */
function merged(claims: Claims, more: Claims): Claims {
  const isOtherAddress = claims.email !== undefined && claims.email !== more.email
  const ofToken = ['amr', 'acr', 'auth_time', ...(isOtherAddress ? ['email_verified', 'xms_edov', 'hd'] : [])]
  return { ...Object.fromEntries(Object.entries(more).filter(([name]) => !ofToken.includes(name))), ...claims }
}
