/** Reading a JWT before anything about it is proven: only what decides who is to prove it. */
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { AppError } from '../../../core/errors.ts'

export type Unproven = { header: Record<string, unknown>; iss: unknown }

/** Longer than any token of ours, and than a request's headers may be. */
const longest = 8192
/**
 * RFC 8725 §3.10: a token must not choose the keys that prove it. `crit` (RFC 7515 §4.1.11) names extensions that must be
 * understood; we know of none.
 */
const refusedHeaders = ['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64']

/** @throws AppError `credential_invalid` */
export function readUnproven(jwt: string): Unproven {
  if (jwt.length > longest) throw invalidToken('The access token is too long.')
  const signature = jwt.slice(jwt.lastIndexOf('.') + 1)
  // Decoders pass over spaces and over spare bits at the end: one token could be written in many ways.
  const isCanonical = Buffer.from(signature, 'base64url').toString('base64url') === signature
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(jwt) || !isCanonical) throw invalidToken('The access token is malformed.')
  try {
    const header = decodeProtectedHeader(jwt) as Record<string, unknown>
    const { iss } = decodeJwt(jwt)
    if (!refusedHeaders.some((name) => Object.hasOwn(header, name))) return { header, iss }
  } catch (cause) {
    throw invalidToken('The access token is malformed.', cause)
  }
  throw invalidToken('The access token has an unsupported header.')
}

/** RFC 6750 §3.1. Details describe the form and the times of a token, never the key or the check that refused it. */
export function invalidToken(detail: string, cause?: unknown): AppError {
  const headers = { 'www-authenticate': 'Bearer realm="rollbook", error="invalid_token"' }
  return new AppError('credential_invalid', detail, { headers, ...(cause !== undefined && { cause }) })
}
