/** Translates a SCIM filter of users into parameters of our own list, as far as these are equivalent. */
import type { ListUsers } from '../../directory/users/schema.ts'
import type { Filter } from '../filter/ast.ts'
import { userDefinition } from '../schemas/definition.ts'
import { type Condition, planFilter } from './list-filter.ts'

type Mutable<T> = { -readonly [Member in keyof T]: T[Member] }

export type UserListFilters = Pick<
  Mutable<ListUsers>,
  'user_id' | 'username' | 'external_id' | 'active' | 'created_after' | 'created_before'
>

interface UserListQuery {
  readonly filters: UserListFilters
  /** The rest of the filter, to be compared with each user. Undefined if the parameters cover all of it. */
  readonly rest: Filter | undefined
  /** Conditions that an index could serve but our list has no parameter for. `rest` includes them. */
  readonly others: readonly Condition[]
}

/** How many ids our list takes, and how many names are looked up at once. */
export const mostKeys = 500

/** @throws ScimError `invalidFilter` for an unknown attribute */
export function userListQuery(filter: Filter, booleansAsText = false): UserListQuery {
  const filters: UserListFilters = {}
  const others: Condition[] = []
  const rest: Filter[] = []
  for (const part of filter.kind === 'and' ? filter.filters : [filter]) {
    const [condition] = planFilter(part, userDefinition, booleansAsText).conditions
    if (condition !== undefined && serve(condition, filters)) continue
    if (condition !== undefined) others.push(condition)
    rest.push(part)
  }
  return { filters, others, rest: rest.length > 1 ? { kind: 'and', filters: rest } : rest[0] }
}

/** Sets the parameter for a condition. False if the list has none, or if another condition has set it already. */
function serve(condition: Condition, filters: UserListFilters): boolean {
  switch (condition.on) {
    case 'id':
      return set(filters, 'user_id', condition.values.length <= mostKeys ? [...condition.values] : undefined)
    case 'userName':
      return set(filters, 'username', onlyOne(condition.values))
    case 'externalId':
      return set(filters, 'external_id', onlyOne(condition.values))
    case 'active':
      return set(filters, 'active', condition.value)
    case 'created': {
      // The parameters exclude their bound, and stored times are whole milliseconds.
      const { operator, time } = condition
      if (operator === 'gt' || operator === 'ge')
        return set(filters, 'created_after', moved(time, operator === 'ge' ? -1 : 0))
      return set(filters, 'created_before', moved(time, operator === 'le' ? 1 : 0))
    }
    default:
      return false
  }
}

function set<Name extends keyof UserListFilters>(
  filters: UserListFilters,
  name: Name,
  value: UserListFilters[Name] | undefined,
): boolean {
  if (value === undefined || filters[name] !== undefined) return false
  filters[name] = value
  return true
}

function onlyOne(values: readonly string[]): string | undefined {
  return values.length === 1 ? values[0] : undefined
}

function moved(time: string, byMs: number): string {
  return new Date(Date.parse(time) + byMs).toISOString()
}
