/** Refusals with the codes and titles of Rollbook's own API. */

const refusals = {
  ambiguous_credentials: [400, 'More than one credential was sent'],
  credential_missing: [401, 'A credential is required'],
  credential_invalid: [401, 'The credential is not valid'],
  insufficient_user_authentication: [401, 'The user must be authenticated again'],
  permission_denied: [403, 'The credential lacks a permission'],
  cross_origin: [403, 'The request comes from another site'],
  // Not a code of Rollbook: Rollbook could not be reached.
  verification_unavailable: [503, 'The credential cannot be checked right now'],
} as const satisfies Record<string, readonly [status: number, title: string]>

export type RefusalCode = keyof typeof refusals

/** The parameters of `WWW-Authenticate` after the realm (RFC 6750 §3). */
const challenges: Partial<Record<RefusalCode, string>> = {
  credential_missing: '',
  credential_invalid: ', error="invalid_token"',
  insufficient_user_authentication: ', error="insufficient_user_authentication"',
  permission_denied: ', error="insufficient_scope"',
}

/** The characters that a scope may have (RFC 6749 §3.3). */
const scopeForm = /^[!#-[\]-~]+$/

/** A problem document (RFC 9457). */
export type Problem = { type: string; title: string; status: number; detail: string; code: RefusalCode }

type Details = {
  scope?: string
  /** The challenge's requirements, after a comma. */
  wanted?: string
  cause?: unknown
}

export class VerifyError extends Error {
  override readonly name = 'VerifyError'
  readonly code: RefusalCode
  readonly status: number
  /** Headers for the response. */
  readonly headers: Readonly<Record<string, string>>
  /** The URL of the page that explains the code. */
  type = 'about:blank'

  constructor(code: RefusalCode, detail: string, { scope, wanted = '', cause }: Details = {}) {
    super(detail, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = refusals[code][0]
    const challenge = challenges[code]
    this.headers = {
      'cache-control': 'no-store',
      ...(challenge !== undefined && {
        'www-authenticate': `Bearer realm="rollbook"${challenge}${scope !== undefined && scopeForm.test(scope) ? `, scope="${scope}"` : ''}${wanted}`,
      }),
      ...(this.status === 503 && { 'retry-after': '1' }),
    }
  }

  toProblem(): Problem {
    const [status, title] = refusals[this.code]
    return { type: this.type, title, status, detail: this.message, code: this.code }
  }

  toResponse(): Response {
    return new Response(JSON.stringify(this.toProblem()), {
      status: this.status,
      headers: { ...this.headers, 'content-type': problemContentType },
    })
  }
}

export const problemContentType = 'application/problem+json; charset=utf-8'

export function invalid(detail: string, cause?: unknown): VerifyError {
  return new VerifyError('credential_invalid', detail, { cause })
}

export function unavailable(detail: string, cause?: unknown): VerifyError {
  return new VerifyError('verification_unavailable', detail, { cause })
}

/** The step-up challenge for a client (RFC 9470 §3). */
export function insufficient({ acr, max_age }: { acr?: string; max_age?: number }): VerifyError {
  const wanted = [
    ...(acr === undefined ? [] : [`, acr_values="${acr}"`]),
    ...(max_age === undefined ? [] : [`, max_age="${max_age}"`]),
  ].join('')
  const detail =
    'The user must be authenticated again, or with a second factor. Let them sign in, and get another token.'
  return new VerifyError('insufficient_user_authentication', detail, { wanted })
}
