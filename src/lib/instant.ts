/** In UTC a year later, its text would begin with a sign. */
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * An instant as stored ones are written, to be compared with them as text. They have milliseconds: a bound between two of
 * them moves to the one that holds as well, the later one when `up`.
 */
export function wholeMilliseconds(instant: string, { up }: { up: boolean }): string {
  const between = /\.\d{3}\d*[1-9]/.test(instant)
  return new Date(Math.min(Date.parse(instant) + Number(up && between), latest)).toISOString()
}

/** A time as a part of a file's name: 2026-11-20T131542Z. */
export function stampOf(time: Date): string {
  return time.toISOString().replace(/\.\d+/, '').replaceAll(':', '')
}
