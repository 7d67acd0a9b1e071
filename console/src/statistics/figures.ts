/** What the days say, in numbers. */
import type { Statistics } from 'rollbook/client'

export type Day = Statistics['days'][number]
export type Member = 'sign_ups' | 'sign_ins' | 'failed_sign_ins' | 'active_users'

export const ranges = [7, 30, 90, 365] as const
export type Range = (typeof ranges)[number]

export type Figures = {
  /** Totals over all counted days, including today so far. */
  total: number
  /** Of the days that are over, rounded; undefined when none of them was counted. */
  mean: number | undefined
  /** The day with most of it; undefined when there was nothing. The latest of several. */
  peak: { date: string; count: number } | undefined
  /** From when on it was counted, when that is within these days; null: on none of them. */
  countedFrom: string | null | undefined
}

export function figuresOf(days: readonly Day[], member: Member): Figures {
  let total = 0
  let over = { days: 0, count: 0 }
  let peak: Figures['peak']
  for (const day of days) {
    const count = day[member]
    if (count === null) continue
    total += count
    if (day.complete) over = { days: over.days + 1, count: over.count + count }
    if (count > 0 && count >= (peak?.count ?? 0)) peak = { date: day.date, count }
  }
  const first = days.findIndex((day) => day[member] !== null)
  const countedFrom = first === 0 || days.length === 0 ? undefined : (days[first]?.date ?? null)
  return { total, mean: over.days === 0 ? undefined : Math.round(over.count / over.days), peak, countedFrom }
}

/** Which days get a label below the chart: about so many, evenly, and always the last one. */
export function labelledDays(count: number, labels: number): number[] {
  if (count <= 0) return []
  const step = Math.max(1, Math.ceil(count / Math.max(1, labels)))
  const indexes: number[] = []
  for (let i = count - 1; i >= 0; i -= step) indexes.unshift(i)
  return indexes
}

/** A day in UTC, as it is counted, in the words of a language. */
export function formatDay(date: string, locale: string, style: 'short' | 'long' = 'long'): string {
  const options: Intl.DateTimeFormatOptions =
    style === 'short' ? { day: 'numeric', month: 'short' } : { dateStyle: 'long' }
  const key = `${locale} ${style}`
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
  formats.set(key, format)
  return format.format(new Date(`${date}T00:00:00Z`))
}

const formats = new Map<string, Intl.DateTimeFormat>()

export type StatisticsSearch = { days?: Range }

/** Thirty days is what the address does not say. */
export function statisticsSearch(raw: Record<string, unknown>): StatisticsSearch {
  const days = ranges.find((range) => range === Number(raw.days))
  return days === undefined || days === 30 ? {} : { days }
}
