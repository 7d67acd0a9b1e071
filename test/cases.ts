/**
 * Returns how many random cases a test tries: all of them in CI, a fifth elsewhere. `npm test` prints which of the two
 * holds.
 */
export function cases(count: number): number {
  return process.env.CI ? count : Math.max(2, Math.ceil(count / 5))
}
