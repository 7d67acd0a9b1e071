// Better Auth on SQLite, as a server that does nothing else. Arguments: see below. Prints the cookie of an administrator.
//
// Set for speed and for the same promises that Rollbook makes, where its documentation offers a setting:
// - `node:sqlite`, a documented driver. The recommended better-sqlite3 is compiled or downloaded during the installation.
// - WAL, and a commit that waits for the disk. Without WAL each commit takes longer.
// - Sessions in `secondaryStorage` in memory, instead of a query for each request (usually that is Redis).
// - No rate limit, no telemetry, no log below errors.
// - `node:http` with its own handler: no web framework in front.
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { admin } from 'better-auth/plugins'

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'better-auth.db' },
    port: { type: 'string', default: '8081' },
    /** Creates the tables and ends. */
    migrate: { type: 'boolean', default: false },
  },
})

const database = new DatabaseSync(values.database)
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536')
const sessions = new Map()
const auth = betterAuth({
  database,
  baseURL: `http://127.0.0.1:${values.port}`,
  secret: 'a-secret-for-measurements-on-loopback-only',
  emailAndPassword: { enabled: true },
  plugins: [admin()],
  secondaryStorage: {
    get: (key) => sessions.get(key) ?? null,
    set: (key, value) => void sessions.set(key, value),
    delete: (key) => void sessions.delete(key),
  },
  session: { storeSessionInDatabase: false },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { level: 'error' },
})

if (values.migrate) {
  const { runMigrations } = await getMigrations(auth.options)
  await runMigrations()
  database.close()
} else {
  const email = 'admin@bench.example'
  const password = 'Vexil-plomb-Aruda-9-quorn'
  const known = database.prepare('SELECT id FROM user WHERE email = ?').get(email)
  if (!known) await auth.api.createUser({ body: { email, password, name: 'Admin', role: 'admin' } })
  const { headers } = await auth.api.signInEmail({ body: { email, password }, returnHeaders: true })
  const cookie = headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  createServer(toNodeHandler(auth)).listen(Number(values.port), '127.0.0.1', () => {
    console.log(JSON.stringify({ cookie }))
  })
}
