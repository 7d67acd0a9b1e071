/** A mail server that keeps nothing. Prints its port; after a line on stdin it refuses (`close`), accepts (`open`), or prints how many came. */
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { SMTPServer } from 'smtp-server'

let isOpen = true
let received = 0

const server = new SMTPServer({
  authOptional: true,
  hideSTARTTLS: true,
  disableReverseLookup: true,
  logger: false,
  onConnect(_session, done) {
    done(isOpen ? null : Object.assign(new Error('Closed for a while'), { responseCode: 421 }))
  },
  onData(stream, _session, done) {
    stream.resume()
    stream.once('end', () => {
      received++
      done()
    })
  },
})
server.on('error', () => {})
server.listen(0, '127.0.0.1', () => console.log((server.server.address() as AddressInfo).port))

createInterface({ input: process.stdin })
  .on('line', (line) => {
    if (line === 'count') console.log(received)
    else isOpen = line === 'open'
  })
  .on('close', () => process.exit())
