/** Rollbook and its peers, each with the same users and with the requests that do the same. */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Load } from '../load.ts'
import { userPaths } from '../parts/settings.ts'
import { changeBody, newUserBody, withPassword } from '../parts/writing.ts'
import { type Database, keptCluster, query, withCluster } from '../postgres.ts'
import { cores, freePort, launch, read, root, run } from '../processes.ts'
import { cache, copyOf, hashOf, isKept, removeUnused } from '../seed.ts'
import { ask, type Server, withPostgresServer, withServer } from '../servers.ts'
import { users as sampleUsers } from '../users.ts'

type Plan = Omit<Load, 'seconds' | 'connections'>

export type Requests = {
  get: Plan
  page: Plan
  /** The path of the whole list. */
  list: string
  create(series: string): Plan
  update(series: string): Plan
  createWithPassword(series: string): Plan
}

export type Measured = { server: Server; requests: Requests }
export type Product = <T>(users: number, work: (measured: Measured) => Promise<T>) => Promise<T>

/** Where the peers are installed: outside the checkout, whose tests and checks must not find them. */
const folder = join(cache, `peers-${hashOf(root, 'bench/peers/{package.json,package-lock.json,*.js}')}`)
const email = (user: { email: string | null; username: string }) => user.email ?? `${user.username}@none.example`
const isolated = { NODE_ENV: 'production', UV_THREADPOOL_SIZE: String(cores) }

function rollbookRequests(users: number): Requests {
  const targets = userPaths(users)
  const creating = (body: string): Plan => ({ method: 'POST', targets: ['/users'], body })
  return {
    get: { targets },
    page: { targets: ['/users?limit=100'] },
    list: '/users',
    create: (series) => creating(newUserBody(series)),
    update: (series) => ({ method: 'PATCH', targets, body: changeBody(series) }),
    createWithPassword: (series) => creating(withPassword(series)),
  }
}

export const rollbook: Product = (users, work) =>
  withServer('ours', { users, writes: true }, (server) => work({ server, requests: rollbookRequests(users) }))

export const rollbookOnPostgres: Product = (users, work) =>
  withPostgresServer('ours', { users, writes: true }, (server) => work({ server, requests: rollbookRequests(users) }))

export const betterAuth: Product = async (users, work) => {
  const copy = copyOf(await betterAuthStore(users))
  const program = ['better-auth.js', '--database', join(copy, 'better-auth.db')]
  try {
    return await withProgram(program, process.execPath, async (server, line) => {
      const { cookie } = JSON.parse(line) as { cookie: string }
      const headers = { Cookie: cookie, Origin: `http://127.0.0.1:${server.port}` }
      return work({ server: { ...server, prefix: '/api/auth/admin', headers }, requests: betterAuthRequests(users) })
    })
  } finally {
    rmSync(copy, { recursive: true })
  }
}

function betterAuthRequests(users: number): Requests {
  const ids = userPaths(users).map((path) => path.replace('/users/', ''))
  const creating = (members: object): Plan => ({
    method: 'POST',
    targets: ['/create-user'],
    body: JSON.stringify({ name: 'Ada Lovelace', ...members }),
  })
  return {
    get: { targets: ids.map((id) => `/get-user?id=${id}`) },
    page: { targets: ['/list-users?limit=100'] },
    list: `/list-users?limit=${users}`,
    create: (series) => creating({ email: `${series}.lovelace%n@example.com` }),
    update: (series) => ({
      method: 'POST',
      targets: ids.map((id) => `/update-user\t${id}`),
      body: JSON.stringify({ userId: '%t', data: { name: `${series} %n` } }),
    }),
    createWithPassword: (series) =>
      creating({ email: `${series}.lovelace%n@example.com`, password: 'Vexil-%n-plomb-Aruda-9' }),
  }
}

