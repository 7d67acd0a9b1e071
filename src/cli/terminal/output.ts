/**
 * Writes data as a table for people, and as JSON, NDJSON, CSV or by a template for programs. The format never depends on
 * whether the output is a terminal or a pipe. Rows are written as they arrive; only the first rows of a table are buffered, to decide
 * the widths of its columns.
 */
import { styleText } from 'node:util'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { csvLine, protectCell } from '../../lib/csv-formula.ts'
import { beQuiet, put, writeLine } from './standard-output.ts'
import { fill, readTemplate, type Template } from './template.ts'
import { visible, visibleJson, widthOf, withoutControls } from './visible-text.ts'

export { writeLine as tell } from './standard-output.ts'

const formats = ['table', 'json', 'ndjson', 'csv'] as const
type Format = (typeof formats)[number]

/** The members that --columns accepts, in the order of the API, and those that a table shows by default. */
export type Columns = readonly string[] | Known

/** `inCsv`: those of a CSV file, if not all. */
type Known = { all: readonly string[]; shown: readonly string[]; inCsv?: readonly string[] }

export type OutputOptions = {
  output: Format
  /** The members, or true for all. */
  json?: true | readonly string[]
  template?: Template
  columns?: readonly string[]
  header: boolean
  quiet?: true
  /** Not an option: whether --output was given. */
  isOutputChosen?: true
  /** Not an option: the columns given to `addOutputOptions`. */
  known: Known
}

type Row = object

const firstRows = 100
const firstRowsMs = 200
const chunkLength = 65_536

export function addOutputOptions(command: Command, columns: Columns): Command {
  const known = 'shown' in columns ? columns : { all: columns, shown: columns }
  const options = [
    new Option('-o, --output <format>', 'output format').choices(formats).default('table'),
    new Option('--json [members]', 'same as --output json, with these members only')
      .conflicts('output')
      .argParser((text) => readColumns(text, known)),
    new Option('--template <text>', "a line for each, such as '{{username}} {{email}}'")
      .conflicts(['output', 'json', 'columns'])
      .argParser((text) => readTemplate(text, (name) => readColumn(name, known))),
    new Option('--columns <names>', 'members to show, separated by commas').argParser((text) =>
      readColumns(text, known),
    ),
    new Option('--no-header', 'omit the first line of a table or CSV'),
    new Option('-q, --quiet', 'print no messages except errors'),
  ]
  for (const option of options) command.addOption(option.helpGroup('Output:'))
  return command
    .on('option:quiet', beQuiet)
    .on('option:output', () => command.setOptionValue('isOutputChosen', true))
    .setOptionValue('known', known)
}

function readColumns(text: string, known: OutputOptions['known']): string[] {
  return [...new Set(text.split(',').map((name) => readColumn(name.trim(), known)))]
}

/** `id` is short for the id of the object itself, which comes first. */
function readColumn(name: string, { all }: OutputOptions['known']): string {
  if (all.includes(name)) return name
  const [first = ''] = all
  if (name === 'id' && first.endsWith('_id')) return first
  throw new InvalidArgumentError(`Possible columns: ${all.join(', ')}.`)
}

/** Whether a person reads this: a terminal, and no format was asked for. */
export function isForPeople({ isOutputChosen, columns, ...options }: OutputOptions): boolean {
  const isPlain = isOutputChosen === undefined && columns === undefined && options.template === undefined
  return process.stdout.isTTY === true && isPlain && formatOf(options) === 'table'
}

/** Whether a table goes to a terminal. */
export function isTableOnTerminal(options: OutputOptions): boolean {
  return process.stdout.isTTY === true && options.template === undefined && formatOf(options) === 'table'
}

/**
 * Writes a list. Rows of an endless list, such as events, are written as they arrive.
 *
 * @param what what the rows are, such as `users`: a message says that there are none. Undefined where an empty list needs no
 *   words. JSON says it itself.
 */
export async function printRows(
  rows: AsyncIterable<Row> | Iterable<Row>,
  options: OutputOptions,
  what: string | undefined,
): Promise<void> {
  const out = chunked()
  let isEmpty = true
  try {
    await printAll(
      noted(rows, () => (isEmpty = false)),
      options,
      out,
    )
  } finally {
    await out.end()
  }
  if (isEmpty && what !== undefined && formatOf(options) !== 'json') writeLine(`No ${what} found.`)
}

async function printAll(rows: AsyncIterable<Row>, options: OutputOptions, out: Out): Promise<void> {
  const { template } = options
  if (template !== undefined) {
    for await (const row of rows) await out.write(`${filled(template, row)}\n`)
    return
  }
  switch (formatOf(options)) {
    case 'json':
      return printJson(rows, options, out)
    case 'ndjson':
      for await (const row of rows) await out.write(`${toJson(row, options)}\n`)
      return
    case 'csv':
      return printCsv(rows, options, out)
    case 'table':
      return printTable(rows, options, out)
  }
}

/** The rows; calls `note` for each. */
async function* noted(
  rows: AsyncIterable<Row> | Iterable<Row>,
  note: () => void,
): AsyncGenerator<Row, void, undefined> {
  for await (const row of rows) {
    note()
    yield row
  }
}

/** Writes one object. A table has one line for each member. */
export async function printOne(found: Row, options: OutputOptions): Promise<void> {
  if (options.template !== undefined) return printRows([found], options, undefined)
  switch (formatOf(options)) {
    case 'json':
      return put(`${toJson(found, options, 2)}\n`)
    case 'table': {
      const members = Object.entries(options.columns ? chosen(found, options.columns) : found).map(
        ([name, value]) => [visible(tableName(name)), tableCell(name, value)] as const,
      )
      const width = Math.max(0, ...members.map(([name]) => name.length))
      const lines = members.map(([name, value]) => `${title(name, width)}  ${value}`.trimEnd())
      return put(`${lines.join('\n')}\n`)
    }
    default:
      return printRows([found], options, undefined)
  }
}

