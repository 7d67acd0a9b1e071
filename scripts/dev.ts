/**
 * `npm run dev`: the server, restarted at each change of src/, and the console, renewed at each change of console/, on a
 * database that is thrown away at Ctrl-C, with a known admin key and a few users. `npm run dev -- --postgres` does it on PostgreSQL. Settings are taken from the environment as
 * usual (ROLLBOOK_PORT=9000 npm run dev), save for those that name a database.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, ConfigError, loadConfig } from '../src/core/config.ts'
import { reachableAddress } from '../src/http/server/own-address.ts'
import { freshSchema } from '../test/postgres.ts'

const password = 'seven grey herons over the weir'
const seeds = [
  { username: 'ada', email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', role: 'admin', password },
  { username: 'grace', email: 'grace@example.com', first_name: 'Grace', last_name: 'Hopper', password },
  { username: 'José', email: 'jose@example.com', first_name: 'José', last_name: 'Núñez', external_id: 'hr-0042' },
  { username: 'waiting', email: 'waiting@example.com' },
]

const dataDir = mkdtempSync(join(tmpdir(), 'rollbook-dev-'))
process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }))

const key = process.env.ROLLBOOK_ADMIN_KEY || `dev-${randomBytes(24).toString('hex')}`
const database = process.argv.includes('--postgres') ? await freshSchema() : undefined
const env = {
  ...process.env,
  ROLLBOOK_ADMIN_KEY: key,
  ROLLBOOK_ADMIN_KEY_FILE: '',
  ROLLBOOK_DATA_DIR: dataDir,
  // Never the one from the environment: it may be real.
  ROLLBOOK_DATABASE_URL: database?.url ?? '',
  ROLLBOOK_DATABASE_URL_FILE: '',
  ...(database && { ROLLBOOK_DATABASE_SCHEMA: database.schema }),
}
const config = load()
const base = `${reachableAddress(config.host, config.port)}${config.basePath}`

// In a process group of its own: the terminal's Ctrl-C reaches this script alone, which then ends the rest in order.
const watcher = spawn(process.execPath, ['--watch', '--watch-preserve-output', '--watch-path=src', 'bin/rollbook.js'], {
  env,
  stdio: 'inherit',
  detached: true,
})
const watcherExit = once(watcher, 'exit')
// Passes on to the server whatever is not the console itself.
const consolePort = process.env.CONSOLE_PORT ?? '5173'
const vite = ['node_modules/vite/bin/vite.js', '--config', 'console/vite.config.ts', '--logLevel', 'warn']
const consoleServer = spawn(process.execPath, vite, {
  env: {
    ...process.env,
    CONSOLE_PORT: consolePort,
    ROLLBOOK_URL: new URL(base).origin,
    ROLLBOOK_BASE_PATH: config.basePath,
  },
  stdio: 'inherit',
  detached: true,
})
const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopped.abort())
watcher.once('exit', () => stopped.abort())

try {
  await ready()
  await seed()
  console.log(`
  Console    http://localhost:${consolePort}${config.basePath}/console/
  Docs page  ${base}/docs
  Admin key  ${key}
  Users      ${seeds.map(({ username }) => username).join(', ')} (password of the first two: ${password})
  Try        curl -H 'X-API-Key: ${key}' ${base}/users
  Ctrl-C ends the server and removes ${database ? 'the PostgreSQL it runs on' : dataDir}
`)
  await once(stopped.signal, 'abort')
} catch (error) {
  if (!stopped.signal.aborted) {
    console.error(error)
    process.exitCode = 1
  }
} finally {
  await end()
}

function load(): Config {
  try {
    const config = loadConfig(env)
    if (config.port !== 0) return config
    console.error('ROLLBOOK_PORT=0 would pick another port at each restart; give one for development.')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.error(error.message)
  }
  process.exit(1)
}

/** Waits as long as it takes: a server that fails to start is restarted when its source is mended. */
async function ready(): Promise<void> {
  for (;;) {
    const response = await fetch(`${base}/health/ready`, { signal: stopped.signal }).catch(() => undefined)
    if (response?.ok) return
    await sleep(200, undefined, { signal: stopped.signal })
  }
}

async function seed(): Promise<void> {
  for (const user of seeds) {
    const response = await fetch(`${base}/users`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify(user),
      signal: stopped.signal,
    })
    if (response.status !== 201) throw new Error(`${user.username} was not created: ${await response.text()}`)
  }
}

async function end(): Promise<void> {
  watcher.kill('SIGTERM')
  consoleServer.kill('SIGTERM')
  await Promise.race([watcherExit, sleep((config.shutdownSeconds + 2) * 1000, undefined, { ref: false })])
  try {
    // Processes of the group that have not ended.
    if (watcher.pid !== undefined) process.kill(-watcher.pid, 'SIGKILL')
  } catch {
    // Nothing was left.
  }
}
