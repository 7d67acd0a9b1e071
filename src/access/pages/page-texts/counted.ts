/** The forms of a text that counts, by the plural categories of CLDR; `other` is used for those a language lacks. */
export type Forms<T> = Partial<Record<Exclude<Intl.LDMLPluralRule, 'other'>, T>> & { other: T }

/** Chooses among the forms of a language. */
export function pluralsOf(locale: string): <T>(count: number, forms: Forms<T>) => T {
  return (count, forms) => forms[new Intl.PluralRules(locale).select(count)] ?? forms.other
}

/** Formats seconds in words, rounded up, so that a user who returns then is not early. */
export function durationIn(locale: string): (seconds: number) => string {
  const formatted = (count: number, unit: string) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
  return (seconds) => {
    if (seconds <= 90) return formatted(Math.max(1, Math.ceil(seconds)), 'second')
    const minutes = Math.ceil(seconds / 60)
    return minutes <= 90 ? formatted(minutes, 'minute') : formatted(Math.ceil(minutes / 60), 'hour')
  }
}

/** A day, or a time with its day if that is another one than today. All times are in UTC, like those of messages. */
export function instantsIn(locale: string) {
  // Made at each call: few pages show one, and kept ones would take memory in each language.
  const formatted = (at: number, parts: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...parts, timeZone: 'UTC' }).format(at)
  const day = (at: number) => formatted(at, { dateStyle: 'long' })
  return {
    day: (instant: string) => day(Date.parse(instant)),
    moment(instant: string, now: number) {
      const at = Date.parse(instant)
      const isToday = day(at) === day(now)
      return `${formatted(at, { timeStyle: 'short', ...(!isToday && { dateStyle: 'long' }) })} (UTC)`
    },
  }
}
