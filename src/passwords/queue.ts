import { AppError } from '../errors.ts'

export type Queue = {
  /** Runs the task when its turn comes, or refuses it at once with `overloaded`. */
  run<Result>(task: () => Promise<Result>, options?: { isDear?: boolean }): Promise<Result>
  readonly queued: number
  load(): QueueLoad
}

/** How busy a queue is now, and what it did since the start. */
export type QueueLoad = {
  running: number
  waiting: number
  limit: number
  /** So many run at once. */
  concurrency: number
  /** Tasks that came to an end, and how long they ran altogether. */
  done: number
  seconds: number
  refused: number
}

/**
 * At most `concurrency` tasks run at once; others wait in the order they came, up to `limit` of them. Of those that take
 * long one runs at a time, and half of the waiting may be such: the others pass them by.
 */
export function createQueue({ concurrency, limit }: { concurrency: number; limit: number }): Queue {
  const waiting: { isDear: boolean; begin: () => void }[] = []
  const mostDearWaiting = Math.ceil(limit / 2)
  let running = 0
  let isDearRunning = false
  let dearWaiting = 0
  let [done, secondsInAll, refused] = [0, 0, 0]
  // Told to those who are refused. Recent tasks weigh more, so that it follows the machine's load.
  let averageSeconds = 0.05

  function overloaded(): AppError {
    refused++
    const seconds = ((waiting.length + running) / concurrency) * averageSeconds
    return new AppError('overloaded', 'Too many passwords are waiting to be hashed.', {
      retryAfterSeconds: Math.max(1, Math.ceil(seconds)),
    })
  }

  const mayBegin = (isDear: boolean) => !(isDear && isDearRunning)
  const mayWait = (isDear: boolean) => waiting.length < limit && !(isDear && dearWaiting >= mostDearWaiting)

  async function turn(isDear: boolean): Promise<void> {
    if (running < concurrency && mayBegin(isDear)) {
      running++
      isDearRunning ||= isDear
      return
    }
    if (!mayWait(isDear)) throw overloaded()
    if (isDear) dearWaiting++
    await new Promise<void>((begin) => waiting.push({ isDear, begin }))
  }

  /** The place is handed over without being free in between, so that nobody can overtake the queue. */
  function handOver(isDear: boolean): void {
    if (isDear) isDearRunning = false
    const index = waiting.findIndex((one) => mayBegin(one.isDear))
    const [next] = index === -1 ? [] : waiting.splice(index, 1)
    if (next === undefined) {
      running--
      return
    }
    if (next.isDear) {
      isDearRunning = true
      dearWaiting--
    }
    next.begin()
  }

  return {
    get queued() {
      return waiting.length
    },
    load: () => ({ running, waiting: waiting.length, limit, concurrency, done, seconds: secondsInAll, refused }),

    async run(task, { isDear = false } = {}) {
      await turn(isDear)
      const startedAt = performance.now()
      try {
        return await task()
      } finally {
        const seconds = (performance.now() - startedAt) / 1000
        averageSeconds += (seconds - averageSeconds) / 10
        secondsInAll += seconds
        done++
        handOver(isDear)
      }
    },
  }
}
