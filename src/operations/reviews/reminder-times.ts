/** When reviewers are reminded of a review. */

const dayMs = 86_400_000
/** The last day first: of both, the later one is sent. */
export const reminders = [
  { number: 2, beforeMs: dayMs },
  { number: 1, beforeMs: 7 * dayMs },
] as const

/** For a review that begins, or is due at another time: the reminders that are over by then are not sent. */
export function remindersBefore(dueAt: string, now: number): number {
  const leftMs = Date.parse(dueAt) - now
  return reminders.find(({ beforeMs }) => leftMs <= beforeMs)?.number ?? 0
}
