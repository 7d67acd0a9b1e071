import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import { JsonSyntaxError, parseStrictJson } from '../../lib/strict-json.ts'

const types = /^application\/(?:scim\+)?json$/i

/** Accepts SCIM's media type and plain JSON (RFC 7644 §3.1), in UTF-8. */
export function acceptScimBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    ['application/scim+json', 'application/json'],
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer, done) => {
      try {
        refuseOtherType(request.headers['content-type'])
        request.rawBody = body
        // Many clients send Content-Type with every request, even without a body.
        done(null, body.length === 0 ? undefined : parseStrictJson(body))
      } catch (error) {
        done(error instanceof JsonSyntaxError ? new AppError('malformed_json', error.message) : (error as Error))
      }
    },
  )
}

function refuseOtherType(header = ''): void {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim())
  const isOther = (parameter: string) => /^charset\b/i.test(parameter) && !/^charset=("utf-8"|utf-8)$/i.test(parameter)
  if (types.test(type) && !parameters.some(isOther)) return
  throw new AppError('unsupported_media_type', 'Send the body as application/scim+json in UTF-8.')
}
