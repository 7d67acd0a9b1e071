import { timingSafeEqual } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { threadModule } from '../../lib/home.ts'
import { type CryptHash, longestPasswordBytes } from './crypt-functions.ts'

/** Threads without work. The hash queue bounds how many work at once. */
const idle: { worker: Worker; ending: NodeJS.Timeout }[] = []
const idleMs = 30_000

/**
 * Whether this hash was made from this password. Computed in a separate thread, because Node has no function for it
 * that does not block the event loop. A thread ends half a minute after its last hash.
 */
export async function isMadeByCrypt(hash: CryptHash, password: string): Promise<boolean> {
  const worker = takeWorker()
  const tag = await new Promise<string>((resolve, reject) => {
    const onExit = () => reject(new Error('The thread that verifies password hashes has ended.'))
    worker.once('error', reject)
    worker.once('exit', onExit)
    worker.once('message', (text: string) => {
      worker.off('error', reject)
      worker.off('exit', onExit)
      resolve(text)
    })
    worker.postMessage({ hash, password })
  })
  keepWorker(worker)
  const isSame = tag.length === hash.tag.length && timingSafeEqual(Buffer.from(tag), Buffer.from(hash.tag))
  return isSame && Buffer.byteLength(password) <= longestPasswordBytes
}

function takeWorker(): Worker {
  const found = idle.pop()
  if (found === undefined) return new Worker(threadModule('directory/passwords/crypt-thread'))
  clearTimeout(found.ending)
  found.worker.ref()
  return found.worker
}

function keepWorker(worker: Worker): void {
  worker.unref()
  const entry = { worker, ending: setTimeout(() => end(entry), idleMs).unref() }
  idle.push(entry)
}

function end(entry: (typeof idle)[number]): void {
  idle.splice(idle.indexOf(entry), 1)
  void entry.worker.terminate()
}
