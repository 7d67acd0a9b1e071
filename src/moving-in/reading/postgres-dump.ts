import { OperatorError } from '../../core/errors.ts'
import { utf8Text } from './bytes.ts'
import { is, isPunct, Lexer, NotAllThere, NotUnderstood, type Token, unescaped } from './sql-lexer.ts'

/** A row with more or fewer values than columns. */
type UnevenRow = { table: string; uneven: { has: number; wanted: number }; line: number }

type DumpRow = {
  /** Without quotes: `auth.users`. */
  table: string
  values: Record<string, string | null>
  /** Columns whose value the database computes when it runs the statement, such as `now()`; null in `values`. */
  computed: Readonly<Record<string, string>>
  line: number
}

// The limit for one row, or one statement that is not data. Dumps stay far below; without it a missing quote exhausts the memory.
const MAX_UNIT = 32 * 1024 * 1024

/**
 * Reads the rows of the wanted tables from the output of pg_dump: COPY, and INSERT with one or many rows per statement.
 * Skips everything else.
 */
export async function* dumpRows(
  input: AsyncIterable<Uint8Array>,
  wanted: Wanted,
  expected: string,
): AsyncGenerator<DumpRow | UnevenRow> {
  const dump = new Dump(wanted, expected)
  for await (const text of utf8Text(input)) yield* dump.rowsIn(text, false)
  yield* dump.rowsIn('', true)
}

type Wanted = (table: string, columns: readonly string[]) => boolean

type Data = { table: string; columns: readonly string[]; skipped: boolean }
type State = { in: 'statements' } | ({ in: 'copy' } & Data) | ({ in: 'insert' } & Data)

class Dump {
  #text = ''
  /** An incomplete unit is read again from its start, so only once the text is twice as long. */
  #enough = 0
  #ended = false
  #state: State = { in: 'statements' }
  #columnsOf = new Map<string, string[]>()
  readonly #wanted: Wanted
  /** The line on which the available text starts. */
  #line = 1
  #counted = 0
  readonly #expected: string

  constructor(wanted: Wanted, expected: string) {
    this.#wanted = wanted
    this.#expected = expected
  }

