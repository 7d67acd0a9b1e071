/**
 * Writes down what is no change by itself: sign-ins that failed, and requests that were not allowed. What waits goes into
 * one change together, and only one is under way at a time, so that a flood of refusals costs few commits.
 */

import { AppError } from '../../core/errors.ts'
import { system } from '../../store/context.ts'
import type { AuditEntry, Origin, RecordedActor } from '../../store/journal-entry.ts'
import type { Storage } from '../../store/storage/storage.ts'

/** A record as it will stand, save for its number: who, from where, when, in which request. */
export type Witnessed = {
  entry: AuditEntry & { actor: RecordedActor }
  origin: Origin
  now: number
  requestId: string
}

export type Recorder = {
  /**
   * Resolves when the record is durable: only then may the refusal be answered. Of one error there is one record,
   * however many hands it passes through.
   *
   * @throws AppError `overloaded`, `storage_unavailable`
   */
  record(error: AppError, witnessed: Witnessed): Promise<void>
}

/** Nobody that is known. */
export const anonymous: RecordedActor = { kind: 'anonymous', id: '', name: '' }

type Waiting = { witnessed: Witnessed; resolve: () => void; reject: (error: AppError) => void }

/** More in one change would only keep the other changes waiting. */
const batchLimit = 100
const waitingLimit = 2000

export function createRecorder({ change }: Pick<Storage, 'change'>, limit = waitingLimit): Recorder {
  const known = new WeakMap<AppError, Promise<void>>()
  let waiting: Waiting[] = []
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchLimit)
      waiting = waiting.slice(batchLimit)
      try {
        const [first] = batch
        const { now = 0, requestId = '' } = first?.witnessed ?? {}
        await change(
          'audit.record',
          batch.map(({ witnessed }) => witnessed),
          { actor: system, now, requestId },
        )
        for (const { resolve } of batch) resolve()
      } catch (cause) {
        // What came meanwhile has waited for the same storage; each batch would wait as long again.
        const lost = [...batch, ...waiting]
        waiting = []
        for (const { reject } of lost) reject(notRecorded(cause))
      }
    }
    isRunning = false
  }

  function add(witnessed: Witnessed): Promise<void> {
    if (waiting.length >= limit) {
      return Promise.reject(new AppError('overloaded', 'Too many refusals are waiting to be recorded. Try again.'))
    }
    return new Promise((resolve, reject) => {
      waiting.push({ witnessed, resolve, reject })
      if (!isRunning) void run()
    })
  }

  return {
    record(error, witnessed) {
      const recorded = known.get(error) ?? add(witnessed)
      known.set(error, recorded)
      return recorded
    },
  }
}

/** The request had no effect, whatever became of the record: the caller may simply try again. */
function notRecorded(cause: unknown): AppError {
  const detail = 'The request was refused, but the refusal could not be recorded. Try again.'
  return new AppError('storage_unavailable', detail, { cause })
}
