import { OperatorError } from '../errors.ts'
import { utf8Text } from './bytes.ts'
import { is, isPunct, Lexer, NotAllThere, NotUnderstood, type Token, unescaped } from './sql-lexer.ts'

export type DumpRow = {
  /** Without quotes: `auth.users`. */
  table: string
  values: Record<string, string | null>
}

// One row or one statement that is no data. A dump has nothing near it; without it a missing quote takes all memory.
const MAX_UNIT = 32 * 1024 * 1024

/**
 * The rows of the wanted tables in a text of pg_dump: of COPY, and of INSERT with one or many rows a statement. What
 * else there is, is read over.
 */
export async function* dumpRows(
  input: AsyncIterable<Uint8Array>,
  wanted: (table: string) => boolean,
  expected: string,
): AsyncGenerator<DumpRow> {
  const dump = new Dump(wanted, expected)
  for await (const text of utf8Text(input)) yield* dump.take(text, false)
  yield* dump.take('', true)
}

type Data = { table: string; columns: readonly string[]; skipped: boolean }
type State = { in: 'statements' } | ({ in: 'copy' } & Data) | ({ in: 'insert' } & Data)

class Dump {
  #text = ''
  #ended = false
  #state: State = { in: 'statements' }
  #columnsOf = new Map<string, string[]>()
  readonly #wanted: (table: string) => boolean
  readonly #expected: string

  constructor(wanted: (table: string) => boolean, expected: string) {
    this.#wanted = wanted
    this.#expected = expected
  }

  /** Reads as far as the text goes in whole units, and keeps the rest for the next time. */
  *take(text: string, ended: boolean): Generator<DumpRow> {
    this.#text += text
    this.#ended = ended
    let at = 0
    const rows: DumpRow[] = []
    for (;;) {
      const end = this.#unit(at, rows)
      if (end === undefined) break
      at = end
      if (rows.length > 0) yield* rows.splice(0)
    }
    this.#text = this.#text.slice(at)
    if (this.#text.length > MAX_UNIT)
      throw new OperatorError(`A statement of the input has no end; expected ${this.#expected}.`)
    if (ended && (this.#state.in !== 'statements' || this.#text.trim() !== ''))
      throw new OperatorError(`The input ends in the middle of a statement: it is cut; expected ${this.#expected}.`)
  }

  /** Where the unit ends that begins here; undefined while it is not all there. */
  #unit(at: number, rows: DumpRow[]): number | undefined {
    try {
      if (this.#state.in === 'copy') return this.#copyLine(at, this.#state, rows)
      const lexer = new Lexer(this.#text, at, this.#ended)
      return this.#state.in === 'insert' ? this.#tuple(lexer, this.#state, rows) : this.#statement(lexer)
    } catch (error) {
      if (error instanceof NotAllThere) return undefined
      if (error instanceof NotUnderstood) throw new OperatorError(`${error.message}; expected ${this.#expected}.`)
      throw error
    }
  }

  #copyLine(at: number, data: Data, rows: DumpRow[]): number | undefined {
    const newline = this.#text.indexOf('\n', at)
    if (newline < 0) return undefined
    const line = this.#text.slice(at, this.#text[newline - 1] === '\r' && newline > at ? newline - 1 : newline)
    if (line === '\\.') this.#state = { in: 'statements' }
    else if (!data.skipped) {
      const cells = line.split('\t')
      if (cells.length !== data.columns.length)
        throw new NotUnderstood(
          `A row of COPY ${data.table} has ${cells.length} values for ${data.columns.length} columns`,
        )
      rows.push({ table: data.table, values: named(data.columns, cells.map(copied)) })
    }
    return newline + 1
  }

  #statement(lexer: Lexer): number | undefined {
    const start = lexer.at
    lexer.skipMetaCommands()
    const first = lexer.next()
    // Comments, white space and lines for psql were read over.
    if (first === undefined) return lexer.at > start ? lexer.at : undefined
    if (is(first, 'copy')) return this.#copyHeader(lexer)
    if (is(first, 'insert')) return this.#insertHeader(lexer)
    if (is(first, 'create')) this.#rememberTable(lexer)
    else lexer.skipStatement(first)
    return lexer.at
  }

  #copyHeader(lexer: Lexer): number {
    const table = tableName(lexer)
    let columns = this.#columnsOf.get(table)
    let token = lexer.need()
    if (isPunct(token, '(')) {
      columns = columnNames(lexer)
      token = lexer.need()
    }
    const isData = is(token, 'from') && is(lexer.need(), 'stdin')
    lexer.skipStatement(token)
    if (!isData) return lexer.at
    const skipped = !this.#wanted(table)
    if (columns === undefined && !skipped) throw new NotUnderstood(`COPY ${table} names no columns`)
    this.#state = { in: 'copy', table, columns: columns ?? [], skipped }
    return lexer.endOfLine()
  }

  #insertHeader(lexer: Lexer): number {
    lexer.need()
    const table = tableName(lexer)
    let columns = this.#columnsOf.get(table)
    let token = lexer.need()
    if (isPunct(token, '(')) {
      columns = columnNames(lexer)
      token = lexer.need()
    }
    while (!is(token, 'values') && !isPunct(token, ';')) token = lexer.need()
    if (isPunct(token, ';')) return lexer.at
    const skipped = !this.#wanted(table)
    if (columns === undefined && !skipped)
      throw new NotUnderstood(
        `INSERT INTO ${table} names no columns: dump with --column-inserts, or together with the schema`,
      )
    this.#state = { in: 'insert', table, columns: columns ?? [], skipped }
    return lexer.at
  }

