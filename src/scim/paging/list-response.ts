/** The response to a list (RFC 7644 §3.4.2, RFC 9865 §2). */
import type { JsonObject } from '../protocol/json.ts'
import { listResponseUrn } from '../protocol/urns.ts'

/** The total number of matches, and the position of this page. */
export interface ListPlace {
  readonly totalResults: number
  /** With index paging: the number of the first resource, from 1. */
  readonly startIndex?: number
  /** With a cursor: undefined on the last page. */
  readonly nextCursor?: string
  readonly previousCursor?: string
}

/** Returns the response. `Resources` is present even if empty: some clients read it without a check. */
export function listResponse(resources: readonly JsonObject[], place: ListPlace): JsonObject {
  const { totalResults, startIndex, nextCursor, previousCursor } = place
  return {
    schemas: [listResponseUrn],
    totalResults,
    ...(startIndex !== undefined && { startIndex }),
    itemsPerPage: resources.length,
    ...(previousCursor !== undefined && { previousCursor }),
    ...(nextCursor !== undefined && { nextCursor }),
    Resources: resources,
  }
}
