/** A PostgreSQL for the tests: a schema for each, in a throw-away cluster of a server that is found or installed. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { type Cluster, databases, startCluster } from './postgres/cluster.ts'
import { clusterVariable } from './postgres/find.ts'
import { administrator, copyMigrated, dropCopy } from './postgres/migrated.ts'

export { type Cluster, startCluster } from './postgres/cluster.ts'
export { clusterVariable, findOrInstallPostgres } from './postgres/find.ts'

/** True when `npm test` found no PostgreSQL and could not install one; then it says so at the end. Never in CI. */
export const postgresIsMissing = process.env[clusterVariable] === 'none'

export type FreshSchema = {
  /** For a role that may log in, owns the schema, and may do nothing else. */
  url: string
  role: string
  schema: string
  /** The superuser's, on the same database. */
  adminUrl: string
  drop(): Promise<void>
}

let ownCluster: Promise<Cluster> | undefined
const admins = new Map<string, pg.Pool>()

/** On the cluster of the run, or, when a test file is run alone, on one that lives as long as its process. */
export async function freshSchema({ trigrams = true }: { trigrams?: boolean } = {}): Promise<FreshSchema> {
  const adminUrl = new URL(await sharedCluster())
  const database = trigrams ? databases.withTrigrams : databases.withoutTrigrams
  adminUrl.pathname = database
  const admin = adminOf(adminUrl.href)
  const id = randomBytes(8).toString('hex')
  // Two names: a role would find a schema with its own name.
  const role = `test_role_${id}`
  const schema = `test_schema_${id}`
  const password = randomBytes(16).toString('hex')
  // What docs/postgresql.md tells an administrator to run. The lock: two grants on one database at once fail.
  await admin.query(`
    SELECT pg_advisory_xact_lock(0);
    SET LOCAL password_encryption = 'md5';
    CREATE ROLE ${role} LOGIN PASSWORD '${password}';
    GRANT CONNECT ON DATABASE ${database} TO ${role};
    CREATE SCHEMA ${schema} AUTHORIZATION ${role}`)
  const url = new URL(adminUrl)
  url.username = role
  url.password = password
  return {
    url: url.href,
    role,
    schema,
    adminUrl: adminUrl.href,
    async drop() {
      for (let tries = 1; ; tries += 1) {
        // DROP would wait forever for open connections.
        await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [role])
        try {
          await admin.query(`SELECT pg_advisory_xact_lock(0); DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`)
          return
        } catch (error) {
          // A deadlock with the transaction of a session that is still ending.
          if ((error as { code?: string }).code !== '40P01' || tries === 5) throw error
        }
      }
    },
  }
}

/** A schema that is migrated already, in a database of its own. Its role may do there what the owner of a schema may. */
export async function migratedSchema(): Promise<FreshSchema> {
  const clusterUrl = new URL(await sharedCluster())
  const server = adminOf(clusterUrl.href)
  const copy = await copyMigrated(server, clusterUrl)
  const { database, role, password, schema } = copy
  const url = Object.assign(new URL(clusterUrl), { username: role, password, pathname: database }).href
  const adminUrl = Object.assign(new URL(clusterUrl), { pathname: database }).href
  return {
    url,
    role,
    schema,
    adminUrl,
    async drop() {
      const admin = admins.get(adminUrl)
      admins.delete(adminUrl)
      // Its connections may still be closing when the database is dropped, which cuts them.
      admin?.removeAllListeners('error').on('error', () => {})
      await admin?.end()
      await dropCopy(server, copy)
    },
  }
}

async function sharedCluster(): Promise<string> {
  if (postgresIsMissing) throw new Error('There is no PostgreSQL, which a test can know by postgresIsMissing.')
  const handedOver = process.env[clusterVariable]
  if (handedOver) return handedOver
  ownCluster ??= startCluster()
  return (await ownCluster).adminUrl
}

/** This process's connections as superuser. */
export function adminOf(url: string): pg.Pool {
  const known = admins.get(url)
  if (known !== undefined) return known
  const options = { max: 10, idleTimeoutMillis: 30_000, allowExitOnIdle: true, application_name: administrator }
  const pool = new pg.Pool({ connectionString: url, ...options })
  pool.on('error', (error) => console.error(`A connection of the tests' administrator was cut: ${error.message}`))
  admins.set(url, pool)
  return pool
}
