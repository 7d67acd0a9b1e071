/** Recognizes lists that the main thread can serve. Does not import the rest of SCIM, which is loaded on first use. */
import type { Filter } from '../filter/ast.ts'
import type { ListRequest } from '../paging/list-request.ts'
import type { UsersAsked } from './users.ts'

const keys = new Set(['id', 'username', 'externalid'])
/** The database serializes this many users in a fraction of a millisecond. */
const fewUsers = 100

/** Whether one index finds the users of a list, so that the main thread need not hand it to another. */
export function isQuick({ endpoint, request, known }: UsersAsked): boolean {
  const { filter, sortBy } = request
  if (endpoint !== '/Users' || sortBy !== undefined) return false
  return filter === undefined ? known !== undefined && isFirstPage(request) : isByKey(filter)
}

/** Only lists with all attributes are serialized by the database. */
function isFirstPage({ page, projection: { attributes = [], excludedAttributes = [] } }: ListRequest): boolean {
  const isFirst = page.by === 'index' ? page.startIndex === 1 : page.cursor === undefined
  return isFirst && page.count <= fewUsers && attributes.length + excludedAttributes.length === 0
}

/** Returns a key for a cache: lists with the same key have the same body. Cursors expire, so theirs includes the time. */
export function keyOf({ now, ...query }: UsersAsked): string {
  return JSON.stringify(query.request.page.by === 'cursor' ? { now, ...query } : query)
}

function isByKey(filter: Filter): boolean {
  if (filter.kind !== 'compare' || filter.operator !== 'eq') return false
  const { urn, name, sub } = filter.path
  return urn === undefined && sub === undefined && keys.has(name.toLowerCase())
}
