/** Checks that a request follows RFC 9112. Refuses what Node's parser accepts although two readers could disagree on it. */
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'

/** Room for the 500 `user_id`s that a list may ask for. */
const urlLimit = 24 * 1024
const headersLimit = 16 * 1024
/** Node silently drops headers after the 2,000th: a second Host or Authorization could hide there. */
const headerCountLimit = 256
/** Node has one limit for both. */
export const maxHeaderSize = urlLimit + headersLimit

// RFC 9112 §3.2: uri-host [":" port], and it may be empty.
const hostForm = /^(?:\[[\w:.~%-]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/
/** If repeated, Node takes the first of these or joins them; a proxy in front may have used another. */
const singleHeaders = new Set(['host', 'authorization', 'x-api-key', 'content-type', 'idempotency-key'])

export function refuseMalformed({ raw, routeOptions }: FastifyRequest): void {
  const { headers, rawHeaders, url = '', httpVersionMajor, httpVersionMinor } = raw
  if (url.length > urlLimit)
    throw new AppError('uri_too_long', `The URL is too long. Use at most ${urlLimit} characters.`)
  if (rawHeaders.length > 2 * headerCountLimit || sizeOf(rawHeaders) > headersLimit) {
    const detail = `The headers are too large. Send at most ${headerCountLimit} headers with ${headersLimit} characters together.`
    throw new AppError('headers_too_large', detail)
  }
  if (httpVersionMajor !== 1) throw malformed('This HTTP version is not supported. Use HTTP/1.1.')
  if (headers.host === undefined ? httpVersionMinor === 1 : !hostForm.test(headers.host)) {
    throw malformed(
      'The Host header is missing, repeated or not valid. Send one Host header with the name and port of this service.',
    )
  }
  if (Object.keys(headers).length * 2 !== rawHeaders.length) refuseRepeated(rawHeaders)
  refuseUndecodable(url, routeOptions.config?.isAboutOthers ?? false)
  // RFC 9110 §10.1.1; Node handles 100-continue itself.
  if (headers.expect !== undefined && httpVersionMinor === 1 && !/^100-continue$/i.test(headers.expect)) {
    throw new AppError('expectation_failed', 'The Expect header is not supported. Leave it out.', {
      headers: { connection: 'close' },
    })
  }
}

function sizeOf(rawHeaders: readonly string[]): number {
  let size = 0
  for (const part of rawHeaders) size += part.length
  return size
}

function refuseRepeated(rawHeaders: readonly string[]): void {
  const seen = new Set<string>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase()
    if (singleHeaders.has(name) && seen.has(name))
      throw malformed(`The header ${name} was sent more than once. Send it once.`)
    seen.add(name)
  }
}

/** The router decodes a path; a query that is not UTF-8 would be searched for literally. */
function refuseUndecodable(url: string, isAboutOthers: boolean): void {
  // RFC 9112 §3.2: a client keeps the fragment to itself. The router would treat it as the query.
  if (url.includes('#')) throw malformed('The URL has a fragment (#…). Send it without the fragment.')
  const query = url.indexOf('?')
  // A query that is passed on to the product may have any encoding.
  if (isAboutOthers || query === -1 || !url.includes('%', query)) return
  try {
    decodeURIComponent(url.slice(query))
  } catch {
    throw malformed('The query cannot be decoded. Percent-encode it as UTF-8.')
  }
}

function malformed(detail: string): AppError {
  return new AppError('malformed_request', detail)
}
