/**
 * Reads resources that clients send, by the definition of their type. Names get the spelling of the schema; values stay
 * exactly as they were sent. What a client may not set is left out (RFC 7644 §3.3).
 */
import { ScimError } from '../protocol/errors.ts'
import { isArray, isEmpty, isObject, type Json, type JsonObject, member } from '../protocol/json.ts'
import { type Habits, profileHint } from '../protocol/profiles.ts'
import type { Attribute } from './attribute.ts'
import { readAttributePath } from './attribute-path.ts'
import { readDateTime } from './date-time.ts'
import { attributeCalled, type Definition, findTarget, qualified, subAttributes, suggestion } from './definition.ts'

/** The most values of one attribute of a user. Members of groups are not limited here. */
const MAX_VALUES = 1000

interface ReadResource {
  readonly resource: JsonObject
  /** Keys such as `name.givenName`, which the profile allows; `acceptResource` applies them. */
  readonly flattened: readonly (readonly [path: string, value: Json])[]
  /** What was sent and has no effect: unknown attributes and schemas, if the profile ignores them. */
  readonly ignored: readonly string[]
}

/**
 * Reads the body of POST or PUT.
 *
 * @throws ScimError `invalidSyntax` or `invalidValue`
 */
export function readResource(body: unknown, definition: Definition, habits: Habits): ReadResource {
  if (!isObject(body)) throw new ScimError('invalidSyntax', 'The body must be a JSON object.')
  const resource: Record<string, Json> = {}
  const ignored: string[] = []
  const flattened: [string, Json][] = []
  for (const [key, value] of distinctMembers(body)) {
    const extension = definition.extensions.get(key.toLowerCase())
    if (extension !== undefined) {
      const read = readMembers(value, extension.attributes, `${extension.schema.id}:`, habits, ignored)
      if (read !== undefined) resource[extension.schema.id] = read
      continue
    }
    const attribute = definition.attributes.get(key.toLowerCase())
    if (attribute === undefined) {
      const path = habits.flattenedKeys ? readAttributePath(key) : undefined
      if (path !== undefined && findTarget(definition, qualified(definition, path)) !== undefined)
        flattened.push([key, value])
      else if (habits.ignoresUnknown) ignored.push(key)
      else throw unknownAttribute(key, `a ${definition.name}`, definition.attributes)
    } else if (attribute.name === 'schemas') {
      readSchemas(value, definition, habits, ignored)
    } else if (attribute.mutability !== 'readOnly') {
      const read = readValue(attribute, value, attribute.name, habits, ignored)
      if (read !== undefined) resource[attribute.name] = read
    }
  }
  if (!habits.ignoresUnknown && !Object.keys(body).some((key) => key.toLowerCase() === 'schemas')) {
    throw new ScimError('invalidSyntax', `The member schemas is missing. Send ["${definition.schema.id}"].`)
  }
  return { resource: { schemas: schemasOf(resource, definition), ...resource }, flattened, ignored }
}

/** Returns the schemas that a resource uses (RFC 7643 §3). */
export function schemasOf(resource: JsonObject, definition: Definition): string[] {
  const used = [...definition.extensions.values()].map(({ schema }) => schema.id).filter((urn) => urn in resource)
  return [definition.schema.id, ...used]
}

/** @throws ScimError `invalidValue` if a required attribute has no value */
export function checkRequired(resource: JsonObject, definition: Definition): void {
  for (const { name, required, mutability } of definition.attributes.values()) {
    if (required && mutability !== 'readOnly' && isEmpty(member(resource, name))) {
      throw new ScimError('invalidValue', `${name} is required.`)
    }
  }
}

function readSchemas(value: Json, definition: Definition, habits: Habits, ignored: string[]): void {
  if (!isArray(value) || !value.every((one) => typeof one === 'string')) {
    throw new ScimError('invalidSyntax', 'schemas must be a list of URNs.')
  }
  const known = [definition.schema.id.toLowerCase(), ...definition.extensions.keys()]
  const unknown = value.filter((urn) => !known.includes(urn.toLowerCase()))
  if (habits.ignoresUnknown) {
    ignored.push(...unknown)
    return
  }
  if (unknown.length > 0) {
    throw new ScimError('invalidSyntax', 'schemas has a URN that is not among those of /Schemas for this type.')
  }
  if (!value.some((urn) => urn.toLowerCase() === known[0])) {
    throw new ScimError('invalidSyntax', `schemas must contain "${definition.schema.id}".`)
  }
}

/**
 * Reads a value of an attribute: checks its type, and gives the members of complex values the spelling of the schema.
 * Undefined means that the attribute has no value: it was null, an empty list, or an object without members.
 *
 * @param at how the attribute is called in messages
 * @throws ScimError `invalidValue` or `invalidSyntax`
 */
export function readValue(
  attribute: Attribute,
  value: Json,
  at: string,
  habits: Habits,
  ignored: string[],
): Json | undefined {
  if (value === null) return undefined
  if (!attribute.multiValued) return readOne(attribute, unwrapped(attribute, value, habits), at, habits, ignored)
  if (!isArray(value) && !habits.looseValues) throw new ScimError('invalidValue', `${at} must be a list.`)
  return readValues(attribute, isArray(value) ? value : [value], at, habits, ignored)
}