  /** Reads all complete units of the text, and keeps the rest for the next call. */
  *rowsIn(text: string, isEnded: boolean): Generator<DumpRow | UnevenRow> {
    this.#text += text
    this.#ended = isEnded
    if (this.#text.length < this.#enough && !isEnded) return
    let at = 0
    const rows: (DumpRow | UnevenRow)[] = []
    for (;;) {
      const end = this.#unit(at, rows)
      if (end === undefined) break
      at = end
      if (rows.length > 0) yield* rows.splice(0)
    }
    this.#lineAt(at)
    this.#text = this.#text.slice(at)
    this.#counted = 0
    this.#enough = 2 * this.#text.length
    if (this.#text.length > MAX_UNIT)
      throw new OperatorError(`A statement has no end (line ${this.#line}); expected ${this.#expected}.`)
    if (isEnded && (this.#state.in !== 'statements' || this.#text.trim() !== '')) {
      const where = this.#state.in === 'statements' ? '' : ` with rows of ${this.#state.table}`
      throw new OperatorError(
        `The input ends in the middle of a statement${where} (line ${this.#line}): it is cut off; expected ${this.#expected}.`,
      )
    }
  }

  /** Returns the line of a position in the text. Call it in order. */
  #lineAt(at: number): number {
    for (let next = this.#text.indexOf('\n', this.#counted); next >= 0 && next < at; ) {
      this.#line++
      this.#counted = next + 1
      next = this.#text.indexOf('\n', this.#counted)
    }
    this.#counted = Math.max(this.#counted, at)
    return this.#line
  }

  /** Returns where the unit that starts here ends; undefined if it is incomplete. */
  #unit(at: number, rows: (DumpRow | UnevenRow)[]): number | undefined {
    try {
      if (this.#state.in === 'copy') return this.#copyLine(at, this.#state, rows)
      const lexer = new Lexer(this.#text, at, this.#ended)
      return this.#state.in === 'insert' ? this.#tuple(lexer, this.#state, rows) : this.#statement(lexer)
    } catch (error) {
      if (error instanceof NotAllThere) return undefined
      if (error instanceof NotUnderstood)
        throw new OperatorError(`${error.message} (line ${this.#lineAt(at)}); expected ${this.#expected}.`)
      throw error
    }
  }

  #copyLine(at: number, data: Data, rows: (DumpRow | UnevenRow)[]): number | undefined {
    const newline = this.#text.indexOf('\n', at)
    if (newline < 0) return undefined
    const line = this.#text.slice(at, this.#text[newline - 1] === '\r' && newline > at ? newline - 1 : newline)
    if (line === '\\.') this.#state = { in: 'statements' }
    else if (!data.skipped) {
      const cells = line.split('\t')
      if (cells.length !== data.columns.length)
        rows.push({
          table: data.table,
          uneven: { has: cells.length, wanted: data.columns.length },
          line: this.#lineAt(at),
        })
      else
        rows.push({
          table: data.table,
          values: named(data.columns, cells.map(copied)),
          computed: nothing,
          line: this.#lineAt(at),
        })
    }
    return newline + 1
  }

  #statement(lexer: Lexer): number | undefined {
    const start = lexer.at
    lexer.skipMetaCommands()
    const first = lexer.next()
    // Comments, white space and psql commands were skipped.
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
    const skipped = !this.#wanted(table, columns ?? [])
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
    const skipped = !this.#wanted(table, columns ?? [])
    while (!is(token, 'values') && !isPunct(token, ';')) {
      if (is(token, 'select') && !skipped)
        throw new NotUnderstood(
          `INSERT INTO ${table} takes its rows from a SELECT, which only a database can run: run the file there, and export the table`,
        )
      token = lexer.need()
    }
    if (isPunct(token, ';')) return lexer.at
    if (columns === undefined && !skipped)
      throw new NotUnderstood(
        `INSERT INTO ${table} names no columns: dump with --column-inserts, or together with the schema`,
      )
    this.#state = { in: 'insert', table, columns: columns ?? [], skipped }
    return lexer.at
  }

  #tuple(lexer: Lexer, data: Data, rows: (DumpRow | UnevenRow)[]): number {
    let token = lexer.need()
    if (isPunct(token, ',')) token = lexer.need()
    if (!isPunct(token, '(')) {
      // After the rows: the end, or ON CONFLICT.
      lexer.skipStatement(token)
      this.#state = { in: 'statements' }
      return lexer.at
    }
    const start = lexer.at
    if (data.skipped) skippedTuple(lexer)
    else {
      const values = tuple(lexer)
      const line = this.#lineAt(start)
      if (values.length !== data.columns.length) {
        rows.push({ table: data.table, uneven: { has: values.length, wanted: data.columns.length }, line })
        return lexer.at
      }
      const computed = data.columns.flatMap((column, n) => {
        const value = values[n]
        return typeof value === 'object' && value !== null ? [[column, value.computed] as const] : []
      })
      rows.push({
        table: data.table,
        values: named(
          data.columns,
          values.map((value) => (typeof value === 'string' ? value : null)),
        ),
        computed: computed.length === 0 ? nothing : Object.fromEntries(computed),
        line,
      })
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
    if (!isPunct(token, ',')) throw new NotUnderstood('A list of columns is not valid')
  }
}

function skippedTuple(lexer: Lexer): void {
  for (let depth = 1; depth > 0; ) {
    const token = lexer.need()
    if (isPunct(token, '(')) depth++
    if (isPunct(token, ')')) depth--
  }
}

const nothing = {}

type Value = string | null | { computed: string }

/** Reads the values up to the closing bracket. */
function tuple(lexer: Lexer): Value[] {
  const values: Value[] = []
  for (;;) {
    const tokens: Token[] = []
    let end: Token | undefined
    for (let depth = 0; end === undefined; ) {
      const token = lexer.need()
      if (depth === 0 && (isPunct(token, ',') || isPunct(token, ')'))) end = token
      else tokens.push(token)
      if (isPunct(token, '(') || isPunct(token, '[')) depth++
      if ((isPunct(token, ')') || isPunct(token, ']')) && end === undefined) depth--
    }
    values.push(literalOr(tokens))
    if (isPunct(end, ')')) return values
  }
}

/** Reads a literal with any cast, or else the first words of an expression. */
function literalOr(tokens: readonly Token[]): Value {
  const [first, second] = tokens
  if (first === undefined) throw new NotUnderstood('A value is missing between two commas')
  const last = tokens.at(-1) as Token
  if (isPunct(first, '(') && isPunct(last, ')') && isOnePair(tokens)) return literalOr(tokens.slice(1, -1))
  // CAST('…' AS type)
  if (is(first, 'cast') && isPunct(second, '(') && isPunct(last, ')')) {
    const as = tokens.findIndex((token) => is(token, 'as'))
    if (as > 2) return literalOr(tokens.slice(2, as))
  }
  if (isPunct(first, '-') && second?.kind === 'number') return withCast(`-${second.text}`, tokens, 2)
  // timestamp '…'
  if (
    first.kind === 'word' &&
    second?.kind === 'string' &&
    /^(?:date|timestamp|timestamptz|jsonb?|uuid|text)$/i.test(first.text)
  )
    return withCast(second.text, tokens, 2)
  if (first.kind === 'string' || first.kind === 'number') return withCast(first.text, tokens, 1)
  if (is(first, 'null') || is(first, 'default')) return withCast(null, tokens, 1)
  if (is(first, 'true') || is(first, 'false')) return withCast(first.text, tokens, 1)
  return { computed: wordsOf(tokens) }
}

function isOnePair(tokens: readonly Token[]): boolean {
  let depth = 0
  return tokens.every((token, n) => {
    if (isPunct(token, '(')) depth++
    if (isPunct(token, ')')) depth--
    return depth > 0 || n === tokens.length - 1
  })
}

/** Returns the literal if only a type follows it. */
function withCast(literal: string | null, tokens: readonly Token[], from: number): Value {
  const rest = tokens.slice(from)
  const isType = (token: Token) =>
    token.kind === 'word' || token.kind === 'quoted' || token.kind === 'number' || /^(?:::|[.()[\],])$/.test(token.text)
  const isCast = rest.length === 0 || (isPunct(rest[0], '::') && rest.every(isType))
  return isCast ? literal : { computed: wordsOf(tokens) }
}

/** `now()`, `crypt(…)`: the names of functions, without their arguments. */
function wordsOf(tokens: readonly Token[]): string {
  const words: string[] = []
  for (const token of tokens) {
    if (token.kind !== 'word' && !isPunct(token, '.')) break
    words.push(token.text)
  }
  const name = words.join('').slice(0, 60)
  const after = tokens[words.length]
  if (after === undefined) return name
  if (name === '' || !isPunct(after, '(')) return name === '' ? 'an expression' : `${name} …`
  const isBare = isPunct(tokens[words.length + 1], ')') && tokens.length === words.length + 2
  return isBare ? `${name}()` : `${name}(…)`
}
