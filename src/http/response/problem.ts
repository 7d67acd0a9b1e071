import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, type InputFault, type ProblemCode, problems } from '../../core/errors.ts'
import { emptyBody } from '../../lib/strict-json.ts'
import { storageRefusal } from '../../store/db/sqlite/failures.ts'
import { faultLimit, inputFaults } from './faults.ts'

/** The page of this service that explains the codes, relative to the base: links in `type` work wherever it runs. */
export const problemsPath = '/docs/problems'
export const problemContentType = 'application/problem+json; charset=utf-8'
/** Sent with every response; pages that need more set it themselves. */
export const commonHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** RFC 6750 §3. */
const invalidChallenge = { 'www-authenticate': 'Bearer realm="rollbook", error="invalid_token"' }

/** A problem document (RFC 9457) with our own `code` and `errors`. */
export type Problem = {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  code: ProblemCode
  errors?: InputFault[]
}

/** `publicBase` may be a path: RFC 9457 §3.1.1 lets `type` be relative to the requested URL. */
export function toProblem(error: AppError, requestId: string, publicBase: string): Problem {
  const [status, title] = problems[error.code]
  return {
    type: `${publicBase}${problemsPath}#${error.code}`,
    title,
    status,
    detail: error.message,
    instance: requestId,
    code: error.code,
    ...(error.errors && { errors: error.errors.slice(0, faultLimit) }),
    ...error.members,
  }
}

/** How a part of the service writes refusals that has a format of its own; undefined: as a problem document. */
export type OtherForm = (
  refusal: AppError,
  request: FastifyRequest,
) => { status: number; contentType: string; body: unknown } | undefined

/** Responds to any thrown error: a refusal with its reason, a fault without details. */
export function errorAnswerer(publicBase: string, otherForm?: OtherForm) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refusal =
      error === request.raw.errored
        ? new AppError('malformed_request', 'The request was aborted.')
        : ofOwnUser(asRefusal(error, request), request)
    if (refusal.status >= 500) {
      const cause = refusal.cause ?? (error === refusal ? undefined : error)
      // The client has left, and there is nothing to investigate.
      const isHeard = !request.raw.socket.destroyed
      if (refusal.code === 'internal_error') {
        request.log.error({ request_id: request.id, code: refusal.code, err: cause }, 'request failed')
      } else {
        // The reason is known, so it goes into the request's log line: in an outage, that is one line per request.
        const level = refusal.code === 'storage_damaged' ? 'error' : isHeard ? 'warn' : 'info'
        request.failure = { level, code: refusal.code, reason: reasonOf(cause) }
      }
    }
    const other = otherForm?.(refusal, request)
    reply
      .code(other?.status ?? refusal.status)
      .headers(commonHeaders)
      // The path may be that of a link, mistyped.
      .header('referrer-policy', 'no-referrer')
      .header('x-request-id', request.id)
      .headers(refusal.headers)
      .removeHeader('etag')
      .removeHeader('total-count')
      .removeHeader('content-encoding')
      .type(other?.contentType ?? problemContentType)
      .serializer(JSON.stringify)
    if (refusal.code === 'body_too_large') {
      // A client that is cut off while sending does not read the response. Discard what it still sends, for as long as a
      // request may take.
      reply.removeHeader('connection')
      request.raw.resume()
    }
    reply.send(other?.body ?? toProblem(refusal, request.id, publicBase))
  }
}

/** The session's user was deleted a moment ago, perhaps by another node, and the session ended with the user. */
function ofOwnUser(refusal: AppError, request: FastifyRequest): AppError {
  if (refusal.code !== 'user_not_found' || request.routeOptions?.config?.access !== 'user') return refusal
  const detail = 'The credential is unknown; it may have expired or been revoked.'
  return new AppError('credential_invalid', detail, { headers: invalidChallenge })
}

function reasonOf(cause: unknown): string | undefined {
  return cause instanceof Error ? cause.message || (cause as { code?: string }).code : undefined
}

function asRefusal(error: unknown, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error
  const { code = '', validation, statusCode = 500 } = error as FastifyError
  if (validation) return invalidInput(error as FastifyError, request)
  const known = fromFramework[code] ?? (code.startsWith('FST_') && statusCode < 500 ? unreadable : undefined)
  if (known) return new AppError(known[0], known[1])
  return (
    storageRefusal(error) ??
    new AppError(
      'internal_error',
      'The cause was logged with the request id in `instance`. Quote that id when you report this.',
      {
        cause: error,
      },
    )
  )
}

const unreadable: [ProblemCode, string] = ['malformed_request', 'The request cannot be read.']

/** Our wording for Fastify's own refusals. */
const fromFramework: Record<string, [ProblemCode, string] | undefined> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    'body_too_large',
    'The body is too large. Send at most 64 KiB in one request, or as much as the operator has configured.',
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'This path does not accept a body of this media type. Send application/json unless its documentation says otherwise.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['malformed_request', 'Content-Length does not match the length of the body.'],
  FST_ERR_BAD_URL: ['malformed_request', 'The path cannot be decoded. Percent-encode it as UTF-8.'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'A part of the path is too long.'],
  ERR_HTTP_INVALID_HEADER_VALUE: ['malformed_header', 'A header value is malformed.'],
}

function invalidInput({ validation = [], validationContext }: FastifyError, { body }: FastifyRequest): AppError {
  const place = validationContext === 'body' ? 'body' : 'query'
  // Without a Content-Type no parser has refused it.
  if (place === 'body' && body === undefined) return new AppError('malformed_json', emptyBody)
  const { detail, errors } = inputFaults(validation, place)
  return new AppError('validation_failed', detail, { errors })
}
