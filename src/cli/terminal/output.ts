/**
 * How data is written: as a table for people, as JSON, NDJSON or CSV for programs. Which of them is asked for, never
 * guessed: a command does the same in a pipe as on a terminal. Rows are written as they come and none is kept, but for
 * the first of a table, which decide how wide its columns are.
 */
import { styleText } from 'node:util'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { csvLine, protectCell } from '../../lib/csv-formula.ts'
import { beQuiet, put } from './standard-output.ts'
import { visible, visibleJson, widthOf, withoutControls } from './visible-text.ts'

export { tell } from './standard-output.ts'

const formats = ['table', 'json', 'ndjson', 'csv'] as const
type Format = (typeof formats)[number]

/** The members that can be asked for, in the order of the API, and those of them that a table shows without being asked. */
export type Columns = readonly string[] | { all: readonly string[]; shown: readonly string[] }

export type OutputOptions = {
  output: Format
  json?: true
  columns?: readonly string[]
  header: boolean
  quiet?: true
  /** Not an option: what `addOutputOptions` was told. */
  known: { all: readonly string[]; shown: readonly string[] }
}

type Row = object

const firstRows = 100
const firstRowsMs = 200
const chunkLength = 65_536

export function addOutputOptions(command: Command, columns: Columns): Command {
  const known = 'shown' in columns ? columns : { all: columns, shown: columns }
  const options = [
    new Option('-o, --output <format>', 'how to write it').choices(formats).default('table'),
    new Option('--json', 'the same as --output json').conflicts('output'),
    new Option('--columns <names>', 'which members, separated by commas').argParser((text) => readColumns(text, known)),
    new Option('--no-header', 'leave out the first line of a table or CSV'),
    new Option('-q, --quiet', 'say nothing but what went wrong'),
  ]
  for (const option of options) command.addOption(option.helpGroup('Output:'))
  return command.on('option:quiet', beQuiet).setOptionValue('known', known)
}

function readColumns(text: string, { all }: OutputOptions['known']): string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.every((name) => all.includes(name))) return [...new Set(names)]
  throw new InvalidArgumentError(`They are: ${all.join(', ')}.`)
}

/** Writes a list. Of a list that is never whole, such as news, each row is written when it comes. */
export async function printRows(rows: AsyncIterable<Row> | Iterable<Row>, options: OutputOptions): Promise<void> {
  const out = chunked()
  try {
    switch (formatOf(options)) {
      case 'json':
        await printJson(rows, options, out)
        break
      case 'ndjson':
        for await (const row of rows) await out.write(`${toJson(row, options)}\n`)
        break
      case 'csv':
        await printCsv(rows, options, out)
        break
      case 'table':
        await printTable(rows, options, out)
    }
  } finally {
    await out.end()
  }
}

/** Writes one thing: in a table, a line for each member. */
export async function printOne(found: Row, options: OutputOptions): Promise<void> {
  switch (formatOf(options)) {
    case 'json':
      return put(`${toJson(found, options, 2)}\n`)
    case 'table': {
      const members = Object.entries(options.columns ? chosen(found, options.columns) : found).map(
        ([name, value]) => [visible(name), value] as const,
      )
      const width = Math.max(0, ...members.map(([name]) => name.length))
      const lines = members.map(([name, value]) => `${title(name, width)}  ${cell(value)}`.trimEnd())
      return put(`${lines.join('\n')}\n`)
    }
    default:
      return printRows([found], options)
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
  const columns = options.columns ?? options.known.all
  // A file may be imported again, so it keeps characters of names that a terminal must not get.
  const shown = process.stdout.isTTY ? visible : withoutControls
  const line = (cells: readonly string[]) => `${csvLine(cells.map((text) => protectCell(shown(text))))}\r\n`
  if (options.header) await out.write(line(columns))
  for await (const row of rows) await out.write(line(columns.map((name) => plainText(member(row, name)))))
}

async function printTable(rows: AsyncIterable<Row> | Iterable<Row>, options: OutputOptions, out: Out): Promise<void> {
  const columns = options.columns ?? options.known.shown
  const cells = (row: Row) => columns.map((name) => cell(member(row, name)))
  const source = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
  let isWhole = false
  try {
    const { first, pending } = await firstOf(source)
    const page = first.map(cells)
    const heading = options.header ? columns.map((name) => name.toUpperCase()) : []
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

/** The rows that decide the widths: a page of them, or those that have come when the source makes us wait. */
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

function toJson(row: Row, { columns }: OutputOptions, indent?: number): string {
  return visibleJson(JSON.stringify(columns ? chosen(row, columns) : row, undefined, indent))
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

/** Only on a terminal, and not with NO_COLOR. */
function bold(text: string): string {
  return styleText('bold', text, { stream: process.stdout })
}

type Out = { write(text: string): Promise<void>; end(): Promise<void> }

/** Many rows are written at once, but none waits while there is nothing else to do. */
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
      // Who writes next, or ends, hears of it.
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
