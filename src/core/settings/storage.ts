import { expectedUrl, type PostgresAddress, parsePostgresUrl } from '../../lib/postgres-url.ts'
import { integer, type Kind, kind, line, type Settings } from './kinds.ts'

const databaseUrl: Kind<PostgresAddress> = {
  expected: expectedUrl,
  read(text) {
    const read = parsePostgresUrl(text)
    return 'faults' in read ? read : { value: read }
  },
}

const schemaName = kind('1 to 48 of a-z, 0-9 and _, beginning with a letter, and not with pg_', (text) =>
  /^(?!pg_)[a-z][a-z0-9_]{0,47}$/.test(text) ? text : undefined,
)

export const storage = {
  dataDir: {
    name: 'ROLLBOOK_DATA_DIR',
    kind: line(4096),
    default: './data',
    why:
      'Change it to put the database on another disk or volume. A relative path starts at the directory in which the ' +
      'server is started.',
  },
  databaseUrl: {
    name: 'ROLLBOOK_DATABASE_URL',
    kind: databaseUrl,
    default: undefined,
    secret: true,
    why:
      'Set it to store users in PostgreSQL, for several nodes: `postgres://user:password@host:5432/database`, with ' +
      'commas between several hosts. Not set: SQLite in the data directory.',
  },
  databaseSchema: {
    name: 'ROLLBOOK_DATABASE_SCHEMA',
    kind: schemaName,
    default: 'rollbook',
    why:
      'Change it if two installations share a database, or if you are given a schema. The start creates the schema if ' +
      'it is allowed to.',
  },
  databasePoolSize: {
    name: 'ROLLBOOK_DATABASE_POOL_SIZE',
    kind: integer(1, 1000),
    default: '10',
    why:
      'Raise it if changes wait for connections although the database has room; lower it if the database allows too ' +
      'few. This many connections are for changes. A node also opens up to four for quick reads, four for searches, one ' +
      'to listen on, and one for each streamed list (`ROLLBOOK_MAX_SNAPSHOTS`).',
  },
} as const satisfies Settings
