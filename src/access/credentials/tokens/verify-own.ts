/** Verifies access tokens that this service issued (RFC 9068 §4). */
import { errors, jwtVerify } from 'jose'
import { invalidToken, type Unproven } from '../jwt/service.ts'
import type { OwnClaims } from './claims.ts'
import type { Ring } from './ring.ts'

/** The tolerated clock difference between nodes. */
const clockToleranceSeconds = 5
const longestTokenSeconds = 300

const tokenType = 'at+jwt'
const ourHeaders = ['alg', 'kid', 'typ']

type Expected = { ring: Ring; issuer: string; audience: string; now: number }

/** @throws AppError `credential_invalid` */
export async function verifyOwn(
  jwt: string,
  { header }: Unproven,
  { ring, issuer, audience, now }: Expected,
): Promise<{ claims: OwnClaims; kid: string }> {
  const { alg, kid, typ } = header
  const isOurs = Object.keys(header).every((name) => ourHeaders.includes(name)) && typ === tokenType
  if (!isOurs || typeof kid !== 'string') throw invalidToken('The access token is not valid.')
  const found = await ring.find(kid)
  if (found === undefined || alg !== found.alg) throw invalidToken('The access token is not valid.')
  try {
    const { payload } = await jwtVerify<OwnClaims>(jwt, found.key, {
      algorithms: [found.alg],
      typ: tokenType,
      issuer,
      audience,
      requiredClaims: ['sub', 'exp', 'iat', 'jti', 'client_id', 'permissions'],
      // Even if `exp` would allow more, as after a mistake in the configuration.
      maxTokenAge: longestTokenSeconds,
      clockTolerance: clockToleranceSeconds,
      currentDate: new Date(now),
    })
    // Tolerate clock differences at a token's start; at its end there is nothing to gain.
    if (payload.exp * 1000 <= now) throw invalidToken('The access token has expired.')
    if (!(await ring.holds(kid, payload.jti))) throw invalidToken('The access token was revoked.')
    return { claims: payload, kid }
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw invalidToken('The access token has expired.')
    if (error instanceof errors.JOSEError) throw invalidToken('The access token is not valid.', error)
    throw error
  }
}
