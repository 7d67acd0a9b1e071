/**
 * Finds the parts of a filter that an index can serve. The rest is compared with the resources that these parts select;
 * without such a part, the caller decides whether to read all resources.
 */
import type { Comparison, Filter, Literal, Operator } from '../filter/ast.ts'
import { ScimError } from '../protocol/errors.ts'
import { writeAttributePath } from '../schemas/attribute-path.ts'
import { readDateTime } from '../schemas/date-time.ts'
import { type Definition, findTarget } from '../schemas/definition.ts'

/** A condition on an indexed column. The conditions of a list are combined with `and`. */
export type Condition =
  | { readonly on: 'id' | 'userName' | 'externalId' | 'displayName' | 'member'; readonly values: readonly string[] }
  /**
   * One of the addresses of the user. The column has only the main one, so the caller needs an index of the others, and
   * compares the whole filter again.
   */
  | { readonly on: 'email'; readonly values: readonly string[] }
  | { readonly on: 'active'; readonly value: boolean }
  | {
      readonly on: 'created' | 'lastModified'
      readonly operator: 'gt' | 'ge' | 'lt' | 'le'
      /** RFC 3339, in UTC. */
      readonly time: string
    }

export interface FilterPlan {
  readonly conditions: readonly Condition[]
  /** The rest of the filter. Undefined if the conditions cover all of it. */
  readonly rest: Filter | undefined
}

/** @throws ScimError `invalidFilter` for an unknown attribute */
export function planFilter(filter: Filter, definition: Definition, booleansAsText = false): FilterPlan {
  const parts = filter.kind === 'and' ? filter.filters : [filter]
  const conditions: Condition[] = []
  const rest: Filter[] = []
  for (const part of parts) {
    const found = conditionOf(part, definition, booleansAsText)
    if (found !== undefined) conditions.push(found)
    if (found === undefined || found.on === 'email') rest.push(part)
  }
  const [first, second] = rest
  if (first === undefined || second === undefined) return { conditions, rest: first }
  return { conditions, rest: { kind: 'and', filters: rest } }
}

function conditionOf(filter: Filter, definition: Definition, booleansAsText: boolean): Condition | undefined {
  if (filter.kind === 'or') return union(filter.filters.map((part) => conditionOf(part, definition, booleansAsText)))
  if (filter.kind === 'compare') return comparison(filter, definition, booleansAsText)
  if (filter.kind !== 'element') return undefined
  // emails[type eq "work" and value eq "a@x"], emails[type eq "work"].value eq "a@x", members[value eq "u1"]
  const inner = filter.filter.kind === 'and' ? filter.filter.filters : [filter.filter]
  const tests = filter.test === undefined ? inner : [...inner, filter.test]
  const value = tests.find((test) => test.kind === 'compare' && isEquals(test) && isNamed(test, 'value'))
  if (value?.kind !== 'compare') return undefined
  const found = comparison({ ...value, path: { ...filter.path, sub: 'value' } }, definition, booleansAsText)
  return found?.on === 'email' || (found?.on === 'member' && tests.length === 1) ? found : undefined
}

/** `id eq "a" or id eq "b"` */
function union(parts: readonly (Condition | undefined)[]): Condition | undefined {
  const [first] = parts
  if (first === undefined || !('values' in first)) return undefined
  const values = parts.map((part) =>
    part !== undefined && part.on === first.on && 'values' in part ? part.values : undefined,
  )
  return values.every((list) => list !== undefined) ? { on: first.on, values: [...new Set(values.flat())] } : undefined
}

const equals: Readonly<Record<string, 'id' | 'userName' | 'externalId' | 'displayName' | 'member' | 'email'>> = {
  'User id': 'id',
  'User userName': 'userName',
  'User externalId': 'externalId',
  'User emails.value': 'email',
  'User emails': 'email',
  'Group id': 'id',
  'Group externalId': 'externalId',
  'Group displayName': 'displayName',
  'Group members.value': 'member',
  'Group members': 'member',
}

function comparison(filter: Comparison, definition: Definition, booleansAsText: boolean): Condition | undefined {
  const { path, operator, value } = filter
  const target = findTarget(definition, path)
  if (target === undefined) throw unknown(definition)
  if (target.kind === 'extension' || target.urn !== undefined) return undefined
  const { attribute, sub } = target
  const name = writeAttributePath({ name: attribute.name, ...(sub !== undefined && { sub: sub.name }) })
  const on = equals[`${definition.name} ${name}`]
  if (on !== undefined) {
    return operator === 'eq' && typeof value === 'string' ? { on, values: [value] } : undefined
  }
  if (name === 'active' && definition.name === 'User') return activeIs(operator, value, booleansAsText)
  if (name === 'meta.created') return timeBound('created', operator, value)
  return name === 'meta.lastModified' ? timeBound('lastModified', operator, value) : undefined
}

function activeIs(operator: Operator, value: Literal, booleansAsText: boolean): Condition | undefined {
  const word = booleansAsText && typeof value === 'string' ? value.toLowerCase() : undefined
  const wanted = word === 'true' ? true : word === 'false' ? false : value
  if (typeof wanted !== 'boolean' || (operator !== 'eq' && operator !== 'ne')) return undefined
  return { on: 'active', value: wanted === (operator === 'eq') }
}

function timeBound(on: 'created' | 'lastModified', operator: Operator, value: Literal): Condition | undefined {
  const time = typeof value === 'string' ? readDateTime(value) : undefined
  if (time === undefined) return undefined
  const isBound = operator === 'gt' || operator === 'ge' || operator === 'lt' || operator === 'le'
  return isBound ? { on, operator, time: new Date(time).toISOString() } : undefined
}

function isEquals({ operator }: Comparison): boolean {
  return operator === 'eq'
}

function isNamed({ path }: Comparison, name: string): boolean {
  return path.urn === undefined && path.sub === undefined && path.name.toLowerCase() === name
}

function unknown({ name }: Definition): ScimError {
  return new ScimError('invalidFilter', `The filter names an attribute that a ${name} does not have.`)
}
