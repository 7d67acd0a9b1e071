/** Computes one tag at a time, for crypt.ts. */
import { parentPort } from 'node:worker_threads'
import { type CryptHash, cryptTag } from './crypt-functions.ts'
import { yieldFromThisThread } from './priority.ts'

const port = parentPort as NonNullable<typeof parentPort>

void yieldFromThisThread()
port.on('message', ({ hash, password }: { hash: CryptHash; password: string }) => {
  port.postMessage(cryptTag(hash, password))
})
