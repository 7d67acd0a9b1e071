import type { WriteStream } from 'node:tty'

type Shown = {
  /** What is being done, such as `Copying`. */
  label: string
  /** How an amount reads, such as `12 MB`. */
  format?: (amount: number) => string
}

export type Progress = {
  update(done: number, total: number): void
  /** Takes the bar away; what is to stay is the caller's to say. */
  end(): void
}

const redrawMs = 100
const lineMs = 10_000
const barWidth = 24

/** Tells on standard error how far something is: a bar on a terminal, elsewhere a line now and then. */
export function showProgress(
  { label, format = grouped }: Shown,
  out: Pick<WriteStream, 'write'> & { isTTY?: boolean; columns?: number } = process.stderr,
  now: () => number = performance.now.bind(performance),
): Progress {
  let start: { at: number; done: number } | undefined
  let told = Number.NEGATIVE_INFINITY

  return {
    update(done, total) {
      const at = now()
      if (start === undefined) {
        // What an earlier try has done says nothing of the speed.
        start = { at, done }
        if (!out.isTTY) told = at
      }
      if (at - told < (out.isTTY ? redrawMs : lineMs)) return
      told = at
      const share = total === 0 ? 1 : Math.min(1, done / total)
      const amounts = `${format(done)} of ${format(total)}`
      const left =
        done > start.done ? `, ${duration(((at - start.at) * (total - done)) / (done - start.done))} left` : ''
      if (!out.isTTY) {
        out.write(`${label}: ${amounts} (${Math.floor(share * 100)} %)${left}\n`)
        return
      }
      const filled = Math.round(share * barWidth)
      const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled)
      const text = `${label} ${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${amounts}${left}`
      // A line that wraps could not be drawn over.
      out.write(`\r${text.slice(0, (out.columns || 80) - 1)}\x1b[K`)
    },
    end() {
      if (out.isTTY) out.write('\r\x1b[K')
    },
  }
}

export function grouped(amount: number): string {
  return amount.toLocaleString('en')
}

/** `1 user`, `2,000 users`. */
export function counted(count: number, what: string): string {
  return `${grouped(count)} ${what}${count === 1 ? '' : 's'}`
}

export function megabytes(bytes: number): string {
  return `${grouped(Math.ceil(bytes / 1e6))} MB`
}

export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  return seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}
