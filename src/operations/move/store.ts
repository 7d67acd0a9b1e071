import type { Transaction } from '../../store/db/db.ts'
import type { Batch, Column, Key, Kind } from './rows.ts'
import type { Table } from './tables.ts'

/** A table as both stores have it: which columns, the key's first. */
export type Shape = Table & { columns: readonly Column[] }

/** One end of a move: a store to read rows from, or to write them to. */
export type Store = {
  readonly db: Transaction
  /** For messages; holds no secret. */
  readonly place: string
  /** The columns of each table. SQLite does not tell kinds: a column holds what is put into it. */
  columns(table: string): Promise<Map<string, Kind | undefined>>
  /** What is read from now on is one state: that of now. */
  refresh(): Promise<void>
  /** The next rows after the key, in the order of the key. */
  read(shape: Shape, after: Key | undefined, limit: number): Promise<Batch>
  close(): Promise<void>
}

/** The store that is filled. */
export type Target = Store & {
  /** Brings the schema up to date, and makes it where there is none. */
  migrate(): Promise<void>
  exec(text: string): Promise<void>
  /** Writes rows that follow those that are there; all of them or none. */
  write(shape: Shape, batch: Batch): Promise<void>
  /** Takes all rows out again. */
  empty(): Promise<void>
  /** When all rows are there: what is better done once than for each of them. */
  finish(): Promise<void>
}
