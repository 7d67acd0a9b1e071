/**
 * Every refusal a service can give, by its stable code. A code is never renamed or reused.
 * `docs/problems.md` has a paragraph for each; a test fails when one is missing.
 */
export const problems = {
  malformed_request: [400, 'The request is malformed'],
  malformed_json: [400, 'The body is not valid JSON'],
  malformed_yaml: [400, 'The file is not valid YAML'],
  malformed_csv: [400, 'The file is not valid CSV'],
  malformed_spreadsheet: [400, 'The file is not a readable spreadsheet'],
  malformed_header: [400, 'A request header is malformed'],
  bad_cursor: [400, 'The cursor is not valid'],
  ambiguous_credentials: [400, 'More than one credential was sent'],
  authorization_pending: [400, 'The user has not decided yet'],
  slow_down: [400, 'The client asks too often'],
  access_denied: [400, 'The user refused'],
  expired_token: [400, 'The device code has expired'],
  invalid_grant: [400, 'The code is not valid'],
  unsupported_grant_type: [400, 'The grant type is not supported'],
  credential_missing: [401, 'A credential is required'],
  credential_invalid: [401, 'The credential is not valid'],
  sign_in_failed: [401, 'The sign-in failed'],
  second_factor_required: [401, 'A second factor is required'],
  second_factor_failed: [401, 'The second factor was not accepted'],
  challenge_expired: [401, 'The step of the sign-in has expired'],
  insufficient_user_authentication: [401, 'The user must sign in again'],
  permission_denied: [403, 'The credential lacks a permission'],
  user_required: [403, 'Only a signed-in user may do this'],
  password_change_required: [403, 'The password must be changed first'],
  factor_required: [403, 'A second factor must be added first'],
  confirmation_failed: [403, 'The confirmation failed'],
  reauthentication_required: [403, 'You must confirm that it is you'],
  current_password_wrong: [403, 'The current password is wrong'],
  cross_origin: [403, 'The request comes from another site'],
  setup_link_invalid: [403, 'The link for the first administrator is no longer valid'],
  not_while_impersonating: [403, 'Not possible while you act as another user'],
  token_not_exchangeable: [403, 'An access token cannot be exchanged'],
  role_not_grantable: [403, 'The role has permissions the caller lacks'],
  user_outranks_caller: [403, 'The user has permissions the caller lacks'],
  other_organization: [403, 'This belongs to another organization'],
  permission_not_grantable: [403, 'The key or token would have permissions the caller lacks'],
  key_outlives_caller: [403, "The key would outlast the caller's credential"],
  not_found: [404, 'There is nothing at this path'],
  user_not_found: [404, 'There is no such user'],
  attribute_not_found: [404, 'There is no such attribute'],
  group_not_found: [404, 'There is no such group'],
  organization_not_found: [404, 'There is no such organization'],
  domain_not_found: [404, 'The organization has no such domain'],
  setup_link_not_found: [404, 'The organization has no such setup link'],
  connection_not_found: [404, 'There is no such connection'],
  not_a_reviewer: [403, 'Only reviewers decide'],
  connection_refused: [403, 'The connection does not sign this user in'],
  identity_not_found: [404, 'There is no such identity'],
  connection_conflict: [409, 'The account of the company belongs to no user yet'],
  identity_taken: [409, 'This account is linked already'],
  key_not_found: [404, 'There is no such API key'],
  session_not_found: [404, 'There is no such session'],
  endpoint_not_found: [404, 'There is no such webhook endpoint'],
  delivery_not_found: [404, 'There is no such delivery'],
  mail_not_found: [404, 'There is no such message'],
  factor_not_found: [404, 'There is no such factor'],
  trusted_browser_not_found: [404, 'There is no such trusted browser'],
  import_not_found: [404, 'There is no such import'],
  role_not_found: [404, 'There is no such role'],
  access_request_not_found: [404, 'There is no such request for access'],
  review_not_found: [404, 'There is no such review'],
  not_enabled: [404, 'This is switched off here'],
  method_not_allowed: [405, 'The method is not allowed here'],
  not_acceptable: [406, 'None of the accepted media types is available'],
  request_timeout: [408, 'The request took too long to arrive'],
  username_taken: [409, 'The username is taken'],
  email_taken: [409, 'The email address is taken'],
  external_id_taken: [409, 'The external id is taken'],
  attribute_taken: [409, 'The value of an attribute is taken'],
  attribute_name_taken: [409, 'The name of the attribute is taken'],
  attribute_violated: [409, 'Users violate the definition of the attribute'],
  too_many_attributes: [409, 'The limit of attributes is reached'],
  group_name_taken: [409, 'The name of the group is taken'],
  organization_name_taken: [409, 'The name of the organization is taken'],
  organization_not_empty: [409, 'Something belongs to the organization'],
  domain_taken: [409, 'The domain is verified for another organization'],
  domain_not_proved: [409, 'The record does not prove the domain'],
  too_many_domains: [409, 'The limit of domains is reached'],
  too_many_setup_links: [409, 'The limit of setup links is reached'],
  group_in_policy: [409, 'A policy names the group'],
  trial_store: [409, 'The store is a trial of a backup'],
  connection_name_taken: [409, 'The name of the connection is taken'],
  role_taken: [409, 'The name of the role is taken'],
  role_in_use: [409, 'The role is in use'],
  role_built_in: [409, 'The role is built in'],
  too_many_roles: [409, 'The limit of roles is reached'],
  managed_elsewhere: [409, 'This is managed elsewhere'],
  deletion_not_allowed: [409, 'The file deletes more than is allowed'],
  user_id_taken: [409, 'The user id is taken'],
  setup_done: [409, 'There is already an administrator'],
  last_admin: [409, 'The last active administrator must stay'],
  last_organization_admin: [409, 'The last administrator of the organization must stay'],
  own_account: [409, 'This is your own account'],
  last_factor: [409, 'The last factor must stay'],
  last_password_admin: [409, 'An administrator must be able to use a password'],
  password_refused: [409, 'Passwords are refused for this user'],
  last_sign_in_way: [409, 'The last way to sign in must stay'],
  no_factor: [409, 'There is no second factor'],
  passkeys_unavailable: [409, 'Passkeys are not available here'],
  too_many_keys: [409, 'The limit of keys is reached'],
  key_is_personal: [409, 'The key is a personal key'],
  keys_are_personal: [409, 'People create their own keys'],
  too_many_factors: [409, 'The limit of factors is reached'],
  key_expired: [409, 'The key has expired'],
  key_managed_by_configuration: [409, 'The key comes from the configuration'],
  too_many_connections: [409, 'The limit of connections is reached'],
  too_many_endpoints: [409, 'The limit of webhook endpoints is reached'],
  endpoint_inactive: [409, 'The webhook endpoint is not active'],
  delivery_in_progress: [409, 'The delivery is still under way'],
  mail_not_configured: [409, 'Email is not set up'],
  user_is_service_account: [409, 'The user is a service account'],
  user_not_impersonable: [409, 'No administrator can act as this user'],
  user_not_invitable: [409, 'The user cannot get a link'],
  email_missing: [409, 'The user has no email address for messages'],
  access_request_decided: [409, 'The request for access was decided or has expired'],
  review_closed: [409, 'The review is closed'],
  too_many_reviews: [409, 'The limit of reviews is reached'],
  inactivity_not_stopped: [409, 'No run of the inactivity rule is stopped'],
  own_access: [409, 'Another reviewer decides about your access'],
  link_ended: [409, 'The link no longer works'],
  mail_not_failed: [409, 'The message cannot be sent again'],
  import_busy: [409, 'Another request is sending this import'],
  import_cancelled: [409, 'The import was cancelled'],
  import_finished: [409, 'The import has ended'],
  import_mismatch: [409, 'The import was started differently'],
  import_gap: [409, 'Rows of the import are missing'],
  idempotency_in_progress: [409, 'A request with this Idempotency-Key is still running'],
  cursor_unknown: [410, 'The cursor belongs to another history'],
  cursor_expired: [410, 'The cursor is too old'],
  precondition_failed: [412, 'The resource has changed'],
  body_too_large: [413, 'The body is too large'],
  uri_too_long: [414, 'The URL is too long'],
  unsupported_media_type: [415, 'The media type is not supported'],
  unsupported_content_encoding: [415, 'The content encoding is not supported'],
  expectation_failed: [417, 'The expectation cannot be met'],
  list_too_costly: [422, 'The list would take too long'],
  validation_failed: [422, 'The input is not acceptable'],
  idempotency_mismatch: [422, 'The Idempotency-Key was used for another request'],
  precondition_required: [428, 'If-Match is required'],
  too_many_attempts: [429, 'Too many attempts'],
  too_many_mails: [429, 'Too many messages to one address'],
  rate_limited: [429, 'Too many requests'],
  headers_too_large: [431, 'The request headers are too large'],
  internal_error: [500, 'Something went wrong on our side'],
  upstream_unavailable: [502, 'The product does not respond'],
  overloaded: [503, 'The service is overloaded'],
  issuer_unavailable: [503, 'The issuer of the token does not respond'],
  provider_unavailable: [503, 'The identity provider does not respond'],
  name_server_unavailable: [503, 'No name server says what the record is'],
  too_many_snapshots: [503, 'Too many lists are being streamed'],
  storage_unavailable: [503, 'The storage is unavailable'],
  outcome_unknown: [503, 'The outcome of the change is unknown'],
  storage_damaged: [503, 'The storage is damaged'],
  storage_full: [503, 'The storage is full'],
  secret_unreadable: [503, 'A stored secret cannot be decrypted'],
  draining: [503, 'The service is stopping'],
  rollbook_unavailable: [503, 'Rollbook does not respond'],
  upstream_timeout: [504, 'The product takes too long to respond'],
} as const satisfies Record<string, readonly [status: number, title: string]>

