/**
 * Handlers that the store runs without importing them: changes, reads and the journal belong to the floors above. The
 * composition root registers them, the types here and the values when it opens the storage
 * (docs/decisions/0001-changes-are-named-commands.md, 0044).
 */
import type { Announcement, ChangeContext, RecordedRequest, UserAccess } from '../context.ts'
import type { Db, Engine, Transaction } from '../db/db.ts'

/** The composition root adds the types `commands`, `queries`, `streams` and `journalEntry` with `declare module`. */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled from above.
export interface Registry {}

type Command = (ctx: ChangeContext, input: never) => Promise<unknown>

export type Query = {
  run(db: Db, input: never): Promise<unknown>
  /** Whether an index returns this at once, so that it may run in the main thread. */
  isQuick(input: never): boolean
  /** It does a limited amount of work, and never waits behind one that may take seconds. */
  isBounded: boolean
  /**
   * Quick reads of one turn with the same text share a result, which no caller may modify. Returns undefined if
   * another read costs about as much as the comparison.
   */
  sameAs?(input: never, engine: Engine): string | undefined
}

/** Rows that are read in chunks from one snapshot. */
type Stream = {
  /** The number of rows; undefined if not requested. */
  total(db: Db, input: never): Promise<number> | undefined
  pieces(db: Db, input: never): AsyncGenerator<Uint8Array>
}

/** The shape of a module that registers handlers: `satisfies CommandHandlers`. */
export type CommandHandlers = Readonly<Record<string, Command>>
/** What the store may do with a change beyond running it; see `ChangeHandlers`. */
export type ChangeTrait<Run extends Command = Command> = {
  besideJournal?: true
  provisional?: true
  ofManyRows?: true
  ofRules?: true
  sharing?: (input: Parameters<Run>[1]) => readonly string[] | undefined
}
/** The traits of a room's changes, by name: `satisfies ChangeTraits<typeof changes>`. */
export type ChangeTraits<All extends CommandHandlers> = { readonly [Name in keyof All]?: ChangeTrait<All[Name]> }

export type QueryHandlers = Readonly<Record<string, Query>>
export type StreamHandlers = Readonly<Record<string, Stream>>

type Nothing = Record<never, never>
export type Commands = Registry extends { commands: infer All extends CommandHandlers } ? All : Nothing
export type CommandName = keyof Commands
export type CommandInput<Name extends CommandName> = Parameters<Commands[Name]>[1]
export type CommandResult<Name extends CommandName> = Awaited<ReturnType<Commands[Name]>>

export type Queries = Registry extends { queries: infer All extends QueryHandlers } ? All : Nothing
export type QueryName = keyof Queries
export type QueryInput<Name extends QueryName> = Parameters<Queries[Name]['run']>[1]
export type QueryResult<Name extends QueryName> = Awaited<ReturnType<Queries[Name]['run']>>

export type Streams = Registry extends { streams: infer All extends StreamHandlers } ? All : Nothing
export type StreamName = keyof Streams
export type StreamInput<Name extends StreamName> = Parameters<Streams[Name]['pieces']>[1]

/** The journal entries of one change, as the journal writes them. */
export type JournalEntry = Registry extends { journalEntry: infer Entry } ? Entry : never

/** Collects the entries of one change until it is known that it will be committed. */
export type Collector = Pick<ChangeContext, 'record' | 'recordFor' | 'emit'> & {
  readonly isEmpty: boolean
  entry(ctx: RecordedRequest, newId: () => string): JournalEntry
}

export type Journal = {
  collect(): Collector
  /** On SQLite: writes the entries in their places. */
  append(db: Transaction, entries: readonly JournalEntry[]): Promise<void>
  /** On PostgreSQL: stores the entries of one transaction, which get their places later. */
  writePending(db: Transaction, entries: readonly JournalEntry[]): Promise<void>
  /** Whether entries with a greater id than `after` wait for their place. */
  hasPending(db: Db, after: number): Promise<boolean>
  /** Gives waiting entries their places. Returns how many, `settleLimit` at most. */
  settlePending(db: Transaction, after: number): Promise<number>
  readonly settleLimit: number
}

export type Sharing = { readonly [Name in CommandName]?: (input: CommandInput<Name>) => readonly string[] | undefined }

/** Dependencies of the thread that makes changes: the writer thread on SQLite, the main thread on PostgreSQL. */
export type ChangeHandlers = {
  readonly commands: Commands
  /** Commands that do not use the journal, so that it may be written after several of them. */
  readonly besideJournal: ReadonlySet<CommandName>
  /**
   * Commands whose effect a power failure may undo: on SQLite their commit does not wait for the disk. The next durable one
   * brings it there.
   */
  readonly provisional: ReadonlySet<CommandName>
  /** Commands that write hundreds of rows at a time, and come in long series. */
  readonly ofManyRows: ReadonlySet<CommandName>
  /** Commands that change stored roles or policies: on PostgreSQL no other change runs at the same time, on any node. */
  readonly ofRules: ReadonlySet<CommandName>
  /**
   * Commands that may share a transaction with others on PostgreSQL. Each returns what the change must not share with
   * another change at the same time, such as its user; undefined for an input that needs a transaction of its own.
   */
  readonly sharing: Sharing
  readonly journal: Journal
  /** Records what a change has revoked, as its last statement. */
  recordRevocations(db: Transaction, announced: readonly Announcement[], now: number): Promise<void>
  readonly access: UserAccess
}

/** What every reading thread needs, including the main thread. */
export type ReadHandlers = { readonly queries: Queries; readonly streams: Streams }

/** Work of SQLite's writer thread between changes, in steps of a few milliseconds. */
export type Upkeep = {
  prepareIndex(db: Transaction): Promise<void>
  /** How many rows wait for the search index. */
  countPending(db: Db): Promise<number>
  /** Brings waiting rows into the search index, `rowsInStep` at most. */
  indexStep(db: Transaction): Promise<{ rows: number; isMerging: boolean }>
  readonly rowsInStep: number
  /** Makes room for all new users of a change that threw `NoRoom`, step by step. */
  makeRoom(db: Transaction, userIds: readonly string[]): AsyncGenerator<void, void>
  /** How many rows one step of `makeRoom` moves. */
  readonly movedAtOnce: number
}

/** Everything that the composition root passes to `openStorage`. */
export type Handlers = ReadHandlers & {
  /** Loaded on PostgreSQL only: on SQLite the main thread makes no change. */
  loadChanges(): Promise<ChangeHandlers>
  /** The entry modules of SQLite's threads. */
  threads: Threads
}

export type Threads = { writer: URL; reader: URL }
