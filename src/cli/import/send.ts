/** Sends the rows of an input in parts, and retries each part until it has arrived. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ImportJob, ImportOptions, ImportReject, RollbookClient } from '../../sdk/client/index.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failed } from '../terminal/failure.ts'
import { tell } from '../terminal/output.ts'
import type { Input } from './input.ts'
import type { Row } from './rows.ts'

export type Part = { from: number; rows: Row[]; isLast: boolean; position: number }

export type Feed = {
  client: RollbookClient
  signal: AbortSignal
  options: Pick<ImportOptions, 'mode' | 'match' | 'on_conflict' | 'dryRun' | 'file_name'> & { job_id: string }
  /** How long a part is retried while the server does not respond. */
  patienceMs: number
  onProgress(job: ImportJob, position: number): void
  onReject(reject: ImportReject, input: Row): void
  /** Called when a part is sent: from now on the server may know the import. */
  onSend(): void
}

/** A part should take about three seconds: longer risks a proxy timeout, shorter costs overhead for each part. */
const [firstRows, mostRows, mostBytes, partMs] = [200, 100_000, 8 * 1024 * 1024, 3000]
/** Below nginx's default limit of 1 MiB. */
const firstBytes = 768 * 1024

/** The size limit of a part. It grows until a proxy refuses a part (413). */
type Room = { bytes: number; most: number }
const [firstPauseMs, longestPauseMs] = [200, 3000]

/** Sends the rows after those that are done, and returns the finished job. */
export async function feed(
  input: Input,
  job: Pick<ImportJob, 'rows_done' | 'rejected'>,
  how: Feed,
): Promise<ImportJob> {
  const room: Room = { bytes: firstBytes, most: mostBytes }
  const nextPart = partsOf(input, room)
  const rejects = rejectsOf(how)
  let wanted = firstRows
  // Report earlier rejects again, because only this process has their rows.
  if (job.rejected > 0) await rejects.read()
  for (let part = await skip(nextPart, job.rows_done, rejects.pair); ; ) {
    how.signal.throwIfAborted()
    const startedAt = performance.now()
    const [next, done] = await Promise.all([
      part.isLast ? undefined : nextPart(wanted),
      deliver(part, input, how, room),
    ])
    const took = performance.now() - startedAt
    wanted = Math.min(mostRows, Math.max(1, Math.round((wanted * partMs) / Math.max(took, partMs / 4))))
    if (done.rejected > rejects.seen) await rejects.read()
    rejects.pair(part)
    how.onProgress(done, part.position)
    if (next === undefined) return done
    part = next
  }
}

/** Returns a function that takes the next part with at most `wanted` rows. */
function partsOf({ rows, position }: Input, room: Room): (wanted: number) => Promise<Part> {
  let waiting: Row[] = []
  let hasEnded = false
  let from = 0
  return async (wanted) => {
    const taken: Row[] = []
    let bytes = 0
    while (taken.length < wanted && bytes < room.bytes) {
      if (waiting.length === 0) {
        const { value, done } = await rows.next()
        hasEnded = done === true
        if (hasEnded) break
        waiting = (value as Row[]).toReversed()
      }
      const row = waiting.pop() as Row
      taken.push(row)
      bytes += row.length
    }
    const part = { from, rows: taken, isLast: hasEnded && waiting.length === 0, position: position() }
    from += taken.length
    return part
  }
}

/** Skips the rows that are done. */
async function skip(
  nextPart: (wanted: number) => Promise<Part>,
  done: number,
  pair: (part: Part) => void,
): Promise<Part> {
  for (;;) {
    const part = await nextPart(firstRows)
    const isBehind = part.from + part.rows.length > done
    if (isBehind || part.isLast) {
      const passed = Math.min(part.rows.length, Math.max(0, done - part.from))
      if (part.from + passed < done) {
        throw new Failed(
          `The import has already done ${done} rows, but the input has fewer. It is not the file with which the import started.`,
          5,
        )
      }
      pair({ ...part, rows: part.rows.slice(0, passed) })
      return { ...part, from: part.from + passed, rows: part.rows.slice(passed) }
    }
    pair(part)
  }
}

/** Matches the rejected rows that the server reports with the rows of the input. */
function rejectsOf({ client, signal, options, onReject }: Feed) {
  const waiting: ImportReject[] = []
  let seen = 0
  let last = 0
  return {
    get seen() {
      return seen
    },
    async read(): Promise<void> {
      const query = { verdict: 'rejected', after_row: last } as const
      for await (const found of client.imports.rows(options.job_id, query, { signal })) {
        waiting.push(found as ImportReject)
        seen++
        last = found.row
      }
    },
    pair({ from, rows }: Part): void {
      const count = waiting.findIndex(({ row }) => row > from + rows.length)
      const here = waiting.splice(0, count < 0 ? waiting.length : count)
      for (const reject of here) onReject(reject, rows[reject.row - from - 1] as Row)
    },
  }
}

