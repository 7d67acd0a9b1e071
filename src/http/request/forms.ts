import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../core/errors.ts'

const formType = /^application\/x-www-form-urlencoded(?:\s*;\s*charset=(?:"utf-8"|utf-8))?\s*$/i
/** The form of the account page has a field for each attribute that its user may change, and there can be 64. */
const fieldLimit = 128

/** Lets only the routes of `app` accept the fields of an HTML form as their body: `Record<string, string>`. */
export function acceptForms(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    (request, body: Buffer, done) => {
      try {
        if (!formType.test(request.headers['content-type'] ?? '')) {
          throw new AppError(
            'unsupported_media_type',
            'The body is not labelled as a form. Send it as application/x-www-form-urlencoded in UTF-8.',
          )
        }
        request.rawBody = body
        done(null, parseForm(body))
      } catch (error) {
        done(error as Error, undefined)
      }
    },
  )
}

/**
 * Parses a form (URL Standard §5.1) strictly: anything that two readers could interpret differently is refused, above all a
 * repeated field: a proxy may have checked the other value.
 */
export function parseForm(bytes: Uint8Array): Record<string, string> {
  if (!isUtf8(bytes)) throw malformed('The form is not valid UTF-8.')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  const parts = text.split('&').filter((part) => part !== '')
  if (parts.length > fieldLimit) throw malformed(`The form has more than ${fieldLimit} fields.`)
  const fields: Record<string, string> = Object.create(null)
  for (const part of parts) {
    const end = part.includes('=') ? part.indexOf('=') : part.length
    const name = decode(part.slice(0, end))
    if (name in fields) throw malformed('A field of the form appears twice.')
    fields[name] = decode(part.slice(end + 1))
  }
  return fields
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw malformed('The form cannot be decoded. Percent-encode it as UTF-8.')
  }
}

function malformed(detail: string): AppError {
  return new AppError('malformed_request', detail)
}
