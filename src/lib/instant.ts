/** The last instant whose text does not start with a sign (year 9999). */
export const latestInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * Returns an instant in the stored form, to be compared as text. Stored instants have milliseconds, so a finer bound is
 * rounded down, or up if `up`.
 */
export function wholeMilliseconds(instant: string, { up }: { up: boolean }): string {
  const between = /\.\d{3}\d*[1-9]/.test(instant)
  return new Date(Math.min(Date.parse(instant) + Number(up && between), latestInstant)).toISOString()
}

/** Returns a time for a file name: 2026-11-20T131542Z. */
export function stampOf(time: Date): string {
  return time.toISOString().replace(/\.\d+/, '').replaceAll(':', '')
}

let written = { ms: 0, text: new Date(0).toISOString() }

/** Writes epoch milliseconds as the store and the API write a time: 2026-11-20T13:15:42.000Z. */
export function timestamp(ms: number): string {
  // A change writes its time five times.
  if (ms !== written.ms) written = { ms, text: new Date(ms).toISOString() }
  return written.text
}

// RFC 3339 §5.6: a date, a time and an offset. Leap seconds are not supported.
const instantForm =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/

/** Whether a text is an instant in the form of RFC 3339 §5.6. */
export function isInstant(text: string): boolean {
  if (!instantForm.test(text)) return false
  // Date turns 30 February into March, but that day does not exist.
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return !Number.isNaN(Date.parse(text)) && day.toISOString().startsWith(text.slice(0, 10))
}
