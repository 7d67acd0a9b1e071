/** Encrypts a snapshot as an age file that only the passphrase opens (https://age-encryption.org/v1). */
import { Worker } from 'node:worker_threads'
import { threadModule } from '../../lib/home.ts'
import type { Snapshot } from '../../store/storage/storage.ts'
import type { FromSealer, ToSealer } from './sealing-protocol.ts'

/**
 * Encrypts in a separate thread, because the library is JavaScript: some 100 MB/s, and a third of a second for the
 * passphrase, during which the main thread could serve no request. The thread lives as long as the export.
 */
export function seal(snapshot: Snapshot, passphrase: string): Snapshot {
  const worker = new Worker(threadModule('administration/exports/sealing-thread'), { workerData: { passphrase } })
  let waiting: PromiseWithResolvers<Uint8Array | undefined> | undefined
  let fault: Error | undefined
  const fail = (error: Error) => {
    fault ??= error
    waiting?.reject(fault)
  }
  const report = (message: ToSealer) => worker.postMessage(message)
  worker.on('message', (message: FromSealer) => {
    if (message.kind === 'want') snapshot.next().then((bytes) => report({ kind: 'rows', bytes }), fail)
    else waiting?.resolve(message.bytes)
  })
  worker.once('error', fail)
  worker.once('exit', () => fail(new Error('The encryption thread has ended.')))
  return {
    total: snapshot.total,
    next() {
      if (fault) return Promise.reject(fault)
      waiting = Promise.withResolvers()
      report({ kind: 'next' })
      return waiting.promise
    },
    close() {
      snapshot.close()
      void worker.terminate()
    },
  }
}
