export type SqlValue = string | number | bigint | null | Uint8Array

/** A piece of SQL with its values separate from its text, so that no value can become SQL. */
export type Sql = { readonly strings: readonly string[]; readonly values: readonly (SqlValue | Sql)[] }

/** A piece whose strings are always the same object, such as the columns of a table. */
export type FixedSql = { readonly fixed: readonly string[]; readonly values: readonly SqlValue[] }

/**
 * Builds SQL: `sql\`SELECT document FROM users WHERE user_id = ${userId}\``. A value becomes a parameter, another `sql`
 * piece becomes part of the text. The array of strings is the same object at each call, which lets a connection keep one
 * prepared statement per place in the source; a `fixedSql` piece keeps that so.
 */
export function sql(strings: TemplateStringsArray, ...values: (SqlValue | Sql | FixedSql)[]): Sql {
  if (values.some(isFixed)) return withFixed(strings, values)
  return { strings, values: values as Sql['values'] }
}

export function fixedSql(text: string): FixedSql {
  return { fixed: [text], values: [] }
}

function isFixed(value: SqlValue | Sql | FixedSql): value is FixedSql {
  return typeof value === 'object' && value !== null && 'fixed' in value
}

/** The strings of one place in the source, for each combination of fixed pieces that it was called with. */
type Variant = { strings?: readonly string[]; readonly next: Map<readonly string[], Variant> }
const places = new WeakMap<TemplateStringsArray, Variant>()

function withFixed(strings: TemplateStringsArray, parts: readonly (SqlValue | Sql | FixedSql)[]): Sql {
  let variant = places.get(strings) ?? newVariant((created) => places.set(strings, created))
  const values: (SqlValue | Sql)[] = []
  for (const part of parts) {
    if (isFixed(part)) {
      values.push(...part.values)
      variant = variant.next.get(part.fixed) ?? newVariant((created) => variant.next.set(part.fixed, created))
    } else values.push(part)
  }
  variant.strings ??= joinFixed(strings, parts)
  return { strings: variant.strings, values }
}

function newVariant(register: (created: Variant) => void): Variant {
  const created: Variant = { next: new Map() }
  register(created)
  return created
}

function joinFixed(strings: readonly string[], parts: readonly (SqlValue | Sql | FixedSql)[]): readonly string[] {
  const joined = [strings[0] ?? '']
  for (const [n, part] of parts.entries()) {
    const text = strings[n + 1] ?? ''
    if (!isFixed(part)) {
      joined.push(text)
      continue
    }
    const [first = '', ...others] = part.fixed
    joined.push(`${joined.pop()}${first}`, ...others)
    joined.push(`${joined.pop()}${text}`)
  }
  return joined
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

/**
 * Replaces NUL by U+FFFD in the values of a statement, in JSON too. PostgreSQL stores no NUL, so a search for one finds nothing, and a
 * text from outside that has one, such as the response of a webhook's receiver, is stored all the same on both engines.
 */
export function withoutNul(values: readonly SqlValue[]): readonly SqlValue[] {
  return values.some(hasNul) ? values.map((value) => (hasNul(value) ? replaceNul(value as string) : value)) : values
}

function hasNul(value: SqlValue): boolean {
  return typeof value === 'string' && (value.includes('\0') || (isJson(value) && value.includes(String.raw`\u0000`)))
}

function isJson(text: string): boolean {
  return text.startsWith('[') || text.startsWith('{')
}

/** In JSON, an escape stands behind an even number of backslashes. */
function replaceNul(text: string): string {
  const plain = text.replaceAll('\0', '\ufffd')
  return isJson(plain) ? plain.replaceAll(/(?<!\\)((?:\\\\)*)\\u0000/g, String.raw`$1\ufffd`) : plain
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
