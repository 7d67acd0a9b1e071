/** End dates: a day means its end in UTC, as in the command line and in imports. */

const dayMs = 86_400_000
/** From when on a list says how soon the access ends. */
const soonDays = 14

export function endOfDay(day: string): string {
  return `${day}T23:59:59.999Z`
}

/** The day of an end in UTC, for a date field. */
export function dayOfEnd(iso: string | undefined): string {
  return iso?.slice(0, 10) ?? ''
}

/** The day that comes so many days after today, in UTC. */
export function dayIn(days: number, now: number): string {
  return new Date(now + days * dayMs).toISOString().slice(0, 10)
}

export type EndState = { state: 'over' } | { state: 'soon'; days: number } | undefined

/** What a list says of an end: nothing while it is far away. `days` is 0 on the last day. */
export function endState(iso: string | undefined, now: number): EndState {
  if (iso === undefined) return undefined
  const leftMs = Date.parse(iso) - now
  if (leftMs <= 0) return { state: 'over' }
  const days = Math.floor(leftMs / dayMs)
  return days < soonDays ? { state: 'soon', days } : undefined
}

/** With its zone: an end is the same instant for all who read it. */
export function formatEnd(iso: string, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  return `${format.format(new Date(iso))} UTC`
}
