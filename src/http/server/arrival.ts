/** Limits how long a request may take to arrive. Node has one limit for all requests; a file needs longer than a form. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

const timeoutCode = 'ERR_HTTP_REQUEST_TIMEOUT'

/** Per request: stops or restarts its timer. */
const clocks = new WeakMap<IncomingMessage, { stop(): void; restart(): void }>()

/**
 * Suspends the limit for a body that is read as it arrives, whose reader checks its progress. Returns a function that
 * restores the limit for anything that may still arrive.
 */
export function allowAnyDuration(raw: IncomingMessage): () => void {
  const clock = clocks.get(raw)
  clock?.stop()
  return () => clock?.restart()
}

/** A late request is treated as by Node's own `requestTimeout`; headers have their own limit. */
export function limitArrival(server: Server, limitMs: number): void {
  // Before any other listener sees the request.
  server.prependListener('request', (raw: IncomingMessage, response: ServerResponse) => {
    if (raw.headers['content-length'] === undefined && raw.headers['transfer-encoding'] === undefined) return
    // A client library may take the socket from the request while it is sent on.
    const { socket } = raw
    let timer: NodeJS.Timeout | undefined
    const stop = () => clearTimeout(timer)
    const restart = () => {
      stop()
      if (raw.complete || socket.destroyed) return
      timer = setTimeout(() => {
        if (raw.complete) return
        // The caller has its response already, and another one would be taken for that to its next request.
        if (response.writableFinished) socket.destroy()
        else server.emit('clientError', Object.assign(new Error('Request timeout'), { code: timeoutCode }), socket)
      }, limitMs)
      timer.unref()
    }
    clocks.set(raw, { stop, restart })
    restart()
    // `close` also comes with the response: what still arrives after it is limited too.
    raw.once('close', () => {
      if (raw.complete || socket.destroyed) stop()
    })
  })
}
