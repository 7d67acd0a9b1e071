/** Copies of one migrated database: to copy its files costs a sixth of creating every table, index and trigger again. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { type PostgresAddress, parsePostgresUrl } from '../../src/lib/postgres-url.ts'
import { prepareSchema } from '../../src/store/db/postgres/schema.ts'
import { databases } from './cluster.ts'

/** What all copies share. Each test has a role of its own, a member of the owner, so that it recognizes its connections. */
const owner = 'rollbook_owner'
const schema = 'rollbook_test'

/** The name of the harness's own connections as superuser. */
export const administrator = 'test administrator'

type MigratedDatabase = { database: string; role: string; password: string; schema: string }

let template: Promise<string> | undefined

/** Creates a database whose schema is migrated, and a role that may do there what the owner of a schema may. */
export async function copyMigrated(server: pg.Pool, url: URL): Promise<MigratedDatabase> {
  template ??= prepareTemplate(url)
  const source = await template
  const id = randomBytes(8).toString('hex')
  const copy = {
    database: `test_database_${id}`,
    role: `test_role_${id}`,
    password: randomBytes(16).toString('hex'),
    schema,
  }
  await server.query(`CREATE DATABASE ${copy.database} TEMPLATE ${source}`)
  await server.query(`
    SET LOCAL password_encryption = 'md5';
    CREATE ROLE ${copy.role} LOGIN PASSWORD '${copy.password}' IN ROLE ${owner};
    REVOKE ALL ON DATABASE ${copy.database} FROM PUBLIC;
    GRANT CONNECT ON DATABASE ${copy.database} TO ${copy.role}`)
  return copy
}

/** Leaves the copy to the end of the cluster while the test has a connection of its own to it, which it closes later. */
export async function dropCopy(server: pg.Pool, { database, role }: MigratedDatabase): Promise<void> {
  const { rows } = await server.query(
    'SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND usename <> $2 AND application_name <> $3',
    [database, role, administrator],
  )
  if (rows.length > 0) return
  await server.query(`DROP DATABASE ${database} WITH (FORCE)`)
  await server.query(`DROP ROLE ${role}`)
}

/** Returns what `CREATE DATABASE … TEMPLATE` is to copy, and how. */
async function prepareTemplate(url: URL): Promise<string> {
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    // Whichever test process comes first migrates it. The others wait: a database with connections cannot be copied.
    await client.query('SELECT pg_advisory_lock(1)')
    const { rows } = await client.query(
      `SELECT datistemplate, current_setting('server_version_num')::int AS version FROM pg_database WHERE datname = $1`,
      [databases.migrated],
    )
    const { datistemplate: isReady, version } = rows[0]
    if (!isReady) await migrateTemplate(client, url)
    // Copying pages by way of the log, the default from 15 on, takes half as long again.
    return version >= 150_000 ? `${databases.migrated} STRATEGY file_copy` : databases.migrated
  } finally {
    // With the connection ends its lock.
    await client.end()
  }
}

async function migrateTemplate(client: pg.Client, url: URL): Promise<void> {
  const password = randomBytes(16).toString('hex')
  await client.query(`CREATE ROLE ${owner} LOGIN PASSWORD '${password}'`)
  await client.query(`GRANT CREATE, CONNECT ON DATABASE ${databases.migrated} TO ${owner}`)
  const place = new URL(url)
  Object.assign(place, { username: owner, password, pathname: databases.migrated })
  const address = parsePostgresUrl(place.href) as PostgresAddress
  const limits = { name: 'migration', size: 1, statementMs: 0, idleInTransactionMs: 0 }
  await prepareSchema(
    { address, schema, ...limits },
    { schema, now: Date.now(), onEvent: (message) => console.error(message) },
  )
  await client.query(`ALTER ROLE ${owner} NOLOGIN`)
  await client.query(`ALTER DATABASE ${databases.migrated} IS_TEMPLATE true`)
}
