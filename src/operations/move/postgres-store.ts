/** The PostgreSQL side of a move. Rows go in and out by COPY, which is several times as fast as statements. */
import pg from 'pg'
import { OperatorError } from '../../core/errors.ts'
import { type PostgresAddress, placeOf } from '../../lib/postgres-url.ts'
import type { Db } from '../../store/db/db.ts'
import { lockKey, postgresDb } from '../../store/db/postgres/connection.ts'
import { refuseTransactionPooling } from '../../store/db/postgres/pooling.ts'
import { connectToPrimary, type PrimaryOptions } from '../../store/db/postgres/primary.ts'
import { prepareSchema } from '../../store/db/postgres/schema.ts'
import { sql } from '../../store/db/sql.ts'
import { type Batch, batchOf, type Kind, RowWriter, type Value } from './rows.ts'
import type { Shape, Store, Target } from './store.ts'
import { tables } from './tables.ts'

export type PostgresPlace = { address: PostgresAddress; schema: string; report(message: string): void }

/** The header and trailer of PostgreSQL's binary COPY format. */
const head = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])
const tail = Buffer.from([0xff, 0xff])
/** Bytes per message. */
const messageBytes = 256 * 1024

export async function openPostgresSource(place: PostgresPlace): Promise<Store> {
  const { store } = await open(place)
  const servers = await countServers(store.db)
  if (servers > 0) {
    const connections = servers === 1 ? 'A connection' : `${servers} connections`
    place.report(
      `Servers seem to run on the source (${connections} to the database). Stop them: if they change anything while it is ` +
        'copied, the comparison at the end fails and you must start over.',
    )
  }
  return store
}

/** How many servers are connected under our role; connections of other roles do not show what they are. */
async function countServers(db: Db): Promise<number> {
  const row = await db.get<{ servers: number }>(sql`
    SELECT count(*) AS servers FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user
      AND application_name LIKE 'rollbook%' AND application_name <> 'rollbook move'`)
  return row?.servers ?? 0
}

export async function openPostgresTarget(place: PostgresPlace, now: number): Promise<Target> {
  const { schema, report } = place
  const { client, store } = await open(place)
  const exec = async (text: string) => {
    await client.query(text)
  }
  // Two moves into one schema would only fail: rows are unique.
  const { rows } = await client.query(`SELECT pg_try_advisory_lock(${lockKey(`${schema} move`)}) AS locked`)
  if (!rows[0].locked) {
    await store.close()
    throw new OperatorError(`Another move into ${store.place} is running.`)
  }
  return {
    ...store,
    async migrate() {
      await prepareSchema(optionsOf(place), { schema, now, onEvent: report })
    },
    exec,
    write: (shape, batch) => copyIn(client, shape, batch),
    empty: () => exec(`TRUNCATE ${tables.map(({ name }) => name).join(', ')}`),
    async finish() {
      // One by one: VACUUM cannot run inside a transaction.
      for (const { name } of tables) await exec(`VACUUM (ANALYZE) ${name}`)
    },
  }
}

function optionsOf({ address, schema }: PostgresPlace): PrimaryOptions {
  return { address, schema, name: 'rollbook move', size: 1, statementMs: 0, idleInTransactionMs: 0 }
}

async function open(place: PostgresPlace): Promise<{ client: pg.Client; store: Store }> {
  const { client } = await connectToPrimary(optionsOf(place))
  const { client: other } = await connectToPrimary(optionsOf(place))
  await refuseTransactionPooling(client, other)
    .catch(async (error: unknown) => {
      await client.end()
      throw error
    })
    .finally(() => other.end())
  // A role can have its own timeouts, which are meant for servers.
  await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
  const writer = new RowWriter()
  const db = postgresDb(client, place.schema)
  const store: Store = {
    db,
    place: `the schema ${place.schema} of ${placeOf(place.address)}`,
    async columns(table) {
      const columns = await db.all<{ name: string; kind: string }>(sql`
        SELECT attname AS name, format_type(atttypid, NULL) AS kind FROM pg_attribute
        WHERE attrelid = to_regclass(${table}::text) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`)
      return new Map(columns.map(({ name, kind }) => [name, kindOf(kind, table)]))
    },
    async refresh() {
      if (client.getTransactionStatus() !== 'I') await client.query('COMMIT')
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    },
    async read(shape, after, limit) {
      await copyOut(client, select(client, shape, after, limit), (bytes) => writer.append(bytes))
      const bytes = writer.drain()
      return batchOf(shape.columns, shape.key.length, bytes.subarray(head.length, bytes.length - tail.length))
    },
    close: () => client.end(),
  }
  return { client, store }
}

function kindOf(type: string, table: string): Kind {
  const kinds: Record<string, Kind> = { text: 'text', integer: 'int4', bigint: 'int8', bytea: 'bytea' }
  const kind = kinds[type]
  if (kind === undefined) throw new Error(`The table ${table} has a column of the type ${type}, which cannot be moved.`)
  return kind
}

function select(client: pg.Client, shape: Shape, after: readonly Value[] | undefined, limit: number): string {
  const key = shape.key.join(', ')
  // COPY takes no parameters.
  const start = after ? `WHERE (${key}) > (${after.map((value) => literal(client, value)).join(', ')})` : ''
  const columns = shape.columns.map(({ name }) => name).join(', ')
  return `SELECT ${columns} FROM ${shape.name} ${start} ORDER BY ${key} LIMIT ${limit}`
}

function literal(client: pg.Client, value: Value): string {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : client.escapeLiteral(String(value))
}

type CopyConnection = { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void }

/** Passes on a query's rows without the header and trailer. */
async function copyOut(client: pg.Client, query: string, onBytes: (bytes: Buffer) => void): Promise<void> {
  class CopyOut extends pg.Query {
    // pg reuses the buffer.
    handleCopyData({ chunk }: { chunk: Buffer }): void {
      onBytes(chunk)
    }
  }
  await new Promise<void>((resolve, reject) => {
    client.query(
      new CopyOut(`COPY (${query}) TO STDOUT (FORMAT binary)`, (error) => (error ? reject(error) : resolve())),
    )
  })
}

async function copyIn(client: pg.Client, shape: Shape, { rows, bytes }: Batch): Promise<void> {
  class CopyIn extends pg.Query {
    handleCopyInResponse(connection: CopyConnection): void {
      connection.sendCopyFromChunk(head)
      for (let at = 0; at < bytes.length; at += messageBytes) {
        connection.sendCopyFromChunk(bytes.subarray(at, at + messageBytes))
      }
      connection.sendCopyFromChunk(tail)
      connection.endCopyFrom()
    }
  }
  const columns = shape.columns.map(({ name }) => name).join(', ')
  const copied = await new Promise<number | null>((resolve, reject) => {
    client.query(
      new CopyIn(`COPY ${shape.name} (${columns}) FROM STDIN (FORMAT binary)`, (error, result) =>
        error ? reject(error) : resolve(result.rowCount),
      ),
    )
  })
  if (copied !== rows) throw new Error(`PostgreSQL took ${copied} of ${rows} rows of ${shape.name}.`)
}
