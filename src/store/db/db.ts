import type { Sql } from './sql.ts'

export type Engine = 'sqlite' | 'postgres'

/**
 * Called for each row with the offset of its first column: its length in four bytes, then its bytes, then the next column.
 * The buffer is reused afterwards.
 */
export type TakeRow = (bytes: Buffer, at: number) => void

/** Texts one after another, with a byte before each and after the last that the caller fills. `ends[n]` is after text n. */
export type Texts = { bytes: Buffer; ends: number[] }

/** Limits the work of the statements of a connection. */
export type Meter = {
  /** Counts work, in microseconds of a quiet machine. @throws Spent, or the reason for cancelling the work */
  spend(us: number): void
  /** The remaining budget; infinite without a limit. */
  left(): number
  /** Runs work within this budget. Returns undefined if the work would exceed it. */
  within<T>(us: number, work: () => Promise<T>): Promise<T | undefined>
  /** @throws the reason for cancelling the work */
  look(): void
  /** Called before and while statements run; an error that it returns ends them. */
  onLook(check: () => Error | undefined): void
}

/** A handle to read from. */
export type Db = {
  readonly engine: Engine
  /** Returns the first row, or undefined. */
  get<Row extends object>(statement: Sql): Promise<Row | undefined>
  all<Row extends object>(statement: Sql): Promise<Row[]>
  /** On PostgreSQL: returns the first column of all rows, as bytes. `size`: roughly how many. */
  texts?(statement: Sql, size: number): Promise<Texts>
  /** On one connection to PostgreSQL: iterates over the rows as bytes. */
  copy?(statement: Sql, onRow: TakeRow): Promise<void>
  /** On one connection to SQLite: limits the work of its statements. */
  readonly meter?: Meter
  /** In a query: for long computations between statements, which refuse it by themselves. @throws AppError if the caller has left */
  readonly refuseAbandoned?: () => void
  /** On PostgreSQL: set in a transaction that several changes share. */
  readonly shared?: SharedStatements
}

/** Combines the reads of changes that share a transaction into one statement per turn of the event loop. */
export type SharedStatements = {
  /** `work` returns one result for each of `inputs`, in their order. It must be the same function at each call. */
  read<Asked, Found>(
    work: (db: Db, inputs: readonly Asked[]) => Promise<readonly Found[]>,
    input: Asked,
  ): Promise<Found>
  /** The same; `work` returns whether each of them changed anything. */
  write<Asked>(
    work: (db: Transaction, inputs: readonly Asked[]) => Promise<readonly boolean[]>,
    input: Asked,
  ): Promise<boolean>
  /** Aborts the change and runs it again in a transaction of its own, because it would have to wait here. */
  rerunAlone(): never
}

/**
 * The transaction of a change. The method says whether a statement writes, and with that whether the change can be undone
 * without a rollback (docs/decisions/0201): `get` and `all` only read, or lock rows; all others may write.
 */
export type Transaction = Db & {
  /** Runs a statement without result rows. Returns how many rows it changed. */
  run(statement: Sql): Promise<number>
  /** Runs a statement that changes rows and returns each of them (`RETURNING`). */
  returning<Row extends object>(statement: Sql): Promise<Row[]>
  /** Runs a statement. Returns false, without effect, if a value that must be unique is taken. */
  runUnlessTaken(statement: Sql): Promise<boolean>
  /** Runs work in a savepoint, which is rolled back if the work throws; the error is passed on. */
  undoable<T>(work: () => Promise<T>): Promise<T>
  /**
   * Locks these names until the transaction ends, after waiting for other transactions that hold them. Later reads see their
   * complete changes. On SQLite changes run one after another anyway.
   */
  lock(names: readonly string[]): Promise<void>
  /** Like `lock`, but does not wait. Returns false if another transaction holds the name. */
  tryLock(name: string): Promise<boolean>
}
