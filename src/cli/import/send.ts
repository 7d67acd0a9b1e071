/** Sends the rows of an input in parts, each until it has arrived. */
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
  options: Pick<ImportOptions, 'mode' | 'match' | 'on_conflict' | 'dryRun'> & { job_id: string }
  /** So long a part is tried again while the server does not answer. */
  patienceMs: number
  onProgress(job: ImportJob, position: number): void
  onReject(reject: ImportReject, input: Row): void
  /** A part is on its way: the server may know of the import from now on. */
  onSend(): void
}

/** A part should take some seconds: few, so that proxies wait and little is done twice; each costs the server a beginning. */
const [firstRows, mostRows, mostBytes, partMs] = [200, 100_000, 8 * 1024 * 1024, 3000]
/** Below the MiB that nginx takes when nobody has told it otherwise. */
const firstBytes = 768 * 1024

/** How much a part may have. It grows until a proxy says that this is too much (413). */
type Room = { bytes: number; most: number }
const [firstPauseMs, longestPauseMs] = [200, 3000]

/** Sends what comes after the rows that are done, and answers the job when nothing is left. */
export async function feed(
  input: Input,
  job: Pick<ImportJob, 'rows_done' | 'rejected'>,
  how: Feed,
): Promise<ImportJob> {
  const room: Room = { bytes: firstBytes, most: mostBytes }
  const take = partsOf(input, room)
  const rejects = rejectsOf(how)
  let wanted = firstRows
  // Those that were rejected before are told again with the row, which only stands here.
  if (job.rejected > 0) await rejects.read()
  for (let part = await skip(take, job.rows_done, rejects.pair); ; ) {
    how.signal.throwIfAborted()
    const begun = performance.now()
    const [next, done] = await Promise.all([part.isLast ? undefined : take(wanted), deliver(part, input, how, room)])
    const took = performance.now() - begun
    wanted = Math.min(mostRows, Math.max(1, Math.round((wanted * partMs) / Math.max(took, partMs / 4))))
    if (done.rejected > rejects.seen) await rejects.read()
    rejects.pair(part)
    how.onProgress(done, part.position)
    if (next === undefined) return done
    part = next
  }
}

/** Hands out parts of so many rows at most. */
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

/** Passes over the rows that are done. */
async function skip(take: (wanted: number) => Promise<Part>, done: number, pair: (part: Part) => void): Promise<Part> {
  for (;;) {
    const part = await take(firstRows)
    const isBehind = part.from + part.rows.length > done
    if (isBehind || part.isLast) {
      const passed = Math.min(part.rows.length, Math.max(0, done - part.from))
      if (part.from + passed < done) {
        throw new Failed(
          `The input has fewer rows than the ${done} that are done: it is not the file that was begun with.`,
          5,
        )
      }
      pair({ ...part, rows: part.rows.slice(0, passed) })
      return { ...part, from: part.from + passed, rows: part.rows.slice(passed) }
    }
    pair(part)
  }
}

/** The rejected rows that the server tells of, brought together with the rows themselves. */
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

/** Sends a part, in smaller ones where a proxy on the way takes no more. */
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
        const text = `Row ${piece.from + 1} alone is more than a proxy before the server takes (413): raise its limit for bodies.`
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
      // Tried again below, for longer.
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
/** A part grows by its blank lines: more than these are in no file of users. */
const mostBlank = 64 * 1024

/** Line breaks within a row, as the server counts those of CSV: CRLF, LF and CR. */
function breaksIn(row: Row): number {
  if (row.indexOf(lineFeed) < 0 && row.indexOf(carriageReturn) < 0) return 0
  return row.toString('latin1').split(/\r\n|\n|\r/).length - 1
}

/**
 * Blank lines before each row, which make the lines of the body those of the file. Undefined where rows do not begin on lines
 * of their own that follow each other, as in JSON without line breaks.
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

/** Tries for a while: a server that is started anew goes on where the one before was. */
export async function persist<T>({ signal, patienceMs }: Pick<Feed, 'signal' | 'patienceMs'>, work: () => Promise<T>) {
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
        tell(`The server does not answer; trying again for up to ${Math.round(patienceMs / 1000)} s.`)
      }
      const { retryAfterSeconds = 0 } = error as { retryAfterSeconds?: number }
      const pause = Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** tried)
      await sleep(Math.max(pause, Math.min(10, retryAfterSeconds) * 1000), undefined, { signal }).catch(() => {})
      signal.throwIfAborted()
    }
  }
}

/** `import_busy`: the server has not noticed yet that an earlier try was cut. */
function mayPass(error: unknown): boolean {
  const { name, status = 0, code } = error as { name?: string; status?: number; code?: string }
  if (name === 'ConnectionError' || name === 'IncompleteStreamError') return true
  return [408, 429, 502, 503, 504].includes(status) || code === 'import_busy'
}
