import { createHash } from 'node:crypto'
import pg, { type ClientBase, type QueryResult } from 'pg'
import type { Texts, Transaction } from '../db.ts'
import { isSql, renderSql, type Sql, type SqlValue, sql, withoutNul } from '../sql.ts'
import { countBytes, lengthBytes, type Row } from './client.ts'
import { copyRows } from './copy.ts'
import { isBrokenUniqueness } from './failures.ts'

/** How many composed changes get a named statement; there are as many as sets of changed columns. */
const namedChangesLimit = 200

type Prepared = { text: string; name?: string; values: readonly SqlValue[] }

const byPlace = new Map<readonly string[], { text: string; name: string }>()
const namedChanges = new Map<string, string>()
let names = 0

/**
 * A constant statement has a name, so that the server parses and plans it once per connection. A composed one (a list with
 * its filters) is planned with its values each time, because the best plan depends on them. A composed change finds its row
 * by its id and needs no such care.
 */
function prepare(piece: Sql): Prepared {
  const known = byPlace.get(piece.strings)
  if (known !== undefined) return { ...known, values: withoutNul(piece.values as readonly SqlValue[]) }
  const { text, parameters: rendered } = renderSql(piece, (n) => `$${n}`)
  const parameters = withoutNul(rendered)
  if (!piece.values.some(isSql)) {
    const statement = { text, name: `rollbook_${++names}` }
    byPlace.set(piece.strings, statement)
    return { ...statement, values: parameters }
  }
  if (!/^\s*UPDATE\b/.test(text)) return { text, values: parameters }
  let name = namedChanges.get(text)
  if (name === undefined && namedChanges.size < namedChangesLimit) {
    name = `rollbook_${++names}`
    namedChanges.set(text, name)
  }
  return { text, ...(name && { name }), values: parameters }
}

export type PostgresDb = Transaction & Required<Pick<Transaction, 'texts' | 'copy'>>

/** Statements on one connection. `scope` is a prefix for the names of locks. */
export function postgresDb(client: ClientBase, scope: string): PostgresDb {
  // pg returns 64-bit integers as text by default; ours are counts, which fit into a double.
  client.setTypeParser(pg.types.builtins.INT8, Number)

  const query = (piece: Sql): Promise<QueryResult> => traced(send(client, prepare(piece)))

  return {
    engine: 'postgres',
    copy: (statement, onRow) => copyRows(client, statement, onRow),
    async get(piece) {
      return rowsRead(await query(piece))[0]
    },
    async all(piece) {
      return rowsRead(await query(piece))
    },
    async returning(piece) {
      return (await query(piece)).rows
    },
    texts: (piece, size) => traced(sendForTexts(client, prepare(piece), size)),
    async run(piece) {
      return (await query(piece)).rowCount ?? 0
    },
    async runUnlessTaken(piece) {
      // On a pipelined connection the savepoint is sent with the statement.
      const begun = client.query('SAVEPOINT before_statement')
      begun.catch(() => {}) // The statement then fails as well.
      try {
        await query(piece)
        return true
      } catch (error) {
        if (!isBrokenUniqueness(error)) throw error
        await client.query('ROLLBACK TO before_statement')
        return false
      }
    },
    async undoable(work) {
      const begun = client.query('SAVEPOINT part')
      begun.catch(() => {}) // As above: the work fails as well.
      try {
        const result = await work()
        await client.query('RELEASE part')
        return result
      } catch (error) {
        await client.query('ROLLBACK TO part; RELEASE part')
        throw error
      }
    },
    async lock(names) {
      // In the same order everywhere, so that two transactions never deadlock.
      const keys = JSON.stringify([...new Set(names)].sort().map((name) => lockKey(`${scope} ${name}`)))
      await query(sql`SELECT pg_advisory_xact_lock(value::bigint) FROM json_array_elements_text(${keys}::json)`)
    },
    async tryLock(name) {
      const key = lockKey(`${scope} ${name}`)
      const { rows } = await query(sql`SELECT pg_try_advisory_xact_lock(${key}::text::bigint) AS locked`)
      return rows[0].locked
    },
  }
}

/** The server names the kind of statement. A write that its transaction does not know of could remain when the change is undone. */
function rowsRead({ command, rows }: QueryResult): QueryResult['rows'] {
  if (writingCommands.has(command)) throw new Error(`${command} by a method that only reads: use returning().`)
  return rows
}

const writingCommands = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

async function traced<T>(sent: Promise<T>): Promise<T> {
  try {
    return await sent
  } catch (error) {
    // The caller's stack is more useful than the place inside pg.
    Error.captureStackTrace(error as Error)
    throw error
  }
}

/** Not an object: pg would copy it property by property, which was the slowest part here. */
function send(client: ClientBase, { text, name, values }: Prepared): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    // pg's types name this callback's result differently.
    const query = new pg.Query(text, values as SqlValue[], (error, result) =>
      error ? reject(error) : resolve(result as unknown as QueryResult),
    )
    client.query(Object.assign(query, { name }))
  })
}

function sendForTexts(client: ClientBase, { text, name, values }: Prepared, size: number): Promise<Texts> {
  return new Promise((resolve, reject) => {
    const query = new TextsQuery(text, values as SqlValue[], (error) => (error ? reject(error) : resolve(query.texts)))
    query.texts = { bytes: Buffer.allocUnsafeSlow(size), ends: [] }
    client.query(Object.assign(query, { name }))
  })
}

/** Keeps only the first column, as bytes: a text per row costs more than the rest of a page. */
class TextsQuery extends pg.Query {
  declare texts: Texts
  #used = 0

  handleDataRow({ bytes, start }: Row): void {
    const from = start + countBytes + lengthBytes
    const length = bytes.readUInt32BE(start + countBytes)
    const end = this.#used + 1 + length
    if (end >= this.texts.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * end)
      this.texts.bytes.copy(larger, 0, 0, this.#used)
      this.texts.bytes = larger
    }
    bytes.copy(this.texts.bytes, this.#used + 1, from, from + length)
    this.texts.ends.push(end)
    this.#used = end
  }
}

/** Advisory locks are numbers: the first 64 bits of the name's hash, with a prefix to differ from other programs. */
export function lockKey(name: string): string {
  return createHash('sha256').update(`rollbook ${name}`).digest().readBigInt64BE().toString()
}
