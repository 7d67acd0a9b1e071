import { AppError } from '../../core/errors.ts'

/** Each keeps the writer thread busy: with more of them, none would finish sooner. */
const [atOnce, ofOneCaller] = [4, 2]

/** How many bulk changes run on this node, and whose. */
export function createRunningLimit(): { reserve(caller: string): () => void } {
  const taken: string[] = []
  return {
    /** @throws AppError `overloaded` */
    reserve(caller) {
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
