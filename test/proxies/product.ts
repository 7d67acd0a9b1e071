/**
 * A toy main API for the tests: it believes the identity headers, says what it got, and refuses requests without them. It
 * agrees to every protocol, and believes whatever comes after that too.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TestContext } from 'node:test'
import { WebSocketServer } from 'ws'
import { surviving } from '../http-server.ts'

export type Received = {
  method: string
  url: string
  headers: IncomingHttpHeaders
  rawHeaders: string[]
  trailers: string[]
  body: string
}

export type Product = {
  port: number
  origin: string
  received: Received[]
  webSockets(): number
  close(): Promise<void>
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

export const eventStream: Handler = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('data: hello\n\n')
}

/**
 * Returns what a CGI program is told of the headers (RFC 3875 §4.1.18), as PHP does it: each character of a name that is
 * not alphanumeric becomes an underscore. A name that came more than once has all its values here; which of them a real
 * server takes is a matter of chance.
 */
export function asCgi(rawHeaders: readonly string[]): Map<string, string[]> {
  const variables = new Map<string, string[]>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = `HTTP_${(rawHeaders[i] as string).toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`
    variables.set(name, [...(variables.get(name) ?? []), rawHeaders[i + 1] as string])
  }
  return variables
}

/** @param routes what is answered at some paths in place of what was received */
export async function startProduct(t: TestContext, routes: Record<string, Handler> = {}): Promise<Product> {
  const received: Received[] = []
  const isKnown = ({ headers }: IncomingMessage) => Boolean(headers['remote-user'] || headers['remote-client'])
  const note = ({ method = '', url = '', headers, rawHeaders, rawTrailers }: IncomingMessage, body = '') => {
    const one = { method, url, headers, rawHeaders, trailers: rawTrailers, body }
    received.push(one)
    return one
  }

  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const one = note(request, Buffer.concat(chunks).toString())
    const route = routes[(request.url ?? '').split('?', 1)[0] as string]
    if (!isKnown(request)) response.writeHead(401, { 'x-product': 'nobody' }).end('Who are you?')
    else if (route !== undefined) route(request, response)
    else
      response.writeHead(200, { 'content-type': 'application/json', 'x-product': 'orchard' }).end(JSON.stringify(one))
  }
  const server = createServer(surviving(t, respond))
  const sockets = new WebSocketServer({ noServer: true })
  const tunnels = new Set<Duplex>()
  server.on('upgrade', (request, socket, head) => {
    const one = note(request)
    if (!isKnown(request)) {
      socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n')
      return
    }
    if (request.headers.upgrade !== 'websocket') {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${request.headers.upgrade}\r\n\r\n`,
      )
      socket.on('error', () => socket.destroy())
      tunnels.add(socket)
      socket.on('data', (body) => received.push({ ...one, method: 'unasked', body: String(body) }))
      return
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      client.send(JSON.stringify(one))
      client.on('message', (data, isBinary) => {
        if (String(data) === 'flood') for (let i = 0; i < 64; i++) client.send(Buffer.alloc(1 << 20))
        else client.send(data, { binary: isBinary })
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= new Promise<void>((resolve) => {
      for (const client of sockets.clients) client.terminate()
      for (const tunnel of tunnels) tunnel.destroy()
      server.close(() => resolve())
      server.closeAllConnections()
    })
    return closing
  }
  t.after(close)
  return { port, origin: `http://127.0.0.1:${port}`, received, webSockets: () => sockets.clients.size, close }
}
