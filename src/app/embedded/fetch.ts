/** Serves the requests of Fetch API servers, and of the program itself. */
import type { ClientRequest, IncomingMessage, Server } from 'node:http'
import { type Duplex, duplexPair, finished, Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { request as sendOver } from '../../lib/node-http.ts'
import type { Rollbook } from './types.ts'

/** They belong to one connection (RFC 9110 §7.6.1), and the client's connection is not ours. */
const hopByHop = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade']
/** Fetch standard, "null body status". */
const withoutBody = [204, 205, 304]

/** Each request goes over a connection in memory, so streams, aborts and backpressure work as on a network. */
export function fetchFrom(server: Server): Rollbook['fetch'] {
  return async (input, { address, ...init } = {}) => {
    // Frameworks pass requests of their own that cannot be copied.
    const isComplete = typeof input === 'object' && 'headers' in input && Object.keys(init).length === 0
    const request = isComplete ? input : new Request(input, init)
    const { signal } = request
    const body = request.body === null ? undefined : await chunksOf(request.body as ReadableStream<Uint8Array>)
    signal.throwIfAborted()
    let running: ClientRequest | IncomingMessage = send(request, body, connect(server, address))
    const abort = () => running.destroy(signal.reason)
    const forget = () => signal.removeEventListener('abort', abort)
    signal.addEventListener('abort', abort)
    try {
      const response = await responseTo(running)
      running = response
      finished(response, forget)
      return toWeb(response, request.method)
    } catch (error) {
      forget()
      throw error
    }
  }
}

function connect(server: Server, remoteAddress: string | undefined): Duplex {
  const [near, far] = duplexPair()
  // Each side would wait for the other after an abort.
  near.once('close', () => far.destroy())
  far.once('close', () => near.destroy())
  server.emit('connection', Object.assign(far, { remoteAddress }))
  return near
}

type Chunks = () => AsyncGenerator<Uint8Array>

/** Undefined if the body is empty: some servers pass an empty one for each request without a body. */
async function chunksOf(body: ReadableStream<Uint8Array>): Promise<Chunks | undefined> {
  const chunks = body[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done) return undefined
  return async function* () {
    yield first.value
    yield* chunks
  }
}

function send({ method, url, headers }: Request, body: Chunks | undefined, connection: Duplex): ClientRequest {
  const { host, pathname, search } = new URL(url)
  const fields: Record<string, string> = { host, ...Object.fromEntries(headers) }
  for (const name of hopByHop) delete fields[name]
  if (body !== undefined && fields['content-length'] === undefined) fields['transfer-encoding'] = 'chunked'
  const sent = sendOver({ createConnection: () => connection, method, path: pathname + search, headers: fields })
  if (body === undefined) return sent.end()
  const chunks = Readable.from(body(), { objectMode: false })
  chunks.on('error', (error) => sent.destroy(error)).pipe(sent)
  return sent.on('close', () => chunks.destroy())
}

function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // Errors that come after the response reach its body.
    sent.on('response', resolve).on('error', reject)
  })
}

function toWeb(response: IncomingMessage, method: string): Response {
  const { statusCode: status = 500, rawHeaders } = response
  const headers = new Headers()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (!hopByHop.includes(name.toLowerCase())) headers.append(name, rawHeaders[i + 1] as string)
  }
  if (method !== 'HEAD' && !withoutBody.includes(status)) {
    return new Response(Readable.toWeb(response) as ReadableStream<Uint8Array>, { status, headers })
  }
  response.resume()
  return new Response(null, { status, headers })
}
