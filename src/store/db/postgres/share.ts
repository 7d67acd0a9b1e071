import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { closeClient, farewellMs, type Primary, socketOf } from './primary.ts'

type Shared = { client: Promise<pg.PoolClient>; reads: number }

/** How many reads wait on each connection before another one is opened: opening costs as much as a hundred reads. */
const readsEach = 2

/**
 * A few connections that all quick reads share, each with many pipelined queries. Compared with a connection per read, that
 * costs the server half and us two thirds. A slow query would delay the others.
 */
export function shareConnections(primary: Pick<Primary, 'connect'>, size: number) {
  const connections = new Set<Shared>()

  /** Keeps a connection until it breaks. */
  async function connect(shared: () => Shared): Promise<pg.PoolClient> {
    try {
      const client = await primary.connect()
      client.once('end', () => {
        connections.delete(shared())
        client.release(true)
      })
      return client
    } catch (error) {
      connections.delete(shared())
      throw error
    }
  }

  function choose(): Shared {
    let idlest: Shared | undefined
    for (const one of connections) if (idlest === undefined || one.reads < idlest.reads) idlest = one
    if (idlest !== undefined && (idlest.reads < readsEach || connections.size === size)) return idlest
    const opened: Shared = { client: connect(() => opened), reads: 0 }
    connections.add(opened)
    return opened
  }

  return {
    async read<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
      const shared = choose()
      shared.reads++
      try {
        const client = await shared.client
        gather(client)
        return await work(client)
      } finally {
        shared.reads--
      }
    },
    /** Ends them, after a short time for pending reads. The primary ends connections that are still being opened. */
    async close(): Promise<void> {
      const ends = [...connections].map(async ({ client }) => closeClient(await client))
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