export function formatOf({ output, json }: Pick<OutputOptions, 'output' | 'json'>): Format {
  return json ? 'json' : output
}

async function printJson(rows: AsyncIterable<Row> | Iterable<Row>, options: OutputOptions, out: Out): Promise<void> {
  let isFirst = true
  for await (const row of rows) {
    await out.write(`${isFirst ? '[\n' : ',\n'}${toJson(row, options)}`)
    isFirst = false
  }
  await out.write(isFirst ? '[]\n' : '\n]\n')
}

async function printCsv(rows: AsyncIterable<Row> | Iterable<Row>, options: OutputOptions, out: Out): Promise<void> {
  const columns = options.columns ?? options.known.inCsv ?? options.known.all
  // A file may be imported again, so it keeps format characters of names. A terminal must not receive them.
  const sanitize = process.stdout.isTTY ? visible : withoutControls
  const line = (cells: readonly string[]) => `${csvLine(cells.map((text) => protectCell(sanitize(text))))}\r\n`
  if (options.header) await out.write(line(columns))
  for await (const row of rows) await out.write(line(columns.map((name) => plainText(member(row, name)))))
}

async function printTable(rows: AsyncIterable<Row> | Iterable<Row>, options: OutputOptions, out: Out): Promise<void> {
  const columns = options.columns ?? options.known.shown
  const cells = (row: Row) => columns.map((name) => tableCell(name, member(row, name)))
  const source = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
  let isWhole = false
  try {
    const { first, pending } = await firstOf(source)
    const page = first.map(cells)
    const heading = options.header ? columns.map((name) => tableName(name).toUpperCase()) : []
    const widths = columns.map((_, index) =>
      Math.max(0, ...[heading, ...page].map((line) => widthOf(line[index] ?? ''))),
    )
    const line = (texts: readonly string[]) =>
      texts
        .map((text, index) => padded(text, widths[index] ?? 0))
        .join('  ')
        .trimEnd()
    if (options.header) await out.write(`${bold(line(heading))}\n`)
    for (const texts of page) await out.write(`${line(texts)}\n`)
    let result = await pending
    while (!result.done) {
      await out.write(`${line(cells(result.value))}\n`)
      result = await source.next()
    }
    isWhole = true
  } finally {
    if (!isWhole) await source.return?.()
  }
}

type Result = IteratorResult<Row, unknown>

/** Returns the rows that decide the widths: the first page, or those that arrived before the source paused. */
async function firstOf(
  source: AsyncIterator<Row> | Iterator<Row>,
): Promise<{ first: Row[]; pending: Promise<Result> }> {
  const first: Row[] = []
  const deadline = performance.now() + firstRowsMs
  while (true) {
    const pending = Promise.resolve(source.next())
    const result = first.length === 0 ? await pending : await inTime(pending, deadline - performance.now())
    if (result === undefined || result.done || first.length === firstRows) return { first, pending }
    first.push(result.value)
  }
}

async function inTime(pending: Promise<Result>, ms: number): Promise<Result | undefined> {
  const timer = Promise.withResolvers<undefined>()
  const id = setTimeout(() => timer.resolve(undefined), Math.max(0, ms))
  try {
    return await Promise.race([pending, timer.promise])
  } finally {
    clearTimeout(id)
  }
}

function member(row: Row, name: string): unknown {
  return (row as Record<string, unknown>)[name]
}

function chosen(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((name) => [name, member(row, name)]))
}

function filled(template: Template, row: Row): string {
  return fill(template, (name) => cell(member(row, name)))
}

function toJson(
  row: Row,
  { json, columns = json === true ? undefined : json }: OutputOptions,
  indent?: number,
): string {
  return visibleJson(JSON.stringify(columns ? chosen(row, columns) : row, undefined, indent))
}

/** Tables are for people, who know users as Active and Disabled. */
function tableName(name: string): string {
  return name === 'active' ? 'state' : name
}

function tableCell(name: string, value: unknown): string {
  if (name === 'active' && typeof value === 'boolean') return value ? 'Active' : 'Disabled'
  return cell(value)
}

function cell(value: unknown): string {
  return visible(plainText(value))
}

function plainText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

function title(name: string, width: number): string {
  return bold(name) + ' '.repeat(width - name.length)
}

/** Makes text bold on a terminal, unless NO_COLOR is set. */
function bold(text: string): string {
  return styleText('bold', text, { stream: process.stdout })
}

type Out = { write(text: string): Promise<void>; end(): Promise<void> }

/** Batches rows into one write, and flushes when the event loop is idle. */
function chunked(): Out {
  let text = ''
  let writing: Promise<void> = Promise.resolve()
  let scheduled: NodeJS.Immediate | undefined

  function flush(): Promise<void> {
    if (scheduled) clearImmediate(scheduled)
    scheduled = undefined
    if (text !== '') {
      const chunk = text
      text = ''
      writing = writing.then(() => put(chunk))
      // The next write, or the end, reports the error.
      writing.catch(() => undefined)
    }
    return writing
  }

  return {
    write(more) {
      text += more
      if (text.length < chunkLength) scheduled ??= setImmediate(flush)
      return text.length < chunkLength ? Promise.resolve() : flush()
    },
    end: flush,
  }
}
