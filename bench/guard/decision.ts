/** Whether a commit made a row slower. On a shared machine a single figure says nothing, so this looks at pairs. */
import { median } from '../report.ts'

/** Figures of both commits, measured one after the other. */
export type Pair = { before: Sample; after: Sample }
export type Sample = { perSecond: number; cpuMicroseconds: number }

export type Verdict = 'passed' | 'measure again' | 'FAILED'

/** A row fails below this ratio of the rates. */
export const lowest = 0.9
/** Below this one, a row is measured again: the first pairs may also hide a larger drop. */
export const suspicious = 0.95
/** Pairs come in batches, each with fresh processes. When so many batches all show the drop, no more are measured. */
export const batches = { first: 2, agree: 4, atMost: 7 }

/** Returns the median of the ratios of all pairs: a burst of other load spoils a pair, and not the result. */
export function changeOf(pairs: readonly Pair[], figure: keyof Sample = 'perSecond'): number {
  return median(pairs.map(({ before, after }) => after[figure] / before[figure]))
}

/** `measured` is the pairs of each batch. */
export function judge(measured: readonly (readonly Pair[])[]): Verdict {
  if (measured.length < batches.first) return 'measure again'
  const change = changeOf(measured.flat())
  if (change >= suspicious) return 'passed'
  if (measured.length >= batches.agree && measured.every((pairs) => changeOf(pairs) < lowest)) return 'FAILED'
  if (measured.length < batches.atMost) return 'measure again'
  return change < lowest ? 'FAILED' : 'passed'
}
