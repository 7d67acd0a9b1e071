/** A thread that reads: long queries, and snapshots that are handed out piece by piece. */
import { parentPort, workerData } from 'node:worker_threads'
import { type AppError, toRefusal } from '../../errors.ts'
import { queries } from '../../queries.ts'
import { count, stream } from '../../users/list.ts'
import { storageRefusal } from '../constraints.ts'
import { type Connection, openConnection } from './connection.ts'
import type { ReaderAnswer, ReaderRequest } from './reader-protocol.ts'

const port = parentPort as NonNullable<typeof parentPort>
const { path } = workerData as { path: string }
const connection = openConnection({ path, readOnly: true })
const snapshots = new Map<number, { connection: Connection; rows: AsyncGenerator<Uint8Array> }>()

port.on('message', async (request: ReaderRequest) => {
  try {
    await handle(request)
  } catch (error) {
    if (request.kind === 'open' || request.kind === 'next') closeSnapshot(request.snapshot)
    const refusal: AppError | undefined = storageRefusal(error)
    const { message, stack } = error as Error
    answer({ id: request.id, ...(refusal ? { refusal: toRefusal(refusal) } : { fault: { message, stack } }) })
  }
})

async function handle(request: ReaderRequest): Promise<void> {
  switch (request.kind) {
    case 'query': {
      // One transaction, so that the statements of a query see the same moment.
      connection.exec('BEGIN')
      try {
        const value = await queries[request.name](connection, request.input as never)
        answer({ id: request.id, value })
      } finally {
        connection.exec('COMMIT')
      }
      return
    }
    case 'open': {
      const own = openConnection({ path, readOnly: true, cacheKiB: 1024 })
      own.exec('BEGIN')
      // The first read is what fixes the snapshot.
      own.raw.prepare('SELECT 1 FROM migrations').get()
      snapshots.set(request.snapshot, { connection: own, rows: stream(own, request.plan) })
      const total = request.plan.count ? await count(own, request.plan.filters) : undefined
      answer({ id: request.id, value: total })
      return
    }
    case 'next': {
      const { value } = (await snapshots.get(request.snapshot)?.rows.next()) ?? {}
      if (value === undefined) closeSnapshot(request.snapshot)
      answer({ id: request.id, value }, value)
      return
    }
    case 'close':
      closeSnapshot(request.snapshot)
      return
    case 'end':
      for (const snapshot of snapshots.keys()) closeSnapshot(snapshot)
      connection.close()
      port.close()
  }
}

function closeSnapshot(id: number): void {
  snapshots.get(id)?.connection.close()
  snapshots.delete(id)
}

function answer(message: ReaderAnswer, bytes?: Uint8Array): void {
  // Moved, not copied, when the buffer is the value's alone (small ones share a pool).
  const own = bytes !== undefined && bytes.byteLength === bytes.buffer.byteLength
  port.postMessage(message, own ? [bytes.buffer as ArrayBuffer] : [])
}
