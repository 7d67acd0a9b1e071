import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { runAs, runOn, schemaFor, skip } from '../../../../test/nodes/nodes.ts'
import type { FreshSchema } from '../../../../test/postgres.ts'
import { type PostgresAddress, parsePostgresUrl } from '../../../lib/postgres-url.ts'
import { migrations } from '../migrate.ts'
import { prepareSchema } from './schema.ts'

const names = migrations.map(({ name }) => name)

/** Prepares the schema as several nodes at once. Returns the migrations of each, and the log. */
async function prepare({ url, schema }: Pick<FreshSchema, 'url' | 'schema'>, nodes = 1) {
  const address = parsePostgresUrl(url) as PostgresAddress
  const events: string[] = []
  const options = { address, schema, name: 'test', size: 1, statementMs: 5000, idleInTransactionMs: 0 }
  const migrated = await Promise.all(
    Array.from({ length: nodes }, () =>
      prepareSchema(options, { schema, now: 0, onEvent: (message) => events.push(message) }),
    ),
  )
  return { migrated, events }
}

function indexes(database: FreshSchema) {
  return runOn(
    database,
    `SELECT indexdef FROM pg_indexes WHERE schemaname = '${database.schema}' AND indexname = 'users_search'`,
  )
}

/** A schema that does not exist yet, for a role that may create one. */
async function mayCreate(t: TestContext): Promise<FreshSchema> {
  const database = await schemaFor(t)
  const name = new URL(database.url).pathname.slice(1)
  await runAs(
    database.adminUrl,
    `SELECT pg_advisory_xact_lock(0); GRANT CREATE ON DATABASE ${name} TO ${database.role}`,
  )
  return { ...database, schema: `${database.schema}_new` }
}

describe('the schema on PostgreSQL', { skip }, () => {
  it('is migrated once by nodes that start at once, and not changed afterwards', async (t) => {
    const database = await schemaFor(t)
    const { migrated, events } = await prepare(database, 8)
    assert.deepEqual(
      migrated.filter(({ length }) => length > 0),
      [names],
    )
    assert.deepEqual(events, [])
    assert.equal((await indexes(database)).length, 1)
    assert.deepEqual((await prepare(database)).migrated, [[]])
  })

  it('is created by any role that may, once, even by nodes that start at once', async (t) => {
    const database = await mayCreate(t)
    const { migrated } = await prepare(database, 5)
    assert.deepEqual(
      migrated.filter(({ length }) => length > 0),
      [names],
    )
    const owner = await runAs(
      database.adminUrl,
      `SELECT nspowner::regrole::text AS role FROM pg_namespace WHERE nspname = '${database.schema}'`,
    )
    assert.deepEqual(owner, [{ role: database.role }])
  })

  it('that is missing and may not be created is requested, with the statement that creates it', async (t) => {
    const { url, role } = await schemaFor(t)
    await assert.rejects(prepare({ url, schema: 'elsewhere' }), {
      name: 'OperatorError',
      message: new RegExp(`CREATE SCHEMA "elsewhere" AUTHORIZATION "${role}"`),
    })
  })

  it('works without pg_trgm if it may not be created, says so at each start, and uses it when it exists', async (t) => {
    const { role, schema, url, adminUrl } = await schemaFor(t)
    // Other tests rely on its absence.
    const place = `${role}_database`
    const there = (from: string) => new URL(`/${place}`, from).href
    await runAs(adminUrl, `CREATE DATABASE ${place}`)
    try {
      await runAs(there(adminUrl), `CREATE SCHEMA ${schema} AUTHORIZATION ${role}`)
      const index = `SELECT 1 FROM pg_indexes WHERE indexname = 'users_search'`
      for (let start = 0; start < 2; start++) {
        const { events } = await prepare({ url: there(url), schema }, 3)
        assert.equal(events.length, 3)
        for (const event of events) assert.match(event, /pg_trgm is missing/)
      }
      assert.deepEqual(await runAs(there(adminUrl), index), [])
      await runAs(there(adminUrl), `CREATE EXTENSION pg_trgm SCHEMA ${schema}`)
      assert.deepEqual((await prepare({ url: there(url), schema }, 3)).events, [])
      assert.equal((await runAs(there(adminUrl), index)).length, 1)
    } finally {
      await runAs(adminUrl, `DROP DATABASE ${place} WITH (FORCE)`)
    }
  })
})
