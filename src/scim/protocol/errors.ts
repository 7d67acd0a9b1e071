/** SCIM's error format (RFC 7644 §3.12, RFC 9865 §2.1), and the conversion of our refusals to it. */
import type { AppError, ProblemCode } from '../../core/errors.ts'
import { enterpriseAttributes } from '../../directory/attributes/service.ts'
import { errorUrn } from './urns.ts'

/** Every detail keyword with its status. */
export const scimTypes = {
  invalidFilter: 400,
  tooMany: 400,
  uniqueness: 409,
  mutability: 400,
  invalidSyntax: 400,
  invalidPath: 400,
  noTarget: 400,
  invalidValue: 400,
  invalidVers: 400,
  sensitive: 403,
  invalidCursor: 400,
  expiredCursor: 400,
  invalidCount: 400,
} as const

export type ScimType = keyof typeof scimTypes

/** A refused request. The message says what is wrong and what to do; it never repeats a value that was sent. */
export class ScimError extends Error {
  override readonly name = 'ScimError'
  readonly status: number
  readonly scimType: ScimType | undefined

  constructor(reason: ScimType | number, detail: string) {
    super(detail)
    this.scimType = typeof reason === 'number' ? undefined : reason
    this.status = typeof reason === 'number' ? reason : scimTypes[reason]
  }
}

/** The body of an error. `status` is a string, as in RFC 7644; Okta relies on that. */
interface ErrorBody {
  schemas: [typeof errorUrn]
  status: string
  scimType?: ScimType
  detail: string
}

export function errorBody({ status, scimType, message }: ScimError): ErrorBody {
  return {
    schemas: [errorUrn],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: message,
  }
}

const reasons: Partial<Record<ProblemCode, ScimType>> = {
  malformed_request: 'invalidSyntax',
  malformed_json: 'invalidSyntax',
  validation_failed: 'invalidValue',
  bad_cursor: 'invalidCursor',
  cursor_unknown: 'invalidCursor',
  cursor_expired: 'expiredCursor',
  list_too_costly: 'tooMany',
  username_taken: 'uniqueness',
  email_taken: 'uniqueness',
  external_id_taken: 'uniqueness',
  group_name_taken: 'uniqueness',
  user_id_taken: 'uniqueness',
  attribute_taken: 'uniqueness',
}

/** Converts a refusal to a SCIM error. Without a matching keyword it keeps its status. */
export function fromAppError({ code, status, message, errors }: AppError): ScimError {
  const name = /^#\/attributes\/(\w+)$/.exec(errors?.[0]?.pointer ?? '')?.[1]
  const [attribute] = Object.entries(enterpriseAttributes).find(([, own]) => own === name) ?? []
  return new ScimError(reasons[code] ?? status, attribute === undefined ? message : `${attribute}: ${message}`)
}
