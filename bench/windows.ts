/**
 * Compares quantiles of latencies that were measured in short windows, one state after the other, again and again. Each window has
 * its own quantile, and their median counts: another program that has the machine for a second spoils one window.
 */
import { median } from './report.ts'
import { randomNumbers } from './users.ts'

/** The milliseconds of one window's requests. */
export type Window = readonly number[]

const draws = 2000

export function quantiles(windows: readonly Window[], share: number): number[] {
  return windows.map((window) => {
    const sorted = window.toSorted((a, b) => a - b)
    return sorted[Math.floor(sorted.length * share)] ?? 0
  })
}

/** Returns the bounds between which the ratio of the medians lies with 90 % certainty, from a bootstrap. */
export function ratioBounds(ours: readonly number[], reference: readonly number[]): [number, number] {
  const random = randomNumbers()
  const drawn = (values: readonly number[]) => median(values.map(() => values[random() % values.length] as number))
  const ratios = Array.from({ length: draws }, () => drawn(ours) / drawn(reference)).toSorted((a, b) => a - b)
  return [ratios[Math.floor(draws * 0.05)] as number, ratios[Math.floor(draws * 0.95)] as number]
}
