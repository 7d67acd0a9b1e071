import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError, validationFailed } from '../../core/errors.ts'
import { JsonSyntaxError, parseStrictJson } from '../../lib/strict-json.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The raw body, for the fingerprint of an Idempotency-Key. */
    rawBody: Uint8Array | undefined
  }
}

const jsonType = /^application\/(?:merge-patch\+)?json$/i

/** Accepts JSON in UTF-8 only; PATCH also accepts the media type of JSON Merge Patch (RFC 7396 §4). */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.decorateRequest('rawBody', undefined)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    ['application/json', 'application/merge-patch+json'],
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer, done) => {
      try {
        refuseOddType(request)
        request.rawBody = body
        // Many clients send the type with every request, even without a body.
        const { schema, config } = request.routeOptions
        const mayBeLeftOut = schema?.body === undefined || config.docs?.isBodyOptional
        const parsed = mayBeLeftOut && body.length === 0 ? undefined : parseStrictJson(body)
        if (takesNoBody(request)) refuseMembers(parsed)
        done(null, parsed)
      } catch (error) {
        const refusal = error instanceof JsonSyntaxError ? new AppError('malformed_json', error.message) : error
        done(refusal as Error, undefined)
      }
    },
  )
}

function refuseOddType({ headers, method }: FastifyRequest): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim())
  const isOther = (parameter: string) => /^charset\b/i.test(parameter) && !/^charset=("utf-8"|utf-8)$/i.test(parameter)
  if (!jsonType.test(type) || parameters.some(isOther)) {
    throw new AppError(
      'unsupported_media_type',
      'The body is not labelled as JSON. Send it as application/json in UTF-8.',
    )
  }
  if (method !== 'PATCH' && !/^application\/json$/i.test(type)) {
    throw new AppError(
      'unsupported_media_type',
      'application/merge-patch+json is only for PATCH. Send application/json.',
    )
  }
}

function takesNoBody({ routeOptions: { schema, config } }: FastifyRequest): boolean {
  return config.docs !== undefined && config.docs.bodies === undefined && schema?.body === undefined
}

/** A member that is ignored could be what the caller cares about, such as `dry_run`. */
function refuseMembers(body: unknown): void {
  if (body === undefined || body === null || isDeepStrictEqual(body, {})) return
  const detail = 'This operation takes no body, only parameters in the URL, such as ?dry_run=true. Leave the body out.'
  throw validationFailed([{ pointer: '#', code: 'unknown_member', detail }])
}

/** An encoded body would have to be decompressed first, and 64 KiB of it can expand a thousandfold. */
export function refuseEncodedBody(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding']
  if (encoding === undefined || /^identity$/i.test(encoding)) return
  throw new AppError(
    'unsupported_content_encoding',
    'The body is compressed. Send it uncompressed, without Content-Encoding.',
    {
      headers: { 'accept-encoding': 'identity' },
    },
  )
}

/** An omitted body is validated as an empty object. */
export async function emptyUnlessSent(request: FastifyRequest): Promise<void> {
  request.body ??= {}
}
