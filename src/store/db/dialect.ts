/** Differences between the engines in syntax and abilities. Only the lists of users query the engine itself. */

import type { Db } from './db.ts'
import { type FixedSql, fixedSql, rawSql, type Sql, sql } from './sql.ts'

/** Locks the rows of a SELECT until this transaction ends. SQLite needs no lock: its changes run one at a time. */
export function forUpdate(db: Db): FixedSql {
  return db.engine === 'postgres' ? fixedForUpdate : fixedNothing
}

/** Takes a shared lock on the rows of a SELECT until this transaction ends. */
export function forShare(db: Db): FixedSql {
  return db.engine === 'postgres' ? fixedForShare : fixedNothing
}

const [fixedForUpdate, fixedForShare, fixedNothing] = [fixedSql('FOR UPDATE'), fixedSql('FOR SHARE'), fixedSql('')]

/**
 * Locks rows like `forUpdate`, in the order of a column, so that two transactions never deadlock.
 */
export function forUpdateInOrder(db: Db, column: string): Sql {
  return rawSql(db.engine === 'postgres' ? `ORDER BY ${column} FOR UPDATE` : '')
}

/** Locks rows like `forUpdate`, but skips rows that another transaction has locked. */
export function skipLocked(db: Db): Sql {
  return rawSql(db.engine === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : '')
}

/** A table of one column, `value`. */
export function texts(db: Db, values: readonly string[]): Sql {
  const list = JSON.stringify(values)
  return db.engine === 'sqlite' ? sql`json_each(${list})` : sql`json_array_elements_text(${list}::json) AS list (value)`
}

/** Whether a column, or an expression, contains a text, byte for byte. */
export function containsText(db: Db, column: string, text: string): Sql {
  return sql`${rawSql(db.engine === 'sqlite' ? 'instr' : 'strpos')}(${rawSql(column)}, ${text}) > 0`
}

type Types<Row> = { readonly [Name in keyof Row]: 'text' | 'bigint' }

/** Returns SQL that turns rows into a table named `given` with these columns. */
export function givenRows<Row extends object>(types: Types<Row>): (db: Db, rows: readonly Row[]) => FixedSql {
  const columns = Object.entries(types)
  const values = columns.map(([name]) => `value ->> '${name}' AS ${name}`)
  const definitions = columns.map(([name, type]) => `${name} ${type}`)
  const fixed = {
    sqlite: [`(SELECT ${values.join(', ')} FROM json_each(`, ')) AS given'],
    postgres: ['json_to_recordset(', `::json) AS given (${definitions.join(', ')})`],
  }
  return (db, rows) => ({ fixed: fixed[db.engine], values: [JSON.stringify(rows)] })
}

/** Whether the store is a server that several nodes can share, and a standby can take over. SQLite has one process. */
export function isServer(db: Pick<Db, 'engine'>): boolean {
  return db.engine === 'postgres'
}

/**
 * Whether generated row numbers follow commit order. PostgreSQL draws them from sequences before the commit.
 */
export function numbersInCommitOrder(db: Pick<Db, 'engine'>): boolean {
  return db.engine === 'sqlite'
}
