/** The speed and remaining time of a long operation, from the last half minute, as the speed varies. */

type Rate = { note(done: number, now: number): void; perSecond(): number | undefined }

const windowMs = 30_000

export function createRate(): Rate {
  let points: { done: number; now: number }[] = []
  return {
    note(done, now) {
      points.push({ done, now })
      points = points.filter((point) => now - point.now <= windowMs)
    },
    perSecond() {
      const [first, last] = [points[0], points.at(-1)]
      if (first === undefined || last === undefined || last.now - first.now < 500) return undefined
      return ((last.done - first.done) * 1000) / (last.now - first.now)
    },
  }
}

/** In seconds; undefined while unknown. */
export function timeLeft(done: number, total: number | undefined, perSecond: number | undefined): number | undefined {
  if (total === undefined || perSecond === undefined || perSecond <= 0) return undefined
  return Math.max(0, (total - done) / perSecond)
}
