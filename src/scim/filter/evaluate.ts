/** Turns a filter into a function that says whether a resource matches (RFC 7644 §3.4.2.2). */
import { ScimError } from '../protocol/errors.ts'
import { isArray, isEmpty, isObject, type Json, type JsonObject, member } from '../protocol/json.ts'
import type { Attribute } from '../schemas/attribute.ts'
import type { AttributePath } from '../schemas/attribute-path.ts'
import {
  attributeCalled,
  type Definition,
  findTarget,
  subAttribute,
  subAttributes,
  unknownPath,
} from '../schemas/definition.ts'
import type { ElementMatch, Filter, Test } from './ast.ts'
import { compileComparison } from './compare.ts'
import type { Spend } from './work.ts'

export type Predicate = (resource: JsonObject) => boolean

export interface FilterOptions {
  /** Whether `active eq "True"` is understood. */
  readonly booleansAsText?: boolean
  /** Whether an unknown attribute counts as having no value, as in a search across several types. */
  readonly unknownIsAbsent?: boolean
  /** Counts the work, and ends it if it is too much. */
  readonly spend?: Spend
}

/**
 * Compiles a filter for the resources of a type, which spell names as their schema does.
 *
 * @throws ScimError `invalidFilter` for unknown attributes and for comparisons that their types do not have
 */
export function compileFilter(filter: Filter, definition: Definition, options: FilterOptions = {}): Predicate {
  return compile(filter, (path) => findInResource(definition, path, options), options)
}

/**
 * Compiles a filter for several types, as a search at the root needs it: in the order of the types. An attribute that
 * only one type has is absent in the others (RFC 7644 §3.4.2.1).
 *
 * @throws ScimError `invalidFilter` for attributes that no type has, and for comparisons that their types do not have
 */
export function compileFilterForAll(
  filter: Filter,
  definitions: readonly Definition[],
  options: FilterOptions = {},
): Predicate[] {
  for (const path of pathsOf(filter)) {
    if (!definitions.some((definition) => findTarget(definition, path) !== undefined)) {
      throw new ScimError(
        'invalidFilter',
        `The filter names ${attributeCalled(path.name)}, which no type of resource has.`,
      )
    }
  }
  return definitions.map((definition) => compileFilter(filter, definition, { ...options, unknownIsAbsent: true }))
}

function pathsOf(filter: Filter): AttributePath[] {
  if ('filters' in filter) return filter.filters.flatMap(pathsOf)
  return 'path' in filter ? [filter.path] : pathsOf(filter.filter)
}

/** Compiles a filter for the values of a complex attribute: the one in the brackets of a value path. */
export function compileElementFilter(filter: Filter, attribute: Attribute, options: FilterOptions = {}): Predicate {
  return compile(filter, (path) => findInElement(attribute, path), options)
}

/** What a path reads. A list has an entry for each value, undefined where it lacks the sub-attribute. */
interface Place {
  readonly attribute: Attribute
  readonly read: (from: JsonObject) => readonly (Json | undefined)[]
}

type Find = (path: AttributePath) => Place | undefined

function compile(filter: Filter, find: Find, options: FilterOptions): Predicate {
  switch (filter.kind) {
    case 'and': {
      const parts = filter.filters.map((part) => compile(part, find, options))
      return (resource) => parts.every((matches) => matches(resource))
    }
    case 'or': {
      const parts = filter.filters.map((part) => compile(part, find, options))
      return (resource) => parts.some((matches) => matches(resource))
    }
    case 'not': {
      const matches = compile(filter.filter, find, options)
      return (resource) => !matches(resource)
    }
    case 'element':
      return compileElement(filter, find, options)
    default:
      return compileTest(filter, find, options)
  }
}

