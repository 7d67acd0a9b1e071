export type SqlValue = string | number | bigint | null | Uint8Array

/** A piece of SQL with its values separate from its text, so that no value can become SQL. */
export type Sql = { readonly strings: readonly string[]; readonly values: readonly (SqlValue | Sql)[] }

/**
 * Builds SQL: `sql\`SELECT document FROM users WHERE user_id = ${userId}\``. A value becomes a parameter, another `sql`
 * piece becomes part of the text. The array of strings is the same object at each call, which lets a connection keep one
 * prepared statement per place in the source.
 */
export function sql(strings: TemplateStringsArray, ...values: (SqlValue | Sql)[]): Sql {
  return { strings, values }
}

/** Joins pieces: `joinSql([a, b], ' AND ')`. An empty list becomes an empty text. */
export function joinSql(pieces: readonly Sql[], separator: string): Sql {
  if (pieces.length === 0) return rawSql('')
  const strings = ['', ...pieces.slice(1).map(() => separator), '']
  return { strings, values: pieces }
}

/** Turns constant text into SQL; never text from outside. */
export function rawSql(text: string): Sql {
  return { strings: [text], values: [] }
}

export function isSql(value: SqlValue | Sql): value is Sql {
  return typeof value === 'object' && value !== null && 'strings' in value
}

/** Returns text and parameters for a driver; `placeholder` formats the n-th parameter, counted from 1. */
export function renderSql(piece: Sql, placeholder: (n: number) => string): { text: string; parameters: SqlValue[] } {
  const parameters: SqlValue[] = []
  const render = ({ strings, values }: Sql): string => {
    let text = strings[0] ?? ''
    values.forEach((value, i) => {
      if (isSql(value)) text += render(value)
      else text += placeholder(parameters.push(value))
      text += strings[i + 1] ?? ''
    })
    return text
  }
  return { text: render(piece), parameters }
}
