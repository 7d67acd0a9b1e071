const formats = new Map<string, Intl.NumberFormat>()

export function formatNumber(value: number, locale: string): string {
  const format = formats.get(locale) ?? new Intl.NumberFormat(locale)
  formats.set(locale, format)
  return format.format(value)
}
