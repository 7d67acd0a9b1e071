import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { closeClient, farewellMs, type Primary, socketOf } from './primary.ts'

/**
 * A few connections that all quick reads share, each with many pipelined queries. Compared with a connection per read, that
 * costs the server half and us two thirds. A slow query would delay the others.
 */
export function shareConnections(primary: Pick<Primary, 'connect'>, size: number) {
  const places = new Map<number, Promise<pg.PoolClient>>()
  let turn = 0

  /** Keeps a connection until it breaks. */
  async function take(place: number): Promise<pg.PoolClient> {
    try {
      const client = await primary.connect()
      client.once('end', () => {
        places.delete(place)
        client.release(true)
      })
      return client
    } catch (error) {
      places.delete(place)
      throw error
    }
  }

  return {
    async connect(): Promise<pg.ClientBase> {
      turn = (turn + 1) % size
      const found = places.get(turn) ?? take(turn)
      places.set(turn, found)
      const client = await found
      gather(client)
      return client
    },
    /** Ends them, after a short time for pending reads. The primary ends connections that are still being opened. */
    async close(): Promise<void> {
      const ends = [...places.values()].map(async (place) => closeClient(await place))
      await Promise.race([Promise.allSettled(ends), sleep(farewellMs, undefined, { ref: false })])
    },
  }
}

/** Sends the queries of one turn of the event loop together: a system call costs about as much as a read. */
export function gather(client: pg.ClientBase): void {
  const socket = socketOf(client)
  if (socket.writableCorked > 0) return
  socket.cork()
  setImmediate(() => socket.uncork())
}
