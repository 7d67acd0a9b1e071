/** Opens the input of an import and returns its rows as NDJSON or CSV. */
import { accessSync, closeSync, constants, createReadStream, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { basename, isAbsolute } from 'node:path'
import type { Encoding } from '../../lib/text-encoding.ts'
import type { Converted, LeftOut, Memberships, SourceOptions } from '../../moving-in/formats/index.ts'
import { Report } from '../../moving-in/reading/report.ts'
import { UsageError } from '../terminal/failure.ts'
import { decrypted, encryptedIntro } from './decrypt.ts'
import { placed, withoutReasons } from './rejects.ts'
import { type RoleOptions, readRoleMap } from './role-map.ts'
import { csvRecords, type Format, lines, type Row } from './rows.ts'

export type Input = {
  /** The format in which the rows are sent. */
  format: Format
  /** The first line of CSV. */
  header: Row | undefined
  rows: AsyncGenerator<Row[], void, undefined>
  /** Bytes read so far. */
  position(): number
  /** Bytes in total; undefined for a pipe. */
  size: number | undefined
  /** With --from: what could not be imported. */
  report: Report | undefined
}

export type InputOptions = RoleOptions & {
  format?: Format | 'json' | 'xlsx'
  encoding?: Encoding
  passphraseFile?: string
  /** A guessed mapping, as JSON. */
  mappingText?: string
  keepIds?: true
  unverifiedEmails?: 'keep' | 'leave-out'
  clearPasswords?: 'leave-out' | 'hash'
  passwords?: string
  hashConfig?: string
  /** With --from: a file with the organizations. */
  organizations?: string
}

export type Homes = {
  memberships: Memberships
  /** The id on the server by that of the source; missing for one that a dry run would create. */
  ids: ReadonlyMap<string, string>
  leftOut: readonly LeftOut[]
}

const formatOfEnding: Record<string, Format | 'json'> = {
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  csv: 'csv',
  tsv: 'csv',
  txt: 'csv',
  // Its first sheet is read as CSV.
  xlsx: 'csv',
  xlsm: 'csv',
  xls: 'csv',
}

/** Opens the input. `-` is standard input, which can be read only once. */
export async function openInput(file: string, options: InputOptions, homes?: Homes): Promise<Input> {
  const textFormat = options.format === 'xlsx' ? 'csv' : options.format
  const form = options.from === undefined ? (textFormat ?? formatByName(file)) : undefined
  const { bytes, position, size } = await openBytes(file, options)
  const common = { position, size, report: undefined }
  if (options.from !== undefined) {
    const report = new Report()
    const { sources } = await import('../../moving-in/formats/index.ts')
    const converted = sources[options.from].read(bytes, {
      ...sourceOptions(options),
      ...(homes && { memberships: homes.memberships }),
    })
    for (const left of homes?.leftOut ?? []) report.add(left)
    return { ...common, format: 'ndjson', header: undefined, rows: convertedRows(converted, report, homes), report }
  }
  if (form === 'json') {
    const { jsonEntries } = await import('../../moving-in/reading/json.ts')
    const entries = jsonEntries(bytes, ['users', 'data'], 'an array of users', { single: ['username', 'email'] })
    return { ...common, format: 'ndjson', header: undefined, rows: jsonRows(entries) }
  }
  const { tableBytes, utf8Bytes } = await import('../../moving-in/reading/bytes.ts')
  if (form === 'csv') return { ...common, format: 'csv', ...(await withHeader(csvRecords(tableBytes(bytes)))) }
  return { ...common, format: 'ndjson', header: undefined, rows: withoutReasons.ndjson(lines(utf8Bytes(bytes))) }
}

/** Checks every file that the options name. @throws UsageError if one cannot be read */
export function checkFiles(file: string, options: InputOptions): void {
  if (file !== '-') {
    const isFound = isReadable(file)
    if (!isFound) throw new UsageError(`${missing(file)} Check the name, or give - for standard input.`)
    if (options.from === undefined && statSync(file).isDirectory())
      throw new UsageError(`${file} is a directory, which can be imported only with --from.`)
  }
  const { mapping, roleMap, passwords, hashConfig, passphraseFile, organizations } = options
  const others = {
    mapping,
    'role-map': roleMap,
    passwords,
    'hash-config': hashConfig,
    'passphrase-file': passphraseFile,
    organizations,
  }
  for (const [option, name] of Object.entries(others)) {
    if (name === undefined) continue
    if (!isReadable(name)) throw new UsageError(`--${option}: ${missing(name)} Check the name.`)
    if (statSync(name).isDirectory() && option !== 'organizations')
      throw new UsageError(`--${option}: ${name} is a directory. Give a file.`)
  }
  if (roleMap !== undefined) readRoleMap(roleMap)
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    throw error
  }
}

