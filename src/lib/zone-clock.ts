/** What the clocks of a time zone show, for many instants: asking `Intl` for each would take most of the time of an export. */

const stepMs = 15 * 60 * 1000

/** Returns a function from epoch milliseconds to the time on the clocks, as if these were in UTC. @throws RangeError for an unknown zone */
export function zoneClock(timeZone: string): (ms: number) => number {
  if (timeZone === 'UTC') return (ms) => ms
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  /** Zones change at full quarters of an hour. */
  const offsets = new Map<number, number>()
  return (ms) => {
    const step = Math.floor(ms / stepMs)
    const known = offsets.get(step)
    if (known !== undefined) return ms + known
    const at = step * stepMs
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
    const offset = Date.UTC(year, month - 1, day, hour, minute, second) - at
    if (offsets.size > 100_000) offsets.clear()
    offsets.set(step, offset)
    return ms + offset
  }
}

/** Returns the inverse: an instant at which the clocks show this time. In the night when they go back there are two. */
export function instantOfClock(onClock: (ms: number) => number, clockMs: number): number {
  const near = clockMs - (onClock(clockMs) - clockMs)
  return clockMs - (onClock(near) - near)
}

const zoneForm = / \(((?:UTC|GMT)|[A-Z]\w+(?:\/[\w+-]+)+)\)$/

/** Divides the name of a column such as `Created (Europe/Berlin)`; undefined if it names no zone. */
export function zoneOfColumn(name: string): { label: string; timeZone: string } | undefined {
  const [whole, timeZone] = zoneForm.exec(name) ?? []
  return whole === undefined || timeZone === undefined ? undefined : { label: name.slice(0, -whole.length), timeZone }
}

/** Writes such a time: 2026-11-29 09:30:00. */
export function clockText(clockMs: number): string {
  return new Date(clockMs).toISOString().slice(0, 19).replace('T', ' ')
}
