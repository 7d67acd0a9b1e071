/**
 * The PostgreSQL of the measurements: for each number of users a cluster with the settings of a production server, filled
 * once, kept in the system's temporary folder, and started for one measurement at a time.
 */
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  chownSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findOrInstallPostgres } from '../test/postgres.ts'
import { seededWithOrganizations } from './organizations.ts'
import { freePort, hasProgram, launch, type Owner, read, root, run } from './processes.ts'
import { cache, hashOf, isKept, removeUnused, seeded } from './seed.ts'

export type Database = {
  /** For the role that owns the schema and has no other right. */
  url: string
  /** For the superuser. */
  adminUrl: string
}

/** What is measured by default depends on it; a part that is named installs one where it can. */
export const hasPostgres =
  hasProgram('initdb') ||
  globSync('/usr/lib/postgresql/*/bin/initdb').length > 0 ||
  !!process.env.ROLLBOOK_TEST_POSTGRES

/** For a server with some GB of memory and an SSD; all else is as installed, and commits wait for the disk. */
const settings = {
  shared_buffers: '1GB',
  effective_cache_size: '4GB',
  maintenance_work_mem: '256MB',
  random_page_cost: '1.1',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  max_connections: '200',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.save': 'off',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
}

const startLimitMs = 60_000

/** Hands `work` a running cluster with so many users: a copy of the kept one when it is to be written to. */
export async function withDatabase<T>(
  { users, writes = false, inOrganizations = false }: DatabaseSetup,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  return withCluster(await filled(users, inOrganizations), writes, work)
}

/** `inOrganizations`: with the users of `seededWithOrganizations`. */
export type DatabaseSetup = { users: number; writes?: boolean; inOrganizations?: boolean }

/** Hands `work` the running cluster, or a copy of it to write to. */
export async function withCluster<T>(
  kept: string,
  writes: boolean,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  if (!writes) return running(kept, work)
  const copy = join(cache, `postgres-copy-${process.pid}`)
  // By cp, which leaves the files their owner.
  await run(['cp', '-a', kept, copy])
  // Or the disk would still be busy with the copy when the commits of the measurement wait for it.
  await run(['sync', '-f', copy])
  try {
    return await running(copy, work)
  } finally {
    rmSync(copy, { recursive: true })
  }
}

/** Runs statements on a connection of their own. Returns the rows of the last one. */
export async function query(url: string, ...statements: string[]): Promise<pg.QueryResult['rows']> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    let rows: pg.QueryResult['rows'] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

async function filled(users: number, inOrganizations: boolean): Promise<string> {
  const ours = [
    'src/store/db/postgres/schema.ts',
    'src/store/db/migrations/*.ts',
    'src/directory/users/{service,store}.ts',
    'src/lib/{fold,precis}.ts',
  ]
  const shape = hashOf(root, 'bench/{users,seed,postgres,organizations}.ts', ...ours)
  const name = `postgres-${inOrganizations ? 'organizations-' : ''}${users}-`
  return keptCluster(name, shape, async ({ url, adminUrl }) => {
    const { password } = new URL(url)
    const source = await (inOrganizations ? seededWithOrganizations(users) : seeded('ours', users))
    console.error(`Moving ${users.toLocaleString('en')} users to PostgreSQL …`)
    await query(new URL('/postgres', adminUrl).href, `CREATE ROLE rollbook LOGIN PASSWORD '${password}'`)
    await query(
      adminUrl,
      'CREATE EXTENSION pg_stat_statements',
      'CREATE EXTENSION pg_trgm',
      'CREATE SCHEMA rollbook AUTHORIZATION rollbook',
    )
    const move = [
      process.execPath,
      join(root, 'bin/rollbook.js'),
      'move',
      '--from',
      `sqlite:${source}`,
      '--to',
      'env:TO',
    ]
    await run(move, { env: { ...process.env, TO: url } })
  })
}

/** Returns a folder with a cluster that `fill` has filled once: its database `rollbook`. */
export async function keptCluster(
  name: string,
  shape: string,
  fill: (database: Database) => Promise<void>,
): Promise<string> {
  const folder = join(cache, `${name}${shape}`)
  if (isKept(folder)) return folder
  removeUnused(name)
  const unfinished = `${folder}.unfinished-${process.pid}`
  await makeCluster(unfinished)
  await running(unfinished, async (database) => {
    await query(new URL('/postgres', database.adminUrl).href, 'CREATE DATABASE rollbook')
    await fill(database)
  })
  renameSync(unfinished, folder)
  return folder
}

async function makeCluster(folder: string): Promise<void> {
  const owner = await unprivilegedUser()
  const password = join(folder, 'password')
  mkdirSync(folder, { recursive: true })
  writeFileSync(password, randomBytes(16).toString('hex'), { mode: 0o600 })
  if (owner) for (const path of [folder, password]) chownSync(path, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const fixed = ['--username=postgres', `--pwfile=${password}`, '--auth=scram-sha-256', '--encoding=UTF8']
  const options = { cwd: folder, ...(owner && { owner }) }
  await run([join(await programs(), 'initdb'), '-D', data, ...fixed, '--locale=C.UTF-8'], options)
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  appendFileSync(join(data, 'postgresql.conf'), lines.join(''))
}

async function running<T>(folder: string, work: (database: Database) => Promise<T>): Promise<T> {
  const [owner, port] = [await unprivilegedUser(), await freePort()]
  const command = [join(await programs(), 'postgres'), '-D', join(folder, 'data'), '-p', String(port)]
  const server = launch(command, { cwd: folder, ...(owner && { owner }) })
  const errors = read(server.stderr)
  const ended = new Promise((resolve) => server.once('exit', resolve))
  try {
    const password = readFileSync(join(folder, 'password'), 'utf8')
    const urlOf = (user: string) => `postgres://${user}:${password}@127.0.0.1:${port}/rollbook`
    const database = { url: urlOf('rollbook'), adminUrl: urlOf('postgres') }
    const deadline = performance.now() + startLimitMs
    while (!(await answers(new URL('/postgres', database.adminUrl).href))) {
      if (server.exitCode !== null) throw new Error(`PostgreSQL ended instead of starting:\n${await errors}`)
      if (performance.now() > deadline) throw new Error('PostgreSQL does not answer.')
      await sleep(20)
    }
    return await work(database)
  } finally {
    server.kill('SIGINT')
    await ended
  }
}

function answers(url: string): Promise<boolean> {
  return query(url, 'SELECT 1').then(
    () => true,
    () => false,
  )
}

async function programs(): Promise<string> {
  const found = await findOrInstallPostgres()
  if (found === undefined) throw new Error('There is no PostgreSQL.')
  return found
}

/** PostgreSQL refuses to run as root. */
async function unprivilegedUser(): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (option) => Number(await run(['id', option, 'postgres']))),
  )
  return { uid: uid as number, gid: gid as number }
}