async function betterAuthStore(users: number): Promise<string> {
  const name = `better-auth-${users}-`
  const kept = join(cache, name + hashOf(root, 'bench/users.ts', 'bench/peers/{better-auth.js,package-lock.json}'))
  if (isKept(kept)) return kept
  removeUnused(name)
  console.error(`Storing ${users.toLocaleString('en')} users for Better Auth …`)
  const unfinished = `${kept}.unfinished-${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  const path = join(unfinished, 'better-auth.db')
  await run([process.execPath, join(folder, 'better-auth.js'), '--migrate', '--database', path])
  const db = new DatabaseSync(path)
  const insert = db.prepare(`INSERT INTO user (id, name, email, emailVerified, createdAt, updatedAt, role, banned)
    VALUES (?, ?, ?, 1, ?, ?, ?, 0)`)
  db.exec('BEGIN')
  for (const user of sampleUsers(users)) {
    const name = `${user.first_name} ${user.last_name}`
    insert.run(user.user_id, name, email(user), user.created_at, user.updated_at, user.role)
  }
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  renameSync(unfinished, kept)
  return kept
}

const parseHeaders = {
  'X-Parse-Application-Id': 'bench',
  'X-Parse-Master-Key': 'a-key-for-measurements-on-loopback-only',
}
const parseId = (userId: string) => userId.replaceAll('-', '')

export const parse: Product = async (users, work) =>
  withCluster(await parseStore(users), true, (database) =>
    withParse(database, (server) => work({ server, requests: parseRequests(users) })),
  )

function withParse<T>({ adminUrl }: Database, work: (server: Server) => Promise<T>): Promise<T> {
  // The newest Node that it supports, on Linux: elsewhere the one that runs this.
  const own = join(folder, `node_modules/node-linux-${process.arch}/bin/node`)
  const node = process.platform === 'linux' && existsSync(own) ? own : process.execPath
  return withProgram(['parse-server.js', '--database', adminUrl], node, (server) =>
    work({ ...server, prefix: '/parse', headers: parseHeaders }),
  )
}

function parseRequests(users: number): Requests {
  const targets = userPaths(users).map((path) => `/users/${parseId(path.replace('/users/', ''))}`)
  const creating = (members: object): Plan => ({
    method: 'POST',
    targets: ['/users'],
    body: JSON.stringify({ firstName: 'Ada', lastName: 'Lovelace', ...members }),
  })
  return {
    get: { targets },
    page: { targets: ['/users?limit=100'] },
    list: `/users?limit=${users}`,
    // It creates users without a password only as anonymous ones.
    create: (series) => creating({ authData: { anonymous: { id: `${series}-%n` } } }),
    update: (series) => ({ method: 'PUT', targets, body: JSON.stringify({ firstName: `${series} %n` }) }),
    createWithPassword: (series) =>
      creating({
        username: `${series}.lovelace.%n`,
        email: `${series}.lovelace%n@example.com`,
        password: 'Vexil-%n-plomb-Aruda-9',
      }),
  }
}

function parseStore(users: number): Promise<string> {
  const shape = hashOf(root, 'bench/{users,postgres}.ts', 'bench/peers/{servers.ts,parse-server.js,package-lock.json}')
  return keptCluster(`parse-${users}-`, shape, async (database) => {
    console.error(`Storing ${users.toLocaleString('en')} users for Parse Server …`)
    // Its start creates the tables and indexes.
    await withParse(database, async (server) => {
      const text = { type: 'String' }
      const body = JSON.stringify({ className: '_User', fields: { firstName: text, lastName: text, role: text } })
      const { status, body: answer } = await ask(server, '/schemas/_User', { method: 'PUT', body })
      if (status !== 200) throw new Error(`The fields were not added: ${answer}`)
    })
    const rows = Array.from(sampleUsers(users), (user) => ({
      id: parseId(user.user_id),
      created_at: user.created_at,
      username: user.username,
      email: email(user),
      first_name: user.first_name,
      last_name: user.last_name,
      role: user.role,
    }))
    const list = JSON.stringify(rows).replaceAll("'", "''")
    await query(
      database.adminUrl,
      `INSERT INTO "_User" ("objectId", "createdAt", "updatedAt", username, email, "emailVerified", "firstName",
         "lastName", role, _rperm, _wperm)
       SELECT id, created_at, created_at, username, email, true, first_name, last_name, role, ARRAY[id], ARRAY[id]
       FROM json_to_recordset('${list}') AS row (id text, created_at timestamptz, username text, email text,
         first_name text, last_name text, role text)`,
      'ANALYZE',
    )
  })
}

/** Starts a server of a peer, which prints a line of JSON when it listens. */
async function withProgram<T>(
  [program = '', ...args]: readonly string[],
  node: string,
  work: (server: Server, line: string) => Promise<T>,
): Promise<T> {
  const port = await freePort()
  const began = performance.now()
  const command = [node, join(folder, program), ...args, '--port', String(port)]
  const child = launch(command, { cwd: cache, env: { ...process.env, ...isolated }, output: 'pipe' })
  const errors = read(child.stderr)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  try {
    const line = await new Promise<string>((resolve, reject) => {
      let printed = ''
      child.stdout?.on('data', (piece: Buffer) => {
        printed += piece
        const line = /^\{.*\}$/m.exec(printed)?.[0]
        if (line !== undefined) resolve(line)
      })
      ended.then(async () => reject(new Error(`${program} ended instead of starting:\n${await errors}`)))
    })
    const startedInMs = performance.now() - began
    return await work({ port, prefix: '', headers: {}, pid: child.pid as number, startedInMs }, line)
  } finally {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await ended
    clearTimeout(timer)
  }
}

export async function install(): Promise<void> {
  if (isKept(folder)) return
  removeUnused('peers-')
  console.error('Installing the peers …')
  const unfinished = `${folder}.unfinished-${process.pid}`
  cpSync(import.meta.dirname, unfinished, { recursive: true })
  await run(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: unfinished })
  renameSync(unfinished, folder)
}

export function versionOf(name: string): string {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version
}
