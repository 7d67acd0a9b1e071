/** Proves access tokens of the issuers that the configuration trusts, and says what they may do here. */
import { errors, type JWTPayload, jwtVerify } from 'jose'
import type { Logger } from 'pino'
import { type Actor, permissionsOfRole, type Rules } from '../context.ts'
import { AppError } from '../errors.ts'
import { invalidToken, type Unproven } from '../tokens/compact.ts'
import { keySource } from './key-source.ts'
import type { TrustedIssuer } from './settings.ts'

export type VerifiedTrusted = { actor: Actor; issuedAtMs: number; endsAtMs: number }

type Parts = { issuers: readonly TrustedIssuer[]; roles: Rules['roles']; log: Logger }

const clockToleranceSeconds = 5

export function trustedVerifier({ issuers, roles, log }: Parts) {
  const known = new Map(issuers.map((one) => [one.issuer, { ...one, keys: keySource(one.jwks_url, log) }]))

  /** @throws AppError `credential_invalid`, `issuer_unavailable` */
  async function verify(jwt: string, { header, iss }: Unproven, now: number): Promise<VerifiedTrusted> {
    const found = typeof iss === 'string' ? known.get(iss) : undefined
    if (found === undefined) throw invalidToken('The issuer of the access token is not trusted.')
    if (!hasAllowedType(header, found)) throw invalidToken('The access token is not valid.')
    try {
      const { payload } = await jwtVerify(jwt, found.keys, {
        algorithms: [...found.algorithms],
        issuer: found.issuer,
        audience: found.audience,
        requiredClaims: ['sub', 'exp'],
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(now),
      })
      return { actor: actorOf(payload, found, roles), ...timesOf(payload, now) }
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
  // Neither accepted nor refused: the issuer is away (IssuerUnavailable), or it publishes a key that is none.
  return new AppError('issuer_unavailable', 'The keys of the issuer of the access token cannot be had now.', {
    cause: error,
  })
}

function hasAllowedType({ typ }: Unproven['header'], { token_types }: TrustedIssuer): boolean {
  if (typ === undefined) return token_types.includes(null)
  return typeof typ === 'string' && token_types.includes(typ.toLowerCase().replace(/^application\//, ''))
}

/** `sub` alone is somebody else's word: only together with its issuer it names one service. */
function actorOf(payload: JWTPayload, { issuer, roles_claim, roles }: TrustedIssuer, ours: Rules['roles']): Actor {
  const { sub } = payload
  if (typeof sub !== 'string' || !/^[^\p{Cc}\p{Cs}]{1,255}$/u.test(sub))
    throw invalidToken('The access token is not valid.')
  const mapped = claimValues(payload, roles_claim).flatMap((value) => roles[value] ?? [])
  const permissions = [...new Set(mapped.flatMap((role) => permissionsOfRole(ours, role)))]
  return { kind: 'service', id: `${issuer}|${sub}`, name: sub, permissions }
}

/** The claim by its whole name, which may have dots (`https://example.com/roles`), or by a path of members. */
export function claimValues(payload: Record<string, unknown>, path: string): string[] {
  const found = Object.hasOwn(payload, path) ? payload[path] : path.split('.').reduce<unknown>(memberOf, payload)
  // As `scope` has it (RFC 8693 §4.2): words with spaces between them.
  if (typeof found === 'string') return found.split(' ')
  return Array.isArray(found) ? found.filter((value) => typeof value === 'string') : []
}

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
  return isObject ? (value as Record<string, unknown>)[name] : undefined
}

function timesOf({ exp = 0, iat }: JWTPayload, now: number) {
  return { issuedAtMs: iat === undefined ? now : iat * 1000, endsAtMs: exp * 1000 }
}
