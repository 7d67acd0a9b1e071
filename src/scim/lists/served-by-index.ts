import type { Filter } from '../filter/ast.ts'
import type { ListRequest } from '../paging/list-request.ts'

const served = new Set(['id', 'username', 'externalid', 'emails.value', 'active', 'displayname', 'meta.created'])

/** Whether an index serves the list, so that it never waits behind a list that scans all users. */
export function isServedByIndex({ filter, sortBy }: ListRequest): boolean {
  const isOrdered = sortBy === undefined || ['username', 'created'].includes((sortBy.sub ?? sortBy.name).toLowerCase())
  return isOrdered && (filter === undefined || isOneOfServed(filter))
}

function isOneOfServed(filter: Filter): boolean {
  if (filter.kind === 'and') return filter.filters.some(isOneOfServed)
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || filter.path.urn !== undefined) return false
  const { name, sub } = filter.path
  return served.has(`${name}${sub === undefined ? '' : `.${sub}`}`.toLowerCase())
}