function missing(file: string): string {
  return `There is no file ${file}${isAbsolute(file) ? '' : ` in ${process.cwd()}`}.`
}

/** Returns the format from the file name, which may also end in `.gz` and `.age`: `users.csv.gz`. */
function formatByName(file: string): Format | 'json' {
  if (file === '-') return 'ndjson'
  const ending = /\.(\w+)$/.exec(basename(file).replace(/(\.(gz|age))+$/i, ''))?.[1]?.toLowerCase() ?? ''
  const format = Object.hasOwn(formatOfEnding, ending) ? formatOfEnding[ending] : formatOfEncrypted(file)
  if (format === undefined) {
    throw new UsageError('The file name does not tell the format. Give --format ndjson, csv, json or xlsx, or --from.')
  }
  return format
}

/** An encrypted export is always ndjson, with any file name. */
function formatOfEncrypted(file: string): 'ndjson' | undefined {
  if (!statSync(file).isFile()) return undefined
  const head = Buffer.alloc(encryptedIntro.length)
  const open = openSync(file, 'r')
  try {
    readSync(open, head)
  } finally {
    closeSync(open)
  }
  return head.equals(encryptedIntro) ? 'ndjson' : undefined
}

/** The bytes of the input; of an Excel file, its first sheet as CSV. */
export async function openBytes(file: string, { from, passphraseFile, encoding }: InputOptions) {
  let read = 0
  const stat = file === '-' ? undefined : statSync(file)
  const source = stat?.isDirectory()
    ? (await import('../../moving-in/formats/index.ts')).inputFrom(file)
    : file === '-'
      ? process.stdin
      : createReadStream(file, { highWaterMark: 512 * 1024 })
  async function* counted(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      read += chunk.length
      yield chunk
    }
  }
  const { workbookAsCsv } = await import('../../moving-in/reading/workbook.ts')
  const bytes = workbookAsCsv(decrypted(counted(), passphraseFile), { isForServer: from === undefined })
  return {
    bytes: encoding === undefined ? bytes : (await import('../../moving-in/reading/bytes.ts')).inUtf8(bytes, encoding),
    position: () => read,
    size: stat?.isFile() ? stat.size : undefined,
  }
}

function sourceOptions(options: InputOptions): SourceOptions {
  const { mapping, mappingText, roleMap, keepIds, unverifiedEmails, clearPasswords, passwords, hashConfig } = options
  return {
    now: new Date(),
    ...(mappingText !== undefined && { mapping: mappingText }),
    ...(mapping !== undefined && { mapping: readFileSync(mapping, 'utf8') }),
    ...(hashConfig !== undefined && { hashConfig: readFileSync(hashConfig, 'utf8') }),
    ...(passwords !== undefined && { passwords: createReadStream(passwords) }),
    ...(roleMap !== undefined && { roleMap: readRoleMap(roleMap) }),
    ...(keepIds && { keepIds }),
    ...(clearPasswords !== undefined && { clearPasswords }),
    ...(unverifiedEmails !== undefined && { unverifiedEmails }),
  }
}

const rowsAtOnce = 200

async function* convertedRows(
  converted: AsyncIterable<Converted>,
  report: Report,
  homes: Homes | undefined,
): AsyncGenerator<Row[], void, undefined> {
  let rows: Row[] = []
  for await (const found of converted) {
    if ('leftOut' in found) {
      report.add(found.leftOut)
      continue
    }
    const { organization, ...row } = found.row
    const organizationId = organization === undefined ? undefined : homes?.ids.get(organization)
    const sent = { ...row, ...(organizationId !== undefined && { organization: organizationId }) }
    rows.push(placed(Buffer.from(JSON.stringify(sent)), found.line))
    if (rows.length < rowsAtOnce) continue
    yield rows
    rows = []
  }
  if (rows.length > 0) yield rows
}

async function* jsonRows(
  entries: AsyncIterable<{ value: object; line: number }>,
): AsyncGenerator<Row[], void, undefined> {
  let rows: Row[] = []
  for await (const { value, line } of entries) {
    rows.push(placed(Buffer.from(JSON.stringify(value)), line))
    if (rows.length < rowsAtOnce) continue
    yield rows
    rows = []
  }
  if (rows.length > 0) yield rows
}

async function withHeader(records: AsyncGenerator<Row[], void, undefined>): Promise<Pick<Input, 'header' | 'rows'>> {
  const { value } = await records.next()
  const [header, ...first] = value ?? []
  if (header === undefined) throw new UsageError('The CSV file is empty. Its first line must name the members.')
  async function* rest(): AsyncGenerator<Row[], void, undefined> {
    if (first.length > 0) yield first
    yield* records
  }
  return withoutReasons.csv(header, rest())
}
