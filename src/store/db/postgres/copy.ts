import pg, { type ClientBase } from 'pg'
import type { TakeRow } from '../db.ts'
import { renderSql, type Sql, type SqlValue, withoutNul } from '../sql.ts'
import { countBytes, type Row } from './client.ts'

/** The header: a signature, flags, and an empty extension. */
const headBytes = 19

/** Returns the rows of a query by COPY in its binary form, the cheapest one for the server. */
export async function copyRows(client: ClientBase, statement: Sql, onRow: TakeRow): Promise<void> {
  let head = headBytes
  class Copy extends pg.Query {
    handleCopyData({ bytes, start, end }: Row): void {
      const at = start + head + countBytes
      head = 0
      // The trailer has -1 columns.
      if (end > at) onRow(bytes, at)
    }
  }
  // COPY takes no parameters.
  const parameters = withoutNul(renderSql(statement, String).parameters)
  const { text } = renderSql(statement, (n) => literal(client, parameters[n - 1] as SqlValue))
  await new Promise<void>((resolve, reject) => {
    client.query(new Copy(`COPY (${text}) TO STDOUT (FORMAT binary)`, (error) => (error ? reject(error) : resolve())))
  })
}

function literal(client: ClientBase, value: SqlValue): string {
  return typeof value === 'number' ? String(value) : client.escapeLiteral(String(value))
}
