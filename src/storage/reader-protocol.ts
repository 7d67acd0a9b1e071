import type { Refusal } from '../errors.ts'
import type { QueryName } from '../queries.ts'
import type { ListPlan } from '../users/list-plan.ts'

/** What a reader thread is given when it starts. */
export type ReaderSetup = { path: string }

export type ReaderRequest =
  | { id: number; kind: 'query'; name: QueryName; input: unknown }
  | { id: number; kind: 'open'; snapshot: number; plan: ListPlan }
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
