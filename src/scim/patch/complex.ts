/** Changes of complex values. */
import { isDeepStrictEqual } from 'node:util'
import { ScimError } from '../protocol/errors.ts'
import { isObject, isUnassigned, type Json, type JsonObject, member } from '../protocol/json.ts'
import type { Attribute } from '../schemas/attribute.ts'
import { subAttribute } from '../schemas/definition.ts'

/** Returns the object with a sub-attribute set, or without it; undefined if nothing is left. */
export function withMember(object: JsonObject, sub: Attribute, value: Json | undefined): JsonObject | undefined {
  const current = member(object, sub.name)
  const isFixed = sub.mutability === 'immutable' && current !== undefined && !isDeepStrictEqual(current, value)
  if (sub.mutability === 'readOnly' || isFixed) {
    throw new ScimError('mutability', `${sub.name} cannot be changed. Remove the value and add another.`)
  }
  const next: Record<string, Json> = { ...object }
  if (value === undefined) delete next[sub.name]
  else next[sub.name] = value
  return Object.keys(next).length > 0 ? next : undefined
}

/**
 * Returns a complex value with what was sent: other sub-attributes stay, and null removes one (RFC 7644 §3.5.2.3).
 *
 * @param sent as it came
 * @param read the same, after it was read; undefined if it has no values
 */
export function merged(
  attribute: Attribute,
  current: JsonObject,
  sent: JsonObject,
  read: Json | undefined,
): JsonObject | undefined {
  const next: Record<string, Json> = { ...current, ...objectOr(read) }
  for (const [name, value] of Object.entries(sent)) {
    const sub = isUnassigned(value) ? subAttribute(attribute, name) : undefined
    if (sub !== undefined && sub.mutability !== 'readOnly') delete next[sub.name]
  }
  return Object.keys(next).length > 0 ? next : undefined
}

export function objectOr(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}
