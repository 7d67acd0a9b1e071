import type { CommandName } from '../commands.ts'
import type { Actor, Announcement, Rules } from '../context.ts'
import type { Refusal } from '../errors.ts'
import type { KeptAnswerRequest } from '../idempotency/service.ts'

/** What the writer thread is given when it starts. */
export type WriterSetup = { path: string; rules: Rules; startedAt: number }

/** One change on its way to the writer thread. */
export type Job = {
  id: number
  name: CommandName
  input: unknown
  actor: Actor
  now: number
  requestId: string
  dryRun: boolean
  keep?: KeptAnswerRequest
}

export type Outcome =
  | { id: number; result: unknown; replayed?: true }
  | { id: number; refusal: Refusal; replayed?: true }
  | { id: number; fault: { message: string; stack: string | undefined } }

export type WriterMessage =
  | { kind: 'ready'; migrated: string[] }
  | { kind: 'done'; outcomes: Outcome[]; announcements: Announcement[] }
