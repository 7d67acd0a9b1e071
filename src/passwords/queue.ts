import { AppError } from '../errors.ts'

export type Queue = {
  /** Runs the task when its turn comes, or refuses it at once with `overloaded`. */
  run<Result>(task: () => Promise<Result>): Promise<Result>
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

/** At most `concurrency` tasks run at once; others wait in the order they came, up to `limit` of them. */
export function createQueue({ concurrency, limit }: { concurrency: number; limit: number }): Queue {
  const waiting: (() => void)[] = []
  let running = 0
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

  return {
    get queued() {
      return waiting.length
    },
    load: () => ({ running, waiting: waiting.length, limit, concurrency, done, seconds: secondsInAll, refused }),

    async run(task) {
      if (running < concurrency) running++
      else if (waiting.length < limit) await new Promise<void>((resolve) => waiting.push(resolve))
      else throw overloaded()

      const startedAt = performance.now()
      try {
        return await task()
      } finally {
        const seconds = (performance.now() - startedAt) / 1000
        averageSeconds += (seconds - averageSeconds) / 10
        secondsInAll += seconds
        done++
        // The place is handed over without being free in between, so that nobody can overtake the queue.
        const next = waiting.shift()
        if (next) next()
        else running--
      }
    },
  }
}
