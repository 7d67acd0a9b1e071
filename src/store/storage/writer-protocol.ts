import type { Actor } from '../../core/actor.ts'
import type { Refusal } from '../../core/errors.ts'
import type { Rules } from '../../core/rules.ts'
import type { Announcement } from '../context.ts'
import type { KeptAnswerRequest } from '../idempotency/service.ts'
import type { Origin } from '../journal-entry.ts'
import type { CommandName } from './registry.ts'

/** The start data of the writer thread. */
export type WriterSetup = {
  path: string
  /** Where to create a missing store. */
  draft?: string | undefined
  rules: Rules
  startedAt: number
  withoutJournal?: boolean | undefined
}

/** A change sent to the writer thread. */
export type Job = {
  id: number
  name: CommandName
  input: unknown
  actor: Actor
  now: number
  requestId: string
  origin?: Origin | undefined
  dryRun: boolean
  responseKey?: KeptAnswerRequest
}

/**
 * Work on the files, outside of transactions. `vacuum` rewrites a small store, `checkpoint` empties its log; the result is
 * whether it is done.
 */
export type Chore = { id: number; chore: 'vacuum' | 'checkpoint' }

export type Outcome =
  | { id: number; result: unknown; replayed?: true }
  | { id: number; refusal: Refusal; replayed?: true }
  | { id: number; fault: Fault }

export type Fault = { message: string; stack: string | undefined }

export type WriterMessage =
  /** How far the migrations of an upgrade are. */
  | { kind: 'migrating'; message: string }
  | { kind: 'ready'; migrated: string[] }
  | { kind: 'done'; outcomes: Outcome[]; announcements: Announcement[] }
  /** The log cannot be written back into the database, so it grows. */
  | { kind: 'log_fault'; fault: Fault }
  | { kind: 'closed' }
