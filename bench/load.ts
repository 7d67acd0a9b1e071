/** Load by wrk where it is installed, else by autocannon, which costs more of the two cores and so shows less. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasProgram, run } from './processes.ts'
import type { Server } from './servers.ts'
import { randomNumbers } from './users.ts'

export type Load = {
  /** Paths to draw from. */
  targets: readonly string[]
  seconds: number
  connections?: number
  method?: 'GET' | 'POST' | 'PATCH'
  /** JSON; `%n` is a number that grows with every request. */
  body?: string
  /** Streams are cut off at the end, so their time-outs say nothing. */
  mayFail?: boolean
}

export type Measured = { perSecond: number; p50Ms: number; p99Ms: number; failed: number }
type Counted = { requests: number; seconds: number; failed: number; p50Ms: number; p99Ms: number }

export const loadTool = hasProgram('wrk') ? 'wrk' : 'autocannon'
const timeoutSeconds = 10

/** @throws Error when a request failed or was refused: a rate of refusals is not a rate. */
export async function load(server: Server, plan: Load): Promise<Measured> {
  const counted = await (loadTool === 'wrk' ? byWrk(server, plan) : byAutocannon(server, plan))
  const { requests, seconds, failed, p50Ms, p99Ms } = counted
  if (failed > 0 && !plan.mayFail) throw new Error(`${failed} of ${requests} requests failed: ${plan.targets[0]}`)
  return { perSecond: requests / seconds, p50Ms, p99Ms, failed }
}

async function byWrk(server: Server, plan: Load): Promise<Counted> {
  const { targets, seconds, connections = 32, method = 'GET', body = '' } = plan
  const folder = mkdtempSync(join(tmpdir(), 'rollbook-load-'))
  try {
    const headers = {
      Host: `127.0.0.1:${server.port}`,
      ...server.headers,
      ...(body && { 'Content-Type': 'application/json' }),
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    writeFileSync(join(folder, 'head'), lines.join(''))
    writeFileSync(join(folder, 'targets'), targets.map((target) => `${server.prefix}${target}\n`).join(''))
    const options = ['-t1', `-c${connections}`, `-d${seconds}s`, `--timeout=${timeoutSeconds}s`]
    const script = ['-s', join(import.meta.dirname, 'requests.lua'), `http://127.0.0.1:${server.port}`, '--']
    const printed = await run([
      'wrk',
      ...options,
      ...script,
      method,
      join(folder, 'targets'),
      join(folder, 'head'),
      body,
    ])
    return JSON.parse(printed.slice(printed.lastIndexOf('\n{'))) as Counted
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function byAutocannon(server: Server, plan: Load): Promise<Counted> {
  const { targets, seconds, connections = 32, method = 'GET', body } = plan
  const { default: autocannon } = await import('autocannon')
  const random = randomNumbers()
  let number = 0
  const result = await autocannon({
    url: `http://127.0.0.1:${server.port}`,
    connections,
    duration: seconds,
    timeout: timeoutSeconds,
    requests: [
      {
        method,
        headers: { ...server.headers, ...(body && { 'Content-Type': 'application/json' }) },
        setupRequest: (request) => ({
          ...request,
          path: server.prefix + targets[random() % targets.length],
          ...(body && { body: body.replaceAll('%n', String(++number)) }),
        }),
      },
    ],
  })
  const { requests, latency, errors, non2xx, duration } = result
  return {
    requests: requests.total,
    seconds: duration,
    failed: errors + non2xx,
    p50Ms: latency.p50,
    p99Ms: latency.p99,
  }
}
