/** Sends requests to the product, over connections that are kept. */
import { once } from 'node:events'
import type { Agent, ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { AppError } from '../../../core/errors.ts'
import type { OutageReports } from '../../../core/outages.ts'
import { ownFaults } from '../../../lib/fault-owner.ts'
import { Agent as HttpAgent, request as sendOverHttp } from '../../../lib/node-http.ts'

const connectTimeoutMs = 5000
/** Shorter than products keep idle connections; a `Keep-Alive` header of the product shortens it further. */
const idleMs = 4000
/** About as long as a product takes to restart. */
const retryAfterSeconds = 5

type Exchange = {
  method: string
  /** With the query, as it is sent. */
  path: string
  headers: OutgoingHttpHeaders
  /** The caller's request, whose body is passed on, and the response to it. */
  raw: IncomingMessage
  response: ServerResponse
}

export type ProductClient = {
  /** @throws AppError `upstream_unavailable`, `upstream_timeout`; `malformed_request` if the caller has left */
  send(exchange: Exchange): Promise<IncomingMessage>
  /** @throws AppError if the product accepts no connection */
  refuseUnlessReachable(): Promise<void>
  close(): void
}

type Options = { responseTimeoutMs: number; outages: OutageReports }

export async function productClient(upstream: string, { responseTimeoutMs, outages }: Options): Promise<ProductClient> {
  const { protocol, host: id, hostname, port: named } = new URL(upstream)
  const system = { kind: 'product', id, labels: { server: id } } as const
  const host = hostname.replaceAll(/^\[|\]$/g, '')
  const isTls = protocol === 'https:'
  const port = Number(named) || (isTls ? 443 : 80)
  const { Agent, request } = isTls ? await import('node:https') : { Agent: HttpAgent, request: sendOverHttp }
  const agent = new Agent({ keepAlive: true, timeout: idleMs })
  readResponseInSpiteOfWriteErrors(agent)

  /** Resolves with the response, or with undefined if the product had closed a kept connection just before. */
  function sendOnce({ method, path, headers, raw, response }: Exchange): Promise<IncomingMessage | undefined> {
    return new Promise((resolve, reject) => {
      const sent = request({ agent, host, port, method, path, headers, setHost: false })
      const connecting = setTimeout(() => sent.destroy(new ProductTimeout('no connection in time')), connectTimeoutMs)
      const clock = waitingClock(() => sent.destroy(new ProductTimeout('no response in time')), responseTimeoutMs)
      const abortUpload = () => sent.destroy(new AppError('malformed_request', 'The request was aborted.'))
      response.once('close', abortUpload)
      sent
        .once('socket', (socket: Socket) => {
          if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', () => clearTimeout(connecting))
          else clearTimeout(connecting)
        })
        .once('response', (incoming) => {
          stop()
          const { statusCode = 0 } = incoming
          if (statusCode < 200 || statusCode > 599) sent.destroy(new Error(`the product sent the status ${statusCode}`))
          else resolve(incoming)
          // It may respond before it has read the body, and then it may read no more of it (RFC 9112 §9.5).
          incoming.once('close', () => sent.writableFinished || sent.destroy())
        })
        .once('upgrade', (_answer, socket) => {
          // Node has let go of the request: it reports nothing more.
          socket.destroy()
          end()
          reject(asRefusal(new Error('the product switched to another protocol')))
        })
        // Errors after the response reach its body.
        .on('error', (error) => {
          if (sent.reusedSocket && isConnectionLost(error) && isSafeToRepeat(method)) resolve(undefined)
          else reject(asRefusal(error))
        })
        .once('close', end)
      function stop(): void {
        clearTimeout(connecting)
        clock.close()
        response.off('close', abortUpload)
      }
      function end(): void {
        stop()
        // What the product no longer reads is discarded, for as long as a request may take to arrive.
        raw.unpipe(sent).resume()
      }
      raw.once('error', abortUpload)
      sendBody(raw, sent, clock)
    })
  }

  /** The caller's own faults are none of the product. */
  function reported(refusal: AppError): never {
    const { status, cause } = refusal
    if (status >= 500) outages.failed(system, cause instanceof ProductTimeout ? 'timeout' : cause)
    throw refusal
  }

  return {
    async send(exchange) {
      // Each attempt uses up a connection that was kept.
      for (;;) {
        const incoming = await sendOnce(exchange).catch(reported)
        if (incoming === undefined) continue
        outages.succeeded(system)
        return incoming
      }
    },
    async refuseUnlessReachable() {
      const socket = connect(port, host)
      try {
        await once(socket, 'connect', { signal: AbortSignal.timeout(connectTimeoutMs) })
      } catch (error) {
        return reported(asRefusal(error as Error))
      } finally {
        socket.destroy()
      }
    },
    close: () => agent.destroy(),
  }
}

/** Runs while we wait for the product, not for the caller, who may be slow to send. */
type WaitingClock = { run(): void; stop(): void; close(): void }

function waitingClock(onLate: () => void, limitMs: number): WaitingClock {
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  function stop(): void {
    clearTimeout(timer)
    timer = undefined
  }
  return {
    run() {
      if (!isClosed) timer ??= setTimeout(onLate, limitMs)
    },
    stop,
    close() {
      isClosed = true
      stop()
    },
  }
}

function sendBody(raw: IncomingMessage, sent: ClientRequest, clock: WaitingClock): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = raw.headers
  if (length === '0' && coding === undefined) {
    sent.end()
    clock.run()
    return
  }
  // Node sends the body of a DELETE without a length as it is, and the product would read it as another request.
  if (coding !== undefined) sent.setHeader('transfer-encoding', 'chunked')
  raw.pipe(sent)
  raw.on('data', () => (sent.writableNeedDrain ? clock.run() : clock.stop()))
  raw.once('end', clock.run)
  sent.on('drain', () => raw.readableEnded || clock.stop())
  sent.once('finish', () => {
    clock.stop()
    clock.run()
  })
}

class ProductTimeout extends Error {}

function isConnectionLost({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE'
}

/** And without a body. */
export function isSafeToRepeat(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

function asRefusal(cause: Error): AppError {
  if (cause instanceof AppError) return cause
  return cause instanceof ProductTimeout
    ? new AppError('upstream_timeout', 'The product did not respond in time. Try again.', { cause, retryAfterSeconds })
    : new AppError('upstream_unavailable', 'The product cannot be reached; it may be starting. Try again.', {
        cause,
        retryAfterSeconds,
      })
}

/**
 * A product that refuses an upload may close its connection while we still send. Node gives up a connection at the first
 * write that fails, with a response in it that is still unread; reading ends by itself.
 */
function readResponseInSpiteOfWriteErrors(agent: Agent): void {
  const createConnection = agent.createConnection.bind(agent)
  agent.createConnection = (...parameters) => {
    const owner = { what: 'a connection to the product', end: (error: Error) => void socket.destroy(error) }
    const socket = ownFaults(owner, () => createConnection(...parameters) as Socket)
    const { _write, _writev } = socket
    const tolerant = (done: (error?: Error | null) => void) => (error?: Error | null) => {
      if (error == null || !isConnectionLost(error)) done(error)
    }
    socket._write = (chunk, encoding, done) => _write.call(socket, chunk, encoding, tolerant(done))
    socket._writev = (chunks, done) => _writev?.call(socket, chunks, tolerant(done))
    return socket
  }
}
