/** The last instant whose text does not start with a sign (year 9999). */
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * Returns an instant in the stored form, to be compared as text. Stored instants have milliseconds, so a finer bound is
 * rounded down, or up if `up`.
 */
export function wholeMilliseconds(instant: string, { up }: { up: boolean }): string {
  const between = /\.\d{3}\d*[1-9]/.test(instant)
  return new Date(Math.min(Date.parse(instant) + Number(up && between), latest)).toISOString()
}

/** Returns a time for a file name: 2026-11-20T131542Z. */
export function stampOf(time: Date): string {
  return time.toISOString().replace(/\.\d+/, '').replaceAll(':', '')
}

/** Writes epoch milliseconds as the store and the API write a time: 2026-11-20T13:15:42.000Z. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString()
}
