/**
 * Records what is not a change: failed sign-ins and refused requests. Waiting records go into one change together, and only
 * one such change runs at a time, so a flood of refusals costs few commits.
 */

import { system } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import type { AuditEntry, Origin, RecordedActor } from '../../store/journal-entry.ts'
import type { Storage } from '../../store/storage/storage.ts'

/** A record without its number: who, from where, when, in which request. */
export type Witnessed = {
  entry: AuditEntry & { actor: RecordedActor }
  /** The target, if only the path of the request names it. */
  userId?: string
  origin: Origin
  now: number
  requestId: string
}

export type Recorder = {
  /**
   * Resolves when the record is durable; only then may the refusal be sent. An error is recorded once, even if several
   * callers handle it.
   *
   * @throws AppError `overloaded`, `storage_unavailable`
   */
  record(error: AppError, witnessed: Witnessed): Promise<void>
  /** For an error of which a change has left its record already. */
  skip(error: AppError): void
}

/** An unknown actor. */
export const anonymous: RecordedActor = { kind: 'anonymous', id: '', name: '' }

type Waiting = { witnessed: Witnessed; resolve: () => void; reject: (error: AppError) => void }

/** A larger change would delay the others. */
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
        // Later records have waited for the same storage; each batch would wait as long again.
        const lost = [...batch, ...waiting]
        waiting = []
        for (const { reject } of lost) reject(notRecorded(cause))
      }
    }
    isRunning = false
  }

  function add(witnessed: Witnessed): Promise<void> {
    if (waiting.length >= limit) {
      return Promise.reject(new AppError('overloaded', 'Too many refused requests at once. Try again.'))
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
    skip(error) {
      known.set(error, Promise.resolve())
    },
  }
}

/** The request had no effect, even if the record did: the caller may simply retry. */
function notRecorded(cause: unknown): AppError {
  const detail = 'The request was refused, but the refusal could not be recorded. Try again.'
  return new AppError('storage_unavailable', detail, { cause })
}
