import type { Refusal } from '../../core/errors.ts'
import type { QueryName, StreamName } from './registry.ts'

/**
 * What a reader thread is given when it starts. `cancelled` is shared with it: a job whose answer is not wanted any more
 * has its id there, in the place `id % cancelled.length`.
 */
export type ReaderSetup = { path: string; cancelled: Int32Array<SharedArrayBuffer> }

export type ReaderRequest =
  | { id: number; kind: 'query'; name: QueryName; input: unknown }
  | { id: number; kind: 'open'; snapshot: number; name: StreamName; input: unknown }
  | { id: number; kind: 'next'; snapshot: number }
  | { id: number; kind: 'close'; snapshot: number }
  /** Looks through the whole file; the value is what is wrong, or undefined. */
  | { id: number; kind: 'check' }
  | { id: number; kind: 'end' }

export type ReaderAnswer = { id: number } & (
  | { value: unknown }
  | { refusal: Refusal }
  | { fault: { message: string; stack: string | undefined } }
)
