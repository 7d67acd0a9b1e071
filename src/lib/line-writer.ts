import { write, writeSync } from 'node:fs'

export type LineWriter = {
  /** Takes a line with its line feed; it reaches the file within a moment. */
  write(line: string): void
  /** Calls back when everything taken so far has been handed to the operating system. */
  flush(done: (error?: Error) => void): void
}

const batchLines = 200
const delayMs = 100
/** Above this size lines are dropped: a stalled reader must neither fill the memory nor stop the service. */
const waitingLimit = 50_000

/**
 * Writes lines to an open file in batches: one system call for many lines, off the main thread, one at a time so that
 * they stay in order. Lines still queued are written when the process exits; a killed process loses them.
 *
 * @param toText returns what is written for a batch of lines
 */
export function lineWriter(fd: number, toText = (lines: readonly string[]) => lines.join('')): LineWriter {
  let waiting: string[] = []
  let writing = false
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let flushed: ((error?: Error) => void)[] = []

  function writeBatch(): void {
    clearTimeout(timer)
    timer = undefined
    if (writing || waiting.length === 0) return
    writing = true
    if (dropped > 0)
      waiting.push(`{"level":"warn","msg":"${dropped} lines were dropped because the log was not read"}\n`)
    dropped = 0
    const batch = Buffer.from(toText(waiting))
    waiting = []
    writeAll(batch, 0)
  }

  function writeAll(batch: Buffer, from: number): void {
    write(fd, batch, from, batch.length - from, null, (error, written) => {
      // A pipe may be full for now.
      if (error?.code === 'EAGAIN') setTimeout(writeAll, 10, batch, from)
      else if (error === null && from + written < batch.length) writeAll(batch, from + written)
      else finish(error ?? undefined)
    })
  }

  function finish(error?: Error): void {
    writing = false
    if (waiting.length > 0) {
      writeBatch()
      return
    }
    const calls = flushed
    flushed = []
    for (const call of calls) call(error)
  }

  process.on('exit', () => {
    try {
      if (waiting.length > 0) writeSync(fd, toText(waiting))
    } catch {
      // The reader is gone or stuck, and there is nowhere left to report it.
    }
  })

  return {
    write(line) {
      if (waiting.length >= waitingLimit) {
        dropped++
        return
      }
      if (waiting.push(line) >= batchLines) writeBatch()
      else timer ??= setTimeout(writeBatch, delayMs).unref()
    },
    flush(done) {
      flushed.push(done)
      if (writing) return
      if (waiting.length === 0) finish()
      else writeBatch()
    },
  }
}
