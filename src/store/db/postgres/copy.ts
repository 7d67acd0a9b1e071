import pg, { type ClientBase } from 'pg'
import type { TakeRow } from '../db.ts'
import { renderSql, type Sql, type SqlValue } from '../sql.ts'

/** The header: a signature, flags, and an empty extension; then each row starts with its number of columns. */
const [headBytes, countBytes] = [19, 2]

/**
 * Returns the rows of a query by COPY in its binary form. It is the only way to get raw bytes: pg turns all other results
 * into text. It is also the cheapest for the server.
 */
export async function copyRows(client: ClientBase, statement: Sql, take: TakeRow): Promise<void> {
  let head = headBytes
  class Copy extends pg.Query {
    handleCopyData({ chunk }: { chunk: Buffer }): void {
      const at = head + countBytes
      head = 0
      // The trailer has -1 columns.
      if (chunk.length > at) take(chunk, at)
    }
  }
  // COPY takes no parameters.
  const { parameters } = renderSql(statement, String)
  const { text } = renderSql(statement, (n) => literal(client, parameters[n - 1] as SqlValue))
  await new Promise<void>((resolve, reject) => {
    client.query(new Copy(`COPY (${text}) TO STDOUT (FORMAT binary)`, (error) => (error ? reject(error) : resolve())))
  })
}

function literal(client: ClientBase, value: SqlValue): string {
  return typeof value === 'number' ? String(value) : client.escapeLiteral(String(value))
}
