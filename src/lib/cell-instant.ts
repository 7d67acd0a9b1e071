/** Days and times as cells of a file have them. */

const form = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?)?$/

/** Returns a day, or a time without a zone, as an instant in UTC. Undefined for any other text. */
export function instantOfCell(text: string): string | undefined {
  const [, day, time = '00:00', seconds = ':00'] = form.exec(text.trim()) ?? []
  return day === undefined ? undefined : `${day}T${time}${seconds}Z`
}

/** Returns the day of an instant in UTC at midnight, as spreadsheets write days. Undefined for any other text. */
export function dayOfCell(text: string): string | undefined {
  return /^(\d{4}-\d\d-\d\d)[ T]00:00(?::00(?:\.0+)?)?Z?$/.exec(text.trim())?.[1]
}
