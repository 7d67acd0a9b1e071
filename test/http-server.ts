/** Servers on loopback that tests need beside Rollbook: providers, receivers, products, proxies. */
import { AssertionError } from 'node:assert/strict'
import { once } from 'node:events'
import {
  createServer,
  request as forward,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { selfSigned } from './proxies/certificate.ts'

type Test = Pick<TestContext, 'after'>
type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

type Options = {
  port?: number
  host?: string
  /** Serve https, with a certificate for localhost that nothing trusts. */
  secure?: boolean
}

/** Serves until the test ends. */
export async function serveHttp(
  t: Test,
  listener: Listener,
  { port = 0, host = '127.0.0.1', secure = false }: Options = {},
): Promise<{ server: Server; port: number; origin: string }> {
  const safe = surviving(t, listener)
  const server = secure ? createSecureServer(selfSigned, safe) : createServer(safe)
  await once(server.listen(port, host), 'listening')
  t.after(() => closeServer(server))
  const opened = (server.address() as AddressInfo).port
  return { server, port: opened, origin: secure ? `https://localhost:${opened}` : `http://${host}:${opened}` }
}

/** Resolves when the server and its connections are closed. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<unknown>((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}

/**
 * Responds with 500 when the listener throws. An uncaught error would end the process, and with it the neighbours of this file, for a
 * request that no test sent, such as a browser's for an icon.
 */
export function surviving(t: Test, listener: Listener): RequestListener {
  const assertions = keepAssertions(t)
  return (request, response) => {
    Promise.try(listener, request, response).catch((error: unknown) => {
      assertions(error)
      if (response.headersSent) response.destroy()
      else response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error))
    })
  }
}

/** Forwards a request to this URL, and returns its response. If either side hangs up, so does the other. */
export function passOn(incoming: IncomingMessage, outgoing: ServerResponse, url: string): void {
  const { method, headers } = incoming
  const onward = forward(url, { method, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers)
    response.on('error', () => outgoing.destroy()).pipe(outgoing)
  })
  onward.on('error', () => outgoing.destroy())
  outgoing.on('close', () => onward.destroy())
  incoming.pipe(onward)
}

/** Returns what a server calls with an error of a request. A failed assertion fails the test when it ends. */
export function keepAssertions(t: Test): (error: unknown) => void {
  const failed: AssertionError[] = []
  t.after(() => {
    if (failed[0] !== undefined) throw failed[0]
  })
  return (error) => {
    if (error instanceof AssertionError) failed.push(error)
  }
}
