import type { Transaction } from '../../store/db/db.ts'
import type { Batch, Column, Key, Kind } from './rows.ts'
import type { Table } from './tables.ts'

/** A table that both stores have: its columns, the key's first. */
export type Shape = Table & { columns: readonly Column[] }

/** One end of a move: a store to read rows from, or to write them to. */
export type Store = {
  readonly db: Transaction
  /** For messages; holds no secret. */
  readonly place: string
  /** The columns of each table. SQLite has no column types: a column holds whatever is stored. */
  columns(table: string): Promise<Map<string, Kind | undefined>>
  /** Fixes the current state for all following reads. */
  refresh(): Promise<void>
  /** Returns the next rows after the key, in the order of the key. */
  read(shape: Shape, after: Key | undefined, limit: number): Promise<Batch>
  close(): Promise<void>
}

/** The target of a move. */
export type Target = Store & {
  /** Brings the schema up to date, or creates it. */
  migrate(): Promise<void>
  exec(text: string): Promise<void>
  /** Writes rows that follow the existing ones: all or none. */
  write(shape: Shape, batch: Batch): Promise<void>
  /** Deletes all rows. */
  empty(): Promise<void>
  /** Called when all rows are there, for work that is cheaper once than per row. */
  finish(): Promise<void>
}
