/** JSON in SCIM messages. Only own properties are read and written. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [name: string]: Json }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isArray(value: unknown): value is readonly Json[] {
  return Array.isArray(value)
}

/** Returns an own member: `__proto__` and `constructor` of the prototype are never read. */
export function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/**
 * Whether this value counts as no value: null, "", [], {} and lists or objects of nothing else
 * (RFC 7643 §2.5, RFC 7644 §3.4.2.2 `pr`).
 */
export function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true
  if (isArray(value)) return value.every(isEmpty)
  return isObject(value) && Object.values(value).every(isEmpty)
}

/** Whether this value removes an attribute: null, [] or {} (RFC 7643 §2.5). */
export function isUnassigned(value: Json): boolean {
  if (value === null) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** Finds members by names that differ only in case (RFC 7643 §2.1). The first spelling wins. */
export function membersByLowerCase(object: JsonObject): ReadonlyMap<string, Json> {
  const found = new Map<string, Json>()
  for (const [name, value] of Object.entries(object)) {
    const key = name.toLowerCase()
    if (!found.has(key)) found.set(key, value)
  }
  return found
}
