/**
 * A mail server that keeps nothing. Prints its port; after a line on stdin it holds each message before its last response
 * (`hold`), accepts all of them (`release`), or prints how many came (`count`).
 */
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { SMTPServer } from 'smtp-server'

let isHolding = false
let held: (() => void)[] = []
let received = 0

const server = new SMTPServer({
  authOptional: true,
  hideSTARTTLS: true,
  disableReverseLookup: true,
  logger: false,
  onData(stream, _session, done) {
    const accept = () => {
      received++
      done()
    }
    stream.resume()
    stream.once('end', () => {
      if (isHolding) held.push(accept)
      else accept()
    })
  },
})
server.on('error', () => {})
server.listen(0, '127.0.0.1', () => console.log((server.server.address() as AddressInfo).port))

const orders: Record<string, () => void> = {
  count: () => console.log(received),
  hold() {
    isHolding = true
  },
  release() {
    isHolding = false
    for (const accept of held) accept()
    held = []
  },
}

createInterface({ input: process.stdin })
  .on('line', (line) => orders[line]?.())
  .on('close', () => process.exit())