export type ProblemCode = keyof typeof problems

/** The exit code `EX_CONFIG` of sysexits.h: a restart does not help until a setting changes. */
export const misconfigured = 78

/** A failed start that the operator can fix; the message says how. */
export class OperatorError extends Error {
  override name = 'OperatorError'
  /** The exit code of the process; 1 if it is not set. */
  readonly exitCode: number | undefined

  constructor(message: string, { exitCode, ...options }: ErrorOptions & { exitCode?: number } = {}) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** One fault of the input. `pointer` is an RFC 6901 fragment (`#/username`), or `?name` for a query parameter. */
export type InputFault = {
  pointer: string
  code: string
  detail: string
  /** In a text that people wrote, where it stands. Both count from 1. */
  line?: number
  column?: number
}

type Details = {
  errors?: InputFault[]
  retryAfterSeconds?: number
  /** The limit that was reached, for `RateLimit`. */
  limit?: 'attempts' | 'mails' | 'password-resets' | 'email-codes' | 'unique-values' | 'access-requests'
  headers?: Record<string, string>
  /** Further members of the problem document (RFC 9457 §3.2). */
  members?: Readonly<Record<string, unknown>>
  cause?: unknown
}

/** A refusal: expected, explained to the caller, and without effect. Any other thrown error is a fault of ours. */
export class AppError extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly errors: InputFault[] | undefined
  readonly headers: Record<string, string>
  readonly members: Readonly<Record<string, unknown>> | undefined