function compileTest(test: Test, find: Find, { booleansAsText = false, spend }: FilterOptions): Predicate {
  const found = find(test.path)
  const place = found && counted(test.kind === 'present' ? found : withValue(found), spend)
  if (place === undefined) {
    // RFC 7644 §3.4.2.1: as if the attribute had no value.
    const passes = test.kind === 'compare' && (test.operator === 'ne') !== (test.value === null)
    const matchesAbsent = passes && (test.operator === 'ne' || test.operator === 'eq')
    return () => matchesAbsent
  }
  if (test.kind === 'present') return (resource) => place.read(resource).some((value) => !isEmpty(value))
  const { attribute, read } = place
  const passes = compileComparison(attribute, test.operator, test.value, booleansAsText)
  return (resource) => {
    const values = read(resource)
    return values.length === 0 ? passes(undefined) : values.some(passes)
  }
}

/** Each value that is read is compared once. */
function counted(place: Place, spend: Spend | undefined): Place {
  if (spend === undefined) return place
  const read: Place['read'] = (from) => {
    const values = place.read(from)
    spend(values)
    return values
  }
  return { attribute: place.attribute, read }
}

/** A complex attribute is compared by its `value`, as `emails co "example.com"` in RFC 7644 §3.4.2.2. */
function withValue(place: Place): Place {
  if (place.attribute.type !== 'complex') return place
  const value = subAttribute(place.attribute, 'value')
  return value === undefined ? place : within(place, value)
}

function within({ read }: Place, sub: Attribute): Place {
  return {
    attribute: sub,
    read: (from) => read(from).map((one) => (isObject(one) ? member(one, sub.name) : undefined)),
  }
}

function compileElement({ path, filter, test }: ElementMatch, find: Find, options: FilterOptions): Predicate {
  const place = find(path)
  if (place === undefined) return () => false
  const { attribute, read } = place
  const matches = compileElementFilter(filter, attribute, options)
  const passes = test === undefined ? undefined : compileElementFilter(test, attribute, options)
  return (resource) =>
    read(resource).some((value) => isObject(value) && matches(value) && (passes === undefined || passes(value)))
}

function findInResource(
  definition: Definition,
  path: AttributePath,
  { unknownIsAbsent = false }: FilterOptions,
): Place | undefined {
  const target = findTarget(definition, path)
  if (target === undefined) {
    if (unknownIsAbsent) return undefined
    throw new ScimError('invalidFilter', `The filter names ${unknownPath(definition, path)}`)
  }
  if (target.kind === 'extension') {
    return { attribute: wholeExtension(target.urn), read: (from) => valuesOf(member(from, target.urn)) }
  }
  const { urn, attribute, sub } = target
  if (attribute.returned === 'never') {
    throw new ScimError('invalidFilter', `${attribute.name} cannot be filtered, because it is never returned.`)
  }
  const container = (from: JsonObject) => (urn === undefined ? from : member(from, urn))
  const place: Place = {
    attribute,
    read: (from) => {
      const holder = container(from)
      return isObject(holder) ? valuesOf(member(holder, attribute.name)) : []
    },
  }
  return sub === undefined ? place : within(place, sub)
}

/** Only `pr` makes sense for all attributes of an extension together. */
function wholeExtension(urn: string): Attribute {
  return {
    name: urn,
    type: 'complex',
    multiValued: false,
    description: '',
    required: false,
    caseExact: true,
    mutability: 'readOnly',
    returned: 'default',
    uniqueness: 'none',
  }
}

function findInElement(attribute: Attribute, { urn, name, sub }: AttributePath): Place {
  if (attribute.type !== 'complex') {
    throw new ScimError('invalidFilter', `${attribute.name} is not complex, so no filter in brackets can follow it.`)
  }
  const found = urn === undefined && sub === undefined ? subAttribute(attribute, name) : undefined
  if (found === undefined) {
    const names = [...subAttributes(attribute).values()].map((one) => one.name)
    throw new ScimError('invalidFilter', `In the brackets after ${attribute.name}, use its ${names.join(', ')}.`)
  }
  return { attribute: found, read: (from) => valuesOf(member(from, found.name)) }
}

function valuesOf(value: Json | undefined): readonly (Json | undefined)[] {
  if (value === undefined || value === null) return []
  return isArray(value) ? value : [value]
}
