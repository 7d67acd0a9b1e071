import type { WriteStream } from 'node:tty'
import { counted, duration, grouped, rate } from '../../lib/amounts.ts'

type Shown = {
  /** What is being done, such as `Copying`. */
  label: string
  /** How an amount reads, such as `12 MB`. */
  format?: (amount: number) => string
  /** What is counted, when the count and its speed are told instead of the amounts: `user`. */
  counting?: string
}

export type Progress = {
  /** `total` is undefined when nobody knows it; `count` is told where something else is counted than the amount. */
  update(done: number, total: number | undefined, count?: number): void
  /** Takes the bar away; what is to stay is the caller's to say. */
  end(): void
}

type Step = { at: number; done: number; count: number }

const redrawMs = 100
const [lineMs, quickMs] = [10_000, 1000]
const barWidth = 24

/**
 * Tells on standard error how far something is: on a terminal a bar; elsewhere a line now and then or, of what is counted,
 * a line for each tenth.
 */
export function showProgress(
  { label, format = grouped, counting }: Shown,
  out: Pick<WriteStream, 'write'> & { isTTY?: boolean; columns?: number } = process.stderr,
  now: () => number = performance.now.bind(performance),
): Progress {
  let start: Step | undefined
  let told = Number.NEGATIVE_INFINITY
  let tenth = 0

  function isTime(at: number, share: number | undefined): boolean {
    if (out.isTTY) return at - told >= redrawMs
    if (counting === undefined || share === undefined) return at - told >= lineMs
    // The whole is the caller's to tell of.
    // What is soon done needs no telling.
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
        // What an earlier try has done says nothing of the speed.
        start = { at, done, count }
        if (!out.isTTY) told = at
        if (share !== undefined) tenth = Math.floor(share * 10)
      }
      if (!isTime(at, share)) return
      told = at
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
      // A line that wraps could not be drawn over.
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
