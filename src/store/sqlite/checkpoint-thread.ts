/**
 * Writes SQLite's log back into the database, so that changes need not wait for it. That took 6 µs of the writer thread for each
 * update: 5 % more updates, no more creates, the same p99, for 12 MiB of memory while it runs (docs/decisions/speed.md, 0115).
 * The log keeper starts it when many pages were added and ends it when it is idle. It imports none of our modules, because it
 * starts and ends often and must be small.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { CheckpointOutcome } from '../storage/writer-protocol.ts'

const port = parentPort as NonNullable<typeof parentPort>
let connection: DatabaseSync | undefined
let checkpoint: StatementSync | undefined

port.on('message', (message: 'write' | 'end') => {
  if (message === 'write') return port.postMessage(write())
  connection?.close()
  port.close()
})

function open(): StatementSync {
  connection?.close()
  connection = new DatabaseSync(workerData as string, { timeout: 0 })
  connection.exec('PRAGMA synchronous = FULL')
  return connection.prepare('PRAGMA wal_checkpoint(PASSIVE)')
}

function write(): CheckpointOutcome {
  try {
    checkpoint ??= open()
    checkpoint.get()
    return {}
  } catch (error) {
    const { message, stack } = error as Error
    return { fault: { message, stack } }
  }
}
