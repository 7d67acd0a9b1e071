/** How long a request may take to arrive. Node has one limit for all of them; a file may take longer than a form. */
import type { IncomingMessage, Server } from 'node:http'

const exempt = new WeakSet<IncomingMessage>()

/** For a body that is read as it arrives: its reader looks to it that it goes on. */
export function allowAnyDuration(raw: IncomingMessage): void {
  exempt.add(raw)
}

/** What takes longer is treated as by Node's own `requestTimeout`; the headers have a limit of theirs. */
export function limitArrival(server: Server, limitMs: number): void {
  server.on('request', (raw: IncomingMessage) => {
    if (raw.headers['content-length'] === undefined && raw.headers['transfer-encoding'] === undefined) return
    const timer = setTimeout(() => {
      if (raw.complete || exempt.has(raw)) return
      const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      server.emit('clientError', error, raw.socket)
    }, limitMs)
    timer.unref()
    // `close` comes with the answer, or with the connection's end; a body that is there in full by then needs no limit.
    raw.once('close', () => {
      if (raw.complete || raw.socket.destroyed) clearTimeout(timer)
    })
  })
}
