import type { WriteStream } from 'node:tty'
import { counted, duration, grouped, rate } from '../../lib/amounts.ts'
import { beforePut, isQuiet } from './standard-output.ts'

type Shown = {
  /** The work, such as `Copying`. */
  label: string
  /** Formats an amount, such as `12 MB`. */
  format?: (amount: number) => string
  /** A noun such as `user`: show a count and its rate instead of amounts. */
  counting?: string
}

export type Progress = {
  /** `total` is undefined if unknown. `count` is shown if something other than the amount is counted. */
  update(done: number, total: number | undefined, count?: number): void
  /** Removes the bar. */
  end(): void
}

type Step = { at: number; done: number; count: number }

const redrawMs = 100
const [lineMs, quickMs] = [10_000, 1000]
const barWidth = 24

/**
 * Shows progress on standard error: as a bar on a terminal; otherwise as a line every ten seconds, or a line for each
 * tenth if something is counted.
 */
export function showProgress(
  { label, format = grouped, counting }: Shown,
  out: Pick<WriteStream, 'write'> & { isTTY?: boolean; columns?: number } = process.stderr,
  now: () => number = performance.now.bind(performance),
): Progress {
  let start: Step | undefined
  let reportedAt = Number.NEGATIVE_INFINITY
  let tenth = 0

  function isTime(at: number, share: number | undefined): boolean {
    if (out.isTTY) return at - reportedAt >= redrawMs
    if (counting === undefined || share === undefined) return at - reportedAt >= lineMs
    // Work that ends soon needs no progress lines. The caller reports the end.
    if (at - (start?.at ?? at) < quickMs) return false
    const reached = Math.min(9, Math.floor(share * 10))
    if (reached <= tenth || share >= 1) return false
    tenth = reached
    return true
  }

  return {
    update(done, total, count = done) {
      const at = now()
      const share = total === undefined ? undefined : total === 0 ? 1 : Math.min(1, done / total)
      if (start === undefined) {
        // The rate must not include what an earlier run did.
        start = { at, done, count }
        if (!out.isTTY) reportedAt = at
        if (share !== undefined) tenth = Math.floor(share * 10)
      }
      if (!isTime(at, share)) return
      reportedAt = at
      const percent = share === undefined ? undefined : Math.floor(share * 100)
      const text = [
        counting === undefined
          ? `${format(done)}${total === undefined ? '' : ` of ${format(total)}`}`
          : counted(count, counting),
        ...(out.isTTY || percent === undefined ? [] : [` (${percent} %)`]),
        ...(counting === undefined || count <= start.count ? [] : [`, ${rate(count - start.count, at - start.at)}/s`]),
        ...(total === undefined ? [] : [left(start, { at, done, count }, total)]),
      ].join('')
      if (!out.isTTY) {
        out.write(`${label}: ${text}\n`)
        return
      }
      const line = share === undefined ? `${label}  ${text}` : `${label} ${bar(share)}  ${text}`
      // A line that wraps cannot be overwritten.
      out.write(`\r${line.slice(0, (out.columns || 80) - 1)}\x1b[K`)
    },
    end() {
      if (out.isTTY) out.write('\r\x1b[K')
    },
  }
}

function bar(share: number): string {
  const filled = Math.round(share * barWidth)
  return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${String(Math.floor(share * 100)).padStart(3)} %`
}

function left(start: Step, { at, done }: Step, total: number): string {
  return done > start.done ? `, ${duration(((at - start.at) * (total - done)) / (done - start.done))} left` : ''
}

/** Shows progress while `work` runs, unless the command is quiet. Data for a terminal first removes the bar. */
export async function withProgress<T>(
  display: Shown,
  work: (progress: Progress | undefined) => Promise<T>,
): Promise<T> {
  const progress = isQuiet() ? undefined : showProgress(display)
  if (process.stdout.isTTY) beforePut(progress?.end)
  try {
    return await work(progress)
  } finally {
    beforePut(undefined)
    progress?.end()
  }
}
