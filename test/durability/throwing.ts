/**
 * Loaded into a service before it starts: throws where its requests ask for it, in the listeners and timers of the
 * connection, as a fault of ours or of a library would.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const throwing = (place: string) => () => {
  throw new Error(`thrown in ${place}`)
}

type Served = { request: IncomingMessage; response: ServerResponse; socket: Socket }

/** By the name in the header `x-throw`. */
export const places: Record<string, (served: Served, fail: () => never) => unknown> = {
  'the request': (_, fail) => fail(),
  'a timer': (_, fail) => setTimeout(fail, 20),
  'an interval': (_, fail) => {
    const timer = setInterval(() => {
      clearInterval(timer)
      fail()
    }, 5)
  },
  'the next turn': (_, fail) => setImmediate(fail),
  'the next tick': (_, fail) => process.nextTick(fail),
  'a microtask': (_, fail) => queueMicrotask(fail),
  'a promise that is not awaited': (_, fail) => void Promise.resolve().then(fail),
  'a promise after a wait': (_, fail) =>
    setTimeout(async () => {
      await Promise.resolve()
      fail()
    }, 5),
  'the close of the request': ({ request }, fail) => request.once('close', fail),
  'the body of the request': ({ request }, fail) => request.once('data', fail),
  'the end of the request': ({ request }, fail) => request.once('end', fail),
  'the finish of the response': ({ response }, fail) => response.once('finish', fail),
  'the close of the response': ({ response }, fail) => response.once('close', fail),
  'the close of the socket': ({ socket }, fail) => socket.once('close', fail),
}

/** Requests that the service sends, by the path. */
const ofSent: Record<string, (sent: ClientRequest, fail: () => never) => unknown> = {
  '/throw/socket': (sent, fail) => sent.once('socket', fail),
  '/throw/finish': (sent, fail) => sent.once('finish', fail),
  '/throw/response': (sent, fail) => sent.once('response', fail),
  '/throw/data': (sent, fail) => sent.once('response', (response: IncomingMessage) => response.once('data', fail)),
  '/throw/timer': (_sent, fail) => setTimeout(fail, 5),
}
export const sentPlaces = Object.keys(ofSent)

export function throwWhereAsked(): void {
  const servers = new WeakSet<Server>()
  subscribe('http.server.request.start', (message) => {
    const served = message as Served & { server: Server }
    const place = String(served.request.headers['x-throw'])
    places[place]?.(served, throwing(place) as () => never)
    if (servers.has(served.server)) return
    servers.add(served.server)
    served.server.prependListener('upgrade', ({ headers }: IncomingMessage) => {
      if (headers['x-throw'] === 'an upgrade') throwing('an upgrade')()
    })
  })
  subscribe('http.client.request.created', (message) => {
    const { request } = message as { request: ClientRequest }
    const place = request.path.split('?', 1)[0] as string
    ofSent[place]?.(request, throwing(place) as () => never)
  })
  subscribe('http.server.response.created', (message) => {
    // A socket that became a WebSocket reports what arrives by itself.
    const { request } = message as Served
    if (request.headers['x-throw'] === 'a WebSocket') request.socket.once('data', throwing('a WebSocket'))
  })
  // Where nothing says whose fault it is.
  process.once('SIGUSR2', throwing('a signal'))
}
