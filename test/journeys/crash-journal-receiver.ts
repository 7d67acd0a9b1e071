/** A receiver of webhooks: a real server that fails half of the time, and believes nothing that is not signed. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { Webhook } from 'standardwebhooks'
import type { CloudEvent } from '../../src/record/events/envelope.ts'
import { serveHttp } from '../http-server.ts'

export class Receiver {
  /** Its answers are 500, or none at all, half of the time; afterwards it is well. */
  isUnwell = true
  secret = ''
  failures = 0
  /** What it has taken in, and how often something came again. */
  readonly taken = new Set<string>()
  repeats = 0
  /** For each user or key: the sequence number of the last event. */
  readonly #latest = new Map<string, string>()
  /** Unexpected requests; a server cannot fail a test directly. */
  readonly faults: string[] = []

  async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const headers = request.headers as Record<string, string>
    let event: CloudEvent
    try {
      event = new Webhook(this.secret).verify(body.toString(), headers) as CloudEvent
    } catch (error) {
      this.faults.push(`not signed: ${error}`)
      response.writeHead(400).end()
      return
    }
    if (event.id !== headers['webhook-id']) this.faults.push(`${headers['webhook-id']} brought ${event.id}`)
    const dice = this.isUnwell ? Math.random() : 1
    if (dice < 0.5) {
      this.failures++
      if (dice < 0.25) response.writeHead(500).end()
      else request.socket.destroy()
      return
    }
    this.#take(event)
    response.writeHead(204).end()
  }

  #take({ id, subject, sequence, data }: CloudEvent): void {
    if (this.taken.has(id)) {
      this.repeats++
      return
    }
    this.taken.add(id)
    const owner = String(data.user_id ?? subject)
    const before = this.#latest.get(owner) ?? ''
    if (sequence < before) this.faults.push(`${owner} had ${before} before ${sequence}`)
    this.#latest.set(owner, sequence)
  }
}

/** Listens on loopback until the test is over. */
export async function startReceiver(t: TestContext): Promise<{ receiver: Receiver; url: string }> {
  const receiver = new Receiver()
  const { origin } = await serveHttp(t, (request, response) => receiver.respond(request, response))
  return { receiver, url: `${origin}/hooks` }
}
