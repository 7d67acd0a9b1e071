import type { Sql } from './sql.ts'

export type Engine = 'sqlite' | 'postgres'

/** A handle to run statements on: a connection that reads, or the transaction of a change. */
export type Db = {
  readonly engine: Engine
  /** The first row, or undefined. */
  get<Row extends object>(statement: Sql): Promise<Row | undefined>
  all<Row extends object>(statement: Sql): Promise<Row[]>
  /** Runs a statement that returns no rows; answers how many rows it changed. */
  run(statement: Sql): Promise<number>
}
