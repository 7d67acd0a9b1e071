/** Throw-away clusters of PostgreSQL, also for tests that crash or stop the server. */
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  chownSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../free-port.ts'
import { childrenOf, signal } from '../process-tree.ts'
import { quickPlace } from '../quick-place.ts'
import { findOrInstallPostgres } from './find.ts'
import { stopAll } from './processes.ts'

const run = promisify(execFile)

export const databases = {
  withTrigrams: 'rollbook',
  withoutTrigrams: 'rollbook_without_trigrams',
  /** Copied for each test that needs no empty database. */
  migrated: 'rollbook_migrated',
}

type ClusterOptions = {
  /** What is committed survives a crash of the server, as in production. Otherwise commits do not wait for the disk. */
  durable?: boolean
  /** Lines of postgresql.conf. */
  settings?: Record<string, string>
}

export type Cluster = {
  port: number
  /** The superuser's, on the database that `freshSchema` uses. */
  adminUrl: string
  url(options?: { database?: string; user?: string; password?: string }): string
  /** What the server wrote to its log. */
  log(): string
  /** `smart` waits for the clients, `fast` sends them away, `immediate` is a crash that ends in order. */
  stop(mode?: 'smart' | 'fast' | 'immediate'): Promise<void>
  /** SIGKILL for all its processes: a crash. */
  kill(): Promise<void>
  /** After `stop` or `kill`, on the same port; resolves when it answers. */
  start(): Promise<void>
  /** SIGSTOP for all its processes: connections stay open and nothing answers. */
  freeze(): void
  thaw(): void
  /** Ends it for good and deletes its files. Without this they go when this process ends. */
  remove(): Promise<void>
}

/**
 * Outlives us on purpose: its stdin ends when this process does, of whatever, also of SIGKILL. Then it ends the server
 * and deletes its files. Each line it reads is the server's process id, or empty while there is none.
 */
const guard = `
  while read -r line; do server=$line; done
  lock=$1/data/postmaster.pid
  tries=0
  if [ -n "$server" ]; then
    kill -CONT "$server"; kill -QUIT "$server"
    while [ -e "$lock" ] && [ $tries -lt 200 ]; do sleep 0.05; tries=$((tries + 1)); done
    if [ -e "$lock" ]; then kill -KILL "$server"; fi
  fi
  # A crash leaves a block of shared memory that the next start would have taken over.
  if [ -e "$lock" ]; then ipcrm -m "$(sed -n '7s/.* //p' "$lock")"; fi
  # More than once: an initdb may be under way, which goes on writing until it misses its files.
  tries=0
  until rm -rf -- "$1" || [ $tries -ge 50 ]; do sleep 0.1; tries=$((tries + 1)); done
  [ ! -e "$1" ]`

