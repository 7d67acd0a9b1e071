/** End dates as people write them. */
import { isInstant } from './instant.ts'

/** Returns the last instant of a day in UTC: 2026-12-31. Undefined for any other text, and for a day that does not exist. */
export function endOfDay(text: string): string | undefined {
  const [day] = /^\d{4}-\d\d-\d\d$/.exec(text.trim()) ?? []
  const instant = `${day}T23:59:59.999Z`
  return day !== undefined && isInstant(instant) ? instant : undefined
}
