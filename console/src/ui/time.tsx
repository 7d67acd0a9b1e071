/** Instants as people read them, in their language and time zone; the exact one is a title away. */
import { useLingui } from '@lingui/react'

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

export function formatAgo(iso: string, locale: string, now = Date.now()): string {
  const format = relativeFormats.get(locale) ?? new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  relativeFormats.set(locale, format)
  const seconds = (Date.parse(iso) - now) / 1000
  const [unit, size] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  return format.format(
    unit === 'second' ? Math.min(0, Math.trunc(seconds / 10) * 10) : Math.trunc(seconds / size),
    unit,
  )
}

type Props = { value: string | null; style?: 'date' | 'full' | 'ago'; never?: string }

export function Instant({ value, style = 'ago', never = '–' }: Props) {
  const { i18n } = useLingui()
  if (value === null) return <span>{never}</span>
  const full = formatInstant(value, i18n.locale)
  return (
    <time dateTime={value} title={full}>
      {style === 'ago'
        ? formatAgo(value, i18n.locale)
        : style === 'date'
          ? formatInstant(value, i18n.locale, 'date')
          : full}
    </time>
  )
}
