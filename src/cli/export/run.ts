/** Runs `rollbook users export`. */
import { createHash } from 'node:crypto'
import { closeSync, existsSync, fdatasync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename } from 'node:path'
import { counted, duration, grouped, megabytes, rate } from '../../lib/amounts.ts'
import { xlsxMediaType } from '../../lib/xlsx-reader.ts'
import type { RollbookClient, RollbookError, Streamed } from '../../sdk/client/index.ts'
import { syncNames } from '../../store/db/sqlite/sync.ts'
import { type RemoteOptions, withServer } from '../server/connect.ts'
import { type FilterOptions, filterOf, withIds } from '../server/user-filter.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failed, UsageError } from '../terminal/failure.ts'
import { tell } from '../terminal/output.ts'
import { showProgress } from '../terminal/progress.ts'
import { readSecret } from '../terminal/secret-input.ts'
import { fileWriter, isQuiet, put } from '../terminal/standard-output.ts'
import { visibleJson, visibleText } from '../terminal/visible-text.ts'
import { type RowCounter, rowCounter } from './count-rows.ts'

export type ExportOptions = FilterOptions &
  RemoteOptions & {
    format?: 'ndjson' | 'json' | 'csv' | 'xlsx'
    overwrite?: true
    withPasswordHashes?: true
    /** False with --no-factors. */
    factors?: boolean
    passphraseFile?: string
    compress?: true
    json?: true
    quiet?: true
  }

const mediaTypes = {
  ndjson: 'application/x-ndjson',
  json: 'application/json',
  csv: 'text/csv',
  xlsx: xlsxMediaType,
} as const
type Format = keyof typeof mediaTypes
type Filter = ReturnType<typeof filterOf>

const syncedBytes = 32 * 1024 * 1024

/** Where the bytes go. */
type Sink = {
  write(bytes: Uint8Array): void | Promise<void>
  save(): void | Promise<void>
  discard(): void | Promise<void>
}

export async function runExport(file: string, options: ExportOptions): Promise<void> {
  const format = formatOf(file, options)
  if (format === 'xlsx' && file === '-' && process.stdout.isTTY)
    throw new UsageError('An Excel file cannot be shown on a terminal. Give a file.')
  if (file !== '-') refuseExisting(file, options)
  const passphrase = await passphraseFor(file, options)
  const startedAt = performance.now()
  const work = (client: RollbookClient, signal: AbortSignal) => {
    const request = withIds(filterOf(options), client, signal).then((filter) =>
      passphrase === undefined
        ? askForList(client, format, filter, signal)
        : client.users.exportSealed(passphrase, filter, { factors: options.factors, signal }),
    )
    return save(request, { file, format, passphrase, signal, options })
  }
  const streamed = await withServer(options, work, { fetch: fetchFor(options) })
  const ms = performance.now() - startedAt
  const speed = streamed.users > 1000 ? `, ${rate(streamed.users, ms)} users/s` : ''
  const withFactors = passphrase !== undefined && options.factors !== false
  const what = passphrase === undefined ? '' : ` with their password hashes${withFactors ? ' and one-time codes' : ''}`
  tell(`Exported ${counted(streamed.users, 'user')}${what}, ${size(streamed.bytes)}, in ${duration(ms)}${speed}.`)
  const { json } = options
  if (file === '-') tell(`SHA-256: ${streamed.sha256}`)
  else if (json) {
    const sealed = { with_password_hashes: passphrase !== undefined, with_second_factors: withFactors }
    await put(`${JSON.stringify({ file, ...streamed, ...sealed })}\n`)
  } else await put(digestLine(streamed.sha256, file))
}

/** Returns a line in the format of `sha256sum`, which escapes line breaks in names. */
function digestLine(sha256: string, file: string): string {
  const name = file.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return `${name === file ? '' : '\\'}${sha256}  ${name}\n`
}

function size(bytes: number): string {
  return bytes < 1e6 ? `${grouped(Math.ceil(bytes / 1000))} kB` : megabytes(bytes)
}

function formatOf(file: string, { format, withPasswordHashes }: ExportOptions): Format {
  if (withPasswordHashes) {
    if (format !== undefined && format !== 'ndjson')
      throw new UsageError('With --with-password-hashes the only format is ndjson.')
    return 'ndjson'
  }
  const ending = /\.(\w+)$/.exec(basename(file))?.[1]?.toLowerCase()
  if (format !== undefined) return format
  return ending === 'json' || ending === 'csv' || ending === 'xlsx' ? ending : 'ndjson'
}

async function passphraseFor(file: string, options: ExportOptions): Promise<string | undefined> {
  const { withPasswordHashes, factors, passphraseFile } = options
  if (!withPasswordHashes) {
    if (factors === false)
      throw new UsageError('--no-factors is only for --with-password-hashes. Other exports contain no second factors.')
    if (passphraseFile === undefined) return undefined
    throw new UsageError('--passphrase-file is only for --with-password-hashes. Other exports are not encrypted.')
  }
  if (file === '-' && process.stdout.isTTY)
    throw new UsageError('An encrypted export cannot be shown on a terminal. Give a file.')
  const source = { file: passphraseFile, prompt: 'Passphrase for the file, 16 characters or more', twice: true }
  return readSecret({ ...source, instead: '--passphrase-file' })
}

