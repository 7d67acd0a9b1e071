import type { Filter } from '../filter/ast.ts'
import { planFilter } from '../mapping/list-filter.ts'
import { mostKeys, userListQuery } from '../mapping/list-query.ts'
import type { ListRequest } from '../paging/list-request.ts'
import { groupDefinition, userDefinition } from '../schemas/definition.ts'
import { isKnown } from './users.ts'

export type List = { endpoint: '' | '/Users' | '/Groups'; request: ListRequest; booleansAsText: boolean }

/**
 * Whether indexes find a page of the list, or the few resources to compare. Other lists are compared as a whole, and no list that an
 * index serves waits behind one of them.
 *
 * @throws ScimError `invalidFilter` for an unknown attribute
 */
export function isServedByIndex({ endpoint, request, booleansAsText }: List): boolean {
  const { filter } = request
  if (endpoint === '/Groups') return filter === undefined ? !sortsByMembers(request) : findsGroups(filter)
  if (filter === undefined) return hasIndexedOrder(request)
  if (endpoint === '/Users') return findsUsers(filter, request, booleansAsText)
  const isForBoth = [userDefinition, groupDefinition].every((definition) => isKnown(filter, definition))
  return isForBoth && findsUsers(filter, request, booleansAsText) && findsGroups(filter)
}

function hasIndexedOrder({ sortBy }: ListRequest): boolean {
  return sortBy === undefined || ['username', 'created'].includes((sortBy.sub ?? sortBy.name).toLowerCase())
}

function sortsByMembers({ sortBy }: ListRequest): boolean {
  return sortBy?.name.toLowerCase() === 'members'
}

/** `active` and times alone may find nearly all. */
function findsUsers(filter: Filter, request: ListRequest, booleansAsText: boolean): boolean {
  const { filters, rest, others } = userListQuery(filter, booleansAsText)
  const { user_id, username, external_id } = filters
  if ([user_id, username, external_id].some((key) => key !== undefined)) return true
  if (others.some((one) => 'values' in one && one.values.length <= mostKeys)) return true
  return rest === undefined && hasIndexedOrder(request)
}

function findsGroups(filter: Filter): boolean {
  return planFilter(filter, groupDefinition).conditions.some(
    (one) => 'values' in one && (one.values.length === 1 || one.on === 'id' || one.on === 'member'),
  )
}
