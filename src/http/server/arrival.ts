/** How long a request may take to arrive. Node has one limit for all of them; a file may take longer than a form. */
import type { IncomingMessage, Server } from 'node:http'

/** By request: stops its clock, or begins it anew. */
const clocks = new WeakMap<IncomingMessage, { stop(): void; begin(): void }>()

/**
 * For a body that is read as it arrives: its reader looks to it that it goes on. Afterwards the limit holds again, for what
 * may still arrive: the answer to call then.
 */
export function allowAnyDuration(raw: IncomingMessage): () => void {
  const clock = clocks.get(raw)
  clock?.stop()
  return () => clock?.begin()
}

/** What takes longer is treated as by Node's own `requestTimeout`; the headers have a limit of theirs. */
export function limitArrival(server: Server, limitMs: number): void {
  // Before anybody else hears of the request.
  server.prependListener('request', (raw: IncomingMessage) => {
    if (raw.headers['content-length'] === undefined && raw.headers['transfer-encoding'] === undefined) return
    let timer: NodeJS.Timeout | undefined
    const stop = () => clearTimeout(timer)
    const begin = () => {
      stop()
      if (raw.complete || raw.socket.destroyed) return
      timer = setTimeout(() => {
        if (raw.complete) return
        const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
        server.emit('clientError', error, raw.socket)
      }, limitMs)
      timer.unref()
    }
    clocks.set(raw, { stop, begin })
    begin()
    // `close` comes with the answer, too: what still arrives then has its limit as well.
    raw.once('close', () => {
      if (raw.complete || raw.socket.destroyed) stop()
    })
  })
}
