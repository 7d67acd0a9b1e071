/** Runs long queries, and snapshots that are returned in chunks, in a thread. */
import { parentPort } from 'node:worker_threads'
import { AppError, toRefusal } from '../../core/errors.ts'
import { type Connection, openConnection } from '../db/sqlite/connection.ts'
import { storageRefusal } from '../db/sqlite/failures.ts'
import { clientGone } from '../storage/fair-queue.ts'
import type { ReadHandlers } from '../storage/registry.ts'
import type { ReaderAnswer, ReaderReady, ReaderRequest, ReaderSetup } from './reader-protocol.ts'

const port = parentPort as NonNullable<typeof parentPort>
type Store = { path: string; cancelled: ReaderSetup['cancelled']; connection: Connection | undefined }

let handlers: ReadHandlers
let store: Store | undefined
/** A snapshot that was read completely stays known, without its rows, until it is closed. */
const snapshots = new Map<number, { connection: Connection; rows: AsyncGenerator<Uint8Array> } | 'finished'>()
let turn = Promise.resolve()
/** The running job. */
let current = 0

/** Serves the requests of the main thread. Called once, by the module that the thread starts with. */
export function runReaderThread(readHandlers: ReadHandlers): void {
  handlers = readHandlers
  port.on('message', (message: ReaderSetup | ReaderRequest | 'end') => {
    if (message === 'end') port.close()
    else if ('path' in message) {
      store = { ...message, connection: undefined }
      port.postMessage('ready' satisfies ReaderReady)
    }
    // One after the other: a query must not start a transaction inside another one's.
    else turn = turn.then(() => serve(message))
  })
}

async function serve(request: ReaderRequest): Promise<void> {
  current = request.id
  try {
    refuseCancelled()
    await handle(request)
  } catch (error) {
    if (request.kind === 'open' || request.kind === 'next') abandon(request.snapshot)
    const refusal = error instanceof AppError ? error : storageRefusal(error)
    const { message, stack } = error as Error
    respond({ id: request.id, ...(refusal ? { refusal: toRefusal(refusal) } : { fault: { message, stack } }) })
  }
}

/** The reason for cancelling the running job: its caller has left. */
function cancellation(): Error | undefined {
  const { cancelled } = store as Store
  return Atomics.load(cancelled, current % cancelled.length) === current && current > 0 ? clientGone() : undefined
}

function refuseCancelled(): void {
  const reason = cancellation()
  if (reason !== undefined) throw reason
}

async function handle(request: ReaderRequest): Promise<void> {
  const { path } = store as Store
  switch (request.kind) {
    case 'query': {
      // Not at the start: a store that cannot be opened fails the request, not the thread.
      const connection = openOnce(store as Store)
      connection.meter.onLook(cancellation)
      // One transaction, so that the statements of a query see the same state.
      connection.exec('BEGIN')
      try {
        const value = await handlers.queries[request.name].run(connection, request.input as never)
        connection.exec('COMMIT')
        respond({ id: request.id, value })
      } finally {
        if (connection.raw.isTransaction) connection.exec('ROLLBACK')
      }
      return
    }
    case 'open': {
      const own = openConnection({ path, readOnly: true, cacheKiB: 1024 })
      own.meter.onLook(cancellation)
      own.exec('BEGIN')
      // The first read fixes the snapshot.
      own.raw.prepare('SELECT 1 FROM migrations').get()
      const stream = handlers.streams[request.name]
      snapshots.set(request.snapshot, { connection: own, rows: stream.pieces(own, request.input as never) })
      respond({ id: request.id, value: await stream.total(own, request.input as never) })
      return
    }
    case 'next': {
      const snapshot = snapshots.get(request.snapshot)
      // Always fail: an incomplete list must not look complete.
      if (snapshot === undefined) throw new Error('The snapshot is gone.')
      const value = snapshot === 'finished' ? undefined : (await snapshot.rows.next()).value
      if (value === undefined) {
        closeSnapshot(request.snapshot)
        snapshots.set(request.snapshot, 'finished')
      }
      respond({ id: request.id, value }, value)
      return
    }
    case 'close':
      closeSnapshot(request.snapshot)
      return
    case 'check': {
      // On a new connection: another one may have the damaged pages in its cache.
      const own = openConnection({ path, readOnly: true, cacheKiB: 8192 })
      try {
        const row = own.raw.prepare('PRAGMA integrity_check(1)').get() as { integrity_check: string }
        respond({ id: request.id, value: row.integrity_check === 'ok' ? undefined : row.integrity_check })
      } finally {
        own.close()
      }
      return
    }
    case 'end':
      for (const snapshot of snapshots.keys()) closeSnapshot(snapshot)
      store?.connection?.close()
      store = undefined
      respond({ id: request.id, value: undefined })
  }
}

function openOnce(opened: Store): Connection {
  opened.connection ??= openConnection({ path: opened.path, readOnly: true })
  return opened.connection
}

/** Cleans up after a fault that is reported to the caller; another fault meanwhile is ignored. */
function abandon(id: number): void {
  try {
    closeSnapshot(id)
  } catch {}
}

function closeSnapshot(id: number): void {
  const snapshot = snapshots.get(id)
  snapshots.delete(id)
  if (snapshot !== undefined && snapshot !== 'finished') snapshot.connection.close()
}

function respond(message: ReaderAnswer, bytes?: Uint8Array): void {
  // Moved, not copied, when the buffer is the value's alone (small ones share a pool).
  const own = bytes !== undefined && bytes.byteLength === bytes.buffer.byteLength
  port.postMessage(message, own ? [bytes.buffer as ArrayBuffer] : [])
}
