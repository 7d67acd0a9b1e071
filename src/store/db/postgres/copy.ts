import pg, { type ClientBase } from 'pg'
import type { TakeRow } from '../db.ts'
import { renderSql, type Sql, type SqlValue } from '../sql.ts'

/** In front of the first row stand a signature, flags, and the length of nothing; in front of each, how many columns. */
const [headBytes, countBytes] = [19, 2]

/**
 * The rows of a query by COPY in its binary form. It is the one way to have bytes as they are: pg makes text of all other
 * results, and the server, too, has least to do for these.
 */
export async function copyRows(client: ClientBase, statement: Sql, take: TakeRow): Promise<void> {
  let head = headBytes
  class Copy extends pg.Query {
    handleCopyData({ chunk }: { chunk: Buffer }): void {
      const at = head + countBytes
      head = 0
      // The last one has no column and says so.
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