  constructor(code: ProblemCode, detail: string, details: Details = {}) {
    super(detail, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'AppError'
    this.code = code
    this.status = problems[code][0]
    this.errors = details.errors
    this.members = details.members
    const retryAfter = details.retryAfterSeconds ?? (this.status === 503 && code !== 'storage_damaged' ? 1 : undefined)
    this.headers = {
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
      // draft-ietf-httpapi-ratelimit-headers-10
      ...(details.limit !== undefined && { ratelimit: `"${details.limit}";r=0;t=${retryAfter}` }),
      // RFC 9110 §15.5.2: every 401 has a challenge.
      ...(this.status === 401 && { 'www-authenticate': 'Bearer realm="rollbook"' }),
      ...details.headers,
    }
  }
}

/** The refusal of a part of a longer work, whose earlier parts stay: `done` says so instead of "nothing was changed". */
export function afterParts(error: unknown, done: string): unknown {
  if (!(error instanceof AppError) || !error.message.includes('; nothing was changed.')) return error
  const { code, message, headers, cause } = error
  return new AppError(code, message.replace('; nothing was changed.', `. ${done}`), { headers, cause })
}

/** A refusal as data, for another thread or a stored response, where an Error cannot go. */
export type Refusal = {
  code: ProblemCode
  detail: string
  headers: Record<string, string>
  errors?: InputFault[]
  members?: Readonly<Record<string, unknown>>
  /** For the log: the underlying cause. */
  cause?: string
}

export function toRefusal({ code, message, headers, errors, members, status, cause }: AppError): Refusal {
  const fault = status >= 500 && cause instanceof Error ? { cause: cause.message } : {}
  return { code, detail: message, headers, ...(errors && { errors }), ...(members && { members }), ...fault }
}

export function fromRefusal({ code, detail, headers, errors, members, cause }: Refusal): AppError {
  return new AppError(code, detail, {
    headers,
    ...(errors && { errors }),
    ...(members && { members }),
    ...(cause && { cause: new Error(cause) }),
  })
}

/** A fault of one member of the body, or of the `index`-th item of an array member. */
export function memberFault(member: string, code: string, detail: string, index?: number): InputFault {
  const pointer = `#/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return { pointer: index === undefined ? pointer : `${pointer}/${index}`, code, detail }
}

export function validationFailed(errors: InputFault[]): AppError {
  return new AppError('validation_failed', errors.map(sentenceOf).join(' '), { errors })
}

/** In a list of faults each needs the name of its member, unless the text contains it. */
function sentenceOf({ pointer, detail }: InputFault, _place: number, { length }: readonly InputFault[]): string {
  const name = pointer.replace(/^[#?]\/?/, '')
  return length === 1 || name === '' || detail.includes(name) ? detail : `${name}: ${detail}`
}
