import type { Operation } from '../patch/operations.ts'
import { isArray, isObject } from '../protocol/json.ts'

/** Matches the last part of a path or key, which may start with the schema's URN. */
const names = /^(?:urn:.*:)?password$/i

/** Returns the password that a PATCH sets, so that it can be hashed before the change is queued. */
export function passwordIn(operations: readonly Operation[]): string | undefined {
  let found: string | undefined
  for (const { op, path, value } of operations) {
    if (op === 'remove') continue
    const sent = isArray(value) && value.length === 1 ? value[0] : value
    if (path !== undefined) {
      if (names.test(path) && typeof sent === 'string') found = sent
      continue
    }
    for (const [key, one] of isObject(sent) ? Object.entries(sent) : []) {
      if (names.test(key) && typeof one === 'string') found = one
    }
  }
  return found
}
