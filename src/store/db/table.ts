/** The columns of a table in one place: the type of its rows and the text of its statements derive from them. */

import { fixedSql, type Sql, type SqlValue } from './sql.ts'

type Column<Value = unknown> = {
  readonly type: 'text' | 'integer' | 'bigint'
  /** The value if none is given, for example in a row stored before the column existed. */
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

/** The row type of a table from `defineTable`. */
export type RowOf<T extends { complete(partial: never): unknown }> = ReturnType<T['complete']>

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
  /** Sets every column, in order: rows that share a hidden class in V8 are the fastest to read. */
  const absent = Object.fromEntries(Object.entries(columns).map(([column, { absent }]) => [column, absent]))

  /** The text of a statement, with a value between each two strings. */
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

    /** The same with one more column, whose value comes beside the row: copying a row takes as long as a statement. */
    insertionWith(column: string, ending = '') {
      const head = `INSERT INTO ${name} (${column}, ${names.join(', ')}) VALUES (`
      const strings = [head, ...names.map(() => ', '), `) ${ending}`]
      return (value: SqlValue, row: Row): Sql => ({
        strings,
        values: [value, ...names.map((each) => row[each] as SqlValue)],
      })
    },

    /** Returns an UPDATE of every column except the key and those in `except`. */
    update(key: Name, { except }: { except: readonly Name[] }) {
      const set = names.filter((column) => column !== key && !except.includes(column))
      const strings = set.map((column, n) => `${n === 0 ? `UPDATE ${name} SET ` : ', '}${column} = `)
      return statement([...strings, ` WHERE ${key} = `, ''], [...set, key])
    },

    /** Completes a row that lacks columns with a default. */
    complete(partial: Given<C>): Row {
      return { ...absent, ...partial } as Row
    },
  }
}
