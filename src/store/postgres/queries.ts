import type { Db } from '../db/db.ts'
import { type PostgresDb, postgresDb } from '../db/postgres/connection.ts'
import { sql } from '../db/sql.ts'
import type { Query, ReadHandlers } from '../storage/registry.ts'
import type { sameTurn } from '../storage/same-turn.ts'
import type { Storage } from '../storage/storage.ts'
import { type Connections, longQueriesAtOnce, searchesAtOnce, withClient } from './connections.ts'
import type { Patience } from './patience.ts'
import { inSnapshot, untilAbandoned } from './snapshot.ts'
import { takeTurns } from './turns.ts'

type Parts = {
  handlers: ReadHandlers
  connections: Connections
  schema: string
  patience: Patience
  db: Db
  readOnce: ReturnType<typeof sameTurn>
}

const searchQueue = 64
/** A page whose cost was misjudged is cancelled after this time and fails with 503. */
const pageLimitMs = 1000

/** The handle for quick reads, on connections that all of them share. */
export function quickReads({ shared }: Connections, schema: string, patience: Patience): Db {
  const read = <T>(work: (db: PostgresDb) => Promise<T>): Promise<T> =>
    patience(() => shared.read((client) => work(postgresDb(client, schema))))
  return {
    engine: 'postgres',
    get: (statement) => read((connection) => connection.get(statement)),
    all: (statement) => read((connection) => connection.all(statement)),
    texts: (statement, size) => read((connection) => connection.texts(statement, size)),
  }
}

/** Runs quick queries at once, and each of the others in a snapshot of its own, in turn. */
export function postgresQueries(parts: Parts): Storage['query'] {
  const { handlers, connections, schema, patience, db, readOnce } = parts
  const inTurn = takeTurns(searchesAtOnce, searchQueue, searchesAtOnce / 2)
  const inLongTurn = takeTurns(longQueriesAtOnce, searchQueue, longQueriesAtOnce / 2)
  const cancel = (pid: number) => db.get(sql`SELECT pg_cancel_backend(${pid})`)

  return async (name, input, { actor, signal }) => {
    const { run, isQuick, isBounded, sameAs }: Query = handlers.queries[name]
    if (isQuick(input as never)) {
      const quickly = (): Promise<unknown> => run(db, input as never)
      const key = sameAs?.(input as never, 'postgres')
      return (await (key === undefined ? quickly() : readOnce(`${name} ${key}`, quickly))) as never
    }
    const caller = { caller: actor.id, ...(signal && { signal }) }
    const options = { limitMs: isBounded ? pageLimitMs : undefined, signal, cancel }
    const work = () =>
      withClient(connections.lists, (client) =>
        inSnapshot(client, options, (): Promise<unknown> => {
          const reads = untilAbandoned(postgresDb(client, schema), signal)
          return run(reads, input as never)
        }),
      )
    const turns = isBounded ? inTurn : inLongTurn
    return (await turns(caller, () => patience(work))) as never
  }
}
