/** What a measurement says, and the table of all of them. */

export type Target = { text: string; holds(value: number): boolean }

export const atLeast = (bound: number): Target => ({ text: `≥ ${bound}`, holds: (value) => value >= bound })
export const atMost = (bound: number): Target => ({ text: `≤ ${bound}`, holds: (value) => value <= bound })

export type Row = {
  work: string
  unit: string
  /** The median of what ours is compared with: bare, or ours under other conditions as `reference` says. */
  bare?: number
  reference?: string
  ours?: number
  /** Without one the row is for information. */
  target?: Target
  /** Whether the target is one of ours ÷ bare, or of our own figure. */
  judged: 'ratio' | 'ours'
  /** Why there is no figure. */
  skipped?: string
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/** Measures A B A B …, so that other load affects both. Returns the figures of each. */
export async function alternately<Works extends Record<string, () => Promise<unknown>>>(
  rounds: number,
  works: Works,
): Promise<{ [Name in keyof Works]: Awaited<ReturnType<Works[Name]>>[] }> {
  const results = Object.fromEntries(Object.keys(works).map((name) => [name, [] as unknown[]]))
  for (let round = 1; round <= rounds; round++) {
    for (const [name, work] of Object.entries(works)) {
      process.stderr.write(`\r  round ${round} of ${rounds}: ${name}\u001b[K`)
      results[name]?.push(await work())
    }
  }
  process.stderr.write('\r\u001b[K')
  return results as never
}

export function medianOf<T>(samples: readonly T[], figure: (sample: T) => number): number {
  return median(samples.map(figure))
}

export function ratioOf({ bare, ours }: Row): number | undefined {
  return bare === undefined || ours === undefined ? undefined : ours / bare
}

export function verdict(row: Row): 'met' | 'MISSED' | 'skipped' | '' {
  const value = row.judged === 'ratio' ? ratioOf(row) : row.ours
  if (row.skipped !== undefined || value === undefined) return 'skipped'
  if (row.target === undefined) return ''
  return row.target.holds(value) ? 'met' : 'MISSED'
}

export function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.work,
    [show(row.bare, row.unit), row.reference].filter(Boolean).join(' '),
    row.skipped ?? show(row.ours, row.unit),
    ratioOf(row)?.toFixed(2) ?? '',
    targetOf(row),
    verdict(row),
  ])
  return plainTable([['work', 'bare', 'ours', 'ratio', 'target', 'verdict'], ...cells])
}

/** The first line is the head. */
export function plainTable(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const [head, ...body] = lines.map((line) => `| ${line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`)
  return [head, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body].join('\n')
}

function targetOf({ target, judged, unit }: Row): string {
  if (target === undefined) return ''
  return judged === 'ratio' ? target.text : `${target.text} ${unit}`.trim()
}

function show(value: number | undefined, unit: string): string {
  if (value === undefined) return ''
  const digits = value >= 100 || value === 0 ? 0 : value >= 10 ? 1 : 2
  const number = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return `${number} ${unit}`.trim()
}
