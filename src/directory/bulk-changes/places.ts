import { AppError } from '../../core/errors.ts'

/** Each keeps the thread that writes busy for as long as it takes: with more of them nobody comes to an end sooner. */
const [atOnce, ofOneCaller] = [4, 2]

/** How many bulk changes are under way on this node, and whose. */
export function createPlaces(): { take(caller: string): () => void } {
  const taken: string[] = []
  return {
    /** @throws AppError `overloaded` */
    take(caller) {
      if (taken.length >= atOnce || taken.filter((one) => one === caller).length >= ofOneCaller) {
        const detail = 'Too many bulk changes are running. Try again when one of them is done.'
        throw new AppError('overloaded', detail, { retryAfterSeconds: 5 })
      }
      taken.push(caller)
      let isTaken = true
      return () => {
        if (isTaken) taken.splice(taken.indexOf(caller), 1)
        isTaken = false
      }
    },
  }
}
