import type { Refusal } from '../../core/errors.ts'
import type { QueryName, StreamName } from '../storage/registry.ts'

/**
 * The start data of a reader thread. `cancelled` is shared memory: a job that is no longer wanted has its id there, at
 * `id % cancelled.length`.
 */
export type ReaderSetup = { path: string; cancelled: Int32Array<SharedArrayBuffer> }

export type ReaderRequest =
  | { id: number; kind: 'query'; name: QueryName; input: unknown }
  | { id: number; kind: 'open'; snapshot: number; name: StreamName; input: unknown }
  | { id: number; kind: 'next'; snapshot: number }
  | { id: number; kind: 'close'; snapshot: number }
  /** Checks the whole file; the value is the damage, or undefined. */
  | { id: number; kind: 'check' }
  | { id: number; kind: 'end' }

/** Sent once the thread has loaded its modules. */
export type ReaderReady = 'ready'

export type ReaderAnswer = { id: number } & (
  | { value: unknown }
  | { refusal: Refusal }
  | { fault: { message: string; stack: string | undefined } }
)
