/** Reads the query and the headers of a SCIM request. */
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import { isKnown, isMatch } from '../../http/request/conditional.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import { readProjection } from '../paging/list-request.ts'
import { ScimError } from '../protocol/errors.ts'
import { type JsonObject, membersByLowerCase } from '../protocol/json.ts'
import { type Habits, type ProfileName, profiles } from '../protocol/profiles.ts'
import type { ProjectionRequest } from '../schemas/project.ts'

export function profileOf({ actor }: FastifyRequest): ProfileName {
  return (actor.connection?.profile ?? 'strict') as ProfileName
}

export function habitsOf(request: FastifyRequest): Habits {
  return profiles[profileOf(request)]
}

function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** `?dry_run=true`, as in the rest of the API. */
export function isDryRun(request: FastifyRequest): boolean {
  const value = isRead(request) ? undefined : membersByLowerCase(request.query as JsonObject).get('dry_run')
  if (value === undefined || value === 'false') return false
  if (value === 'true') return true
  throw new ScimError('invalidValue', 'dry_run must be true or false.')
}

/** Refuses a filter on discovery documents (RFC 7644 §4): the client would take the unfiltered result for a filtered one. */
export function refuseFilter({ query }: FastifyRequest): void {
  if (membersByLowerCase(query as JsonObject).has('filter'))
    throw new ScimError(403, 'These documents cannot be filtered.')
}

export function projectionOf({ query }: FastifyRequest): ProjectionRequest {
  return readProjection(membersByLowerCase(query as JsonObject))
}

/** @throws AppError `precondition_failed` if the client requires another version */
export function isUnchanged(request: FastifyRequest, version: string): boolean {
  if (!isRead(request)) return false
  if (!isMatch(request.headers['if-match'], version)) {
    throw new AppError('precondition_failed', 'If-Match names another version than the current one.')
  }
  return isKnown(request, version)
}

export function idOfPath({ params }: FastifyRequest): string {
  return (params as { id: string }).id
}

export function userIdOf(request: FastifyRequest): string {
  const id = idOfPath(request).toLowerCase()
  if (!isUuid(id)) throw unknownUser()
  return id
}

export function groupIdOf(request: FastifyRequest): string {
  const id = idOfPath(request).toLowerCase()
  if (!isUuid(id)) throw unknownGroup()
  return id
}

export function unknownUser(): AppError {
  return new AppError('user_not_found', 'There is no user with this id.')
}

export function unknownGroup(): AppError {
  return new AppError('group_not_found', 'There is no group with this id.')
}
