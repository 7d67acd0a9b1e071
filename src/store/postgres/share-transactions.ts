import { AppError } from '../../core/errors.ts'
import { shareFaults } from '../../lib/fault-owner.ts'
import type { Made, SharedJob } from './shared-transaction.ts'

/** More changes in a transaction would only delay the first ones. */
const mostInOne = 64

type Waiting = SharedJob & {
  keys: readonly string[]
  resolve(outcome: Made | undefined): void
  reject(error: unknown): void
}

/**
 * Lets changes that wait at the same time share a transaction, `most` of which run at once. `run` runs some changes; an error
 * that is not a refusal means that none had an effect.
 */
export function shareTransactions(
  most: number,
  run: (jobs: readonly SharedJob[]) => Promise<readonly (Made | undefined)[]>,
) {
  let waiting: Waiting[] = []
  const busy = new Set<string>()
  let running = 0
  let isScheduled = false

  /** Takes changes that share nothing with a running or an earlier waiting one. */
  function pickFree(): Waiting[] {
    const taken: Waiting[] = []
    const passed = new Set<string>()
    waiting = waiting.filter((one) => {
      const isFree = taken.length < mostInOne && !one.keys.some((key) => busy.has(key) || passed.has(key))
      for (const key of one.keys) (isFree ? busy : passed).add(key)
      if (isFree) taken.push(one)
      return !isFree
    })
    return taken
  }

  async function make(jobs: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await run(jobs)
      for (const [n, { resolve }] of jobs.entries()) resolve(outcomes[n])
    } catch (error) {
      for (const { resolve, reject } of jobs) {
        if (error instanceof AppError) reject(error)
        else resolve(undefined)
      }
    } finally {
      for (const { keys } of jobs) for (const key of keys) busy.delete(key)
    }
  }

  function start(): void {
    isScheduled = false
    while (running < most) {
      const jobs = pickFree()
      if (jobs.length === 0) return
      running++
      make(jobs).finally(() => {
        running--
        schedule()
      })
    }
  }

  function schedule(): void {
    if (isScheduled || waiting.length === 0) return
    isScheduled = true
    shareFaults(() => setImmediate(start))
  }

  /** Returns the result of the change; undefined, without effect, if it must run in a transaction of its own. */
  return (job: SharedJob, keys: readonly string[]): Promise<Made | undefined> =>
    new Promise((resolve, reject) => {
      waiting.push({ ...job, keys, resolve, reject })
      schedule()
    })
}
