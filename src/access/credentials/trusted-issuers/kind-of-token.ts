/**
 * Distinguishes access tokens from other tokens that an issuer signs with the same keys. An ID token tells a client who
 * signed in; the operator of that client has it, so it must not grant access here (RFC 9068 §5, OpenID Connect Core §2).
 */
import type { JWTPayload } from 'jose'
import { shortType } from '../../../core/trusted-issuers.ts'

const accessTokenType = 'at+jwt'
/** Claims of OpenID Connect and its logout: no access token has them. */
const foreignClaims = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events']
/** `scope` and `client_id` by RFC 9068 §2.2; the others belong to Entra ID, Okta and Auth0. */
const accessClaims = ['scope', 'scp', 'client_id', 'azpacr', 'appidacr', 'gty']

/** `types` are the ones that the operator configured, or undefined. */
export function isAccessToken(
  typ: unknown,
  payload: JWTPayload,
  types: readonly (string | null)[] | undefined,
): boolean {
  const type = typ === undefined ? null : typeof typ === 'string' ? shortType(typ) : undefined
  if (type === undefined || !(types ?? [accessTokenType, 'jwt', null]).includes(type)) return false
  const use = useOf(payload)
  // Older releases of Keycloak put the nonce into access tokens too, but state the kind in another claim.
  if (use !== undefined) return use === 'access'
  if (foreignClaims.some((claim) => payload[claim] !== undefined)) return false
  if (type === accessTokenType || accessClaims.some((claim) => payload[claim] !== undefined)) return true
  // An operator who configures the type vouches for its tokens, but not for those meant for the client itself.
  return types !== undefined && !isForItsClient(payload)
}

/** The kind as some issuers state it in a claim: Keycloak in `typ`, Cognito in `token_use`. */
function useOf({ typ, token_use }: JWTPayload): 'access' | 'other' | undefined {
  if (typeof token_use === 'string') return token_use === 'access' ? 'access' : 'other'
  if (typeof typ !== 'string') return undefined
  if (/^(?:bearer|dpop)$/i.test(typ)) return 'access'
  return /^(?:id|refresh|offline|logout|registrationaccesstoken|initialaccesstoken)$/i.test(typ) ? 'other' : undefined
}

function isForItsClient({ aud, azp }: JWTPayload): boolean {
  return typeof azp === 'string' && (Array.isArray(aud) ? aud.length === 1 && aud[0] === azp : aud === azp)
}
