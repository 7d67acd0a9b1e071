import { AppError } from '../errors.ts'

export type Queue = {
  /** Runs the task when its turn comes, or refuses it at once with `overloaded`. */
  run<Result>(task: () => Promise<Result>): Promise<Result>
  readonly queued: number
}

/** At most `concurrency` tasks run at once; others wait in the order they came, up to `limit` of them. */
export function createQueue({ concurrency, limit }: { concurrency: number; limit: number }): Queue {
  const waiting: (() => void)[] = []
  let running = 0
  // Told to those who are refused. Recent tasks weigh more, so that it follows the machine's load.
  let averageSeconds = 0.05

  function overloaded(): AppError {
    const seconds = ((waiting.length + running) / concurrency) * averageSeconds
    return new AppError('overloaded', 'Too many passwords are waiting to be hashed.', {
      retryAfterSeconds: Math.max(1, Math.ceil(seconds)),
    })
  }

  return {
    get queued() {
      return waiting.length
    },

    async run(task) {
      if (running < concurrency) running++
      else if (waiting.length < limit) await new Promise<void>((resolve) => waiting.push(resolve))
      else throw overloaded()

      const startedAt = performance.now()
      try {
        return await task()
      } finally {
        averageSeconds += ((performance.now() - startedAt) / 1000 - averageSeconds) / 10
        // The place is handed over without being free in between, so that nobody can overtake the queue.
        const next = waiting.shift()
        if (next) next()
        else running--
      }
    },
  }
}
