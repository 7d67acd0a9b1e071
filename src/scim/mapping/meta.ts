/** `meta` of a stored resource (RFC 7643 §3.1). */
import type { JsonObject } from '../protocol/json.ts'

export function metaOf(
  resourceType: string,
  location: string,
  { created_at, updated_at }: { created_at: string; updated_at: string },
  version: string,
): JsonObject {
  return { resourceType, created: created_at, lastModified: updated_at, location, version }
}
