import { setTimeout as sleep } from 'node:timers/promises'
import {
  isBrokenUniqueness,
  isConflict,
  isConnectionLost,
  isPoolExhausted,
  storageRefusal,
} from '../db/postgres/failures.ts'

/** How long a failover may take before callers notice. */
export const failoverMs = 8000

const [firstPauseMs, longestPauseMs] = [20, 500]
/** How often a change may find out only on writing that a unique value is taken (docs/decisions/0011-postgresql.md, 0185). */
const lookAgain = 2

/**
 * Retries the work while it fails for a temporary reason: a failover, or two conflicting transactions. The work must be
 * safe to repeat: either it only reads, or its failure means that it had no effect.
 *
 * A change that looked for a unique value before it wrote it may have missed a transaction that committed in between: at the
 * next try it sees that one, and refuses as it does alone.
 *
 * @param downMs how long the database has been unreachable: a late caller waits no longer than the first one did
 * @param since when the caller began to wait
 * @throws AppError `storage_unavailable`, `storage_full`, `overloaded`
 */
export async function patiently<T>(
  work: () => Promise<T>,
  downMs: () => number,
  onRefusal?: (refusal: unknown) => void,
  since = performance.now(),
): Promise<T> {
  const end = since + failoverMs - downMs()
  let overtaken = 0
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await work()
    } catch (error) {
      // All connections are also in use if the database stopped responding on them.
      const isBusy = isPoolExhausted(error) && downMs() === 0
      const isOvertaken = isBrokenUniqueness(error) && overtaken++ < lookAgain
      const passes = (isConnectionLost(error) && !isBusy) || isConflict(error) || isOvertaken
      // With jitter, or transactions that conflicted once conflict again.
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

/** Runs work with the patience of one node. `since`: when the caller began to wait. */
export type Patience = <T>(work: () => Promise<T>, since?: number) => Promise<T>

/** See `patiently`. */
export function patienceOf(node: { downMs(): number; onRefusal(refusal: unknown): void }): Patience {
  return (work, since) => patiently(work, node.downMs, node.onRefusal, since)
}
