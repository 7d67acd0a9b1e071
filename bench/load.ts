/** Load by wrk where it is installed, else by autocannon, which costs more of the two cores and so shows less. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasProgram, run } from './processes.ts'
import type { Server } from './servers.ts'

export type Load = {
  /** Paths to draw from; what follows a tab is written for `%t` in the body. */
  targets: readonly string[]
  seconds: number
  connections?: number
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** JSON; `%n` is a number that grows with every request. */
  body?: string
  /** Streams are cut off at the end, so their time-outs say nothing. */
  mayFail?: boolean
}

export type Measured = { requests: number; perSecond: number; p50Ms: number; p99Ms: number }
/** What both tools print, as one line of JSON. */
export type Counted = { requests: number; seconds: number; failed: number; p50Ms: number; p99Ms: number }
/** Arguments of the tool; the targets come in a file, one per line. */
export type Order = Required<Omit<Load, 'targets' | 'mayFail'>> & {
  url: string
  headers: Record<string, string>
  targetsFile: string
}

export const loadTool = hasProgram('wrk') ? 'wrk' : 'autocannon'
const timeoutSeconds = 10

/** @throws Error when a request failed or was refused: a rate of refusals is not a rate. */
export async function load(server: Server, { targets, mayFail = false, ...plan }: Load): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'rollbook-load-'))
  try {
    const order: Order = {
      method: 'GET',
      connections: 32,
      body: '',
      ...plan,
      url: `http://127.0.0.1:${server.port}`,
      headers: { ...server.headers, ...(plan.body && { 'Content-Type': 'application/json' }) },
      targetsFile: join(folder, 'targets'),
    }
    writeFileSync(order.targetsFile, targets.map((target) => `${server.prefix}${target}`).join('\n'))
    const printed = await run(loadTool === 'wrk' ? wrk(order, folder) : autocannon(order))
    const { requests, seconds, failed, p50Ms, p99Ms } = JSON.parse(printed.slice(printed.lastIndexOf('\n{'))) as Counted
    if (failed > 0 && !mayFail) throw new Error(`${failed} of ${requests} requests failed: ${targets[0]}`)
    return { requests, perSecond: requests / seconds, p50Ms, p99Ms }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function wrk({ url, headers, connections, seconds, method, targetsFile, body }: Order, folder: string): string[] {
  const headFile = join(folder, 'head')
  const lines = Object.entries({ Host: new URL(url).host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  writeFileSync(headFile, lines.join(''))
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, `--timeout=${timeoutSeconds}s`]
  const script = join(import.meta.dirname, 'requests.lua')
  return ['wrk', ...options, '-s', script, url, '--', method, targetsFile, headFile, body]
}

function autocannon(order: Order): string[] {
  return [process.execPath, join(import.meta.dirname, 'autocannon.ts'), JSON.stringify({ ...order, timeoutSeconds })]
}