export async function startCluster({ durable = false, settings = {} }: ClusterOptions = {}): Promise<Cluster> {
  const bin = await findOrInstallPostgres()
  if (bin === undefined) throw new Error('There is no PostgreSQL to start.')
  // In memory: each test makes and removes the hundreds of files of a schema.
  const folder = realpathSync(mkdtempSync(join(durable ? tmpdir() : quickPlace(), 'rollbook-postgres-')))
  const data = join(folder, 'data')
  const logFile = join(folder, 'log')
  const password = randomBytes(16).toString('hex')
  const owner = await unprivilegedUser()
  // Settings of the machine's own PostgreSQL (PGDATA, PGPORT, …) must not apply.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PG')))
  const spawnOptions = { cwd: folder, env: { ...env, LC_ALL: 'C' }, ...owner }

  const guardian = spawn('sh', ['-c', guard, 'guard', folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  const guardianEnded = once(guardian, 'exit')
  guardian.stdin.on('error', (error) => console.error(`The guard of ${folder} is gone: ${error.message}`))
  guardian.unref()
  // The end of a pipe is a socket, which its type does not say. Open, it would keep this process alive.
  ;(guardian.stdin as typeof guardian.stdin & { unref(): void }).unref()

  let server: ReturnType<typeof spawn> | undefined
  let whenEnded: Promise<unknown> = Promise.resolve()
  let port = 0

  const url: Cluster['url'] = ({ database = databases.withTrigrams, user = 'postgres', password: input } = {}) => {
    const secret = input ?? (user === 'postgres' ? password : '')
    return `postgres://${encodeURIComponent(user)}:${encodeURIComponent(secret)}@127.0.0.1:${port}/${encodeURIComponent(database)}`
  }
  const log = () => readFileSync(logFile, 'utf8')

  async function start(): Promise<void> {
    if (server !== undefined) throw new Error('The cluster is running already.')
    const output = openSync(logFile, 'a')
    const child = spawn(join(bin as string, 'postgres'), ['-D', data, '-p', String(port)], {
      ...spawnOptions,
      // Ctrl-C is for the tests, not for the server under them.
      detached: true,
      stdio: ['ignore', output, output],
    })
    closeSync(output)
    const exited = once(child, 'exit').then(() => {
      server = undefined
      if (guardian.stdin.writable) guardian.stdin.write('\n')
    })
    whenEnded = exited
    server = child
    guardian.stdin.write(`${child.pid}\n`)
    child.unref()
    const deadline = Date.now() + 60_000
    while (server === child) {
      if (await answers(url({ database: 'postgres' }))) return
      if (Date.now() > deadline) throw new Error(`PostgreSQL does not answer after 60 s:\n${log()}`)
      await sleep(20)
    }
    await exited
    throw new Error(`PostgreSQL did not start:\n${log()}`)
  }

  async function end(act: (child: NonNullable<typeof server>) => void): Promise<void> {
    if (server === undefined) return
    // While we wait for it, it keeps this process alive.
    server.ref()
    act(server)
    await whenEnded
  }

  const cluster: Cluster = {
    get port() {
      return port
    },
    get adminUrl() {
      return url()
    },
    url,
    log,
    start,
    stop: (mode = 'fast') =>
      end((child) => child.kill(({ smart: 'SIGTERM', fast: 'SIGINT', immediate: 'SIGQUIT' } as const)[mode])),
    kill: () =>
      end((child) => {
        for (const pid of stopAll(child.pid as number)) signal(pid, 'SIGKILL')
      }),
    freeze() {
      if (server === undefined) throw new Error('The cluster is not running.')
      stopAll(server.pid as number)
    },
    thaw() {
      if (server === undefined) throw new Error('The cluster is not running.')
      for (const pid of [...childrenOf(server.pid as number), server.pid as number]) signal(pid, 'SIGCONT')
    },
    async remove() {
      // A process that stands still does not end before its postmaster has lost patience with it.
      if (server !== undefined) cluster.thaw()
      guardian.ref()
      guardian.stdin.end()
      const [code] = await guardianEnded
      if (code !== 0) throw new Error(`The files of the cluster could not be deleted: ${folder}`)
    },
  }

  try {
    if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
    const passwordFile = join(folder, 'password')
    writeFileSync(passwordFile, password, { mode: 0o600 })
    if (owner !== undefined) chownSync(passwordFile, owner.uid, owner.gid)
    await initialize(join(bin, 'initdb'), data, passwordFile, spawnOptions)
    const hurried = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_wal_size: '128MB' }
    writeSettings(data, {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '300',
      shared_buffers: '64MB',
      // In the folder, where a crash leaves nothing behind on the machine.
      dynamic_shared_memory_type: 'mmap',
      // Compiling takes longer than the statements of the tests.
      jit: 'off',
      // Like the collation: nothing may depend on what the server takes for normal.
      timezone: 'Asia/Kathmandu',
      datestyle: 'SQL, DMY',
      ...(!durable && hurried),
      ...settings,
    })
    for (let attempt = 1; ; attempt += 1) {
      port = await freePort()
      try {
        await start()
        break
      } catch (error) {
        // Another process may take the port meanwhile.
        if (attempt === 3 || !/could not bind/.test(String(error))) throw error
      }
    }
    await makeDatabases(url)
  } catch (error) {
    await cluster.remove()
    throw error
  }
  return cluster
}

/**
 * Not in the order of bytes, which is Rollbook's: only then do the tests see an order that was left to the server. ICU
 * where the build has it, because en-US is then there without the machine's locales.
 */
async function initialize(initdb: string, data: string, passwordFile: string, options: object): Promise<void> {
  const fixed = ['-D', data, '--username=postgres', `--pwfile=${passwordFile}`, '--auth=md5', '--no-sync']
  const icu = ['--locale-provider=icu', '--icu-locale=en-US']
  const attempts = [[...icu, '--locale=C.UTF-8'], [...icu, '--locale=C'], ['--locale=en_US.UTF-8']]
  const faults: unknown[] = []
  for (const locale of attempts) {
    try {
      await run(initdb, [...fixed, '--encoding=UTF8', ...locale], options)
      return
    } catch (error) {
      faults.push(error)
    }
  }
  throw faults[0]
}

function writeSettings(data: string, settings: Record<string, string>): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`)
  appendFileSync(join(data, 'postgresql.conf'), lines.join(''))
}

/** Databases in which a role has no rights that it was not given; all but one of them have pg_trgm. */
async function makeDatabases(url: Cluster['url']): Promise<void> {
  const names = Object.values(databases)
  await query(
    url({ database: 'postgres' }),
    ...names.flatMap((name) => [`CREATE DATABASE ${name}`, `REVOKE ALL ON DATABASE ${name} FROM PUBLIC`]),
  )
  for (const name of names) await query(url({ database: name }), 'REVOKE ALL ON SCHEMA public FROM PUBLIC')
  for (const name of [databases.withTrigrams, databases.migrated]) {
    await query(
      url({ database: name }),
      'CREATE SCHEMA extensions',
      'GRANT USAGE ON SCHEMA extensions TO PUBLIC',
      'CREATE EXTENSION pg_trgm SCHEMA extensions',
    )
  }
}

async function query(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** False while it does not listen yet, or listens and is still starting up. */
async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 20_000 })
  try {
    await client.connect()
  } catch (error) {
    const { code } = error as { code?: string }
    const cannotConnectNow = '57P03'
    if (code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === cannotConnectNow) return false
    throw error
  }
  await client.end()
  return true
}

/** PostgreSQL refuses to run as root, which is what containers and CI runners often are. */
async function unprivilegedUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all(['-u', '-g'].map((option) => run('id', [option, name])))
      return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) }
    } catch {
      // There is no such user.
    }
  }
  throw new Error('PostgreSQL refuses to run as root, and there is neither a user postgres nor a user nobody.')
}
