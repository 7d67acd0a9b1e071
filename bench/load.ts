/** Load by wrk: the installed one, else Debian's, unpacked as the tests unpack theirs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findOrUnpack } from '../test/debian.ts'
import { run } from './processes.ts'
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
/** What requests.lua prints, as one line of JSON. */
type Counted = { requests: number; seconds: number; failed: number; p50Ms: number; p99Ms: number }
type Order = Required<Omit<Load, 'targets' | 'mayFail'>> & {
  url: string
  headers: Record<string, string>
  /** One target per line. */
  targetsFile: string
}

const timeoutSeconds = 10
let found: Promise<string | undefined> | undefined

/** @throws Error when there is no wrk */
export async function findWrk(): Promise<string> {
  found ??= findOrUnpack({ name: 'wrk', variable: 'WRK_PATH' })
  const program = await found
  if (program === undefined) throw new Error('The load comes from wrk (https://github.com/wg/wrk). Install it first.')
  return program
}

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
    const printed = await run([await findWrk(), ...wrkArguments(order, folder)])
    const { requests, seconds, failed, p50Ms, p99Ms } = JSON.parse(printed.slice(printed.lastIndexOf('\n{'))) as Counted
    if (failed > 0 && !mayFail) throw new Error(`${failed} of ${requests} requests failed: ${targets[0]}`)
    return { requests, perSecond: requests / seconds, p50Ms, p99Ms }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function wrkArguments(
  { url, headers, connections, seconds, method, targetsFile, body }: Order,
  folder: string,
): string[] {
  const headFile = join(folder, 'head')
  const lines = Object.entries({ Host: new URL(url).host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  writeFileSync(headFile, lines.join(''))
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, `--timeout=${timeoutSeconds}s`]
  const script = join(import.meta.dirname, 'requests.lua')
  return [...options, '-s', script, url, '--', method, targetsFile, headFile, body]
}
