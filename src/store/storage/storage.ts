import type { Actor } from '../../core/actor.ts'
import type { Rules } from '../../core/rules.ts'
import type { Announcement } from '../context.ts'
import type { Db } from '../db/db.ts'
import type { KeptAnswer, KeptAnswerRequest } from '../idempotency/service.ts'
import type { Origin } from '../journal-entry.ts'
import type { StorageLoad } from './load.ts'
import type {
  CommandInput,
  CommandName,
  CommandResult,
  QueryInput,
  QueryName,
  QueryResult,
  StreamInput,
  StreamName,
} from './registry.ts'

/** The caller of a change, its time, and how to treat it. */
export type ChangeRequest = {
  actor: Actor
  now: number
  requestId: string
  /** The caller's address. Undefined for Rollbook's own actions. */
  origin?: Origin | undefined
  /** Say what would happen, and change nothing. */
  dryRun?: boolean
  /** Keep the answer under an Idempotency-Key, or answer with the kept one. */
  responseKey?: KeptAnswerRequest
}

/** The reader, and until when the result is wanted; a read that waits longer is dropped. */
export type ReadRequest = { actor: Actor; signal?: AbortSignal }

/** One consistent view of all matching rows, read piece by piece. */
export type Snapshot = {
  readonly total: number | undefined
  /** The next bytes, or undefined after the last. */
  next(): Promise<Uint8Array | undefined>
  close(): void
}

/** Where everything is kept. Changes are named (registry.ts); each is one transaction, and durable when it returns. */
export type Storage = {
  /** The rules in force: its members change when an administrator changes a role or a policy. */
  readonly rules: Rules
  /** Reads the stored rules again, for a moment in which `isCurrent` is false. */
  refreshRules(): Promise<void>
  /** For reads that one index answers at once. */
  readonly db: Db
  change<Name extends CommandName>(
    name: Name,
    input: CommandInput<Name>,
    request: ChangeRequest,
  ): Promise<{ result: CommandResult<Name>; replayed: boolean }>
  /** The stored response to this request, once no failover can undo it. */
  keptAnswer(request: KeptAnswerRequest): Promise<KeptAnswer | undefined>
  query<Name extends QueryName>(name: Name, input: QueryInput<Name>, request: ReadRequest): Promise<QueryResult<Name>>
  openSnapshot<Name extends StreamName>(name: Name, input: StreamInput<Name>, request: ReadRequest): Promise<Snapshot>
  /** Afterwards everything that was committed before the call has its place among the audit records and the events. */
  settleJournal(): Promise<void>
  /**
   * Removes deleted data from the files too, as far as the engine can. False: a reader still needs it. `thorough` may delay
   * changes for part of a second.
   */
  scrub(how: 'quick' | 'thorough'): Promise<boolean>
  /** Changes with every committed change of a user. */
  usersVersion(): Promise<string>
  onAnnouncement(listener: (event: Announcement) => void): void
  /** Whether changes can be made now. */
  isReady(): boolean
  /** The storage reported damage: restore it, and do not rely on what is read. */
  isDamaged(): boolean
  /** Whether every revocation of more than a second ago has been announced here: what is remembered may be trusted. */
  isCurrent(): boolean
  /** How old that knowledge is, in milliseconds. */
  ageMs(): number
  load(): StorageLoad
  /** Names of the migrations that ran at the start. */
  readonly migrated: readonly string[]
  close(): Promise<void>
}