/** Reads the values of a list. */
export function readValues(
  attribute: Attribute,
  values: readonly Json[],
  at: string,
  habits: Habits,
  ignored: string[],
): readonly Json[] | undefined {
  checkCount(attribute, values.length, at)
  const read = values
    .map((one) => (one === null ? undefined : readOne(attribute, one, at, habits, ignored)))
    .filter((one) => one !== undefined)
  if (read.filter(isPrimary).length > 1) {
    throw new ScimError('invalidValue', `Only one value of ${at} can be primary.`)
  }
  return read.length > 0 ? read : undefined
}

/** @throws ScimError `invalidValue` for a list that is too long */
export function checkCount(attribute: Attribute, count: number, at: string): void {
  if (count > MAX_VALUES && attribute.name !== 'members') {
    throw new ScimError('invalidValue', `${at} can have at most ${MAX_VALUES} values.`)
  }
}

export function isPrimary(value: Json): boolean {
  return isObject(value) && member(value, 'primary') === true
}

/** Entra sends single values as a list of one, and simple ones as an object with a `value`. */
function unwrapped(attribute: Attribute, value: Json, habits: Habits): Json {
  if (!habits.looseValues) return value
  const one = isArray(value) && value.length === 1 ? (value[0] ?? null) : value
  if (attribute.type === 'complex' || !isObject(one)) return one
  return member(one, 'value') ?? one
}

function readOne(attribute: Attribute, value: Json, at: string, habits: Habits, ignored: string[]): Json | undefined {
  if (value === null) return undefined
  if (attribute.type !== 'complex') return readSimple(attribute, value, at, habits)
  const attributes = subAttributes(attribute)
  if (typeof value === 'string' && habits.looseValues && attributes.has('value')) {
    return value === '' ? undefined : { value }
  }
  return readMembers(value, attributes, `${at}.`, habits, ignored)
}

/** @param prefix precedes the names in messages: `name.`, or the URN of an extension with a colon */
function readMembers(
  value: Json,
  attributes: ReadonlyMap<string, Attribute>,
  prefix: string,
  habits: Habits,
  ignored: string[],
): JsonObject | undefined {
  if (value === null) return undefined
  const at = prefix.slice(0, -1)
  if (!isObject(value)) throw new ScimError('invalidValue', `${at} must be an object.`)
  const read: Record<string, Json> = {}
  for (const [key, one] of distinctMembers(value)) {
    const attribute = attributes.get(key.toLowerCase())
    if (attribute === undefined) {
      if (!habits.ignoresUnknown) throw unknownAttribute(key, at, attributes)
      ignored.push(`${prefix}${key}`)
    } else if (attribute.mutability !== 'readOnly') {
      const part = readValue(attribute, one, `${prefix}${attribute.name}`, habits, ignored)
      if (part !== undefined) read[attribute.name] = part
    }
  }
  return Object.keys(read).length > 0 ? read : undefined
}

/** @throws ScimError `invalidSyntax` for two names that differ only in case */
export function distinctMembers(object: JsonObject): [string, Json][] {
  const members = Object.entries(object)
  if (new Set(members.map(([name]) => name.toLowerCase())).size < members.length) {
    throw new ScimError('invalidSyntax', 'Two members have names that differ only in case. Send one of them.')
  }
  return members
}

function unknownAttribute(name: string, of: string, attributes: ReadonlyMap<string, Attribute>): ScimError {
  const detail = `The request has ${attributeCalled(name)}, which ${of} does not have.${suggestion(name, attributes)}`
  return new ScimError('invalidSyntax', `${detail} /Schemas lists all attributes.`)
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

/** @throws ScimError `invalidValue` */
function readSimple(attribute: Attribute, value: Json, at: string, habits: Habits): Json {
  const refuse = (form: string, hint = '') => new ScimError('invalidValue', `${at} must be ${form}.${hint}`)
  switch (attribute.type) {
    case 'boolean':
      if (typeof value === 'boolean') return value
      if (habits.booleansAsText && typeof value === 'string' && /^(?:true|false)$/i.test(value)) {
        return value.toLowerCase() === 'true'
      }
      throw refuse('true or false, without quotes', habits.booleansAsText ? '' : profileHint)
    case 'integer':
      if (Number.isSafeInteger(value)) return value
      throw refuse('a whole number')
    case 'decimal':
      if (typeof value === 'number') return value
      throw refuse('a number')
    default:
      if (typeof value !== 'string') throw refuse('a string')
      if (!value.isWellFormed()) throw refuse('a string without half characters (lone surrogates)')
      if (attribute.type === 'dateTime' && readDateTime(value) === undefined) {
        throw refuse('a time such as 2026-11-20T09:30:00Z')
      }
      if (attribute.type === 'binary' && !base64.test(value)) throw refuse('base64')
      return value
  }
}
