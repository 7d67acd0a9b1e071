/** The two servers, each in a process of its own that lives for one measurement. */
import type { ChildProcess } from 'node:child_process'
import { rmSync } from 'node:fs'
import { type OutgoingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, query, withDatabase } from './postgres.ts'
import { cores, freePort, launch, read, root } from './processes.ts'
import { copyOf, type ServerName, seeded } from './seed.ts'
import { users } from './users.ts'

export type Server = {
  port: number
  /** Before every path: '' or '/auth'. */
  prefix: string
  headers: Record<string, string>
  pid: number
  /** Where it keeps its data, on SQLite. */
  folder?: string
  /** From the start of the process to the first user that it answered with. */
  startedInMs: number
}

export type Setup = {
  users: number
  /** Work on a copy of the users, for measurements that write. */
  writes?: boolean
  /** Bare on SQLite only: a commit for each write instead of group commit. */
  commit?: 'each'
  /** Bare only: an audit record and an event with each change. */
  journal?: boolean
  /** Ours on SQLite only: every fsync takes 5 ms longer. */
  slowDisk?: boolean
  /** Ours only: write CPU profiles into bench/results. */
  profile?: boolean
  /** Ours only: write no audit records and no events. */
  withoutJournal?: boolean
  /** Ours only: settings other than the defaults. */
  settings?: Record<string, string>
  /** Ours only: a module that the process loads first. */
  preload?: string
  /** Ours only: another folder with users, and the checkout of the commit that made it. */
  other?: { code?: string; store: string }
}

export type PostgresSetup = Pick<Setup, 'users' | 'writes' | 'profile' | 'withoutJournal' | 'journal'> & {
  /** Ours only: the users belong to organizations. */
  inOrganizations?: boolean
  /** Bare only: how it changes a user. */
  patch?: 'transaction' | 'blind'
}

const adminKey = 'a-key-for-measurements-on-loopback-only'
// Only the traced calls stop the process (--seccomp-bpf), and it stays our own child (-D).
const slowFsync = ['strace', '-D', '-f', '--seccomp-bpf', '-qq', '-o', '/dev/null', '-e', 'trace=fsync,fdatasync']
const injection = ['-e', 'inject=fsync,fdatasync:delay_exit=5000']
const startLimitMs = 60_000

/** Starts a server, hands it to `work` and stops it, whatever comes of it. */
export async function withServer<T>(name: ServerName, setup: Setup, work: (server: Server) => Promise<T>): Promise<T> {
  const cached = setup.other?.store ?? (await seeded(name, setup.users))
  const folder = setup.writes ? copyOf(cached) : cached
  try {
    return await withProcess(
      name,
      (port) => (name === 'bare' ? bare(folder, port, setup) : ours({ ROLLBOOK_DATA_DIR: folder }, port, setup)),
      (server) => work({ ...server, folder }),
    )
  } finally {
    if (setup.writes) rmSync(folder, { recursive: true })
  }
}

/** The same on PostgreSQL, which runs beside the server. */
export async function withPostgresServer<T>(
  name: ServerName,
  setup: PostgresSetup,
  work: (server: Server, database: Database) => Promise<T>,
): Promise<T> {
  return withDatabase(setup, async (database) => {
    // Bare counts no changes for the validator and the places of the list.
    if (name === 'bare') await query(database.adminUrl, 'ALTER TABLE rollbook.users DISABLE TRIGGER USER')
    return withNode(name, setup, database, (server) => work(server, database))
  })
}

/** A server on a database that runs already: there may be several. */
export function withNode<T>(
  name: ServerName,
  setup: PostgresSetup,
  database: Database,
  work: (server: Server) => Promise<T>,
): Promise<T> {
  const launched = (port: number) =>
    name === 'bare' ? barePostgres(database, port, setup) : ours({ ROLLBOOK_DATABASE_URL: database.url }, port, setup)
  return withProcess(name, launched, work)
}

async function withProcess<T>(
  name: ServerName,
  launched: (port: number) => ChildProcess,
  work: (server: Server) => Promise<T>,
): Promise<T> {
  const port = await freePort()
  const before = performance.now()
  const child = launched(port)
  const errors = read(child.stderr)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    const prefix = name === 'bare' ? '' : '/auth'
    const headers: Record<string, string> = name === 'bare' ? {} : { 'X-API-Key': adminKey }
    const server = { port, prefix, headers, pid: child.pid as number, startedInMs: 0 }
    const [first] = users(1)
    while ((await status(server, `/users/${first?.user_id}`)) !== 200) {
      if (child.exitCode !== null) throw new Error(`The server ended instead of starting:\n${await errors}`)
      if (performance.now() - before > startLimitMs) throw new Error('The server does not answer.')
      await sleep(2)
    }
    return await work({ ...server, startedInMs: performance.now() - before })
  } finally {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), 15_000)
    await ended
    clearTimeout(timer)
  }
}

function bare(folder: string, port: number, { commit, journal }: Setup): ChildProcess {
  const args = [`--database=${join(folder, 'bare.db')}`, `--port=${port}`, `--commit=${commit ?? 'group'}`]
  if (journal) args.push('--journal')
  // As many hashes at once as ours runs, so that the reads compete with the same work.
  const env = { ...process.env, UV_THREADPOOL_SIZE: String(cores) }
  return launch([process.execPath, join(root, 'bench/bare.ts'), ...args], { env })
}

function barePostgres({ url }: Database, port: number, setup: PostgresSetup): ChildProcess {
  const { patch = 'transaction', journal } = setup
  const args = [`--database=${url}`, `--port=${port}`, `--patch=${patch}`, ...(journal ? ['--journal'] : [])]
  return launch([process.execPath, join(root, 'bench/bare-postgres.ts'), ...args])
}

/** @param store the settings that say where the users are stored */
function ours(store: Record<string, string>, port: number, setup: Setup): ChildProcess {
  const { slowDisk = false, profile = false, withoutJournal = false, preload, other } = setup
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('ROLLBOOK_'))
  const settings = { ROLLBOOK_PORT: String(port), ROLLBOOK_ADMIN_KEY: adminKey, ...store, ...setup.settings }
  const profiling = ['--cpu-prof', `--cpu-prof-dir=${join(root, 'bench/results/profiles')}`]
  const command = [
    ...(slowDisk ? [...slowFsync, ...injection] : []),
    process.execPath,
    ...['--max-semi-space-size=8', '--v8-pool-size=2', '--expose-gc'], // as `npm start` has them
    ...(profile ? profiling : []),
    ...(preload ? ['--import', join(root, preload)] : []),
    join(other?.code ?? root, withoutJournal ? 'bench/without-journal.ts' : 'bin/rollbook.js'),
  ]
  return launch(command, { env: { ...Object.fromEntries(others), ...settings } })
}

type Ask = { method?: string; body?: string; headers?: OutgoingHttpHeaders }

/** One request on a connection of its own. */
export function ask(server: Server, path: string, { method = 'GET', body, headers }: Ask = {}) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const all = { ...server.headers, ...(body && { 'Content-Type': 'application/json' }), ...headers }
    const options = {
      port: server.port,
      host: '127.0.0.1',
      path: server.prefix + path,
      method,
      headers: all,
      agent: false,
    }
    const call = request(options, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (piece: string) => {
        text += piece
      })
      answer.on('error', reject)
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: text }))
    })
    call.on('error', reject)
    call.end(body)
  })
}

async function status(server: Server, path: string): Promise<number | undefined> {
  return ask(server, path).then(
    (answer) => answer.status,
    () => undefined,
  )
}