  #tuple(lexer: Lexer, data: Data, rows: DumpRow[]): number {
    let token = lexer.need()
    if (isPunct(token, ',')) token = lexer.need()
    if (!isPunct(token, '(')) {
      // After the rows: the end, or ON CONFLICT.
      lexer.skipStatement(token)
      this.#state = { in: 'statements' }
      return lexer.at
    }
    const values = data.skipped ? skippedTuple(lexer) : tuple(lexer, data.table)
    if (!data.skipped) {
      if (values.length !== data.columns.length)
        throw new NotUnderstood(
          `A row of INSERT INTO ${data.table} has ${values.length} values for ${data.columns.length} columns`,
        )
      rows.push({ table: data.table, values: named(data.columns, values) })
    }
    return lexer.at
  }

  #rememberTable(lexer: Lexer): void {
    let token = lexer.need()
    if (!is(token, 'table')) {
      lexer.skipStatement(token)
      return
    }
    const table = tableName(lexer)
    token = lexer.need()
    if (isPunct(token, '(')) {
      const columns: string[] = []
      let depth = 1
      let begins = true
      while (depth > 0) {
        token = lexer.need()
        if (
          begins &&
          token.kind !== 'punct' &&
          !/^(?:constraint|primary|unique|check|foreign|exclude|like)$/i.test(token.kind === 'word' ? token.text : '')
        )
          columns.push(nameIn(token))
        begins = depth === 1 && isPunct(token, ',')
        if (isPunct(token, '(')) depth++
        if (isPunct(token, ')')) depth--
      }
      this.#columnsOf.set(table, columns)
    }
    lexer.skipStatement(token)
  }
}

function named(columns: readonly string[], values: readonly (string | null)[]): Record<string, string | null> {
  return Object.fromEntries(columns.map((column, i) => [column, values[i] ?? null]))
}

function copied(cell: string): string | null {
  return cell === '\\N' ? null : unescaped(cell)
}

function nameIn(token: Token): string {
  if (token.kind === 'quoted') return token.text
  if (token.kind === 'word') return token.text.toLowerCase()
  throw new NotUnderstood('A name is missing in a statement')
}

function tableName(lexer: Lexer): string {
  let token = lexer.need()
  while (is(token, 'only') || is(token, 'if') || is(token, 'not') || is(token, 'exists')) token = lexer.need()
  let name = nameIn(token)
  while (lexer.skipPunct('.')) name += `.${nameIn(lexer.need())}`
  return name
}

function columnNames(lexer: Lexer): string[] {
  const names: string[] = []
  for (;;) {
    names.push(nameIn(lexer.need()))
    const token = lexer.need()
    if (isPunct(token, ')')) return names
    if (!isPunct(token, ',')) throw new NotUnderstood('A list of columns is not one')
  }
}

function skippedTuple(lexer: Lexer): null[] {
  for (let depth = 1; depth > 0; ) {
    const token = lexer.need()
    if (isPunct(token, '(')) depth++
    if (isPunct(token, ')')) depth--
  }
  return []
}

function tuple(lexer: Lexer, table: string): (string | null)[] {
  const values: (string | null)[] = []
  for (;;) {
    let token = lexer.need()
    const isNegative = isPunct(token, '-')
    if (isNegative) token = lexer.need()
    const text = is(token, 'null') ? null : `${isNegative ? '-' : ''}${token.text}`
    const isLiteral = token.kind === 'string' || token.kind === 'number' || /^(?:null|true|false)$/i.test(token.text)
    if (!isLiteral || token.kind === 'quoted')
      throw new NotUnderstood(`INSERT INTO ${table} has a value that is computed`)
    values.push(text)
    token = lexer.need()
    while (isPunct(token, '::')) token = castPassed(lexer)
    if (isPunct(token, ')')) return values
    if (!isPunct(token, ',')) throw new NotUnderstood(`INSERT INTO ${table} has a value that is computed`)
  }
}

/** The token after a type's name, which may have several words, dots, and a length in brackets. */
function castPassed(lexer: Lexer): Token {
  let token = lexer.need()
  while (token.kind === 'word' || token.kind === 'quoted' || isPunct(token, '.')) token = lexer.need()
  if (isPunct(token, '(')) {
    skippedTuple(lexer)
    token = lexer.need()
  }
  return token
}
