const form = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(\.\d+)?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i

/**
 * Returns a foreign instant as RFC 3339 in UTC with milliseconds. Accepts RFC 3339, the output of databases (UTC unless
 * there is a zone), a date, and milliseconds since 1970.
 */
export function instantOf(value: unknown): string | undefined {
  if (typeof value === 'number') return iso(value)
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (/^\d{11,15}$/.test(text)) return iso(Number(text))
  const [, day, time = '00:00', fraction = '', zone = 'Z'] = form.exec(text) ?? []
  if (day === undefined) return undefined
  const offset = /^[+-]/.test(zone)
    ? zone.replace(/^(...):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`)
    : 'Z'
  return iso(Date.parse(`${day}T${time}${fraction.slice(0, 4)}${offset}`))
}

function iso(milliseconds: number): string | undefined {
  // The range of the store: years of four digits.
  if (!(Math.abs(milliseconds) <= Date.UTC(9999, 11, 31)) || milliseconds < Date.UTC(1, 0, 1)) return undefined
  return new Date(milliseconds).toISOString()
}
