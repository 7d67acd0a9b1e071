/** Verifies access tokens of the configured issuers, and maps their permissions. */
import { errors, type JWTPayload, jwtVerify } from 'jose'
import type { Actor } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import type { OutageReports } from '../../../core/outages.ts'
import { permissionsOfRole, type Rules } from '../../../core/rules.ts'
import type { TrustedIssuer } from '../../../core/trusted-issuers.ts'
import { invalidToken, type Unproven } from '../jwt/service.ts'
import { keySource } from './key-source.ts'
import { isAccessToken } from './kind-of-token.ts'

export type VerifiedTrusted = { actor: Actor; issuedAtMs: number; endsAtMs: number }

type Parts = {
  issuers: readonly TrustedIssuer[]
  rules: Pick<Rules, 'roles'>
  outages: OutageReports
}

const clockToleranceSeconds = 5
/** Rollbook can neither revoke such a token nor know that it was revoked. */
const longestSeconds = 24 * 3600
const notAccessToken = 'The token is not an access token, or is not marked as one.'

export function trustedVerifier({ issuers, rules, outages }: Parts) {
  const known = new Map(issuers.map((one) => [one.issuer, { ...one, keys: keySource(one, outages) }]))

  /** @throws AppError `credential_invalid`, `issuer_unavailable` */
  async function verify(jwt: string, { header, iss }: Unproven, now: number): Promise<VerifiedTrusted> {
    const found = typeof iss === 'string' ? known.get(iss) : undefined
    if (found === undefined) throw invalidToken('The issuer of the access token is not trusted.')
    try {
      const { payload } = await jwtVerify(jwt, found.keys, {
        algorithms: [...found.algorithms],
        issuer: found.issuer,
        audience: found.audience,
        requiredClaims: ['sub', 'exp', 'iat'],
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(now),
      })
      refuseTimes(payload as Times, now)
      if (!isAccessToken(header.typ, payload, found.token_types)) throw invalidToken(notAccessToken)
      return { actor: actorOf(payload, found, rules.roles), ...timesOf(payload as Times) }
    } catch (error) {
      throw refusal(error)
    }
  }

  return { verify }
}

function refusal(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof errors.JWTExpired) return invalidToken('The access token has expired.')
  if (error instanceof errors.JOSEError) return invalidToken('The access token is not valid.', error)
  // Neither valid nor invalid: the issuer is unreachable (IssuerUnavailable), or publishes an unusable key.
  return new AppError(
    'issuer_unavailable',
    "The token issuer's signing keys cannot be fetched right now. Try again later.",
    {
      cause: error,
    },
  )
}

type Times = { exp: number; iat: number }

/** jose has checked that they are numbers, and `exp` and `nbf` against the clock. */
function refuseTimes({ exp, iat }: Times, now: number): void {
  if (iat > now / 1000 + clockToleranceSeconds)
    throw invalidToken('The access token has an iat in the future. Check the clock of the issuer.')
  if (exp - iat <= longestSeconds) return
  throw invalidToken('The access token is valid for too long: iat and exp can be at most 24 hours apart.')
}

/** `sub` alone is not unique: only together with its issuer it identifies one service. */
function actorOf(payload: JWTPayload, { issuer, roles_claim, roles }: TrustedIssuer, ours: Rules['roles']): Actor {
  const { sub } = payload
  if (typeof sub !== 'string' || !/^[^\p{Cc}\p{Cs}]{1,255}$/u.test(sub))
    throw invalidToken('The access token is not valid.')
  const mapped = claimValues(payload, roles_claim).flatMap((value) => roles[value] ?? [])
  const permissions = [...new Set(mapped.flatMap((role) => permissionsOfRole(ours, role)))]
  return { kind: 'service', id: `${issuer}|${sub}`, name: sub, permissions, endsAtMs: (payload.exp ?? 0) * 1000 }
}

/** Finds the claim by its whole name, which may contain dots (`https://example.com/roles`), or by a path of members. */
function claimValues(payload: Record<string, unknown>, path: string): string[] {
  const found = Object.hasOwn(payload, path) ? payload[path] : path.split('.').reduce<unknown>(memberOf, payload)
  // In the form of `scope` (RFC 8693 §4.2): words separated by spaces.
  if (typeof found === 'string') return found.split(' ')
  return Array.isArray(found) ? found.filter((value) => typeof value === 'string') : []
}

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
  return isObject ? (value as Record<string, unknown>)[name] : undefined
}

function timesOf({ exp, iat }: Times) {
  return { issuedAtMs: iat * 1000, endsAtMs: exp * 1000 }
}