/** With the groups, unless the key may not read them. */
async function askForList(
  client: RollbookClient,
  format: Format,
  filter: Filter,
  signal: AbortSignal,
): Promise<Streamed> {
  const query = { ...filter, count: true }
  const how = { accept: mediaTypes[format], signal }
  try {
    return await client.users.listRaw({ ...query, include: 'groups' }, how)
  } catch (error) {
    if ((error as RollbookError).code !== 'permission_denied') throw error
    const list = await client.users.listRaw(query, how)
    tell('The export has no groups: the key lacks the permission groups:read.')
    return list
  }
}

/** Requests an uncompressed response unless `--compress` is given: on most networks, compressing takes longer than sending. */
function fetchFor({ compress, withPasswordHashes }: ExportOptions): typeof fetch {
  if (compress || withPasswordHashes) return fetch
  return ((url: string, init: RequestInit & { headers: Headers }) => {
    init.headers.set('accept-encoding', 'identity')
    return fetch(url, init)
  }) as typeof fetch
}

type Saving = {
  file: string
  format: Format
  passphrase: string | undefined
  signal: AbortSignal
  options: ExportOptions
}

/** Saves the export. The file gets its name once everything has arrived, is counted, and is on the disk. */
async function save(response: Promise<Streamed>, saving: Saving) {
  const { file, format, passphrase, signal, options } = saving
  const { headers, body, cancel } = await response
  const type = passphrase === undefined ? mediaTypes[format] : 'application/octet-stream'
  if (!headers.get('content-type')?.startsWith(type)) {
    cancel()
    throw new Failed('The response is not from Rollbook. Check the URL.', exitCodes.failed)
  }
  const total = Number(headers.get('total-count') ?? Number.NaN)
  const rows = rowCounter(format, total)
  const progress = isQuiet() ? undefined : showProgress({ label: 'Exporting', counting: 'user' })
  const hash = createHash('sha256')
  const sink = file === '-' ? standardOutput(format, passphrase) : draftOf(file, options)
  let bytes = 0
  async function* saved(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    for await (const chunk of body) {
      hash.update(chunk)
      bytes += chunk.length
      await sink.write(chunk)
      yield chunk as Uint8Array<ArrayBuffer>
    }
  }
  try {
    progress?.update(0, total)
    for await (const chunk of passphrase === undefined ? saved() : opened(saved(), passphrase)) {
      rows.add(chunk)
      progress?.update(rows.count, total)
    }
    progress?.end()
    checkWhole(rows, total)
    await sink.save()
  } catch (error) {
    progress?.end()
    await sink.discard()
    signal.throwIfAborted()
    throw cut(error, rows, total, file)
  }
  return { users: rows.count, bytes, sha256: hash.digest('hex') }
}

/** Decrypts what was written, to check that the passphrase opens the file. */
async function* opened(input: AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>, passphrase: string) {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  yield* await decrypter.decrypt(ReadableStream.from(input))
}

/** Checks the number of users, which the server counted in the same snapshot. */
function checkWhole({ count, isWhole }: RowCounter, total: number): void {
  if (!isWhole() || count !== total) throw new Failed('The export ended early.', exitCodes.failed)
}

/** Returns the error for an incomplete export. The file is removed, or it could pass for a complete one. */
function cut(error: unknown, { count }: RowCounter, total: number, file: string): unknown {
  const { name, syscall, code } = error as NodeJS.ErrnoException
  // EPIPE is an error here: unlike a list, an export must be complete.
  if ((syscall !== undefined && code !== 'EPIPE') || name === 'RollbookError') return error
  const where = file === '-' ? 'The data on standard output is incomplete.' : `${file} was not written.`
  const text = `The export was cut off after ${grouped(count)} of ${grouped(total)} users. ${where}`
  return new Failed(text, exitCodes.failed, { cause: error })
}

function standardOutput(format: Format, passphrase: string | undefined): Sink {
  const isText = passphrase === undefined && format !== 'xlsx'
  const write = isText ? fileWriter(format === 'csv' ? visibleText : visibleJson) : put
  return { write, save: () => {}, discard: () => {} }
}

function refuseExisting(file: string, { overwrite }: Pick<ExportOptions, 'overwrite'>): void {
  if (overwrite || !existsSync(file)) return
  throw new Failed(
    `${file} already exists and was not changed. Choose another name, or give --overwrite.`,
    exitCodes.failed,
  )
}

function openDraft(draft: string, file: string): number {
  try {
    return openSync(draft, 'wx', 0o600)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such directory' : code
    throw new UsageError(`${file} cannot be written: ${why}.`, { cause })
  }
}

function draftOf(file: string, options: ExportOptions): Sink {
  const draft = `${file}.${process.pid}.part`
  const open = openDraft(draft, file)
  let isOpen = true
  let unsynced = 0
  let syncing: Promise<void> | undefined
  const close = () => {
    if (isOpen) closeSync(open)
    isOpen = false
  }
  /** Syncs in the background, so that less is left to sync at the end. */
  const beginSync = () => {
    unsynced = 0
    syncing = new Promise((resolve) => {
      // The final fsync reports errors.
      fdatasync(open, () => {
        syncing = undefined
        resolve()
      })
    })
  }
  return {
    write(bytes) {
      for (let at = 0; at < bytes.length; ) at += writeSync(open, bytes, at)
      unsynced += bytes.length
      if (unsynced > syncedBytes && syncing === undefined) beginSync()
    },
    async save() {
      await syncing
      fsyncSync(open)
      close()
      refuseExisting(file, options)
      renameSync(draft, file)
      syncNames(file)
    },
    async discard() {
      await syncing
      close()
      rmSync(draft, { force: true })
    },
  }
}