/** Sends a part, split into smaller ones if a proxy refuses its size. */
async function deliver(part: Part, input: Input, how: Feed, room: Room): Promise<ImportJob> {
  for (let rest = part; ; ) {
    const piece = beginningOf(rest, room.bytes)
    try {
      const job = await send(piece, input, how)
      if (piece.rows.length === rest.rows.length) {
        room.bytes = Math.min(room.most, room.bytes * 2)
        return job
      }
      rest = { ...rest, from: piece.from + piece.rows.length, rows: rest.rows.slice(piece.rows.length) }
    } catch (error) {
      if ((error as { status?: number }).status !== 413) throw error
      if (piece.rows.length === 1) {
        const text = `Row ${piece.from + 1} alone is larger than a proxy in front of the server accepts (413). Raise the proxy's limit for request bodies.`
        throw new Failed(text, exitCodes.failed, { cause: error })
      }
      room.bytes = Math.floor(Math.min(room.bytes, bytesOf(piece.rows)) / 2)
      room.most = room.bytes
    }
  }
}

function beginningOf(part: Part, bytes: number): Part {
  let count = 0
  for (let left = bytes; count < part.rows.length; count++) {
    left -= (part.rows[count] as Row).length + 1
    if (left < 0 && count > 0) break
  }
  return count === part.rows.length ? part : { ...part, rows: part.rows.slice(0, count), isLast: false }
}

function bytesOf(rows: readonly Row[]): number {
  return rows.reduce((length, row) => length + row.length + 1, 0)
}

async function send(part: Part, { format, header }: Input, how: Feed): Promise<ImportJob> {
  const { client, signal, options } = how
  const gaps = gapsOf(part.rows, format)
  const rows = joined(part.rows, gaps)
  const body = header === undefined ? rows : Buffer.concat([joined([header]), rows])
  const from_line = (part.rows[0]?.line ?? 1) - 1
  const contentType = format === 'csv' ? 'text/csv' : 'application/x-ndjson'
  how.onSend()
  return persist(how, () =>
    client.users.import(body, {
      ...options,
      contentType,
      from_row: part.from,
      ...(gaps === undefined ? { count_lines: false } : { from_line }),
      complete: part.isLast,
      signal,
      // persist() retries for longer.
      retries: 0,
    }),
  )
}

function joined(rows: readonly Row[], gaps: readonly number[] = []): Buffer<ArrayBuffer> {
  const blank = gaps.reduce((sum, gap) => sum + gap, 0)
  const body = Buffer.alloc(bytesOf(rows) + blank, '\n')
  let at = 0
  for (const [n, row] of rows.entries()) {
    at += gaps[n] ?? 0
    at += row.copy(body, at) + 1
  }
  return body
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d]
/** More blank lines than any real file has. They are sent as a part of the body. */
const mostBlank = 64 * 1024

/** Counts the line breaks in a row like the server does for CSV: CRLF, LF and CR. */
function breaksIn(row: Row): number {
  if (row.indexOf(lineFeed) < 0 && row.indexOf(carriageReturn) < 0) return 0
  return row.toString('latin1').split(/\r\n|\n|\r/).length - 1
}

/**
 * Returns the blank lines to send before each row, so that line numbers in the body match the file. Undefined if rows do
 * not start on lines of their own, as in JSON without line breaks.
 */
function gapsOf(rows: readonly Row[], format: Input['format']): number[] | undefined {
  let line = rows[0]?.line
  let blank = 0
  const gaps: number[] = []
  for (const row of rows) {
    if (line === undefined || row.line === undefined || row.line < line) return undefined
    gaps.push(row.line - line)
    blank += row.line - line
    if (blank > mostBlank) return undefined
    line = row.line + 1 + (format === 'csv' ? breaksIn(row) : 0)
  }
  return gaps
}

/** Retries for a while: a restarted server continues where the previous one stopped. */
async function persist<T>({ signal, patienceMs }: Pick<Feed, 'signal' | 'patienceMs'>, work: () => Promise<T>) {
  const deadline = performance.now() + patienceMs
  let isTold = false
  for (let tried = 0; ; tried++) {
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      if (!mayPass(error) || performance.now() > deadline) throw error
      if (tried > 1 && !isTold) {
        isTold = true
        tell(`The server does not respond. Retrying for up to ${Math.round(patienceMs / 1000)} s.`)
      }
      const { retryAfterSeconds = 0 } = error as { retryAfterSeconds?: number }
      const pause = Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** tried)
      await sleep(Math.max(pause, Math.min(10, retryAfterSeconds) * 1000), undefined, { signal }).catch(() => {})
      signal.throwIfAborted()
    }
  }
}

/** Whether a retry can help. `import_busy`: the server has not noticed yet that an earlier try was cut off. */
function mayPass(error: unknown): boolean {
  const { name, status = 0, code } = error as { name?: string; status?: number; code?: string }
  if (name === 'ConnectionError' || name === 'IncompleteStreamError') return true
  return [408, 429, 502, 503, 504].includes(status) || code === 'import_busy'
}
