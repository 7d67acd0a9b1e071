/** Sends the rows of a source in parts, as large as the server and its proxies accept. */
import type { ImportedRow, ImportJob } from 'rollbook/client'
import { breaksIn } from '../../../../src/lib/csv-records.ts'
import type { Source, SourceRow } from './source.ts'

export type Reject = { row: number; code: string; pointer: string | null; detail: string }

/** The rows of a part; `count_lines: false` if its line numbers cannot be those of the file. */
export type PartPlace = { from_row: number; complete: boolean } & ({ from_line: number } | { count_lines: false })

type FeedParts = {
  /** Resolves when the part has arrived. Throws what a retry cannot fix. */
  send(body: string, place: PartPlace): Promise<ImportJob>
  /** Returns the rejected rows after this one. */
  rejectedAfter(row: number): AsyncIterable<ImportedRow>
  onProgress(job: ImportJob, total: { rows: number; isExact: boolean }): void
  /** Called with rejected rows as they are found, with the text of the file. */
  onRejects(rejects: readonly ({ reject: Reject } & Pick<SourceRow, 'original' | 'line'>)[]): void
  signal: AbortSignal
  now?: () => number
}

/** A few thousand rows: few requests, but a response every second, which moves the progress bar. */
const [firstRows, mostRows, partMs] = [500, 10_000, 1000]
/** At first below the 1 MiB that nginx accepts by default. */
const [firstBytes, mostBytes] = [768 * 1024, 4 * 1024 * 1024]

/** @throws FewerRows if the source ends before the rows that are done */
export async function feed(
  source: Source,
  done: Pick<ImportJob, 'rows_done' | 'rejected'>,
  parts: FeedParts,
): Promise<ImportJob> {
  const { signal, onProgress, onRejects, now = () => performance.now() } = parts
  const takeRows = taker(source)
  const rejects = rejectsOf(parts)
  const room = { bytes: firstBytes, most: mostBytes }
  let wanted = firstRows
  let read = 0

  // Earlier rejected rows are reported again with their text, which only the file has.
  if (done.rejected > 0) await rejects.read()
  let waiting: SourceRow[] = []
  let isEnd = false
  while (read < done.rows_done) {
    signal.throwIfAborted()
    const found = await takeRows(Math.min(firstRows, done.rows_done - read), mostBytes)
    onRejects(rejects.pair(read, found.rows))
    read += found.rows.length
    isEnd = found.isEnd
    if (isEnd && read < done.rows_done) throw new FewerRows(read, done.rows_done)
  }

  for (;;) {
    signal.throwIfAborted()
    if (waiting.length === 0 && !isEnd) {
      const found = await takeRows(wanted, room.bytes)
      waiting = found.rows
      isEnd = found.isEnd
    }
    const rows = beginningOf(waiting, room.bytes)
    const isLast = isEnd && rows.length === waiting.length
    const begun = now()
    let job: ImportJob
    try {
      const { body, lines } = bodyOf(source, rows)
      job = await parts.send(body, { from_row: read, complete: isLast, ...lines })
    } catch (error) {
      if ((error as { status?: number }).status !== 413 || rows.length < 2) throw error
      room.bytes = Math.floor(Math.min(room.bytes, lengthOf(rows)) / 2)
      room.most = room.bytes
      continue
    }
    const took = now() - begun
    wanted = Math.min(mostRows, Math.max(1, Math.round((wanted * partMs) / Math.max(took, partMs / 4))))
    room.bytes = Math.min(room.most, room.bytes * 2)
    if (job.rejected > rejects.seen) await rejects.read()
    onRejects(rejects.pair(read, rows))
    read += rows.length
    waiting = waiting.slice(rows.length)
    onProgress(job, isEnd ? { rows: read + waiting.length, isExact: true } : estimate(source, read + waiting.length))
    if (isLast) return job
  }
}

export class FewerRows extends Error {
  readonly rows: number
  readonly done: number

  constructor(rows: number, done: number) {
    super('The file has fewer rows than were imported of it: it is another one.')
    this.name = 'FewerRows'
    this.rows = rows
    this.done = done
  }
}

/** Estimated from the size of the rows so far. */
function estimate({ position, size }: Source, rows: number): { rows: number; isExact: boolean } {
  const share = position() / size
  return { rows: share > 0 ? Math.max(rows, Math.round(rows / share)) : rows, isExact: false }
}

/** Takes rows from the source up to a number and length, but at least one if there is one. */
function taker({ rows }: Source) {
  const iterator = rows[Symbol.asyncIterator]()
  let found: SourceRow[] = []
  let next = 0
  let hasEnded = false
  return async (wanted: number, length: number): Promise<{ rows: SourceRow[]; isEnd: boolean }> => {
    const taken: SourceRow[] = []
    let left = length
    for (;;) {
      while (next >= found.length && !hasEnded) {
        const { value, done } = await iterator.next()
        hasEnded = done === true
        found = value ?? []
        next = 0
      }
      const row = found[next]
      if (row === undefined) return { rows: taken, isEnd: true }
      if (taken.length >= wanted || (taken.length > 0 && left < row.sent.length)) return { rows: taken, isEnd: false }
      taken.push(row)
      left -= row.sent.length
      next += 1
    }
  }
}

function beginningOf(rows: SourceRow[], length: number): SourceRow[] {
  let left = length
  const count = rows.findIndex(({ sent }, n) => {
    left -= sent.length + 1
    return left < 0 && n > 0
  })
  return count < 0 ? rows : rows.slice(0, count)
}

function lengthOf(rows: readonly SourceRow[]): number {
  return rows.reduce((length, { sent }) => length + sent.length + 1, 0)
}

/** No file of users has more blank lines. */
const mostBlank = 64 * 1024

/** Blank lines keep each row on its line of the file, unless rows share a line, as in JSON without line breaks. */
function bodyOf({ header }: Source, rows: readonly SourceRow[]) {
  const from_line = (rows[0]?.line ?? 1) - 1
  let next = from_line + 1
  let blank = 0
  let isInPlace = true
  const gaps = rows.map(({ sent, line }) => {
    const gap = line - next
    next = line + 1 + (header === undefined ? 0 : breaksIn(sent))
    blank += gap
    isInPlace &&= gap >= 0 && blank <= mostBlank
    return gap
  })
  const text = rows.map(({ sent }, n) => `${isInPlace ? '\n'.repeat(gaps[n] ?? 0) : ''}${sent}\n`).join('')
  // Never empty, or there would be no body.
  const body = `${header === undefined ? '' : `${header}\n`}${text || '\n'}`
  return { body, lines: isInPlace ? { from_line } : { count_lines: false as const } }
}

/** Joins the rejected rows that the server reports with the rows of the file. */
function rejectsOf({ rejectedAfter }: FeedParts) {
  const waiting: Reject[] = []
  let seen = 0
  let last = 0
  return {
    get seen() {
      return seen
    },
    async read() {
      for await (const { row, code = '', pointer = null, detail = '' } of rejectedAfter(last)) {
        waiting.push({ row, code, pointer, detail })
        seen += 1
        last = row
      }
    },
    pair(from: number, rows: readonly SourceRow[]) {
      const count = waiting.findIndex(({ row }) => row > from + rows.length)
      const here = waiting.splice(0, count < 0 ? waiting.length : count)
      return here.map((reject) => {
        const { original, line } = rows[reject.row - from - 1] as SourceRow
        return { reject, original, line }
      })
    },
  }
}
