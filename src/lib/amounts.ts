/** Amounts as people read them. */

/** Returns a rate per second, with one decimal below 10. */
export function rate(count: number, ms: number): string {
  const perSecond = (count * 1000) / Math.max(1, ms)
  return perSecond < 10 ? perSecond.toFixed(1) : grouped(Math.round(perSecond))
}

/** Returns an integer with commas: `2,000`. */
export function grouped(amount: number): string {
  // Not toLocaleString: it first loads the tables of all languages, which takes 40 ms.
  return String(amount).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** Returns a count with its noun: `1 user`, `2,000 users`. */
export function counted(count: number, what: string, several = `${what}s`): string {
  return `${grouped(count)} ${count === 1 ? what : several}`
}

/** Returns a size in MB, rounded up. */
export function megabytes(bytes: number): string {
  return `${grouped(Math.ceil(bytes / 1e6))} MB`
}

/** Returns a duration in seconds, or in minutes from 100 seconds on. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  return seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}
