import type { Filter } from '../filter/ast.ts'
import type { ListRequest } from '../paging/list-request.ts'

const served = new Set(['id', 'username', 'externalid', 'emails.value', 'active', 'displayname', 'meta.created'])

/** Whether an index finds what the list has, so that it never waits behind one that looks at each user. */
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
