/** The columns of a table in one place: the type of its rows and the text of its statements derive from them. */

import { fixedSql, type Sql, type SqlValue } from './sql.ts'

type Column<Value = unknown> = {
  readonly type: 'text' | 'integer' | 'bigint'
  /** The value of a row for which none is given, such as a row that was kept before the column existed. */
  readonly absent?: Value
  /** Only a type. */
  readonly value?: Value
}
type Columns = Readonly<Record<string, Column>>

type ValueOf<C extends Column> = C extends { readonly value?: infer Value } ? Exclude<Value, undefined> : never
type RowWith<C extends Columns> = { -readonly [Name in keyof C]: ValueOf<C[Name]> }
type Omissible<C extends Columns> = { [Name in keyof C]: C[Name] extends { absent: unknown } ? Name : never }[keyof C]
type Given<C extends Columns> = Omit<RowWith<C>, Omissible<C>> & {
  [Name in Omissible<C>]?: ValueOf<C[Name]>
}

/** The row of a table that `defineTable` has made. */
export type RowOf<T extends { complete(given: never): unknown }> = ReturnType<T['complete']>

type Optional<Value> = Column<Value> & { readonly absent: Value }

/** A column of text. With `absent` it can be left out; null makes it nullable. */
export function text<Value extends string = string>(): Column<Value>
export function text(absent: null): Optional<string | null>
export function text(absent: string): Optional<string>
export function text(absent?: string | null): Column<string | null> {
  return { type: 'text', ...(absent !== undefined && { absent }) }
}

/** A column of whole numbers; `absent` as above. */
export function integer(): Column<number>
export function integer(absent: number): Optional<number>
export function integer(absent?: number): Column<number> {
  return { type: 'integer', ...(absent !== undefined && { absent }) }
}

/** A column of whole numbers beyond 2^31, on PostgreSQL. */
export function bigint(): Column<number> {
  return { type: 'bigint' }
}

/** Statements are texts made when the module is loaded, so that each connection prepares them once. */
export function defineTable<C extends Columns>(name: string, columns: C) {
  type Row = RowWith<C>
  type Name = keyof C & string
  const names = Object.keys(columns) as Name[]
  /** With every column, in order: rows that V8 gives one hidden class are the quickest to read. */
  const absent = Object.fromEntries(Object.entries(columns).map(([column, { absent }]) => [column, absent]))

  /** A statement with a value in each place between these strings. */
  function statement(strings: readonly string[], places: readonly Name[]): (row: Row) => Sql {
    return (row) => ({ strings, values: places.map((column) => row[column] as SqlValue) })
  }

  return {
    names,
    /** Every column by its name, for a SELECT: a column that a later release adds does not change what is read. */
    columns: fixedSql(names.join(', ')),
    typeOf: (column: Name) => columns[column]?.type as string,
    /** Their names and types, as `json_to_recordset` takes them. */
    definitions: fixedSql(names.map((column) => `${column} ${columns[column]?.type}`).join(', ')),

    /** @param ending What follows the values, such as `ON CONFLICT DO NOTHING`. */
    insertion(ending = '') {
      const strings = names.map((_, n) => (n === 0 ? `INSERT INTO ${name} (${names.join(', ')}) VALUES (` : ', '))
      return statement([...strings, `) ${ending}`], names)
    },

    /** Sets every column but the key and those of `except`. */
    update(key: Name, { except }: { except: readonly Name[] }) {
      const set = names.filter((column) => column !== key && !except.includes(column))
      const strings = set.map((column, n) => `${n === 0 ? `UPDATE ${name} SET ` : ', '}${column} = `)
      return statement([...strings, ` WHERE ${key} = `, ''], [...set, key])
    },

    /** The whole row, from one without some columns that have a value for that case. */
    complete(given: Given<C>): Row {
      return { ...absent, ...given } as Row
    },
  }
}
