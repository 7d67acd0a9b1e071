/**
 * The stores that are measured: the same users for both servers, made once and kept in the system's temporary folder
 * until the way they are stored changes.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  cpSync,
  existsSync,
  fsyncSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { changes } from '../src/app/commands.ts'
import { indexPending } from '../src/directory/search/search-index.ts'
import { checkUserInput } from '../src/directory/users/input.ts'
import { create } from '../src/directory/users/users.ts'
import type { ChangeContext } from '../src/store/context.ts'
import { migrate } from '../src/store/db/migrate.ts'
import { type Connection, openConnection } from '../src/store/db/sqlite/connection.ts'
import { users } from './users.ts'

export type ServerName = 'bare' | 'ours'

const root = join(import.meta.dirname, '..')
export const cache = join(tmpdir(), 'rollbook-bench')
const commitEvery = 20_000
const roles = { admin: ['*'], user: [] }

/** A folder with `count` users as the server stores them. To change it, work on a copy: see `copyOf`. */
export async function seeded(server: ServerName, count: number): Promise<string> {
  const folder = join(cache, `${server}-${count}-${shapeOf(server)}`)
  if (isKept(folder)) return folder
  removeUnused(`${server}-${count}-`)
  const unfinished = `${folder}.unfinished-${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  console.error(`Storing ${count.toLocaleString('en')} users for ${server} …`)
  if (server === 'bare') seedBare(join(unfinished, 'bare.db'), count)
  else await seedOurs(join(unfinished, 'rollbook.db'), count)
  // Another run may have stored the same in the meantime.
  if (existsSync(folder)) rmSync(unfinished, { recursive: true })
  else renameSync(unfinished, folder)
  return folder
}

/** Whether the store exists. Notes that it is used. */
export function isKept(folder: string): boolean {
  if (!existsSync(folder)) return false
  const now = new Date()
  utimesSync(folder, now, now)
  return true
}

/** Deletes stores of other versions, except those that another checkout has used within a day. */
export function removeUnused(prefix: string): void {
  const aDayAgo = Date.now() - 24 * 60 * 60_000
  for (const name of existsSync(cache) ? readdirSync(cache) : []) {
    const folder = join(cache, name)
    if (name.startsWith(prefix) && statSync(folder).mtimeMs < aDayAgo) rmSync(folder, { recursive: true })
  }
}

/** A copy to write to; the caller removes it. */
export function copyOf(folder: string): string {
  const copy = mkdtempSync(join(cache, 'copy-'))
  cpSync(folder, copy, { recursive: true })
  // Otherwise the first commits of a measurement also write the copy to the disk, and wait for it.
  for (const name of readdirSync(copy)) {
    const file = openSync(join(copy, name), 'r')
    fsyncSync(file)
    closeSync(file)
  }
  return copy
}

/** Changes with whatever decides what ends up on the disk. `code` is a checkout. */
export function shapeOf(server: ServerName, code = root): string {
  const ours = [
    'src/store/db/migrations/*.ts',
    'src/directory/users/{service,store,search-index,row-order}.ts',
    'src/lib/{fold,precis}.ts',
  ]
  return hashOf(code, 'bench/{users,seed}.ts', ...(server === 'ours' ? ours : []))
}

export function hashOf(code: string, ...patterns: string[]): string {
  const hash = createHash('sha256')
  for (const file of globSync(patterns, { cwd: code }).sort()) hash.update(readFileSync(join(code, file)))
  return hash.digest('hex').slice(0, 12)
}

function seedBare(path: string, count: number): void {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA synchronous = OFF')
  db.exec('CREATE TABLE users (user_id TEXT PRIMARY KEY, username TEXT UNIQUE, document TEXT)')
  const insert = db.prepare('INSERT INTO users VALUES (?, ?, ?)')
  db.exec('BEGIN')
  for (const user of users(count)) insert.run(user.user_id, user.username, JSON.stringify({ ...user, attributes: {} }))
  db.exec('COMMIT')
  db.exec('PRAGMA journal_mode = WAL')
  db.close()
}

/** By the product's own rules, as many in a commit as are quick. */
async function seedOurs(path: string, count: number): Promise<void> {
  const connection = openConnection({ path, cacheKiB: 1_000_000 })
  connection.exec('PRAGMA synchronous = OFF')
  await migrate(connection, Date.now())
  let written = 0
  connection.exec('BEGIN')
  for (const { user_id, created_at, email, external_id, active, ...members } of users(count)) {
    const { username, first_name, last_name, role } = members
    const given = {
      username,
      first_name,
      last_name,
      role,
      ...(email && { email }),
      ...(external_id && { external_id }),
    }
    const input = { ...checkUserInput(given, roles), active }
    await create(contextOf(connection, user_id, Date.parse(created_at)), input)
    if (++written % commitEvery === 0) {
      await indexAll(connection)
      connection.exec('COMMIT')
      connection.exec('BEGIN')
    }
  }
  await indexAll(connection)
  connection.exec('COMMIT')
  connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  connection.close()
}

async function indexAll(connection: Connection): Promise<void> {
  while ((await indexPending(connection, commitEvery)) > 0);
}

function contextOf(db: Connection, userId: string, now: number): ChangeContext {
  const actor = { kind: 'system' as const, id: 'bench', name: 'bench', permissions: ['*'] }
  const rules = {
    roles,
    keyRotationOverlapSeconds: 0,
    sessionSeconds: 0,
    sessionIdleSeconds: 0,
    sendsMail: false,
    secondFactor: {},
    inactivity: undefined,
    configuredSecondFactor: {},
    configuredRoles: { admin: ['*'], user: [] },
    closedRoles: [],
    rolesOfIssuers: {},
    secondFactorFromMs: 0,
    trustBrowserDays: 0,
    sendsCodes: false,
    disabledOrganizations: new Set<string>(),
    secondFactorOrganizations: new Set<string>(),
  }
  const nothing = { origin: undefined, announce() {}, record() {}, recordFor() {}, emit() {} }
  return { actor, now, requestId: 'bench', rules, db, newId: () => userId, access: changes.access, ...nothing }
}
