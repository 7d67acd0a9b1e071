import { postgresDb } from '../db/postgres/connection.ts'
import { storageRefusal } from '../db/postgres/failures.ts'
import type { Primary } from '../db/postgres/primary.ts'
import { clientGone } from '../storage/fair-queue.ts'
import type { StorageHealth } from '../storage/health.ts'
import { readAhead } from '../storage/read-ahead.ts'
import type { ReadHandlers } from '../storage/registry.ts'
import type { SnapshotPlaces } from '../storage/snapshot-places.ts'
import type { Storage } from '../storage/storage.ts'
import type { Patience } from './patience.ts'
import { beginSnapshot, endSnapshot } from './snapshot.ts'

type Parts = {
  handlers: ReadHandlers
  lists: Primary
  schema: string
  places: SnapshotPlaces
  patience: Patience
  health: StorageHealth
}

/** Returns what opens a snapshot, each on a connection of its own until it is read or closed. */
export function postgresStreams(parts: Parts): Storage['openSnapshot'] {
  const { handlers, lists, schema, places, patience, health } = parts

  return async (name, input, { actor, signal }) => {
    const stream = handlers.streams[name]
    const leavePlace = await places.acquire(actor.id)
    const count = () => beginSnapshot(lists, schema, (connection) => stream.total(connection, input as never))
    const { client, total } = await patience(count).catch((error) => {
      leavePlace()
      throw error
    })
    const rows = stream.pieces(postgresDb(client, schema), input as never)
    let open = true
    const end = (finished: boolean) => {
      if (!open) return
      open = false
      leavePlace()
      endSnapshot(client, finished)
    }
    const next = async () => {
      const { value } = await rows.next().catch((error) => {
        health.heed(storageRefusal(error))
        throw storageRefusal(error) ?? error
      })
      if (value === undefined) end(true)
      return value
    }
    if (signal?.aborted) {
      end(false)
      throw clientGone()
    }
    return { total, next: readAhead(next), close: () => end(false) }
  }
}
