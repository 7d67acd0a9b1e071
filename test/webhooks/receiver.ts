/** A receiver of webhooks: a real server on loopback that answers as the test wants. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { closeServer, serveHttp } from '../http-server.ts'

export type Received = {
  headers: Record<string, string>
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent.
  event: any
}

/** A status, or a custom response. */
type Answer = number | ((response: ServerResponse, request: IncomingMessage) => void)
type Answering = (received: Received, count: number) => Answer | Promise<Answer>

export type Receiver = {
  url: string
  port: number
  received: Received[]
  respondWith(next: Answering): void
  close(): Promise<void>
}

export async function startReceiver(t: TestContext, first: Answering = () => 204): Promise<Receiver> {
  let answering = first
  const received: Received[] = []
  const { server, port, origin } = await serveHttp(t, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const one = { headers: request.headers as Record<string, string>, body, event: JSON.parse(body) }
    received.push(one)
    const reply = await answering(one, received.length)
    if (typeof reply === 'number') response.writeHead(reply).end()
    else reply(response, request)
  })
  return {
    url: `${origin}/hooks`,
    port,
    received,
    respondWith: (next) => {
      answering = next
    },
    close: () => closeServer(server),
  }
}
