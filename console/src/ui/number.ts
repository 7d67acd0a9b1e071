const formats = new Map<string, Intl.NumberFormat>()

export function formatNumber(value: number, locale: string): string {
  const format = formats.get(locale) ?? new Intl.NumberFormat(locale)
  formats.set(locale, format)
  return format.format(value)
}

/** Formats a part of a whole, rounded down: all but one is not 100 %. */
export function formatPercent(part: number, locale: string): string {
  return new Intl.NumberFormat(locale, { style: 'percent' }).format(Math.floor(part * 100) / 100)
}

/** Formats a change as a percentage with its sign: +12%, −0.4%. */
export function formatShare(value: number, locale: string): string {
  const digits = Math.abs(value) < 0.1 ? 1 : 0
  const options = {
    style: 'percent',
    signDisplay: 'always',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const
  return new Intl.NumberFormat(locale, options).format(value).replace('-', '−')
}
