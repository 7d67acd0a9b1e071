/** Sends refusals of SCIM requests in SCIM's error format (RFC 7644 §3.12). */
import type { FastifyRequest } from 'fastify'
import type { ProblemCode } from '../../core/errors.ts'
import type { OtherForm } from '../../http/response/problem.ts'
import { toScimError } from '../protocol/crossing.ts'
import { errorBody, ScimError } from '../protocol/errors.ts'
import { mediaType } from './media-type.ts'

export const scimPath = '/scim/v2'

/** Called for each refusal, with the path below the SCIM endpoint. */
export type Note = (request: FastifyRequest, error: ScimError, path: string) => void

/** Handles all refusals below the path, including unknown paths and methods. */
export function scimErrors(basePath: string, note: Note): OtherForm {
  const root = basePath + scimPath
  return (refusal, request) => {
    if (!isBelow(request.url, root)) return undefined
    const error = inWordsOfScim(toScimError(refusal), refusal.code)
    note(request, error, request.url.slice(root.length))
    return { status: error.status, contentType: mediaType(request), body: errorBody(error) }
  }
}

/** Replaces texts of our API that would mislead a SCIM client. */
const words: Partial<Record<ProblemCode, string>> = {
  credential_missing: 'The request has no credential. Send an API key as `Authorization: Bearer rb_…`.',
  body_too_large: 'The body is too large. Send at most 1 MiB, or 16 MiB for a group.',
  unsupported_media_type: 'Send the body as application/scim+json in UTF-8.',
}

function inWordsOfScim(error: ScimError, code: ProblemCode): ScimError {
  const detail = words[code]
  return detail === undefined ? error : new ScimError(error.scimType ?? error.status, detail)
}

function isBelow(url: FastifyRequest['url'], root: string): boolean {
  if (!url.startsWith(root)) return false
  const next = url[root.length]
  return next === undefined || next === '/' || next === '?'
}
