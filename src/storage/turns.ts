import { clientGone, createFairQueue } from './fair-queue.ts'

type Waiting = { caller: string; start: () => void }
type Caller = { caller: string; signal?: AbortSignal }

/** Lets so many pieces of work run at once; the callers of those that wait have their turns one after the other. */
export function takeTurns(atOnce: number, queueLimit: number) {
  const queue = createFairQueue<Waiting>(queueLimit)
  let running = 0

  /** Hands the place on: left free for a moment, it could be taken by two. */
  function next(): void {
    const waiting = queue.take()
    if (waiting === undefined) running--
    else waiting.start()
  }

  /** @throws AppError `overloaded` when too many wait */
  return async <T>({ caller, signal }: Caller, work: () => Promise<T>): Promise<T> => {
    if (signal?.aborted) throw clientGone()
    if (running < atOnce) running++
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
      next()
    }
  }
}
