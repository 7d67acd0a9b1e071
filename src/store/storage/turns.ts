import { clientGone, createFairQueue } from './fair-queue.ts'

type Waiting = { caller: string; start: () => void }
type Caller = { caller: string; signal?: AbortSignal }

/**
 * Lets so many pieces of work run at once, and `share` of them for one caller; the callers of those that wait have their
 * turns one after the other.
 */
export function takeTurns(atOnce: number, queueLimit: number, share = atOnce) {
  const queue = createFairQueue<Waiting>(queueLimit)
  const runningOf = new Map<string, number>()
  let running = 0

  const mayRun = (caller: string) => running < atOnce && (runningOf.get(caller) ?? 0) < share

  function enter(caller: string): void {
    running++
    runningOf.set(caller, (runningOf.get(caller) ?? 0) + 1)
  }

  /** Hands the place on at once: left free for a moment, it could be taken by two. */
  function leavePlace(caller: string): void {
    running--
    const left = (runningOf.get(caller) ?? 0) - 1
    if (left > 0) runningOf.set(caller, left)
    else runningOf.delete(caller)
    const waiting = queue.take(mayRun)
    if (waiting === undefined) return
    enter(waiting.caller)
    waiting.start()
  }

  /** @throws AppError `overloaded` when too many wait */
  return async <T>({ caller, signal }: Caller, work: () => Promise<T>): Promise<T> => {
    if (signal?.aborted) throw clientGone()
    if (mayRun(caller)) enter(caller)
    else {
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          if (queue.remove(waiting)) reject(clientGone())
        }
        const start = () => {
          signal?.removeEventListener('abort', leave)
          resolve()
        }
        const waiting = { caller, start }
        queue.add(waiting)
        signal?.addEventListener('abort', leave)
      })
    }
    try {
      return await work()
    } finally {
      leavePlace(caller)
    }
  }
}
