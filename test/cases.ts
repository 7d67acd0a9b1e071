/** What a test tries: everything in CI, a fifth elsewhere. `npm test` prints which of the two holds. */
import { partVariable } from './part.ts'

/** Returns how many random cases a test tries. */
export function cases(count: number): number {
  return process.env.CI ? count : aFifth(count)
}

function aFifth(count: number): number {
  return Math.max(2, Math.ceil(count / 5))
}

/**
 * Returns which combinations a test tries, in their order: all in CI, but for `npm test`, which has ten minutes for everything; otherwise
 * a random fifth.
 */
export function combinations<T>(all: readonly T[]): readonly T[] {
  if (process.env.CI && process.env[partVariable] !== 'rules') return all
  const left = new Set(all.keys())
  const wanted = aFifth(all.length)
  while (left.size > wanted) left.delete([...left][Math.floor(Math.random() * left.size)] as number)
  return [...left].map((i) => all[i] as T)
}
