import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../core/errors.ts'
import { isConflict, isConnectionLost, isLockTimeout, isMisconfigured } from '../db/postgres/failures.ts'
import { refusalOf } from '../db/postgres/refusal.ts'

type Options = {
  /** How the database is called in messages. */
  place: string
  onEvent(message: string, error?: Error): void
}

const [startMs, pauseMs] = [30_000, 500]

/**
 * Does the first work of a start. Waits for a database that is starting, or whose migration another session's long
 * transaction blocks. Reports at once what waiting cannot resolve.
 *
 * @throws OperatorError
 */
export async function waitForDatabase<T>({ place, onEvent }: Options, work: () => Promise<T>): Promise<T> {
  const end = performance.now() + startMs
  let isReported = false
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const { message } = error as Error
      const reason = message.replace(/\.+$/, '')
      if (isMisconfigured(error)) throw refusalOf(error, place)
      if ((error as { code?: string }).code === '53100') {
        const advice = 'Make room there and start again: a migration can need as much again as the store has.'
        throw new OperatorError(`The disk of the database ${place} is full: ${reason}. ${advice}`, { cause: error })
      }
      const isLocked = isLockTimeout(error)
      if (!isLocked && !isConnectionLost(error) && !isConflict(error)) throw error
      if (performance.now() > end) {
        const [what, next] = isLocked
          ? ['cannot be migrated', 'End the long transactions on it (pg_stat_activity shows them).']
          : ['cannot be reached', 'Check that it runs, and that ROLLBOOK_DATABASE_URL points to it.']
        throw new OperatorError(`The database ${place} ${what}: ${reason}. ${next}`, { cause: error })
      }
      if (!isReported) {
        onEvent(
          `the database ${place} ${isLocked ? 'is locked by other connections' : 'does not respond yet'}`,
          error as Error,
        )
      }
      isReported = true
      await sleep(pauseMs)
    }
  }
}
