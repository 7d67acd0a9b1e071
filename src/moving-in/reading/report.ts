import type { LeftOut } from './source.ts'

export type ReportLine = { what: string; why: string; count: number; of: string[] }

/** Counts what was left out, and remembers the first users of each kind. */
export class Report {
  #lines = new Map<string, ReportLine>()
  readonly #examples: number

  constructor(examples = 5) {
    this.#examples = examples
  }

  add({ what, why, of }: LeftOut): void {
    const key = JSON.stringify([what, why])
    const line = this.#lines.get(key) ?? { what, why, count: 0, of: [] }
    this.#lines.set(key, line)
    line.count++
    if (of !== undefined && line.of.length < this.#examples) line.of.push(of)
  }

  /** Skipped users first, then by count. */
  lines(): ReportLine[] {
    return [...this.#lines.values()].sort(
      (a, b) =>
        Number(b.what === 'user') - Number(a.what === 'user') || b.count - a.count || (a.what < b.what ? -1 : 1),
    )
  }
}
