/** Totals and averages over the days. */
import type { Statistics } from 'rollbook/client'

export type Day = Statistics['days'][number]
export type Member = 'sign_ups' | 'sign_ins' | 'failed_sign_ins' | 'active_users'

export const ranges = [7, 30, 90, 365] as const
export type Range = (typeof ranges)[number]

export type Figures = {
  /** Totals over all counted days, including today so far. */
  total: number
  /** The rounded average over complete days; undefined if none was counted. */
  mean: number | undefined
  /** The day with the highest count, the latest of several; undefined if all are zero. */
  peak: { date: string; count: number } | undefined
  /** The first counted day, if it is within these days; null if none of them was counted. */
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

export type Change = { by: number /** A fraction: 0.25 is a quarter more. */; share: number }

/**
 * Compares a total or a mean with the same figure of the days before; undefined if those have no data, or if one of them
 * was not counted.
 */
export function changeOf(
  before: readonly Day[],
  days: readonly Day[],
  member: Member,
  figure: 'total' | 'mean',
): Change | undefined {
  const [was, is] = [figuresOf(before, member), figuresOf(days, member)]
  const [old, now] = [was[figure], is[figure]]
  if (was.countedFrom !== undefined || is.countedFrom !== undefined) return undefined
  if (old === undefined || now === undefined || old === 0) return undefined
  return { by: now - old, share: (now - old) / old }
}

/** Returns the days with a label below the chart: evenly spaced, always including the last. */
export function labelledDays(count: number, labels: number): number[] {
  if (count <= 0) return []
  const step = Math.max(1, Math.ceil(count / Math.max(1, labels)))
  const indexes: number[] = []
  for (let i = count - 1; i >= 0; i -= step) indexes.unshift(i)
  return indexes
}

/** Formats a day, counted in UTC. */
export function formatDay(date: string, locale: string, style: 'short' | 'long' = 'long'): string {
  const options: Intl.DateTimeFormatOptions =
    style === 'short' ? { day: 'numeric', month: 'short' } : { dateStyle: 'long' }
  const key = `${locale} ${style}`
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
  formats.set(key, format)
  return format.format(new Date(`${date}T00:00:00Z`))
}

const formats = new Map<string, Intl.DateTimeFormat>()

type StatisticsSearch = { days?: Range }

/** Thirty days are the default and not in the address. */
export function statisticsSearch(raw: Record<string, unknown>): StatisticsSearch {
  const days = ranges.find((range) => range === Number(raw.days))
  return days === undefined || days === 30 ? {} : { days }
}
