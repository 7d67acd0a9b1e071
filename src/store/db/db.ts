import type { Sql } from './sql.ts'

export type Engine = 'sqlite' | 'postgres'

/**
 * Called for each row with where its first column begins: its length in four bytes, then itself, then the next one. The
 * bytes are used again afterwards.
 */
export type TakeRow = (bytes: Buffer, at: number) => void

/** Limits the work of the statements of a connection. */
export type Meter = {
  /** Counts work, in microseconds of a quiet machine. @throws Spent, or the reason why the work is no longer wanted */
  spend(us: number): void
  /** How much may still be spent; infinite without a limit. */
  left(): number
  /** Runs work that may cost this much. Returns undefined when it would cost more. */
  within<T>(us: number, work: () => Promise<T>): Promise<T | undefined>
  /** Called while statements run; an error that it returns ends them. */
  onLook(check: () => Error | undefined): void
}

/** A handle to read from. */
export type Db = {
  readonly engine: Engine
  /** The first row, or undefined. */
  get<Row extends object>(statement: Sql): Promise<Row | undefined>
  all<Row extends object>(statement: Sql): Promise<Row[]>
  /** On one connection to PostgreSQL: the rows as bytes, one after the other. */
  copy?(statement: Sql, take: TakeRow): Promise<void>
  /** On one connection to SQLite: bounds what its statements may do. */
  readonly meter?: Meter
}

/** The transaction of a change. */
export type Transaction = Db & {
  /** Runs a statement that returns no rows; answers how many rows it changed. */
  run(statement: Sql): Promise<number>
  /** Runs a statement; false says that a value in it is taken where it must be unique, and that it had no effect. */
  runUnlessTaken(statement: Sql): Promise<boolean>
  /** Runs work that is undone by itself when it throws, which goes on to the caller. */
  undoable<T>(work: () => Promise<T>): Promise<T>
  /**
   * Waits until no other transaction holds one of these names, and holds them to the end of this one. What is read
   * afterwards was not decided by halves. On SQLite changes run one after the other anyway.
   */
  lock(names: readonly string[]): Promise<void>
  /** As `lock`, but does not wait; false says that another transaction holds the name. */
  tryLock(name: string): Promise<boolean>
}
