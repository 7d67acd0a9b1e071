import { AppError, toRefusal } from '../../core/errors.ts'
import type { Connection } from '../db/sqlite/connection.ts'
import { storageRefusal } from '../db/sqlite/failures.ts'
import type { Upkeep } from '../storage/registry.ts'
import type { Job, Outcome } from '../storage/writer-protocol.ts'
import type { IndexUpkeep } from './index-upkeep.ts'
import type { WriteTransaction } from './write-transaction.ts'

/** Renumbering pauses while more rows than this wait for the search index: searches read each of them. */
const waitingBeforeRoom = 2000

/** A change that threw `NoRoom` for these users. */
export type Parked = { job: Job; userIds: readonly string[] }

export type ParkedChanges = {
  readonly isEmpty: boolean
  add(parked: readonly Parked[]): void
  /** Makes some room for the first change. */
  step(): Promise<void>
  /** Refuses all changes, because the service stops. */
  close(): void
}

type Parts = {
  connection: Connection
  transaction: WriteTransaction
  upkeep: Upkeep
  index: IndexUpkeep
  /** Called once there is room for all users of the first change: all parked changes run again, it first. */
  onRoom(jobs: readonly Job[]): void
  onRefused(outcomes: Outcome[]): void
}

/** Holds changes that need room between the rows of others, and makes it step by step, between the changes of others. */
export function parkedChanges({ connection, transaction, upkeep, index, onRoom, onRefused }: Parts): ParkedChanges {
  let parked: Parked[] = []
  /** The work for the first of them. */
  let room: ReturnType<Upkeep['makeRoom']> | undefined

  function removeAll(): Job[] {
    const jobs = parked.map(({ job }) => job)
    parked = []
    room = undefined
    return jobs
  }

  function refuseAll(error: AppError): void {
    const refusal = toRefusal(error)
    onRefused(removeAll().map(({ id }) => ({ id, refusal })))
  }

  async function makeSomeRoom({ userIds }: Parked): Promise<void> {
    try {
      room ??= upkeep.makeRoom(connection, userIds)
      transaction.start()
      const { done } = await room.next()
      transaction.commit()
      index.add(2 * upkeep.movedAtOnce)
      index.noteChanges()
      if (done) onRoom(removeAll())
    } catch (error) {
      transaction.abandon()
      const refusal = storageRefusal(error)
      if (!refusal) throw error
      refuseAll(refusal)
    }
  }

  return {
    get isEmpty() {
      return parked.length === 0
    },
    add: (more) => void parked.push(...more),
    async step() {
      if (index.pending > waitingBeforeRoom && !index.isPaused()) await index.step()
      else await makeSomeRoom(parked[0] as Parked)
    },
    close() {
      const detail = 'The service is stopping; nothing was changed. Try again.'
      refuseAll(new AppError('storage_unavailable', detail, { retryAfterSeconds: 5 }))
    },
  }
}
