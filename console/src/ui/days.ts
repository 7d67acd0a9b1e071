/**
 * Converts days of a date field to instants of a filter and back, in the viewer's time zone. The API excludes the instant
 * itself, so "from a day" means after the last millisecond of the day before.
 */

/** Returns what `created_after` takes for a day such as `2026-11-22`. */
export function fromDay(day: string): string | undefined {
  const start = startOf(day)
  return start && new Date(start.getTime() - 1).toISOString()
}

/** Returns what `created_before` takes for a day such as `2026-11-22`, which is included. */
export function untilDay(day: string): string | undefined {
  const start = startOf(day)
  if (start === undefined) return undefined
  start.setDate(start.getDate() + 1)
  return start.toISOString()
}

/** Returns the day that `fromDay` was given; undefined for an instant within a day. */
export function dayOfFrom(iso: string): string | undefined {
  const day = localDay(new Date(Date.parse(iso) + 1))
  return fromDay(day) === new Date(iso).toISOString() ? day : undefined
}

export function dayOfUntil(iso: string): string | undefined {
  const day = localDay(new Date(Date.parse(iso) - 1))
  return untilDay(day) === new Date(iso).toISOString() ? day : undefined
}

function startOf(day: string): Date | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? []
  if (year === undefined) return undefined
  const start = new Date(Number(year), Number(month) - 1, Number(date))
  // The constructor takes two digits for a year of the last century.
  start.setFullYear(Number(year))
  return start
}

export function localDay(instant: Date): string {
  const parts = [instant.getFullYear(), instant.getMonth() + 1, instant.getDate()] as const
  return parts.map((part, i) => String(part).padStart(i === 0 ? 4 : 2, '0')).join('-')
}
