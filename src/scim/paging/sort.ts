/** Sorts resources by an attribute (RFC 7644 §3.4.2.3). */
import { foldCase } from '../filter/compare.ts'
import { ScimError } from '../protocol/errors.ts'
import { isArray, isObject, type Json, type JsonObject, member } from '../protocol/json.ts'
import type { Attribute } from '../schemas/attribute.ts'
import type { AttributePath } from '../schemas/attribute-path.ts'
import { readDateTime } from '../schemas/date-time.ts'
import { type Definition, findTarget, subAttribute } from '../schemas/definition.ts'
import { isPrimary } from '../schemas/read.ts'

/** Null without a value. */
export type Key = string | number | null

/** A key is part of a cursor, so longer texts with the same beginning sort by id. */
const longestKey = 256

/** Resources without a value come last; descending, first. */
export function compareKeys(a: Key, b: Key): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return a < b ? -1 : 1
}

/** Returns what a resource sorts by: of a multi-valued attribute, the primary or first value. */
export function compileKey(path: AttributePath, definition: Definition): (resource: JsonObject) => Key {
  const target = findTarget(definition, path)
  if (target === undefined || target.kind === 'extension' || target.attribute.returned === 'never') throw unsortable()
  const { urn, attribute } = target
  const sub = target.sub ?? (attribute.type === 'complex' ? subAttribute(attribute, 'value') : undefined)
  if (sub === undefined && attribute.type === 'complex') throw unsortable()
  return (resource) => {
    const holder = urn === undefined ? resource : member(resource, urn)
    const value = isObject(holder) ? mainValue(member(holder, attribute.name)) : undefined
    if (sub === undefined) return keyOfValue(attribute, value)
    return keyOfValue(sub, isObject(value) ? member(value, sub.name) : undefined)
  }
}

function mainValue(value: Json | undefined): Json | undefined {
  return isArray(value) ? (value.find(isPrimary) ?? value[0]) : value
}

function keyOfValue({ type, caseExact }: Attribute, value: Json | undefined): Key {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return null
  if (type === 'dateTime') return readDateTime(value) ?? null
  return (caseExact ? value : foldCase(value)).slice(0, longestKey).toWellFormed()
}

function unsortable(): ScimError {
  return new ScimError(
    'invalidValue',
    'sortBy must name an attribute with simple values, such as userName or name.familyName.',
  )
}
