const form = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(\.\d+)?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i

/**
 * An instant of elsewhere as RFC 3339 in UTC with milliseconds: RFC 3339, as databases print it (without a zone it is
 * UTC), a day, or milliseconds since 1970.
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
  // As much as the store can hold: years of four digits.
  if (!(Math.abs(milliseconds) <= Date.UTC(9999, 11, 31)) || milliseconds < Date.UTC(1, 0, 1)) return undefined
  return new Date(milliseconds).toISOString()
}
