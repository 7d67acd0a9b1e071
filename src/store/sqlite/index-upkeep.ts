import type { Connection } from '../db/sqlite/connection.ts'
import { storageRefusal } from '../db/sqlite/failures.ts'
import { commitLazily } from '../db/sqlite/lazy-commit.ts'
import type { Upkeep } from '../storage/registry.ts'
import { indexSchedule } from './index-schedule.ts'

/** Brings rows into the search index while the store is quiet, or before too many wait. */
export type IndexUpkeep = {
  /** How many rows wait for the index, roughly. */
  readonly pending: number
  /** Committed changes have added rows. */
  add(rows: number): void
  /** Changes ran just now: quiet times are counted from here. */
  noteChanges(): void
  /** Whether the next step must not wait for a quiet moment. */
  isOverdue(): boolean
  /** Whether the last step failed, so that the next one has to wait. */
  isPaused(): boolean
  step(): Promise<void>
  /** Runs a step with `run` at the next quiet moment; replaces what an earlier call has planned. */
  planQuietStep(run: () => void): void
  close(): void
}

/** Prepares the index for a store that has just been opened. */
export async function indexUpkeep(connection: Connection, upkeep: Upkeep): Promise<IndexUpkeep> {
  await connection.alone(() => upkeep.prepareIndex(connection))
  let pending = await upkeep.countPending(connection)
  let timer: NodeJS.Timeout | undefined
  const schedule = indexSchedule()

  return {
    get pending() {
      return pending
    },
    add(rows) {
      pending += rows
    },
    noteChanges: () => schedule.changed(performance.now(), pending),
    isOverdue: () => schedule.isOverdue(performance.now()),
    isPaused: () => schedule.isPaused(performance.now()),
    async step() {
      try {
        const { rows, isMerging } = await commitLazily(connection, () => upkeep.indexStep(connection))
        pending = rows < upkeep.rowsInStep ? 0 : Math.max(1, pending - rows)
        schedule.stepped(pending, isMerging)
      } catch (error) {
        // A storage fault also fails the next change; meanwhile the waiting rows are still found one by one.
        if (!storageRefusal(error)) throw error
        schedule.failed(performance.now())
      }
    },
    planQuietStep(run) {
      clearTimeout(timer)
      const at = schedule.quietAt()
      if (at !== undefined) timer = setTimeout(run, Math.max(0, at - performance.now()))
    },
    close: () => clearTimeout(timer),
  }
}
