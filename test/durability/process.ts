/** Starts the service as its own process, the way it is started for real, and says what became of it. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { adminKey, type Engine, type RunSql, sqlRunner } from '../harness.ts'
import { copyStore } from '../migrated-store.ts'
import { type FreshSchema, freshSchema, migratedSchema } from '../postgres.ts'

const executable = fileURLToPath(new URL('../../bin/rollbook.js', import.meta.url))

export type Ending = { code: number | null; signal: string | null }

export type Service = {
  /** The API's address, with the prefix. */
  url: string
  /** The process id of the service, also if another program started it. */
  pid: number
  /** What it has written to standard error. */
  errors(): string
  /** What it has written to standard output. */
  log(): string
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<Ending>
  whenEnded: Promise<Ending>
}

type Options = {
  directory: string
  env?: Record<string, string>
  /** A program, with its arguments, that starts the service: `strace`, or a shell that sets limits first. */
  through?: string[]
}

export function makeDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Where a service keeps its data, to start it on: `startService(t, place)`. */
export type Place = {
  directory: string
  env: Record<string, string>
  database: FreshSchema | undefined
  runSql: RunSql
}

/**
 * Makes a place with a copy of a migrated store, or with `migrates` an empty one, for a first start. A copy saves half a second of
 * processor time on PostgreSQL.
 */
export async function makePlace(t: TestContext, engine: Engine, { migrates = false } = {}): Promise<Place> {
  const directory = makeDirectory(t)
  const newSchema = migrates ? freshSchema : migratedSchema
  const database = engine.name === 'PostgreSQL' ? await newSchema() : undefined
  if (engine.name === 'SQLite' && !migrates) await copyStore(directory)
  if (database) t.after(() => database.drop())
  const env: Record<string, string> = database
    ? { ROLLBOOK_DATABASE_URL: database.url, ROLLBOOK_DATABASE_SCHEMA: database.schema }
    : {}
  return { directory, env, database, runSql: sqlRunner(directory, database) }
}

/** Runs the service until it ends, for starts that are refused. */
export async function runService(options: Options): Promise<Ending & { errors: string }> {
  const { child, errors, whenEnded } = launch(options)
  // One that starts after all must not outlive its test: the whole run would wait for it.
  const limit = setTimeout(() => child.kill('SIGKILL'), 180_000)
  const ending = await whenEnded
  clearTimeout(limit)
  return { ...ending, errors: errors() }
}

export async function startService(t: TestContext, options: Options): Promise<Service> {
  const { child, errors, log, whenEnded: ended } = launch(options)
  let over = false
  const deadline = Date.now() + 180_000
  const lost = new AbortController()
  ended.then(() => {
    over = true
    // A request that a killed service left without a sign would otherwise wait for five minutes.
    setTimeout(() => lost.abort(), 5000).unref()
  })
  let url: string | undefined
  while (url === undefined) {
    assert.ok(!over && Date.now() < deadline, `The service did not start: ${errors()}`)
    url = /^Rollbook serves (\S+)$/m.exec(errors())?.[1]
    if (url === undefined) await sleep(5)
  }
  const pid = options.through ? lastChildOf(child.pid as number) : (child.pid as number)
  t.after(async () => {
    if (!over) process.kill(pid, 'SIGKILL')
    await ended
  })
  return {
    url,
    pid,
    errors,
    log,
    whenEnded: ended,
    call: (method, path, body, headers = {}) =>
      fetch(url + path, {
        method,
        signal: lost.signal,
        headers: {
          'x-api-key': adminKey,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    end(signal) {
      process.kill(pid, signal)
      return ended
    },
  }
}

function launch({ directory, env = {}, through = [] }: Options): {
  child: ChildProcess
  errors: () => string
  log: () => string
  whenEnded: Promise<Ending>
} {
  const command = [...through, process.execPath, executable]
  const child = spawn(command[0] as string, command.slice(1), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      ROLLBOOK_ADMIN_KEY: adminKey,
      ROLLBOOK_DATA_DIR: directory,
      ROLLBOOK_PORT: '0',
      ...env,
    },
  })
  const collect = (stream: Readable): (() => string) => {
    let text = ''
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    return () => text
  }
  const whenEnded = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  return { child, errors: collect(child.stderr), log: collect(child.stdout), whenEnded }
}

/** The process itself, or the last in the line of its only children: some programs become the service, others watch it. */
function lastChildOf(pid: number): number {
  const [only] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  return only === undefined || only === '' ? pid : lastChildOf(Number(only))
}
