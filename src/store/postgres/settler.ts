/** Numbers what changes left in PostgreSQL's journal: after a short delay, or at once for readers. */

import { setTimeout as sleep } from 'node:timers/promises'
import { shareFaults } from '../../lib/fault-owner.ts'

export type Settler = {
  /** Afterwards everything that was committed before the call is settled. */
  settleAll(): Promise<void>
  /** Settles soon; many calls are combined. */
  soon(): void
  /** Stops; work in progress gets a moment to end. */
  close(): Promise<void>
}

type Parts = {
  hasPending(): Promise<boolean>
  /** Settles some entries. Returns whether there may be more. */
  settleSome(): Promise<boolean>
  onSettled(): void
  onFault(error: Error): void
}

/** Settling many changes together makes each cheaper. The first one after a pause need not wait for others. */
const [soonMs, restedMs] = [100, 5]
/** After a fault the pause doubles up to five seconds; readers try all the same. */
const [afterFaultMs, longestPauseMs] = [250, 5000]
const lastMs = 500

export function createSettler({ hasPending, settleSome, onSettled, onFault }: Parts): Settler {
  let running: Promise<void> | undefined
  let following: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let faults = 0
  let begunAt = Number.NEGATIVE_INFINITY

  async function work(): Promise<void> {
    if (!(await hasPending())) return
    while (await settleSome());
    onSettled()
  }

  function startRun(): Promise<void> {
    begunAt = performance.now()
    running = work().finally(() => {
      running = undefined
    })
    return running
  }

  /** The running check may have looked before the caller's change was committed, so another one follows. */
  function settleAll(): Promise<void> {
    if (running === undefined) return startRun()
    following ??= running
      .catch(() => {}) // Callers that wait for it receive the error.
      .then(() => {
        following = undefined
        return startRun()
      })
    return following
  }

  function again(): void {
    timer = undefined
    settleAll().then(
      () => {
        faults = 0
      },
      (error) => {
        faults++
        onFault(error)
      },
    )
  }

  return {
    settleAll,
    soon() {
      if (closed) return
      const isRested = performance.now() - begunAt > 2 * soonMs
      const pauseMs = Math.min(longestPauseMs, afterFaultMs * 2 ** (faults - 1))
      timer ??= shareFaults(() => setTimeout(again, faults > 0 ? pauseMs : isRested ? restedMs : soonMs))
    },
    async close() {
      closed = true
      clearTimeout(timer)
      // Another node or the next start settles the rest; do not wait for a database that hangs.
      await Promise.race([Promise.allSettled([running, following]), sleep(lastMs, undefined, { ref: false })])
    },
  }
}
