/** Encrypts one export: rows in, chunks of an age file out, each on request. */
import { parentPort, workerData } from 'node:worker_threads'
import { Encrypter } from 'age-encryption'
import type { FromSealer, ToSealer } from './sealing-protocol.ts'

/**
 * scrypt's cost as a power of two: 64 MiB and a third of a second per guess. age's default of 256 MiB would exceed what the
 * whole server needs otherwise; a passphrase of 16 characters makes up for it.
 */
const workFactor = 16

const port = parentPort as NonNullable<typeof parentPort>
const { passphrase } = workerData as { passphrase: string }
let takeRows: ((bytes: Uint8Array | undefined) => void) | undefined

const rows = new ReadableStream<Uint8Array>(
  {
    async pull(controller) {
      send({ kind: 'want' })
      const bytes = await new Promise<Uint8Array | undefined>((resolve) => {
        takeRows = resolve
      })
      if (bytes === undefined) controller.close()
      else controller.enqueue(bytes)
    },
  },
  { highWaterMark: 0 },
)

const encrypter = new Encrypter()
encrypter.setPassphrase(passphrase)
encrypter.setScryptWorkFactor(workFactor)
const pieces = encrypter.encrypt(rows).then((stream) => stream.getReader())

port.on('message', async (message: ToSealer) => {
  if (message.kind === 'rows') {
    takeRows?.(message.bytes)
    return
  }
  const { value } = await (await pieces).read()
  send({ kind: 'piece', bytes: value }, value)
})

function send(message: FromSealer, bytes?: Uint8Array): void {
  const own = bytes !== undefined && bytes.byteLength === bytes.buffer.byteLength
  port.postMessage(message, own ? [bytes.buffer as ArrayBuffer] : [])
}
