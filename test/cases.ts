/** What a test tries: everything in CI, a fifth elsewhere. `npm test` prints which of the two holds. */

/** Returns how many random cases a test tries. */
export function cases(count: number): number {
  return process.env.CI ? count : Math.max(2, Math.ceil(count / 5))
}

/** Returns which combinations a test tries: random ones, in their order. */
export function combinations<T>(all: readonly T[]): readonly T[] {
  if (process.env.CI) return all
  const left = new Set(all.keys())
  const wanted = cases(all.length)
  while (left.size > wanted) left.delete([...left][Math.floor(Math.random() * left.size)] as number)
  return [...left].map((i) => all[i] as T)
}
