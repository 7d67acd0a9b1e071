import { cases } from './cases.ts'

/** Returns how many random walks a model test takes: `ROLLBOOK_TEST_WALKS`, or else `count` as other random cases. */
export function walks(count: number): number {
  const wanted = process.env.ROLLBOOK_TEST_WALKS
  return wanted === undefined ? cases(count) : Number(wanted)
}
