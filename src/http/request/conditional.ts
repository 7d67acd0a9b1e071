/** Conditional requests (RFC 9110 §13), with validators made from a record's version. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../core/config.ts'
import { AppError } from '../../core/errors.ts'
import type { ExpectedVersion } from '../../core/expected-version.ts'

export function etagOf(version: number): string {
  return `"${version}"`
}

// RFC 9110 §8.8.3: an opaque tag in quotes, W/ before a weak one.
const tag = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/y

type Tag = { weak: boolean; value: string }

function parseTags(name: string, header: string): Tag[] | '*' {
  if (header.trim() === '*') return '*'
  const tags: Tag[] = []
  let at = 0
  while (at < header.length) {
    tag.lastIndex = at
    const match = tag.exec(header)
    if (match) {
      tags.push({ weak: match[1] !== undefined, value: match[2] as string })
      at = tag.lastIndex
    }
    const separator = /^[ \t]*(?:,[ \t]*|$)/.exec(header.slice(at))
    if (separator === null || (match === null && separator[0] === '')) {
      throw new AppError('malformed_header', `${name} must be * or a list of entity tags such as "3".`)
    }
    at += separator[0].length
  }
  if (tags.length === 0) throw new AppError('malformed_header', `${name} is empty.`)
  return tags
}

/**
 * Returns the versions that `If-Match` and `If-None-Match` allow a change to replace. For `If-Match`, a tag that is weak or not
 * ours matches nothing (strong comparison, §13.1.1).
 *
 * @throws AppError `malformed_header`, or `precondition_required` if `If-Match` is missing and required
 */
export function expectedVersion(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { requireIfMatch }: Pick<Config, 'requireIfMatch'>,
): ExpectedVersion {
  const match = headers['if-match']
  if (match === undefined && requireIfMatch) {
    throw new AppError(
      'precondition_required',
      'If-Match is missing. Read the resource first and send its ETag as If-Match.',
    )
  }
  const wanted = match === undefined ? '*' : parseTags('If-Match', match)
  const noneMatch = headers['if-none-match']
  const unwanted = noneMatch === undefined ? [] : parseTags('If-None-Match', noneMatch)
  // Nothing may exist that the change could replace.
  if (unwanted === '*') return []
  const except = versionsOf(unwanted)
  if (wanted !== '*') return versionsOf(wanted.filter(({ weak }) => !weak)).filter((one) => !except.includes(one))
  if (except.length > 0) return { except }
  return match === undefined ? undefined : '*'
}

function versionsOf(tags: readonly Tag[]): number[] {
  return tags.flatMap(({ value }) => (/^[1-9]\d{0,14}$/.test(value) ? [Number(value)] : []))
}

/** Returns the resource, and sends its ETag. */
export function withETag<Resource>(reply: FastifyReply, version: number, resource: Resource): Resource {
  reply.header('etag', etagOf(version))
  return resource
}

/**
 * The same for a request that reads: sends 304 if the client has this version.
 *
 * @throws AppError `malformed_header`, or `precondition_failed` if `If-Match` names only other versions
 */
export function unlessKnown<Resource>(
  reply: FastifyReply,
  version: number,
  resource: Resource,
): Resource | FastifyReply {
  withETag(reply, version, resource)
  return isNotModified(reply.request, etagOf(version)) ? reply.code(304).send() : resource
}

type Conditional = Pick<FastifyRequest, 'headers'>

/**
 * Evaluates `If-Match`, then `If-None-Match`, of a request that reads (§13.2.2). Returns whether the client has the current
 * representation, so that 304 is enough.
 *
 * @throws AppError `malformed_header`, or `precondition_failed` if `If-Match` names only other versions
 */
export function isNotModified(request: Conditional, etag: string): boolean {
  refuseOtherVersion(request, etag)
  return isKnown(request, etag)
}

/**
 * Evaluates only `If-Match`: for a representation that can change without a new version, so that it is never sent as 304.
 *
 * @throws AppError `malformed_header`, or `precondition_failed`
 */
export function refuseOtherVersion({ headers }: Conditional, etag: string): void {
  const header = headers['if-match']
  if (header === undefined) return
  const tags = parseTags('If-Match', header)
  if (tags === '*' || tags.some(({ weak, value }) => !weak && `"${value}"` === etag)) return
  throw new AppError('precondition_failed', 'If-Match names another version than the current one.')
}

/** Whether `If-None-Match` names the current representation (weak comparison, §13.1.2). */
export function isKnown({ headers }: Conditional, etag: string): boolean {
  const header = headers['if-none-match']
  return header !== undefined && isNamed('If-None-Match', header, etag)
}

/** Whether `If-Match` names this validator, weak or not, as SCIM has it (RFC 7644 §3.14). */
export function isMatch(header: string | undefined, etag: string): boolean {
  return header === undefined || isNamed('If-Match', header, etag)
}

function isNamed(name: string, header: string, etag: string): boolean {
  const tags = parseTags(name, header)
  const value = etag.replace(/^W\//, '').slice(1, -1)
  return tags === '*' || tags.some((one) => one.value === value)
}
