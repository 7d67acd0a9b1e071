/** Instants in words, in the reader's language and time zone. */
const formats = new Map<string, Intl.DateTimeFormat>()
const relativeFormats = new Map<string, Intl.RelativeTimeFormat>()

const steps = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

export function formatInstant(iso: string, locale: string, style: 'date' | 'full' = 'full'): string {
  const key = `${locale} ${style}`
  const options: Intl.DateTimeFormatOptions =
    style === 'date' ? { dateStyle: 'medium' } : { dateStyle: 'medium', timeStyle: 'medium' }
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, options)
  formats.set(key, format)
  return format.format(new Date(iso))
}

function relativeFormat(locale: string): Intl.RelativeTimeFormat {
  const format = relativeFormats.get(locale) ?? new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  relativeFormats.set(locale, format)
  return format
}

/** For past instants. The service's clock may be slightly ahead: less than a minute ahead is "now". */
export function formatAgo(iso: string, locale: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000
  const [unit, size] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  return relativeFormat(locale).format(
    unit === 'second' ? Math.min(0, Math.trunc(seconds / 10) * 10) : Math.trunc(seconds / size),
    unit,
  )
}

/** For future instants. Rounds up, so the time named is never too early. */
export function formatUntil(iso: string, locale: string, now = Date.now()): string {
  const seconds = Math.ceil((Date.parse(iso) - now) / 10_000) * 10
  if (seconds <= 0) return relativeFormat(locale).format(0, 'second')
  const [unit, size] = steps.find(([, size]) => seconds >= size) ?? ['second', 1]
  return relativeFormat(locale).format(Math.ceil(seconds / size), unit)
}

const dayMs = 86_400_000

/** The time of day, with its date unless it is today. `up` rounds up, so that a time that must pass is never too early. */
export function formatAt(iso: string, locale: string, { up = false, now = Date.now() } = {}): string {
  const ms = Date.parse(iso)
  const rounded = new Date(up ? Math.ceil(ms / 60_000) * 60_000 : ms)
  const isToday = Math.abs(rounded.getTime() - now) < dayMs && rounded.getDate() === new Date(now).getDate()
  const key = `${locale} at ${isToday}`
  const format =
    formats.get(key) ??
    new Intl.DateTimeFormat(locale, { timeStyle: 'short', ...(!isToday && { dateStyle: 'medium' }) })
  formats.set(key, format)
  return format.format(rounded)
}
