/** Clients that do one thing after another, where the load tools send the same request all the time. */
import { Agent, request } from 'node:http'
import type { Server } from './servers.ts'

export type Sent = { method: string; path: string; body?: unknown }
export type Answer = { status: number; body: string; ms: number }
export type Send = (sent: Sent) => Promise<Answer>

/** Runs `clients` loops at once, each with a connection of its own, until all of them end. */
export async function withClients(
  server: Server,
  clients: number,
  work: (send: Send, client: number) => Promise<void>,
): Promise<void> {
  const agents = Array.from({ length: clients }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  try {
    await Promise.all(agents.map((agent, i) => work((sent) => ask(server, agent, sent), i)))
  } finally {
    for (const agent of agents) agent.destroy()
  }
}

function ask({ port, prefix, headers }: Server, agent: Agent, { method, path, body }: Sent): Promise<Answer> {
  const began = performance.now()
  const text = body === undefined ? undefined : JSON.stringify(body)
  const all = {
    ...headers,
    ...(text !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
  }
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path: prefix + path, method, headers: all, agent }
    const call = request(options, (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('error', reject)
      answer.on('end', () => {
        const ms = performance.now() - began
        resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(pieces).toString(), ms })
      })
    })
    call.on('error', reject)
    call.end(text)
  })
}

/** @throws Error if the status is another one */
export function expected(answer: Answer, ...statuses: number[]): Answer {
  if (!statuses.includes(answer.status))
    throw new Error(`The answer was ${answer.status}: ${answer.body.slice(0, 500)}`)
  return answer
}
