import { clientGone, createFairQueue } from '../storage/fair-queue.ts'

type Waiting = { caller: string; start: () => void }
type Caller = { caller: string; signal?: AbortSignal }

/**
 * Limits how many pieces of work run at once, and to `share` for one caller; waiting callers take turns.
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

  /** Passes the place on immediately: if it were free for a moment, two could take it. */
  function leavePlace(caller: string): void {
    running--
    const left = (runningOf.get(caller) ?? 0) - 1
    if (left > 0) runningOf.set(caller, left)
    else runningOf.delete(caller)
    const waiting = queue.next(mayRun)
    if (waiting === undefined) return
    enter(waiting.caller)
    waiting.start()
  }

  /** @throws AppError `overloaded` if too many wait */
  return async <T>({ caller, signal }: Caller, work: () => Promise<T>): Promise<T> => {
    if (signal?.aborted) throw clientGone()
    if (mayRun(caller)) enter(caller)
    else {
      await new Promise<void>((resolve, reject) => {
        const abandon = () => {
          if (queue.remove(waiting)) reject(clientGone())
        }
        const start = () => {
          signal?.removeEventListener('abort', abandon)
          resolve()
        }
        const waiting = { caller, start }
        queue.add(waiting)
        signal?.addEventListener('abort', abandon)
      })
    }
    try {
      return await work()
    } finally {
      leavePlace(caller)
    }
  }
}
