/** Requests as a browser or a program sends them: `fetch` adds headers of its own, such as Sec-Fetch-Mode. */
import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { WebSocket } from 'ws'
import { selfSigned } from './certificate.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered.
export type Answered = { status: number; headers: IncomingHttpHeaders; text: string; json: () => any }

type Options = { method?: string; headers?: Record<string, string>; body?: string; path?: string }

/** `path` is sent as it is given; a URL would tidy it up. */
export async function send(url: string, { method = 'GET', headers = {}, body, path }: Options = {}): Promise<Answered> {
  const { protocol, hostname, port, pathname, search } = new URL(url)
  const options = { hostname, port, method, headers, path: path ?? pathname + search, agent: false } as const
  const asking = protocol === 'https:' ? secureRequest({ ...options, ca: selfSigned.cert }) : request(options)
  asking.end(body)
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  const received = await text(response)
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: received,
    json: () => JSON.parse(received),
  }
}

/** What a browser sends when a user follows a link or enters an address. */
export const navigation = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
}

/** An open websocket, and what the toy product said first. */
export async function openSocket(url: string, headers: Record<string, string>) {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers, ca: selfSigned.cert })
  // Asked for before it is open: the product speaks first.
  const [[data]] = await Promise.all([once(socket, 'message'), once(socket, 'open')])
  return { socket, first: JSON.parse(String(data)) }
}

/** The status with which a websocket is refused. */
export async function refusedSocket(url: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers })
  const [, response] = await once(socket, 'unexpected-response')
  response.resume()
  return response.statusCode
}
