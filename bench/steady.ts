/** Requests at a steady rate, whatever the server does: a slow response does not hold back the next request. */
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from './servers.ts'

export type Ask = { method: string; path: string; body?: string }

/** Sends requests at the rate. Returns their milliseconds. @throws Error when one fails or is refused */
export async function askSteadily(
  server: Server,
  next: () => Ask,
  { seconds, perSecond }: { seconds: number; perSecond: number },
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const began = performance.now()
  const running: Promise<number>[] = []
  while (performance.now() - began < seconds * 1000) {
    const due = Math.floor(((performance.now() - began) / 1000) * perSecond)
    while (running.length < due) {
      const sent = send(server, agent, next())
      // Awaited below, with all others.
      sent.catch(() => undefined)
      running.push(sent)
    }
    await sleep(1)
  }
  const latencies = await Promise.all(running)
  agent.destroy()
  return latencies
}

function send({ port, prefix, headers }: Server, agent: Agent, { method, path, body }: Ask): Promise<number> {
  const began = performance.now()
  const all = { ...headers, ...(body && { 'Content-Type': 'application/json' }) }
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path: prefix + path, method, headers: all, agent }
    const call = request(options, (answer) => {
      answer.resume()
      answer.on('error', reject)
      answer.on('end', () => {
        if ((answer.statusCode ?? 0) < 300) resolve(performance.now() - began)
        else reject(new Error(`${method} ${path} was answered ${answer.statusCode}.`))
      })
    })
    call.on('error', reject)
    call.end(body)
  })
}
