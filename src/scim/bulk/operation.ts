/** One operation of a bulk request (RFC 7644 §3.7). */
import type { JsonObject } from '../protocol/json.ts'

export const methods = ['POST', 'PUT', 'PATCH', 'DELETE'] as const
type BulkMethod = (typeof methods)[number]

export interface BulkOperation {
  readonly method: BulkMethod
  readonly bulkId: string | undefined
  readonly version: string | undefined
  /** As sent: `/Users` or `/Users/{id}`. */
  readonly path: string
  readonly endpoint: 'Users' | 'Groups'
  /** The id of the resource, or `bulkId:…`; undefined for POST. */
  readonly id: string | undefined
  readonly data: JsonObject | undefined
}
