import { setTimeout as sleep } from 'node:timers/promises'
import { isConflict, isConnectionLost, isPoolExhausted, storageRefusal } from '../db/postgres/failures.ts'

/** So long a failover may take before callers hear of it. */
export const failoverMs = 8000

const [firstPauseMs, longestPauseMs] = [20, 500]

/**
 * Does the work again while it fails for a reason that passes: a primary that is being replaced, two transactions that
 * got in each other's way. The work must be safe to repeat: either it reads, or its failure says that it had no effect.
 *
 * @param downMs for how long the database has not answered: who comes late waits no longer than the first one did
 * @throws AppError `storage_unavailable`, `storage_full`, `overloaded`
 */
export async function patiently<T>(
  work: () => Promise<T>,
  downMs: () => number,
  onRefusal?: (refusal: unknown) => void,
): Promise<T> {
  const end = performance.now() + failoverMs - downMs()
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await work()
    } catch (error) {
      // All connections are in use also when the database has stopped to answer on them.
      const isBusy = isPoolExhausted(error) && downMs() === 0
      const passes = (isConnectionLost(error) && !isBusy) || isConflict(error)
      // Not all at the same moment, or those who met once meet again.
      const pause = pauseMs * (0.5 + Math.random())
      if (!passes || performance.now() + pause > end) {
        const refusal = storageRefusal(error)
        if (refusal !== undefined) onRefusal?.(refusal)
        throw refusal ?? error
      }
      await sleep(pause)
    }
  }
}
