import { AppError } from '../../core/errors.ts'

/** `caller` identifies who asks: every waiting caller gets a turn before any gets a second. */
type Job = { caller: string }

export type FairQueue<J extends Job> = {
  readonly length: number
  /** @throws AppError `overloaded` if the queue is full */
  add(job: J): void
  /** Puts back a job that could not run, ahead of the other jobs of its caller. */
  putBack(job: J): void
  /** Returns the next job of a caller who `may` have one now. */
  next(may?: (caller: string) => boolean): J | undefined
  remove(job: J): boolean
  /** Removes and returns all waiting jobs. */
  clear(): J[]
}

/**
 * A queue of reads with at most `limit` entries. One caller may have half of the places, so that many requests with one
 * credential leave places, and turns, to the others.
 */
export function createFairQueue<J extends Job>(limit: number): FairQueue<J> {
  /** The caller whose turn is next comes first. */
  const byCaller = new Map<string, J[]>()
  let length = 0

  function remove(job: J): boolean {
    const jobs = byCaller.get(job.caller) ?? []
    const at = jobs.indexOf(job)
    if (at < 0) return false
    jobs.splice(at, 1)
    if (jobs.length === 0) byCaller.delete(job.caller)
    length--
    return true
  }

  return {
    get length() {
      return length
    },
    add(job) {
      const jobs = byCaller.get(job.caller) ?? []
      if (length >= limit || jobs.length >= Math.ceil(limit / 2)) {
        throw new AppError('overloaded', 'Too many searches at once. Try again.')
      }
      jobs.push(job)
      byCaller.set(job.caller, jobs)
      length++
    },
    putBack(job) {
      byCaller.set(job.caller, [job, ...(byCaller.get(job.caller) ?? [])])
      length++
    },
    next(may = () => true) {
      const [caller, jobs] = byCaller.entries().find(([caller]) => may(caller)) ?? []
      const job = jobs?.[0]
      if (caller === undefined || jobs === undefined || job === undefined) return undefined
      remove(job)
      // To the end of the line, with the remaining jobs.
      if (byCaller.delete(caller)) byCaller.set(caller, jobs)
      return job
    },
    remove,
    clear() {
      const jobs = [...byCaller.values()].flat()
      byCaller.clear()
      length = 0
      return jobs
    },
  }
}

/** For a result that is not needed. */
export const clientGone = () => new AppError('overloaded', 'The client disconnected before the response.')
