import { existsSync } from 'node:fs'
import type pg from 'pg'
import { misconfigured, OperatorError } from '../../../core/errors.ts'
import { hasTable } from '../catalog.ts'
import type { Db } from '../db.ts'
import { isMigrated, type MigratedStore, migrate, migrations } from '../migrate.ts'
import { sql } from '../sql.ts'
import { lockKey, postgresDb } from './connection.ts'
import { connectToPrimary, type PrimaryOptions } from './primary.ts'

type Options = {
  schema: string
  now: number
  /** Holds the key of an earlier store, unless this is a first start. */
  adminKeyFile?: string
  onEvent(message: string): void
}

/** With more users than this, building the index would block changes too long; the operator builds it concurrently. */
const quicklyIndexed = 20_000

/**
 * Creates the schema and its tables, or brings them up to date. Any number of nodes may start at once: one migrates, the
 * others wait. Returns the migrations that ran here.
 *
 * @throws OperatorError if the schema is missing and may not be created
 */
export async function prepareSchema(options: PrimaryOptions, own: Options): Promise<string[]> {
  const { schema, now, onEvent } = own
  // Without a timeout: another node may be migrating for a while.
  const { client } = await connectToPrimary({ ...options, name: 'rollbook migrations', statementMs: 0 })
  try {
    const store = migratedStore(client, schema)
    await ensureSchema(store, schema)
    await refuseLostStore(store, own)
    const ran = await migrate(store, now, migrations, onEvent)
    await ensureSearchIndex(store, onEvent)
    return ran
  } finally {
    await client.end()
  }
}

/**
 * Whether `prepareSchema` has nothing to do, as at most starts, which then open no connection for it.
 *
 * @throws OperatorError for a store that this release must not use
 */
export async function isPrepared(db: Db): Promise<boolean> {
  return (await isMigrated(db)) && (await hasSearchIndex(db))
}

/** An empty schema next to the key of an earlier store: the wrong database, or a lost one. */
async function refuseLostStore(store: MigratedStore, { schema, adminKeyFile }: Options): Promise<void> {
  if (adminKeyFile === undefined || !existsSync(adminKeyFile) || (await hasTable(store, 'migrations'))) return
  throw new OperatorError(
    `The schema ${schema} of the database is empty, but ${adminKeyFile} has the key of an earlier store. Nothing was ` +
      'changed. Check ROLLBOOK_DATABASE_URL and ROLLBOOK_DATABASE_SCHEMA, restore the database (docs/postgresql.md), or move ' +
      'the users here with rollbook move. For a new, empty store, move that file away first.',
    { exitCode: misconfigured },
  )
}

/** A connection with the settings for migrations. */
export function migratedStore(client: pg.ClientBase, schema: string): MigratedStore {
  return {
    ...postgresDb(client, schema),
    async exec(text) {
      await client.query(text)
    },
    async alone(work) {
      await client.query('BEGIN')
      try {
        await client.query('SET LOCAL lock_timeout = 0')
        await client.query(`SELECT pg_advisory_xact_lock(${lockKey(`${schema} migrations`)})`)
        // A migration that waits for a table blocks everyone behind it, so give up early and retry.
        await client.query("SET LOCAL lock_timeout = '5s'")
        const result = await work()
        await client.query('COMMIT')
        return result
      } catch (error) {
        // A broken connection needs no rollback; report what broke it.
        await client.query('ROLLBACK').catch(() => {})
        throw error
      }
    },
  }
}

async function ensureSchema(store: MigratedStore, schema: string): Promise<void> {
  const present = await store.get(sql`SELECT 1 FROM pg_namespace WHERE nspname = ${schema}`)
  if (present !== undefined) return
  try {
    await store.alone(async () => store.exec(`CREATE SCHEMA IF NOT EXISTS "${schema}"`))
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error
    const { role } = (await store.get<{ role: string }>(sql`SELECT current_user::text AS role`)) as { role: string }
    throw new OperatorError(
      `There is no schema ${schema} in the database, and the role ${role} may not create one. Ask an administrator of the ` +
        `database to run: CREATE SCHEMA "${schema}" AUTHORIZATION "${role.replaceAll('"', '""')}"`,
      { cause: error },
    )
  }
}

/**
 * The index for `q`, by pg_trgm. If that extension is missing and may not be created, searches read every user
 * (docs/postgresql.md); if it appears later, the index is created at the next start.
 */
async function ensureSearchIndex(store: MigratedStore, onEvent: Options['onEvent']): Promise<void> {
  if (await hasSearchIndex(store)) return
  await store.alone(async () => {
    if (await hasSearchIndex(store)) return
    const place = (await findExtension(store)) ?? (await createExtension(store))
    if (place === undefined) {
      onEvent(
        'pg_trgm is missing, or in a schema that Rollbook may not use: searches read every user (docs/postgresql.md)',
      )
      return
    }
    const statement = `ON users USING gin (search_text "${place}".gin_trgm_ops)`
    const { users } = (await store.get<{ users: number }>(sql`
      SELECT greatest(reltuples, 0)::bigint AS users FROM pg_class WHERE oid = 'users'::regclass`)) as { users: number }
    if (users > quicklyIndexed) {
      onEvent(`searches read every user until you run: CREATE INDEX CONCURRENTLY users_search ${statement}`)
      return
    }
    await store.exec(`CREATE INDEX users_search ${statement}`)
  })
}

async function hasSearchIndex(store: Db): Promise<boolean> {
  // Not by to_regclass: within a transaction it keeps reporting that the index is missing after another node created it.
  const found = await store.get(sql`
    SELECT 1 FROM pg_class WHERE relnamespace = current_schema()::text::regnamespace AND relname = 'users_search'`)
  return found !== undefined
}

async function findExtension(store: MigratedStore): Promise<string | undefined> {
  const found = await store.get<{ place: string }>(sql`
    SELECT nspname::text AS place FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
    WHERE extname = 'pg_trgm' AND has_schema_privilege(extnamespace, 'USAGE')`)
  return found?.place
}

/** Allowed for roles that may create in the database (it is a trusted extension), if the server has it at all. */
async function createExtension(store: MigratedStore): Promise<string | undefined> {
  await store.exec('SAVEPOINT extension')
  try {
    await store.exec('CREATE EXTENSION IF NOT EXISTS pg_trgm')
  } catch (error) {
    // insufficient_privilege, undefined_file, feature_not_supported
    if (!['42501', '58P01', '0A000'].includes((error as { code?: string }).code ?? '')) throw error
    await store.exec('ROLLBACK TO extension')
    return undefined
  }
  return findExtension(store)
}
