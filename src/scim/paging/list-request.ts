/** Reads the parameters of a list from the query or the body of `.search` (RFC 7644 §3.4.2 and §3.4.3, RFC 9865 §2). */
import type { Filter } from '../filter/ast.ts'
import { parseFilter } from '../filter/parser.ts'
import { ScimError } from '../protocol/errors.ts'
import { isArray, isObject, type Json, type JsonObject, membersByLowerCase } from '../protocol/json.ts'
import type { Habits } from '../protocol/profiles.ts'
import { searchRequestUrn } from '../protocol/urns.ts'
import { type AttributePath, readAttributePath } from '../schemas/attribute-path.ts'
import type { ProjectionRequest } from '../schemas/project.ts'

interface PageLimits {
  readonly defaultPageSize: number
  readonly maxPageSize: number
}

/** Index paging counts from 1. An undefined cursor means the first page. */
export type Page =
  | { readonly by: 'index'; readonly startIndex: number; readonly count: number }
  | { readonly by: 'cursor'; readonly cursor: string | undefined; readonly count: number }

export interface ListRequest {
  readonly filter: Filter | undefined
  readonly sortBy: AttributePath | undefined
  readonly descending: boolean
  readonly page: Page
  readonly projection: ProjectionRequest
}

type Parameters = ReadonlyMap<string, Json>

/** @throws ScimError `invalidFilter`, `invalidValue`, `invalidCursor` or `invalidCount` */
export function readListQuery(query: JsonObject, limits: PageLimits, habits: Habits): ListRequest {
  return readParameters(membersByLowerCase(query), limits, habits)
}

/** @throws ScimError as `readListQuery`, or `invalidSyntax` */
export function readSearchRequest(body: unknown, limits: PageLimits, habits: Habits): ListRequest {
  if (!isObject(body)) throw new ScimError('invalidSyntax', 'The body must be a JSON object.')
  const parameters = membersByLowerCase(body)
  const schemas = parameters.get('schemas')
  if (!habits.ignoresUnknown && !(isArray(schemas) && schemas.includes(searchRequestUrn))) {
    throw new ScimError('invalidSyntax', `schemas must be ["${searchRequestUrn}"].`)
  }
  return readParameters(parameters, limits, habits)
}

function readParameters(parameters: Parameters, limits: PageLimits, { unquotedValues }: Habits): ListRequest {
  const filter = textOf(parameters, 'filter')
  return {
    filter: filter === undefined ? undefined : parseFilter(filter, { barewords: unquotedValues }),
    sortBy: readSortBy(textOf(parameters, 'sortBy')),
    descending: readSortOrder(textOf(parameters, 'sortOrder')) === 'descending',
    page: readPage(parameters, limits),
    projection: readProjection(parameters),
  }
}

/** Reads `attributes` and `excludedAttributes`, which single-resource requests accept too (RFC 7644 §3.9). */
export function readProjection(parameters: Parameters): ProjectionRequest {
  const attributes = namesOf(parameters, 'attributes')
  const excludedAttributes = namesOf(parameters, 'excludedAttributes')
  if (attributes.length > 0 && excludedAttributes.length > 0) {
    throw new ScimError('invalidValue', 'Send either attributes or excludedAttributes, not both.')
  }
  return { attributes, excludedAttributes }
}

function namesOf(parameters: Parameters, name: string): string[] {
  const value = parameters.get(name.toLowerCase()) ?? []
  const parts = isArray(value) ? value : [value]
  return parts.flatMap((part) => {
    if (typeof part !== 'string') throw new ScimError('invalidValue', `${name} must be names, separated by commas.`)
    return part
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')
  })
}

function textOf(parameters: Parameters, name: string): string | undefined {
  const value = parameters.get(name.toLowerCase())
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw new ScimError('invalidValue', `${name} must be one text. Send it once.`)
  return value
}

function readSortBy(text: string | undefined): AttributePath | undefined {
  if (text === undefined || text === '') return undefined
  const path = readAttributePath(text)
  if (path === undefined)
    throw new ScimError('invalidValue', 'sortBy must be the name of an attribute, such as userName.')
  return path
}

function readSortOrder(text: string | undefined): string {
  const order = text?.toLowerCase() ?? 'ascending'
  if (order === 'ascending' || order === 'descending') return order
  throw new ScimError('invalidValue', 'sortOrder must be ascending or descending.')
}

function readPage(parameters: Parameters, { defaultPageSize, maxPageSize }: PageLimits): Page {
  const cursor = textOf(parameters, 'cursor')
  const startIndex = integerOf(parameters, 'startIndex', 'invalidValue')
  const requestedCount = integerOf(parameters, 'count', cursor === undefined ? 'invalidValue' : 'invalidCount')
  // A negative count means 0: only totalResults is returned.
  const count = Math.min(Math.max(requestedCount ?? defaultPageSize, 0), maxPageSize)
  if (cursor === undefined) return { by: 'index', startIndex: Math.max(startIndex ?? 1, 1), count }
  if (startIndex !== undefined) throw new ScimError('invalidCursor', 'Send either startIndex or cursor, not both.')
  if (!/^[\w.~-]*$/.test(cursor)) {
    throw new ScimError(
      'invalidCursor',
      'Send the nextCursor of the page before, or an empty cursor for the first page.',
    )
  }
  return { by: 'cursor', cursor: cursor === '' ? undefined : cursor, count }
}

function integerOf(parameters: Parameters, name: string, reason: 'invalidValue' | 'invalidCount'): number | undefined {
  const value = parameters.get(name.toLowerCase())
  if (value === undefined || value === null) return undefined
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number
  throw new ScimError(reason, `${name} must be a whole number.`)
}
